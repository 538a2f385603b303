/* Sequential decisions about means: whether a mean is above or below a limit, and which of two
 * means is the smaller one, with a bound on the probability of a wrong decision.
 *
 * The sum of the differences (value - limit, or value - other value of the same seed) is compared
 * with a triangle that narrows with the number of runs n:
 *
 *     R(n) = max(0, h^2 S^2 / (2 d) - d n / 2),   h^2 = (n - 1) ((2 e)^(-2 / (n - 1)) - 1)
 *
 * S^2 is the variance of the differences, d the indifference, e the probability of error. A sum
 * above R(n) or below -R(n) decides. The triangle is made for differences near d: for larger ones
 * it takes runs in proportion to 1 / d, however clear they are. So a tenth of the error is given to
 * Student's bound, of which each look has an equal part, and the smaller bound decides.
 *
 * R(n) is the triangle of S.-H. Kim, B. L. Nelson, "A fully
 * sequential procedure for indifference-zone selection in simulation", ACM TOMACS 11, 2001 (c = 1),
 * which S. Andradottir, S.-H. Kim, "Fully sequential procedures for comparing constrained systems
 * via simulation", Naval Research Logistics 57, 2010, use for limits. With common random numbers
 * the pairs remain independent of each other, so both hold. S^2 is estimated anew at each look, as
 * in KN++ (S.-H. Kim, B. L. Nelson, "On the asymptotic validity of fully sequential selection
 * procedures for steady-state simulation", Operations Research 54, 2006); looks are few, at the
 * ends of rounds, where the bound of KN counts every run. */
#ifndef SIM_STUDY_STATISTICS_SCREENING_H
#define SIM_STUDY_STATISTICS_SCREENING_H

#include <stdint.h>

typedef enum {
    SCREENING_BELOW = -1, /* the mean of the differences is below 0 */
    SCREENING_OPEN = 0,   /* more runs are needed */
    SCREENING_ABOVE = 1,  /* it is above 0 */
} ScreeningSide;

enum { SCREENING_LOOKS = 20 };

/* The smaller bound after `count` >= 2 runs. 0 for a variance of 0: there is no doubt. Without an
 * indifference the triangle never closes: Student's bound then has the whole error, a
 * SCREENING_LOOKS-th for each look. 0 < `error` < 1/2. */
double screening_boundary(int32_t count, double variance, double indifference, double error);

/* The side of the mean of `count` >= 2 differences, whose variance is at least `variance_least`.
 * A sum on the boundary counts as above: differences that are all 0 meet their limit. */
ScreeningSide screening_side(const double *differences, int32_t count, double variance_least,
                             double indifference, double error);

/* The probability that the mean of `count` >= 2 differences has the other sign than its estimate,
 * by t: how much is in doubt when a decision has to be made without the triangle. At most 1/2. */
double screening_doubt(const double *differences, int32_t count);

#endif
