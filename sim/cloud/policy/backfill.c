/* Private to sim/cloud/policy: one of the policies of policy.h. */
#include "sim/cloud/policy/policy.h"

/* The reservation of the first job that can have one. */
typedef struct {
    int32_t kind;        /* of nodes */
    int64_t at_ns;       /* the earliest start, by the expected ends of running jobs */
    int64_t spare_slots; /* free at that time in addition to the job's own, without slots_to_come */
} Reservation;

static int64_t end_of(const PolicyView *view, int32_t running)
{
    int64_t end_ns = view->running[running].expected_end_ns;
    return end_ns > view->now_ns ? end_ns : view->now_ns; // an overdue job may end at any time
}

/* A reservation on a kind of nodes; false: so many slots will not be free as long as nodes are
 * unusable. */
static bool reserve(const PolicyView *view, const Room *kind, int64_t needed,
                    Reservation *reservation)
{
    const int64_t to_come = policy_slots_to_come(view, kind);
    const RunningJob *running = view->running;
    int64_t slots = policy_free_slots(view, kind);
    int32_t i = 0;
    *reservation = (Reservation){.kind = kind->kind, .at_ns = view->now_ns};
    for (; i < view->running_count && slots + to_come < needed; i++) {
        slots += policy_held_slots(&running[i], kind);
        reservation->at_ns = end_of(view, i);
    }
    if (slots + to_come < needed)
        return false;
    for (; i > 0 && i < view->running_count &&
           running[i].expected_end_ns == running[i - 1].expected_end_ns;
         i++)
        slots += policy_held_slots(&running[i], kind); // of jobs that end at the same time
    reservation->spare_slots = slots > needed ? slots - needed : 0;
    return true;
}

/* The earliest reservation on a kind of nodes that the job allows, from which it is expected to end
 * before maintenance; false: there is none. */
static bool reserve_first(const PolicyView *view, const WaitingJob *job, Reservation *first)
{
    const Room *order[NODE_KINDS_MAX];
    const int32_t count = policy_kinds_in_order(view, job, order);
    bool has_any = false;
    for (int32_t i = 0; i < count; i++) {
        const Room *kind = order[i];
        if (!request_may_start_on(&job->request, &view->limit, kind))
            continue;
        Reservation other;
        if (!reserve(view, kind, request_slots_on(job->request, kind), &other) ||
            other.at_ns > policy_last_start_ns(job, kind))
            continue;
        if (!has_any || other.at_ns < first->at_ns)
            *first = other;
        has_any = true;
    }
    return has_any;
}

static bool delays_no_job(const PolicyView *view, const WaitingJob *job, const Room *kind,
                          Reservation reservation)
{
    return kind->kind != reservation.kind ||
           request_slots_on(job->request, kind) <= reservation.spare_slots ||
           policy_expected_ns(job, kind) <= reservation.at_ns - view->now_ns;
}

/* The kinds of nodes on which the job may pass the first one. `free_slots` [kind] saves the closer
 * look at most jobs of a long queue. */
static KindSet kinds_to_pass(const PolicyView *view, const WaitingJob *job, Reservation reservation,
                             const int64_t *free_slots)
{
    KindSet kinds = 0;
    for (const Room *kind = view->room; kind != NULL; kind = kind->next)
        if (request_slots_on(job->request, kind) <= free_slots[kind->kind] &&
            delays_no_job(view, job, kind, reservation) &&
            request_fits_on(&job->request, &view->limit, kind))
            kinds |= kind_set_of(kind->kind);
    return kinds;
}

/* Finds the first job that fits now or can have a reservation. Fills in whether it fits, and if not
 * its reservation. POLICY_NONE: no job does. */
static int32_t first_of(const PolicyView *view, bool *fits, Reservation *reservation)
{
    for (int32_t i = 0; i < view->waiting_count; i++) {
        *fits = policy_fits(view, &view->waiting[i]);
        if (*fits || reserve_first(view, &view->waiting[i], reservation))
            return i;
    }
    return POLICY_NONE;
}

int32_t policy_backfill_first(const PolicyView *view)
{
    bool fits;
    Reservation reservation;
    return first_of(view, &fits, &reservation);
}

PolicyChoice policy_backfill(const PolicyView *view)
{
    bool fits;
    Reservation reservation;
    int64_t free_slots[NODE_KINDS_MAX];
    const int32_t head = first_of(view, &fits, &reservation);
    if (head == POLICY_NONE || fits)
        return (PolicyChoice){.job = head};
    for (const Room *kind = view->room; kind != NULL; kind = kind->next)
        free_slots[kind->kind] = policy_free_slots(view, kind);
    for (int32_t i = head + 1; i < view->waiting_count; i++) {
        const KindSet kinds = kinds_to_pass(view, &view->waiting[i], reservation, free_slots);
        if (kinds != 0)
            return (PolicyChoice){.job = i, .kinds = kinds};
    }
    return (PolicyChoice){.job = POLICY_NONE};
}
