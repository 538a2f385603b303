/* Values that differ from one occurrence to the next.
 *
 * Quantiles are knots of (probability, value), linear in between. A sample needs one random word
 * and only integer arithmetic, so it is the same on every machine. It grows with the word: two
 * scenarios that draw the same word get comparable values. A constant is one knot. */
#ifndef SIM_ENGINE_SAMPLE_H
#define SIM_ENGINE_SAMPLE_H

#include <stdint.h>

#include "sim/base/units.h"

typedef struct {
    int64_t probability_ppm; /* 0 at the first knot, 1,000,000 at the last, rising */
    int64_t value;           /* never falling */
} QuantileKnot;

typedef struct {
    int32_t count; /* >= 1; one knot is a constant */
    const QuantileKnot *knots;
} Quantiles;

/* A value that differs from one occurrence to the next, by a formula or by quantiles (a constant,
 * or an empirical table). All are sampled by inversion: one random word, and a larger word never
 * gives a smaller value. */
typedef enum {
    DISTRIBUTION_QUANTILES,
    DISTRIBUTION_EXPONENTIAL, /* scale: the mean */
    DISTRIBUTION_WEIBULL,     /* scale, and shape k: for k < 1 the hazard falls with age */
    DISTRIBUTION_LOGNORMAL,   /* scale: the median; shape: standard deviation of the logarithm */
} DistributionKind;

typedef struct {
    DistributionKind kind;
    Quantiles quantiles; /* of DISTRIBUTION_QUANTILES */
    int64_t scale;       /* of all other kinds; >= 0 */
    int64_t shape_ppm;   /* 1,000,000 = 1 */
} Distribution;

/* Limits of a shape. With a standard deviation below the first, or a Weibull shape above the
 * second, neighbouring words would give the same value. */
#define DISTRIBUTION_SHAPE_LEAST_PPM INT64_C(50000)
#define DISTRIBUTION_SHAPE_MOST_PPM INT64_C(20000000)

/* The value at the quantile (h + 1/2) / 2^48, where h is the upper 48 bits of `word`; for
 * DISTRIBUTION_QUANTILES, quantiles_at. INT64_MAX if the value is larger. A larger word never gives
 * a smaller value: with 48 bits, neighbouring words differ by far more than the error of the
 * formulas. Uses only + - * / and sqrt (sim/model/random_math.h), so every machine computes the
 * same value. */
int64_t distribution_at(Distribution distribution, uint64_t word);
/* The same for a value that is known to be more than `least`: `word` is spread over the words whose
 * values are, so that a uniform word gives the distribution under this condition. Without such
 * words the largest value. */
int64_t distribution_above(Distribution distribution, uint64_t word, int64_t least);
/* The mean, rounded to the nearest integer; INT64_MAX if it is larger. */
int64_t distribution_mean(Distribution distribution);

/* The value at the quantile `word / 2^64`, rounded down. Uses only the upper 32 bits of `word`. */
int64_t quantiles_at(Quantiles quantiles, uint64_t word);

/* Means, for coarse fidelities: the limit of the average of many samples, rounded to the nearest
 * integer. Computed in doubles with + - * / only, so they are the same on every machine. */

int64_t quantiles_mean(Quantiles quantiles);
/* The mean of the largest of `draws` >= 1 independent samples. */
int64_t quantiles_mean_of_max(Quantiles quantiles, int32_t draws);
/* The mean excess of the largest of `draws` samples over `threshold`. A largest sample below the
 * threshold has excess 0. */
int64_t quantiles_mean_excess(Quantiles quantiles, int32_t draws, int64_t threshold);

#endif
