/* The hours of the day and of the week, UTC. A week begins on Monday at 00:00. */
#ifndef SIM_MODEL_WEEK_HOURS_H
#define SIM_MODEL_WEEK_HOURS_H

#include "sim/base/wide.h"

enum { HOURS_A_DAY = 24, DAYS_A_WEEK = 7, HOURS_A_WEEK = HOURS_A_DAY * DAYS_A_WEEK };

/* Factors on a rate of arrivals count 10^-12, so that a factor of an hour times one of a weekday,
 * both in ppm, is exact. */
#define FACTOR_ONE INT64_C(1000000000000)

/* The time since Monday 00:00, in ns, of a clock that is `start_unix_ms` at 0. */
int64_t week_start_ns(int64_t start_unix_ms);

/* The hour of the week: 0 from Monday 00:00 on, 167 on Sunday from 23:00 on. */
int32_t week_hour_at(int64_t unix_ms);

/* The largest factor of an hour. */
int64_t week_factors_most(const int64_t factors[HOURS_A_WEEK]);

/* After how many hours the factors repeat: HOURS_A_DAY or HOURS_A_WEEK. */
int32_t week_factors_cycle(const int64_t factors[HOURS_A_WEEK]);

/* Adds to each hour the part of `amount` that belongs to it, if the amount is spread evenly over
 * the time from `begin_ns` to `end_ns` of a clock that is `start_unix_ms` at 0. The hours are those
 * of the day or of the week: `hours` is HOURS_A_DAY or HOURS_A_WEEK. The parts add up to the
 * amount. Nothing is added if the time is 0. */
void week_hours_spread(Wide *by_hour, int32_t hours, int64_t start_unix_ms, int64_t begin_ns,
                       int64_t end_ns, Wide amount);

#endif
