/* Sums and products that stop at INT64_MAX. Users choose sizes and rates, so a duration may be
 * longer than the 292 years that int64 nanoseconds can hold. It is then INT64_MAX, and engine_push
 * pushes no event for its end. All arguments are >= 0. */
#ifndef SIM_MODEL_BOUNDED_H
#define SIM_MODEL_BOUNDED_H

#include <stdint.h>

int64_t bounded_add(int64_t a, int64_t b);
int64_t bounded_times(int64_t a, int64_t b);
/* How long `amount` (bytes, requests, operations) takes at `per_s` > 0 a second; rounds up. */
int64_t bounded_at_rate_ns(int64_t amount, int64_t per_s);
/* amount * numerator / denominator, rounded up; denominator > 0. */
int64_t bounded_part(int64_t amount, int64_t numerator, int64_t denominator);

/* a / b, rounded up; b > 0. The result is never larger than a, so it needs no bound. */
int64_t divide_up(int64_t a, int64_t b);

#endif
