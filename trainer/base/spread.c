#include "trainer/base/spread.h"

#include <stdlib.h>

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The percentile of sorted values by nearest rank: the smallest value such that at least `percent`
 * % of all values do not exceed it. */
static double nearest_rank(const double *sorted, int64_t count, int64_t percent)
{
    return sorted[(count * percent + 99) / 100 - 1];
}

Spread spread_of(double *values, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += values[i];
    qsort(values, (size_t)count, sizeof *values, by_size);
    return (Spread){.min = values[0],
                    .median = nearest_rank(values, count, 50),
                    .mean = sum / (double)count,
                    .p90 = nearest_rank(values, count, 90)};
}
