/* Differences between two points of a study, and several comparisons at once. */
#ifndef SIM_STUDY_STATISTICS_COMPARE_H
#define SIM_STUDY_STATISTICS_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/study/statistics/estimate.h"

/* --- With common random numbers --- */

typedef struct {
    Estimate difference; /* mean of left[i] - right[i], with t on the differences */
    double correlation;  /* of left and right; NAN when one of them is constant */
    /* (Var left + Var right) / Var difference: independent seeds would need this many times the
     * runs for the same interval. Below 1 the common seeds harm. INFINITY: the difference is
     * constant. */
    double variance_reduction;
} Paired;

/* Run i of both points had the same seed, so both met the same arrivals, durations and failures.
 * `count` >= 1; with 1 the half-width is infinite, correlation and reduction are NAN. */
Paired compare_paired(const double *left, const double *right, int32_t count, double confidence);

/* --- With independent runs --- */

/* The mean of `left` minus the mean of `right` by B. L. Welch, Biometrika 34, 1947, with the
 * degrees of freedom of F. E. Satterthwaite, Biometrics Bulletin 2, 1946: the variances may differ.
 * `estimate.count` is the smaller count. Counts >= 1. */
typedef struct {
    Estimate difference;
    double freedom;
} Welch;
Welch compare_welch(const double *left, int32_t left_count, const double *right,
                    int32_t right_count, double confidence);

/* The two-sided p-value of "the difference is 0" by t with `freedom` degrees: of a mean of
 * `difference` with standard error `error`. 1 when both are 0, 0 when only the error is. */
double compare_p_value(double difference, double error, double freedom);

/* --- Several comparisons --- */

/* S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
 * Statistics 6, 1979: sets is_different[i] for the p-values that remain below `error` (0.05) for
 * all of them together. Rejects at least what Bonferroni rejects. Equal p-values share their fate.
 */
void compare_holm(const double *p_values, int32_t count, double error, bool *is_different);

#endif
