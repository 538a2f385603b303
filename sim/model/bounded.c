#include "sim/model/bounded.h"

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/base/wide.h"

int64_t bounded_add(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

int64_t bounded_part(int64_t amount, int64_t numerator, int64_t denominator)
{
    invariant(amount >= 0);
    invariant(numerator >= 0);
    invariant(denominator > 0);
    const WideUnsigned part = wide_quotient((WideUnsigned)amount * (WideUnsigned)numerator +
                                                (WideUnsigned)denominator - 1,
                                            (uint64_t)denominator);
    return part > INT64_MAX ? INT64_MAX : (int64_t)part;
}

int64_t bounded_times(int64_t a, int64_t b)
{
    invariant(a >= 0);
    invariant(b >= 0);
    return wide_capped((Wide)a * b);
}

int64_t bounded_at_rate_ns(int64_t amount, int64_t per_s)
{
    return bounded_part(amount, NS_PER_S, per_s);
}

int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}
