/* Logarithm, exponential, powers and the quantiles of the normal distribution, for random values.
 * They use only + - * / and sqrt on IEEE doubles, which every machine rounds alike. The functions
 * of C libraries differ between libraries, and between processors with and without fused
 * multiply-add. Logarithm and exponential are within two units in the last place of the true value
 * (measured; a test checks it). */
#ifndef SIM_MODEL_RANDOM_MATH_H
#define SIM_MODEL_RANDOM_MATH_H

#include <stdint.h>

/* The natural logarithm of a finite x > 0. */
double random_log(double x);

/* e to the x. 0 below -745; above 709.7 the largest double. Not for NaN. */
double random_exp(double x);

/* The quantile of the standard normal distribution at probability p, 0 < p < 1. Source: M.
 * J. Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied
 * Statistics 37(3), 1988, PPND16: about 16 digits. */
double random_normal(double p);

/* `base` to the `exponent` >= 0, by repeated squaring. */
double random_power(double base, int32_t exponent);

/* The gamma function of 1 <= x <= 100, to about 13 digits. gamma(x + 1) = x gamma(x) raises x to at
 * least 16, where Stirling's series for log gamma is used. */
double random_gamma(double x);

#endif
