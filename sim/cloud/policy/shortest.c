/* Private to sim/cloud/policy: one of the policies of policy.h. */
#include "sim/cloud/policy/policy.h"

PolicyChoice policy_shortest(const PolicyView *view)
{
    int32_t shortest = POLICY_NONE;
    for (int32_t i = 0; i < view->waiting_count; i++)
        if (shortest == POLICY_NONE ||
            view->waiting[i].expected_ns < view->waiting[shortest].expected_ns)
            shortest = i;
    if (shortest != POLICY_NONE && !policy_fits(view, &view->waiting[shortest]))
        shortest = POLICY_NONE;
    return (PolicyChoice){.job = shortest};
}
