#include "sim/study/statistics/stopping.h"

#include "sim/base/invariant.h"

/* Half as many again, at least one more. */
static int64_t longer(int64_t total)
{
    return total + (total > 1 ? total / 2 : 1);
}

int32_t stopping_next(int32_t at_least, int32_t at_most, int32_t done)
{
    invariant(at_least >= 1 && at_most >= 1);
    int64_t total = at_least;
    while (total <= done && total < at_most)
        total = longer(total);
    const int32_t end = total < at_most ? (int32_t)total : at_most;
    return end > done ? end : done;
}
