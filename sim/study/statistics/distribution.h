/* Probabilities and quantiles of the distributions that confidence bounds need: normal, Student's
 * t, beta and binomial.
 *
 * All of them use + - * / and sqrt, and the logarithm and exponential of sim/model/random_math.h,
 * so every machine computes the same bits. Relative errors are below 1e-12, and 3e-11 beyond
 * 100,000 degrees of freedom or trials (tests compare with GSL and with exact sums). Student's t
 * and the binomial distribution are incomplete beta functions:
 *
 *     I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) * continued fraction
 *
 * (NIST Digital Library of Mathematical Functions, 8.17.22). The factor before the fraction is
 * computed by C. Loader's saddle-point expansion, "Fast and accurate computation of binomial
 * probabilities", 2000: differences of log gamma would lose digits for large a and b. Quantiles
 * are found by Newton's method between bounds. */
#ifndef SIM_STUDY_STATISTICS_DISTRIBUTION_H
#define SIM_STUDY_STATISTICS_DISTRIBUTION_H

#include <stdint.h>

/* The share of a standard normal distribution below `z`. */
double normal_probability(double z);
/* 0 < `p` < 1. */
double normal_quantile(double p);

/* The share of Student's t distribution with `freedom` >= 1 degrees of freedom (a fraction in
 * Welch's test) below `t`. */
double student_probability(double t, double freedom);
/* 0 < `p` < 1. */
double student_quantile(double p, double freedom);

/* The regularised incomplete beta function: the share of the beta distribution below `x`, 0 <= `x`
 * <= 1; `a`, `b` >= 1/2. */
double beta_probability(double x, double a, double b);

/* The probability of at most `successes` in `trials` >= 0 with probability 0 <= `p` <= 1 each. */
double binomial_probability(int32_t successes, int32_t trials, double p);

#endif
