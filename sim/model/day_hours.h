/* The hours of the day, UTC. */
#ifndef SIM_MODEL_DAY_HOURS_H
#define SIM_MODEL_DAY_HOURS_H

#include "sim/base/wide.h"

enum { HOURS_A_DAY = 24 };

/* The time since midnight, in ns, of a clock that is `start_unix_ms` at 0. */
int64_t day_hours_start_ns(int64_t start_unix_ms);

/* The largest factor of an hour. */
int64_t day_hours_most(const int64_t hour_ppm[HOURS_A_DAY]);

/* Adds to each hour of the day the part of `amount` that belongs to it, if the amount is spread
 * evenly over the time from `begin_ns` to `end_ns` of a clock that is `start_unix_ms` at 0. The
 * parts add up to the amount. Nothing is added if the time is 0. */
void day_hours_spread(Wide *by_hour, int64_t start_unix_ms, int64_t begin_ns, int64_t end_ns,
                      Wide amount);

#endif
