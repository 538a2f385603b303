/* Private to sim/cloud/policy: one of the policies of policy.h. */
#include "sim/cloud/policy/policy.h"

PolicyChoice policy_service(const PolicyView *view)
{
    bool starts = view->waiting_count > 0 && request_fits(view->waiting[0].request, view->room);
    return (PolicyChoice){.job = starts ? 0 : POLICY_NONE};
}
