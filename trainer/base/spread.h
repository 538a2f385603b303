/* How measurements of the same thing scatter, in whatever unit they are. */
#ifndef TRAINER_SPREAD_H
#define TRAINER_SPREAD_H

#include <stdint.h>

typedef struct {
    double min, median, mean, p90; /* median and p90 are values that were measured (nearest rank) */
} Spread;

/* Of `count` values, at least 1; sorts them. */
Spread spread_of(double *values, int64_t count);

#endif
