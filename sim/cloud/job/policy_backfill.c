/* Private to sim/cloud/job: one of the policies of policy.h. */
#include "sim/cloud/job/policy.h"

/* The reservation of the first job that can ever fit. */
typedef struct {
    int64_t at_ns;       /* the earliest start, by the expected ends of running jobs */
    int32_t spare_nodes; /* idle at that time in addition to the job's own, without nodes_to_come */
} Reservation;

static int64_t end_of(const PolicyView *view, int32_t running)
{
    int64_t end_ns = view->running[running].expected_end_ns;
    return end_ns > view->now_ns ? end_ns : view->now_ns; // an overdue job may end at any time
}

/* Nodes of the cluster that are not idle and run no job; they may become idle at any time. */
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
        nodes += running[i].nodes; // of jobs that end at the same time
    reservation.spare_nodes = nodes > needed ? nodes - needed : 0;
    return reservation;
}

static bool delays_no_job(const PolicyView *view, const WaitingJob *job, Reservation reservation)
{
    return job->nodes <= reservation.spare_nodes ||
           job->expected_ns <= reservation.at_ns - view->now_ns;
}

/* The index of the first job that fits now or may fit later; waiting_count: none. */
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
