/* Private to sim/cloud/policy: one of the policies of policy.h. */
#include "sim/cloud/policy/policy.h"

PolicyChoice policy_service(const PolicyView *view)
{
    bool starts = view->waiting_count > 0 && policy_fits(view, &view->waiting[0]);
    return (PolicyChoice){.job = starts ? 0 : POLICY_NONE};
}
