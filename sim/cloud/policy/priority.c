/* Private to sim/cloud/policy: one of the policies of policy.h. */
#include "sim/cloud/policy/policy.h"

static bool is_newer(const RunningJob *a, const RunningJob *b)
{
    return a->started_ns != b->started_ns ? a->started_ns > b->started_ns
                                          : a->job.index > b->job.index;
}

int32_t policy_priority_victim(const PolicyView *view)
{
    const WaitingJob *head = view->waiting;
    const int32_t gpus_per_node = view->room.gpus_per_node;
    int64_t slots = room_slots(view->room);
    int32_t newest = POLICY_NONE;
    if (view->waiting_count == 0 || request_fits(head->request, view->room))
        return POLICY_NONE;
    for (int32_t i = 0; i < view->running_count; i++) {
        const RunningJob *job = &view->running[i];
        if (job->priority >= head->priority)
            continue;
        slots += request_slots(job->request, gpus_per_node);
        if (newest == POLICY_NONE || is_newer(job, &view->running[newest]))
            newest = i;
    }
    return slots >= request_slots(head->request, gpus_per_node) ? newest : POLICY_NONE;
}
