/* Private to sim/cloud/job: one of the policies of policy.h. */
#include "sim/cloud/job/policy.h"

/* The promise to the first job that may ever start. */
typedef struct {
    int64_t at_ns;       /* it starts then at the earliest, as those that run say */
    int32_t spare_nodes; /* idle at that time in addition to its own, without nodes that are still
                            to come */
} Reservation;

static int64_t end_of(const PolicyView *view, int32_t running)
{
    int64_t end_ns = view->running[running].expected_end_ns;
    return end_ns > view->now_ns ? end_ns : view->now_ns; // overdue: at any moment
}

/* Nodes of the cluster that neither idle nor run a job. They may be there at any moment. */
static int32_t nodes_to_come(const PolicyView *view)
{
    int32_t nodes = view->most_nodes - view->idle_nodes;
    for (int32_t i = 0; i < view->running_count; i++)
        nodes -= view->running[i].nodes;
    return nodes > 0 ? nodes : 0;
}

static Reservation reserve(const PolicyView *view, int32_t needed)
{
    const int32_t to_come = nodes_to_come(view);
    const RunningJob *running = view->running;
    int32_t nodes = view->idle_nodes, i = 0;
    Reservation reservation = {.at_ns = view->now_ns};
    for (; i < view->running_count && nodes + to_come < needed; i++) {
        nodes += running[i].nodes;
        reservation.at_ns = end_of(view, i);
    }
    for (; i > 0 && i < view->running_count &&
           running[i].expected_end_ns == running[i - 1].expected_end_ns;
         i++)
        nodes += running[i].nodes; // those that end with the one that made it possible count too
    reservation.spare_nodes = nodes > needed ? nodes - needed : 0;
    return reservation;
}

static bool delays_no_job(const PolicyView *view, const WaitingJob *job, Reservation reservation)
{
    return job->nodes <= reservation.spare_nodes ||
           job->expected_ns <= reservation.at_ns - view->now_ns;
}

/* The first job that others could delay: it fits now, or may fit later. */
static int32_t head_of(const PolicyView *view)
{
    const int32_t most = view->idle_nodes > view->most_nodes ? view->idle_nodes : view->most_nodes;
    int32_t head = 0;
    while (head < view->waiting_count && view->waiting[head].nodes > most)
        head++;
    return head;
}

int32_t policy_backfill(const PolicyView *view)
{
    const int32_t head = head_of(view);
    if (head == view->waiting_count)
        return POLICY_NONE;
    if (view->waiting[head].nodes <= view->idle_nodes)
        return head;
    Reservation reservation = reserve(view, view->waiting[head].nodes);
    for (int32_t i = head + 1; i < view->waiting_count; i++) {
        const WaitingJob *job = &view->waiting[i];
        if (job->nodes <= view->idle_nodes && delays_no_job(view, job, reservation))
            return i;
    }
    return POLICY_NONE;
}
