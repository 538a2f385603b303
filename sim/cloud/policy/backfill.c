/* Private to sim/cloud/policy: one of the policies of policy.h. */
#include "sim/cloud/policy/policy.h"

/* The reservation of the first job that can ever fit. */
typedef struct {
    int64_t at_ns;       /* the earliest start, by the expected ends of running jobs */
    int64_t spare_slots; /* free at that time in addition to the job's own, without slots_to_come */
} Reservation;

static int64_t slots_of(const PolicyView *view, JobRequest request)
{
    return request_slots(request, view->room.gpus_per_node);
}

static int64_t end_of(const PolicyView *view, int32_t running)
{
    int64_t end_ns = view->running[running].expected_end_ns;
    return end_ns > view->now_ns ? end_ns : view->now_ns; // an overdue job may end at any time
}

/* Slots of nodes that take no job now although no job has them; they may become free at any time.
 */
static int64_t slots_to_come(const PolicyView *view)
{
    int64_t slots = policy_most_slots(view) - room_slots(view->room);
    for (int32_t i = 0; i < view->running_count; i++)
        slots -= slots_of(view, view->running[i].request);
    return slots > 0 ? slots : 0;
}

static Reservation reserve(const PolicyView *view, int64_t needed)
{
    const int64_t to_come = slots_to_come(view);
    const RunningJob *running = view->running;
    int64_t slots = room_slots(view->room);
    int32_t i = 0;
    Reservation reservation = {.at_ns = view->now_ns};
    for (; i < view->running_count && slots + to_come < needed; i++) {
        slots += slots_of(view, running[i].request);
        reservation.at_ns = end_of(view, i);
    }
    for (; i > 0 && i < view->running_count &&
           running[i].expected_end_ns == running[i - 1].expected_end_ns;
         i++)
        slots += slots_of(view, running[i].request); // of jobs that end at the same time
    reservation.spare_slots = slots > needed ? slots - needed : 0;
    return reservation;
}

static bool delays_no_job(const PolicyView *view, const WaitingJob *job, Reservation reservation)
{
    return slots_of(view, job->request) <= reservation.spare_slots ||
           job->expected_ns <= reservation.at_ns - view->now_ns;
}

/* The index of the first job that fits now or may fit later; waiting_count: none. */
static int32_t head_of(const PolicyView *view)
{
    int32_t head = 0;
    while (head < view->waiting_count && !policy_is_possible(view, view->waiting[head].request))
        head++;
    return head;
}

int32_t policy_backfill(const PolicyView *view)
{
    const int32_t head = head_of(view);
    if (head == view->waiting_count)
        return POLICY_NONE;
    if (request_fits(view->waiting[head].request, view->room))
        return head;
    Reservation reservation = reserve(view, slots_of(view, view->waiting[head].request));
    for (int32_t i = head + 1; i < view->waiting_count; i++) {
        const WaitingJob *job = &view->waiting[i];
        if (request_fits(job->request, view->room) && delays_no_job(view, job, reservation))
            return i;
    }
    return POLICY_NONE;
}
