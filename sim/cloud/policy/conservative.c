/* Private to sim/cloud/policy: one of the policies of policy.h. */
#include "sim/cloud/policy/policy.h"

#include "sim/base/invariant.h"
#include "sim/model/bounded.h"

/* The free slots over time, from now on: those that running jobs and reservations leave. The last
 * step has no end. */
typedef struct {
    PolicyStep *steps;
    int32_t count;
} Profile;

static int64_t slots_of(const PolicyView *view, JobRequest request)
{
    return request_slots(request, view->room.gpus_per_node);
}

/* All free slots are free from now on, and each running job's from its end on. Slots of nodes that
 * take no job now although no job has them may become free at any time. */
static Profile profile_begin(const PolicyView *view)
{
    Profile profile = {.steps = view->steps, .count = 1};
    int64_t to_come = policy_most_slots(view) - room_slots(view->room);
    for (int32_t i = 0; i < view->running_count; i++)
        to_come -= slots_of(view, view->running[i].request);
    profile.steps[0] =
        (PolicyStep){view->now_ns, room_slots(view->room) + (to_come > 0 ? to_come : 0)};
    for (int32_t i = 0; i < view->running_count; i++) {
        PolicyStep *last = &profile.steps[profile.count - 1];
        const RunningJob *job = &view->running[i];
        const int64_t slots = last->slots + slots_of(view, job->request);
        if (job->expected_end_ns <= last->at_ns)
            last->slots = slots; // it is overdue, or ends together with the one before
        else
            profile.steps[profile.count++] = (PolicyStep){job->expected_end_ns, slots};
    }
    return profile;
}

/* The first step from `from` on at which fewer than `slots` are free before `end_ns`; count: none.
 */
static int32_t next_shortage(const Profile *profile, int32_t from, int64_t slots, int64_t end_ns)
{
    int32_t i = from;
    while (i < profile->count && profile->steps[i].slots >= slots)
        if (++i < profile->count && profile->steps[i].at_ns >= end_ns)
            return profile->count;
    return i;
}

/* The step at which `slots` are free for `length_ns`; count: there is none. */
static int32_t earliest(const Profile *profile, int64_t slots, int64_t length_ns)
{
    int32_t step = 0;
    while (step < profile->count) {
        const int64_t end_ns = bounded_add(profile->steps[step].at_ns, length_ns);
        const int32_t shortage = next_shortage(profile, step, slots, end_ns);
        if (shortage == profile->count)
            return step;
        step = shortage + 1;
    }
    return profile->count;
}

/* Makes a step begin at `at_ns`, which is not before the first; returns its index. */
static int32_t split(Profile *profile, int64_t at_ns)
{
    int32_t step = profile->count;
    while (profile->steps[step - 1].at_ns > at_ns)
        step--;
    if (profile->steps[step - 1].at_ns == at_ns)
        return step - 1;
    for (int32_t i = profile->count++; i > step; i--)
        profile->steps[i] = profile->steps[i - 1];
    profile->steps[step] = (PolicyStep){at_ns, profile->steps[step - 1].slots};
    return step;
}

static void reserve(Profile *profile, int32_t begin, int64_t slots, int64_t length_ns)
{
    const int64_t end_ns = bounded_add(profile->steps[begin].at_ns, length_ns);
    const int32_t end = end_ns < INT64_MAX ? split(profile, end_ns) : profile->count;
    for (int32_t i = begin; i < end; i++) {
        profile->steps[i].slots -= slots;
        invariant(profile->steps[i].slots >= 0);
    }
}

/* Whether the job could start now, given the reservations so far. With further reservations no more
 * jobs fit. `spare`: idle slots that no earlier job may need at any time. */
static bool fits_now(const PolicyView *view, const Profile *profile, const WaitingJob *job,
                     int64_t spare)
{
    const int64_t slots = slots_of(view, job->request);
    return slots <= spare && request_fits(job->request, view->room) &&
           next_shortage(profile, 0, slots, bounded_add(view->now_ns, job->expected_ns)) ==
               profile->count;
}

int32_t policy_conservative(const PolicyView *view)
{
    Profile profile = profile_begin(view);
    int64_t spare = room_slots(view->room);
    int32_t next = 0; // no job before it, from `i` on, can start now
    for (int32_t i = 0;; i++) {
        while (next < view->waiting_count && !fits_now(view, &profile, &view->waiting[next], spare))
            next++;
        if (next == view->waiting_count)
            return POLICY_NONE;
        if (next == i)
            return i;
        const WaitingJob *job = &view->waiting[i];
        const int64_t slots = slots_of(view, job->request);
        const int32_t step = policy_is_possible(view, job->request)
                                 ? earliest(&profile, slots, job->expected_ns)
                                 : profile.count;
        if (step == 0)
            spare -= slots;
        if (step < profile.count)
            reserve(&profile, step, slots, job->expected_ns);
    }
}
