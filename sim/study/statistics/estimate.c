#include "sim/study/statistics/estimate.h"

#include <math.h>

#include "sim/study/statistics/sample.h"

Estimate estimate_mean(const double *values, int32_t count, double confidence)
{
    Estimate estimate = {.mean = statistics_mean(values, count),
                         .half_width = (double)INFINITY,
                         .count = count,
                         .confidence = confidence};
    if (count >= 2)
        estimate.half_width =
            statistics_mean_bound(values, count, (1 + confidence) / 2, BOUND_UPPER) - estimate.mean;
    return estimate;
}

double estimate_relative_half_width(const Estimate *estimate)
{
    const double size = estimate->mean < 0 ? -estimate->mean : estimate->mean;
    return estimate->half_width <= 0 ? 0
           : size > 0                ? estimate->half_width / size
                                     : (double)INFINITY;
}
