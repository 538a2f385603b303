/* Private to sim/cloud/policy: one of the policies of policy.h. */
#include "sim/cloud/policy/policy.h"

static int64_t used_by(const PolicyView *view, int32_t waiting)
{
    return view->used_node_us[view->waiting[waiting].owner];
}

int32_t policy_fair_share_first(const PolicyView *view)
{
    int32_t next = POLICY_NONE;
    for (int32_t i = 0; i < view->waiting_count; i++)
        if (next == POLICY_NONE || used_by(view, i) < used_by(view, next))
            next = i;
    return next;
}

PolicyChoice policy_fair_share(const PolicyView *view)
{
    const int32_t first = policy_fair_share_first(view);
    const bool fits = first != POLICY_NONE && policy_fits(view, &view->waiting[first]);
    return (PolicyChoice){.job = fits ? first : POLICY_NONE};
}
