/* Values that differ from one occurrence to the next.
 *
 * A distribution is its inverse: knots of (probability, value), linear in between. So a sample is
 * integer arithmetic, the same on every machine, needs one random word, and grows with that word
 * (two scenarios that draw the same word meet the same luck). A constant is one knot. */
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
    DISTRIBUTION_WEIBULL,     /* scale, and shape k: below 1 the hazard falls with age */
    DISTRIBUTION_LOGNORMAL,   /* scale: the median; shape: standard deviation of the logarithm */
} DistributionKind;

typedef struct {
    DistributionKind kind;
    Quantiles quantiles; /* of DISTRIBUTION_QUANTILES */
    int64_t scale;       /* of the others; >= 0 */
    int64_t shape_ppm;   /* 1,000,000 = 1 */
} Distribution;

/* Limits of a shape. A standard deviation below, or a Weibull shape above, is so near a constant
 * that neighbouring words could no longer be distinguished. */
#define DISTRIBUTION_SHAPE_LEAST_PPM INT64_C(50000)
#define DISTRIBUTION_SHAPE_MOST_PPM INT64_C(20000000)

/* The value at the quantile (h + 1/2) / 2^48, h being the upper 48 bits of `word` (of quantiles as
 * quantiles_at says); INT64_MAX where it is larger than that. So many bits leave the steps between
 * neighbouring words far above the error of the formulas: therefore no larger word gives a smaller
 * value. Computed with + - * / and sqrt only (sim/model/random_math.h), so the same on every
 * machine. */
int64_t distribution_at(Distribution distribution, uint64_t word);
/* The mean, rounded to the nearest integer; INT64_MAX where it is larger than that. */
int64_t distribution_mean(Distribution distribution);

/* The value at the quantile `word / 2^64`, of which the upper 32 bits count; rounded down. */
int64_t quantiles_at(Quantiles quantiles, uint64_t word);

/* Means, for coarse fidelities: the limit of the average of many samples. Computed in doubles with
 * + - * / only, so the same on every machine; rounded to the nearest integer. */

int64_t quantiles_mean(Quantiles quantiles);
/* The mean of the largest of `draws` >= 1 independent samples. */
int64_t quantiles_mean_of_max(Quantiles quantiles, int32_t draws);
/* The mean distance of the largest of `draws` samples above `threshold` (0 if it is below). */
int64_t quantiles_mean_excess(Quantiles quantiles, int32_t draws, int64_t threshold);

#endif
