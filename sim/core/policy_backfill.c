#include "sim/core/policy.h"

/* What the first job that may ever start is promised. */
typedef struct {
    bool is_known;
    int64_t at_ns;       /* it can start then at the latest, as those that run say */
    int32_t spare_nodes; /* idle at that time beside its own */
} Reservation;

static int64_t end_of(const PolicyView *view, int32_t running)
{
    int64_t end_ns = view->running[running].expected_end_ns;
    return end_ns > view->now_ns ? end_ns : view->now_ns; // overdue: at any moment
}

static Reservation reserve(const PolicyView *view, int32_t needed)
{
    int32_t nodes = view->idle_nodes;
    Reservation reservation = {0};
    for (int32_t i = 0; i < view->running_count; i++) {
        bool ends_later =
            i > 0 && view->running[i].expected_end_ns > view->running[i - 1].expected_end_ns;
        if (reservation.is_known && ends_later)
            break; // those that end with the one that made it possible count too
        nodes += view->running[i].nodes;
        if (nodes >= needed)
            reservation = (Reservation){
                .is_known = true, .at_ns = end_of(view, i), .spare_nodes = nodes - needed};
    }
    return reservation;
}

static bool delays_nobody(const PolicyView *view, const WaitingJob *job, Reservation reservation)
{
    return job->nodes <= reservation.spare_nodes ||
           job->expected_ns <= reservation.at_ns - view->now_ns;
}

/* The first job that somebody could delay: it fits, or may once do so. */
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
        return POLICY_NOBODY;
    if (view->waiting[head].nodes <= view->idle_nodes)
        return head;
    Reservation reservation = reserve(view, view->waiting[head].nodes);
    for (int32_t i = head + 1; i < view->waiting_count && reservation.is_known; i++) {
        const WaitingJob *job = &view->waiting[i];
        if (job->nodes <= view->idle_nodes && delays_nobody(view, job, reservation))
            return i;
    }
    return POLICY_NOBODY;
}
