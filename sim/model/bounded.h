/* Sums and products that stop at INT64_MAX. Sizes and rates come from users: a duration may be
 * longer than the 292 years that int64 nanoseconds hold. It is then INT64_MAX, which never ends
 * (engine_push). All arguments are >= 0. */
#ifndef SIM_MODEL_BOUNDED_H
#define SIM_MODEL_BOUNDED_H

#include <stdint.h>

int64_t bounded_add(int64_t a, int64_t b);
int64_t bounded_times(int64_t a, int64_t b);
/* How long `amount` (bytes, requests, operations) takes at `per_s` > 0 a second; rounds up. */
int64_t bounded_at_rate_ns(int64_t amount, int64_t per_s);
/* amount * numerator / denominator > 0, rounded up. */
int64_t bounded_part(int64_t amount, int64_t numerator, int64_t denominator);

/* Without bounds, as it only gets smaller: a / b > 0, rounded up. */
int64_t divide_up(int64_t a, int64_t b);

#endif
