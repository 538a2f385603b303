/* How repeated measurements scatter. The results have the unit of the values. */
#ifndef TRAINER_SPREAD_H
#define TRAINER_SPREAD_H

#include <stdint.h>

typedef struct {
    double min, median, mean, p90; /* median and p90 are values that were measured (nearest rank) */
} Spread;

/* The spread of `count` values, at least 1. Sorts `values`. */
Spread spread_of(double *values, int64_t count);

#endif
