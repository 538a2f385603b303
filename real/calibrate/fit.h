/* What repeated measurements of a noisy machine come to: medians, which a burst of other work does
 * not move, and robust regression. GSL is wrapped here. */
#ifndef REAL_FIT_H
#define REAL_FIT_H

#include <stdbool.h>
#include <stdint.h>

/* What one quantity was measured as, several times. */
typedef struct {
    double median;
    double error; /* standard error of the median; 0 of a single value */
} Repeated;

/* The spread comes from the median absolute deviation, which stands for a normal distribution's
 * standard deviation when multiplied by 1.4826; the median of normal values is sqrt(pi / 2) as
 * uncertain as their mean. `count` >= 1; sorts `values`. */
Repeated repeated_of(double *values, int32_t count);

/* Rows of y = sum of c[j] * x[j]. */
typedef struct {
    int32_t rows, columns;
    const double *x; /* [rows][columns] */
    const double *y; /* [rows] */
} Regression;

/* Coefficients that are not negative, by iteratively reweighted least squares with Tukey's
 * bisquare: the most negative one is taken out until none is. Columns that are all 0 have the
 * coefficient 0; between columns that say the same, the smallest coefficients are taken. False when
 * there are fewer rows than columns. */
bool regression_fit(const Regression *regression, double *coefficients);

#endif
