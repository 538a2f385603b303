/* Statistics for repeated measurements of a noisy machine: medians, which a burst of other work
 * does not move, and robust regression. This module wraps GSL. */
#ifndef REAL_FIT_H
#define REAL_FIT_H

#include <stdbool.h>
#include <stdint.h>

/* Several measurements of one quantity. */
typedef struct {
    double median;
    double error; /* standard error of the median; 0 for a single value */
} Repeated;

/* Returns the median of `values` and its standard error; sorts `values`. `count` >= 1.
 *
 * The standard deviation is estimated as 1.4826 times the median absolute deviation, which holds
 * for a normal distribution. The standard error of a median of normal values is sqrt(pi / 2) times
 * that of their mean. */
Repeated repeated_of(double *values, int32_t count);

/* Rows of y = sum of c[j] * x[j]. */
typedef struct {
    int32_t rows, columns;
    const double *x; /* [rows][columns] */
    const double *y; /* [rows] */
} Regression;

/* Computes coefficients that are not negative, by iteratively reweighted least squares with Tukey's
 * bisquare. While a coefficient is negative, the most negative one is removed and set to 0. Columns
 * that are all 0 have the coefficient 0. If columns are linearly dependent, the smallest
 * coefficients are chosen. Returns false if there are fewer rows than columns. */
bool regression_fit(const Regression *regression, double *coefficients);

#endif
