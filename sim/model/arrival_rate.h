/* Rates of arrivals as people write them: "12/h", "200/7d", "200/week", "1.5/min". They are exact:
 * a number of arrivals in a period. */
#ifndef SIM_MODEL_ARRIVAL_RATE_H
#define SIM_MODEL_ARRIVAL_RATE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t micro;     /* millionths of an arrival ... */
    int64_t period_ns; /* ... in each such period; > 0 */
} ArrivalRate;

/* The rate that `text` states: a number with up to six decimals, '/', and a unit of time ("s",
 * "min", "h", "d", "day", "week") or a duration ("7d", "2h"). False when it is not a rate. */
bool arrival_rate_parse(const char *text, ArrivalRate *rate);

/* The mean time between arrivals at `rate` times `factor`, which counts 10^-12 (FACTOR_ONE),
 * rounded up; INT64_MAX if that is longer. Rate and factor are positive. */
int64_t arrival_gap_ns(ArrivalRate rate, int64_t factor);

/* Less than, equal to, or greater than 0, as `a` is below, equal to or above `b`. */
int arrival_rate_compare(ArrivalRate a, ArrivalRate b);

#endif
