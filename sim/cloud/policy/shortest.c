/* Private to sim/cloud/policy: one of the policies of policy.h. */
#include "sim/cloud/policy/policy.h"

int32_t policy_shortest_first(const PolicyView *view)
{
    int32_t shortest = POLICY_NONE;
    for (int32_t i = 0; i < view->waiting_count; i++)
        if (shortest == POLICY_NONE ||
            policy_shortest_ns(&view->waiting[i]) < policy_shortest_ns(&view->waiting[shortest]))
            shortest = i;
    return shortest;
}

PolicyChoice policy_shortest(const PolicyView *view)
{
    const int32_t first = policy_shortest_first(view);
    const bool fits = first != POLICY_NONE && policy_fits(view, &view->waiting[first]);
    return (PolicyChoice){.job = fits ? first : POLICY_NONE};
}
