#include "sim/cloud/policy/policy.h"

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cloud/policy/outside.h"
#include "sim/model/bounded.h"

static const Policy policies[] = {
#define X(name, function, text, sight, first, victim, what)                                        \
    {text, what, POLICY_SEES_##sight, policy_##function, first, victim},
    POLICIES(X)
#undef X
        [POLICY_OUTSIDE] = {"outside", "the function of a shared object chooses", POLICY_SEES_QUEUE,
                            policy_outside, NULL, policy_outside_victim},
};
_Static_assert(sizeof policies / sizeof policies[0] == POLICY_OUTSIDE + 1, "one row per policy");

const Policy *policy_of(PolicyKind kind)
{
    invariant(kind <= POLICY_OUTSIDE);
    return &policies[kind];
}

static int64_t within_limit(const PolicyView *view, int64_t slots)
{
    const SlotLimit limit = view->limit;
    return limit.is_set && slots > limit.most ? limit.most : slots;
}

int64_t policy_most_slots(const PolicyView *view, const Room *kind)
{
    return within_limit(view, room_slots_of_nodes(kind, kind->most_nodes));
}

int64_t policy_slots_to_come(const PolicyView *view, const Room *kind)
{
    const int32_t nodes = kind->most_nodes - kind->unusable_nodes;
    int64_t slots = within_limit(view, room_slots_of_nodes(kind, nodes > 0 ? nodes : 0)) -
                    policy_free_slots(view, kind);
    for (int32_t i = 0; i < view->running_count; i++)
        slots -= policy_held_slots(&view->running[i], kind);
    return slots > 0 ? slots : 0;
}

int64_t policy_free_slots(const PolicyView *view, const Room *kind)
{
    const int64_t slots = room_slots_of_kind(kind);
    const SlotLimit limit = view->limit;
    return limit.is_set && slots > limit.left ? limit.left : slots;
}

static int64_t speed_on(const WaitingJob *job, const Room *kind)
{
    const int64_t speed_ppm = kind_speed_ppm(job->speeds, kind->kind, kind->speed_ppm);
    return speed_ppm > 0 ? speed_ppm : PPM;
}

static int64_t time_at(const WaitingJob *job, int64_t speed_ppm)
{
    const int64_t work_ns =
        speed_ppm == PPM ? job->expected_ns : bounded_part(job->expected_ns, PPM, speed_ppm);
    return bounded_add(work_ns, job->owed_ns);
}

int64_t policy_expected_ns(const WaitingJob *job, const Room *kind)
{
    return time_at(job, speed_on(job, kind));
}

int64_t policy_shortest_ns(const WaitingJob *job)
{
    return time_at(job, job->fastest_ppm > 0 ? job->fastest_ppm : PPM);
}

int64_t policy_left_ns(const PolicyView *view, const RunningJob *job)
{
    if (job->expected_end_ns <= view->now_ns)
        return 0;
    const int64_t left_ns = job->expected_end_ns - view->now_ns;
    return job->speed_ppm < job->fastest_ppm ? mul_div(left_ns, job->speed_ppm, job->fastest_ppm)
                                             : left_ns;
}

int32_t policy_kinds_in_order(const PolicyView *view, const WaitingJob *job,
                              const Room *order[NODE_KINDS_MAX])
{
    int32_t count = 0;
    for (const Room *kind = view->room; kind != NULL; kind = kind->next) {
        int32_t place = count++;
        for (; view->takes_fastest && place > 0 &&
               speed_on(job, order[place - 1]) < speed_on(job, kind);
             place--)
            order[place] = order[place - 1];
        order[place] = kind;
    }
    return count;
}

int64_t policy_last_start_ns(const WaitingJob *job, const Room *kind)
{
    if (!kind->closes)
        return INT64_MAX;
    const int64_t expected_ns = policy_expected_ns(job, kind);
    return kind->closes_ns - (expected_ns > 0 ? expected_ns : 1);
}

int64_t policy_held_slots(const RunningJob *job, const Room *kind)
{
    return request_allows(job->request, kind->kind)
               ? request_slots_on(job->request, kind) - job->kept_back
               : 0;
}
