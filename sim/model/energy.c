#include "sim/model/energy.h"

#include "sim/base/invariant.h"
#include "sim/base/units.h"

/* 1 mW for 1 ns is 10^-12 J. */
#define MW_NS_PER_MICRO_KWH INT64_C(3600000000000)

int64_t energy_micro_kwh(int64_t idle_mw, int64_t busy_mw, Wide held_ns, Wide busy_ns)
{
    invariant(busy_ns >= 0 && busy_ns <= held_ns);
    return wide_capped((busy_ns * busy_mw + (held_ns - busy_ns) * idle_mw) / MW_NS_PER_MICRO_KWH);
}

int64_t carbon_mg(int64_t micro_kwh, int64_t g_per_kwh)
{
    return wide_proportion(micro_kwh, g_per_kwh, 1000);
}
