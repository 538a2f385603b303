/* Sums that stop at INT64_MAX: the values of a trace read from a file can be anything, and must
 * not overflow. Values of a simulated run are far below. */
#ifndef SIM_BASE_CAPPED_H
#define SIM_BASE_CAPPED_H

#include <stdint.h>

#include "sim/base/units.h"

static inline int64_t capped_sum(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static inline int64_t capped_product(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* a * b / c rounded down, c > 0; 0 where a or b is not above 0. */
static inline int64_t capped_proportion(int64_t a, int64_t b, int64_t c)
{
    if (a <= 0 || b <= 0)
        return 0;
    return a / c >= INT64_MAX / b ? INT64_MAX : mul_div(a, b, c);
}

#endif
