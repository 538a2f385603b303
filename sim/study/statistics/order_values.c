#include "sim/study/statistics/order_values.h"

/* The time at `rank`, which is between the ranks `*after` - 1 and `*after`; moves on to them. */
static double time_at(const OrderedTimes *run, int64_t rank, int32_t *after)
{
    while (run->ranks[*after] < rank)
        ++*after;
    const int64_t high = run->ranks[*after];
    if (high == rank)
        return run->times[*after];
    const int64_t low = run->ranks[*after - 1];
    const double below = run->times[*after - 1], above = run->times[*after];
    return below + (above - below) * (double)(rank - low) / (double)(high - low);
}

RunValues order_values(Arena *arena, const OrderedTimes *run, int64_t jobs_a_value)
{
    const int64_t count = (run->jobs + jobs_a_value - 1) / jobs_a_value;
    double *values = ARENA_ARRAY(arena, double, count);
    int32_t after = 0;
    for (int64_t i = 0; i < count; i++) {
        // The ranks ceil((i + 1) jobs / count), without a product that overflows.
        const int64_t whole = run->jobs / count, rest = run->jobs % count;
        const int64_t rank = (i + 1) * whole + ((i + 1) * rest + count - 1) / count;
        values[i] = time_at(run, rank, &after);
    }
    return (RunValues){.sorted = values, .count = count};
}
