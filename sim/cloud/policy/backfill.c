/* Private to sim/cloud/policy: one of the policies of policy.h. */
#include "sim/cloud/policy/policy.h"

#include "sim/base/invariant.h"

/* The reservation of the first job that can ever fit. */
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

/* Slots of nodes that take no job now although no job has them; they may become free at any time.
 */
static int64_t slots_to_come(const PolicyView *view, const Room *kind)
{
    int64_t slots = policy_most_slots(view, kind) - policy_free_slots(view, kind);
    for (int32_t i = 0; i < view->running_count; i++)
        slots -= policy_held_slots(&view->running[i], kind);
    return slots > 0 ? slots : 0;
}

static Reservation reserve(const PolicyView *view, const Room *kind, int64_t needed)
{
    const int64_t to_come = slots_to_come(view, kind);
    const RunningJob *running = view->running;
    int64_t slots = policy_free_slots(view, kind);
    int32_t i = 0;
    Reservation reservation = {.kind = kind->kind, .at_ns = view->now_ns};
    for (; i < view->running_count && slots + to_come < needed; i++) {
        slots += policy_held_slots(&running[i], kind);
        reservation.at_ns = end_of(view, i);
    }
    for (; i > 0 && i < view->running_count &&
           running[i].expected_end_ns == running[i - 1].expected_end_ns;
         i++)
        slots += policy_held_slots(&running[i], kind); // of jobs that end at the same time
    reservation.spare_slots = slots > needed ? slots - needed : 0;
    return reservation;
}

/* The earliest reservation on a kind of nodes that the job allows, from which it is expected to end
 * before maintenance; false: there is none. */
static bool reserve_first(const PolicyView *view, const WaitingJob *job, Reservation *first)
{
    bool has_any = false;
    for (const Room *kind = view->room; kind != NULL; kind = kind->next) {
        if (!request_may_start_on(&job->request, &view->limit, kind))
            continue;
        const Reservation other = reserve(view, kind, request_slots_on(job->request, kind));
        if (other.at_ns > policy_last_start_ns(job, kind))
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

/* The kinds of nodes on which the job may pass the first one. */
static KindSet kinds_to_pass(const PolicyView *view, const WaitingJob *job, Reservation reservation)
{
    KindSet kinds = 0;
    for (const Room *kind = view->room; kind != NULL; kind = kind->next)
        if (request_fits_on(&job->request, &view->limit, kind) &&
            delays_no_job(view, job, kind, reservation))
            kinds |= kind_set_of(kind->kind);
    return kinds;
}

/* Whether the job fits later, in time for maintenance. */
static bool may_fit(const PolicyView *view, const WaitingJob *job)
{
    Reservation reservation;
    return request_may_start(&job->request, &view->limit, view->room) &&
           (!room_closes(view->room) || reserve_first(view, job, &reservation));
}

/* The first job that fits now or may fit later. */
int32_t policy_backfill_first(const PolicyView *view)
{
    int32_t head = 0;
    while (head < view->waiting_count && !may_fit(view, &view->waiting[head]))
        head++;
    return head < view->waiting_count ? head : POLICY_NONE;
}

PolicyChoice policy_backfill(const PolicyView *view)
{
    const int32_t head = policy_backfill_first(view);
    if (head == POLICY_NONE)
        return (PolicyChoice){.job = POLICY_NONE};
    if (policy_fits(view, &view->waiting[head]))
        return (PolicyChoice){.job = head};
    Reservation reservation;
    const bool has_reservation = reserve_first(view, &view->waiting[head], &reservation);
    invariant(has_reservation); // it is the first that may fit
    for (int32_t i = head + 1; i < view->waiting_count; i++) {
        const KindSet kinds = kinds_to_pass(view, &view->waiting[i], reservation);
        if (kinds != 0)
            return (PolicyChoice){.job = i, .kinds = kinds};
    }
    return (PolicyChoice){.job = POLICY_NONE};
}
