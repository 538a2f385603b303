#include "sim/model/price.h"

#include "sim/base/capped.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"

int64_t billed_ns(int64_t held_ns, int64_t granularity_ns)
{
    invariant(held_ns >= 0);
    invariant(granularity_ns > 0);
    return held_ns - held_ns % granularity_ns;
}

int64_t cost_micro_usd(int64_t billed, int64_t micro_usd_per_hour)
{
    return capped_proportion(billed, micro_usd_per_hour, NS_PER_HOUR);
}
