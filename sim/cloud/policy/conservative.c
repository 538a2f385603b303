/* Private to sim/cloud/policy: one of the policies of policy.h. */
#include "sim/cloud/policy/policy.h"

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/model/bounded.h"

/* Classes of jobs by slots and by seconds: those of at least 1, 2, 3, 4, 6, 8, 12, 16, ... */
enum { SLOT_CLASSES = 16, LENGTH_CLASSES = 48 };

/* The free slots of a kind of nodes over time, from now on: those that running jobs and
 * reservations leave. The last step has no end. */
typedef struct {
    const Room *kind;
    PolicyStep *steps;
    int32_t count;
    int64_t spare; /* idle slots that no earlier job may need at any time */
    /* [slots][length] No job of the class or of a larger one can start before this time. It stays
     * true, because reservations only take slots away. A long queue fills the first part of the
     * profile, and this saves the search there. */
    int64_t earliest_ns[SLOT_CLASSES][LENGTH_CLASSES];
} Profile;

/* All free slots are free from now on, and each running job's from its end on. Slots of nodes that
 * take no job now although no job has them may become free at any time. */
static void profile_begin(const PolicyView *view, const Room *kind, PolicyStep *steps,
                          Profile *profile)
{
    const int64_t free = policy_free_slots(view, kind);
    *profile = (Profile){.kind = kind, .steps = steps, .count = 1, .spare = free};
    steps[0] = (PolicyStep){view->now_ns, free + policy_slots_to_come(view, kind)};
    for (int32_t i = 0; i < view->running_count; i++) {
        PolicyStep *last = &steps[profile->count - 1];
        const RunningJob *job = &view->running[i];
        const int64_t held = policy_held_slots(job, kind);
        if (!request_allows(job->request, kind->kind))
            continue;
        if (job->expected_end_ns <= last->at_ns)
            last->slots += held; // it is overdue, or ends together with the one before
        else
            steps[profile->count++] = (PolicyStep){job->expected_end_ns, last->slots + held};
    }
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

/* The first step that is not before `at_ns`. */
static int32_t step_at(const Profile *profile, int64_t at_ns)
{
    int32_t low = 0, high = profile->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (profile->steps[middle].at_ns < at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t least_of(int32_t class)
{
    if (class == 0)
        return 1;
    return class % 2 != 0 ? (int64_t)2 << class / 2 : (int64_t)3 << (class / 2 - 1);
}

/* The last of `count` classes that `value` reaches; -1: none. */
static int32_t class_of(int64_t value, int32_t count)
{
    int32_t class = -1;
    while (class + 1 < count && least_of(class + 1) <= value)
        class ++;
    return class;
}

/* A job starts at `start_ns`, so larger and longer ones do not start earlier. */
static void note_start(Profile *profile, int64_t slots, int64_t length_ns, int64_t start_ns)
{
    const int32_t least_slots = class_of(slots - 1, SLOT_CLASSES) + 1;
    const int32_t least_length = class_of((length_ns - 1) / NS_PER_S, LENGTH_CLASSES) + 1;
    for (int32_t i = least_slots; i < SLOT_CLASSES; i++)
        for (int32_t j = least_length; j < LENGTH_CLASSES && profile->earliest_ns[i][j] < start_ns;
             j++)
            profile->earliest_ns[i][j] = start_ns;
}

static int64_t not_before_ns(const Profile *profile, int64_t slots, int64_t length_ns)
{
    const int32_t i = class_of(slots, SLOT_CLASSES);
    const int32_t j = class_of(length_ns / NS_PER_S, LENGTH_CLASSES);
    return i >= 0 && j >= 0 ? profile->earliest_ns[i][j] : INT64_MIN;
}

/* The step at which `slots` are free for `length_ns`; count: there is none. */
static int32_t earliest(Profile *profile, int64_t slots, int64_t length_ns)
{
    int32_t step = step_at(profile, not_before_ns(profile, slots, length_ns));
    while (step < profile->count) {
        const int64_t end_ns = bounded_add(profile->steps[step].at_ns, length_ns);
        const int32_t shortage = next_shortage(profile, step, slots, end_ns);
        if (shortage == profile->count) {
            note_start(profile, slots, length_ns, profile->steps[step].at_ns);
            return step;
        }
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

/* Whether the job could start now on the kind of the profile, given the reservations so far. With
 * further reservations no more jobs fit. */
static bool fits_now(const PolicyView *view, const Profile *profile, const WaitingJob *job)
{
    const int64_t slots = request_slots_on(job->request, profile->kind);
    return slots <= profile->spare && request_fits_on(&job->request, &view->limit, profile->kind) &&
           next_shortage(profile, 0, slots,
                         bounded_add(view->now_ns, policy_expected_ns(job, profile->kind))) ==
               profile->count;
}

/* The kinds on which the job could start now. */
static KindSet kinds_now(const PolicyView *view, const Profile *profiles, int32_t count,
                         const WaitingJob *job)
{
    KindSet kinds = 0;
    for (int32_t k = 0; k < count; k++)
        if (fits_now(view, &profiles[k], job))
            kinds |= kind_set_of(profiles[k].kind->kind);
    return kinds;
}

/* Reserves slots for the job on the kind where it can start first, the first in its order among
 * equals. */
static void reserve_first(const PolicyView *view, Profile *profiles, const WaitingJob *job)
{
    const Room *order[NODE_KINDS_MAX];
    const int32_t count = policy_kinds_in_order(view, job, order);
    Profile *chosen = NULL;
    int32_t begin = 0;
    for (int32_t k = 0; k < count; k++) {
        Profile *profile = &profiles[order[k]->kind];
        if (!request_may_start_on(&job->request, &view->limit, profile->kind))
            continue;
        const int64_t slots = request_slots_on(job->request, profile->kind);
        const int32_t step = earliest(profile, slots, policy_expected_ns(job, profile->kind));
        if (step == profile->count ||
            profile->steps[step].at_ns > policy_last_start_ns(job, profile->kind) ||
            (chosen != NULL && profile->steps[step].at_ns >= chosen->steps[begin].at_ns))
            continue;
        chosen = profile;
        begin = step;
    }
    if (chosen == NULL)
        return;
    const int64_t slots = request_slots_on(job->request, chosen->kind);
    if (begin == 0)
        chosen->spare -= slots;
    reserve(chosen, begin, slots, policy_expected_ns(job, chosen->kind));
}

PolicyChoice policy_conservative(const PolicyView *view)
{
    Profile profiles[NODE_KINDS_MAX];
    int32_t count = 0;
    const int64_t length = (int64_t)view->running_count + view->waiting_count + 1;
    for (const Room *kind = view->room; kind != NULL; kind = kind->next, count++)
        profile_begin(view, kind, view->steps + count * length, &profiles[count]);
    int32_t next = 0; // no job before it, from `i` on, can start now
    for (int32_t i = 0;; i++) {
        KindSet kinds = 0;
        while (next < view->waiting_count &&
               (kinds = kinds_now(view, profiles, count, &view->waiting[next])) == 0)
            next++;
        if (next == view->waiting_count)
            return (PolicyChoice){.job = POLICY_NONE};
        if (next == i)
            return (PolicyChoice){.job = i, .kinds = kinds};
        reserve_first(view, profiles, &view->waiting[i]);
    }
}
