/* Exact numbers of arrivals: `count` times in a period, independent and uniform (or in proportion
 * to factors of the hours of the week), in ascending order. This is a Poisson process under the
 * condition that it has `count` arrivals in the period.
 *
 * Pure: the random words come from the caller. */
#ifndef SIM_MODEL_ARRIVAL_COUNT_H
#define SIM_MODEL_ARRIVAL_COUNT_H

#include <stdint.h>

typedef struct {
    int64_t begin_ns;
    int64_t length_ns;
    int64_t start_unix_ms;  /* of simulated time 0 */
    const int64_t *factors; /* [HOURS_A_WEEK] by hour of the week (week_hours.h), each at most
                               10,000 times FACTOR_ONE, and at least one above 0 in the period;
                               NULL: all hours are alike */
} ArrivalPeriod;

/* Sorts `count` uniform random words, and turns each into a time of the period. */
void arrival_count_times(const ArrivalPeriod *period, uint32_t *words, int64_t count,
                         int64_t *times_ns);

#endif
