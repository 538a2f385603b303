/* Private to sim/cloud/policy: one of the policies of policy.h. */
#include "sim/cloud/policy/policy.h"

static bool is_newer(const RunningJob *a, const RunningJob *b)
{
    return a->started_ns != b->started_ns ? a->started_ns > b->started_ns
                                          : a->job.index > b->job.index;
}

/* The running job on nodes of one kind that is stopped for the first waiting one; POLICY_NONE: all
 * that may be stopped are not enough. */
static int32_t victim_on(const PolicyView *view, const Room *kind)
{
    const WaitingJob *head = view->waiting;
    int64_t slots = policy_free_slots(view, kind);
    int32_t newest = POLICY_NONE;
    for (int32_t i = 0; i < view->running_count; i++) {
        const RunningJob *job = &view->running[i];
        if (job->priority >= head->priority || !request_allows(job->request, kind->kind))
            continue;
        slots += policy_held_slots(job, kind);
        if (newest == POLICY_NONE || is_newer(job, &view->running[newest]))
            newest = i;
    }
    return slots >= request_slots_on(head->request, kind) ? newest : POLICY_NONE;
}

int32_t policy_priority_victim(const PolicyView *view)
{
    int32_t victim = POLICY_NONE;
    if (view->waiting_count == 0 || policy_fits(view, view->waiting))
        return POLICY_NONE;
    const Room *order[NODE_KINDS_MAX];
    const int32_t count = policy_kinds_in_order(view, view->waiting, order);
    for (int32_t i = 0; i < count && victim == POLICY_NONE; i++)
        if (request_allows(view->waiting->request, order[i]->kind))
            victim = victim_on(view, order[i]);
    return victim;
}
