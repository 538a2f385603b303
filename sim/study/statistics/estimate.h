/* Estimates of means with two-sided confidence intervals. (Part "stats" replaces this file.) */
#ifndef SIM_STUDY_STATISTICS_ESTIMATE_H
#define SIM_STUDY_STATISTICS_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double mean;
    double half_width; /* of the interval mean -+ half_width; INFINITY: too few values */
    int32_t count;     /* of runs */
    double confidence; /* that the interval contains the true mean: 0.95 */
} Estimate;

Estimate estimate_mean(const double *values, int32_t count, double confidence);
double estimate_relative_half_width(const Estimate *estimate);

#endif
