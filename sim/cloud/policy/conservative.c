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

/* The last of `count` classes that `value` reaches; -1: none. */
static int32_t class_of(int64_t value, int32_t count)
{
    if (value < 1)
        return -1;
    const int32_t top = 63 - __builtin_clzll((uint64_t)value); // its highest bit
    const int32_t class = top == 0 ? 0 : 2 * top - 1 + (int32_t)(value >> (top - 1) & 1);
    return class < count ? class : count - 1;
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

/* Returns the first step before `limit_ns` at which `slots` are free for `length_ns`, or `count`.
 */
static int32_t earliest(Profile *profile, int64_t slots, int64_t length_ns, int64_t limit_ns)
{
    const int64_t from_ns = not_before_ns(profile, slots, length_ns);
    int32_t step = from_ns < limit_ns ? step_at(profile, from_ns) : profile->count;
    while (step < profile->count && profile->steps[step].at_ns < limit_ns) {
        const int64_t end_ns = bounded_add(profile->steps[step].at_ns, length_ns);
        const int32_t shortage = next_shortage(profile, step, slots, end_ns);
        if (shortage == profile->count) {
            note_start(profile, slots, length_ns, profile->steps[step].at_ns);
            return step;
        }
        step = shortage + 1;
    }
    if (from_ns < limit_ns && limit_ns < INT64_MAX)
        note_start(profile, slots, length_ns, limit_ns);
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
    return slots <= profile->spare &&
           next_shortage(profile, 0, slots,
                         bounded_add(view->now_ns, policy_expected_ns(job, profile->kind))) ==
               profile->count &&
           request_fits_on(&job->request, &view->limit, profile->kind);
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

/* Where a job starts. */
typedef struct {
    Profile *profile; /* NULL: nowhere */
    int32_t step;
    int64_t slots, length_ns;
    int64_t end_ns;
} Start;

/* The first start of the job before `limit_ns`, on the first kind in its order among equals. */
static Start first_start(const PolicyView *view, Profile *profiles, const WaitingJob *job,
                         int64_t limit_ns)
{
    const Room *order[NODE_KINDS_MAX];
    const int32_t count = policy_kinds_in_order(view, job, order);
    Start first = {0};
    for (int32_t k = 0; k < count; k++) {
        Profile *profile = &profiles[order[k]->kind];
        if (!request_allows(job->request, order[k]->kind))
            continue;
        const int64_t slots = request_slots_on(job->request, profile->kind);
        const int64_t length_ns = policy_expected_ns(job, profile->kind);
        const int32_t step = earliest(profile, slots, length_ns, limit_ns);
        if (step == profile->count ||
            !request_may_start_on(&job->request, &view->limit, profile->kind) ||
            profile->steps[step].at_ns > policy_last_start_ns(job, profile->kind) ||
            (first.profile != NULL &&
             profile->steps[step].at_ns >= first.profile->steps[first.step].at_ns))
            continue;
        first = (Start){profile, step, slots, length_ns,
                        bounded_add(profile->steps[step].at_ns, length_ns)};
    }
    return first;
}

static void reserve_start(Start start)
{
    if (start.profile == NULL)
        return;
    if (start.step == 0)
        start.profile->spare -= start.slots;
    reserve(start.profile, start.step, start.slots, start.length_ns);
}

/* --- The plan --- */

enum { DROPS_MAX = 16, LOOK_SHARE = 256 };

/* Where fewer slots are free than at any time before, from now on. Further drops are left out. */
typedef struct {
    int32_t count;
    PolicyStep drops[DROPS_MAX];
} Stairs;

/* The reservations of the jobs so far. A choice depends only on those that begin before all jobs
 * that might start now would have ended: the horizon. In a long queue nearly all reservations begin
 * later. They are put off until a job could start before the horizon and end after it, which
 * depends on them; most often none does, and they are never made. A reservation only takes slots
 * away, so a job that finds no start before the horizon without those that were put off finds none
 * with them. */
typedef struct {
    const PolicyView *view;
    Profile profiles[NODE_KINDS_MAX];
    Stairs stairs[NODE_KINDS_MAX];
    int32_t kind_count;
    /* The jobs that might start now, in their order: all until they are listed first. */
    bool is_listed;
    int32_t *listed, listed_count;
    int32_t next;       /* no job before the one in this place can start now */
    int64_t horizon_ns; /* none of them would end later; INT64_MAX: all until they are listed */
    int32_t made;       /* reservations since the jobs were listed */
    int32_t *later, later_count; /* jobs whose reservations were put off, in their order */
} Plan;

static void plan_begin(const PolicyView *view, Plan *plan)
{
    const int64_t length = (int64_t)view->running_count + view->waiting_count + 1;
    plan->view = view;
    plan->kind_count = plan->next = plan->made = plan->later_count = 0;
    plan->is_listed = false;
    plan->listed = view->indices;
    plan->listed_count = view->waiting_count;
    plan->later = view->indices + view->waiting_count;
    plan->horizon_ns = INT64_MAX;
    for (const Room *kind = view->room; kind != NULL; kind = kind->next, plan->kind_count++)
        profile_begin(view, kind, view->steps + plan->kind_count * length,
                      &plan->profiles[plan->kind_count]);
}

static int32_t listed_job(const Plan *plan, int32_t place)
{
    return plan->is_listed ? plan->listed[place] : place;
}

/* The first job that can start now, and on which kinds. */
static PolicyChoice next_able(Plan *plan)
{
    for (; plan->next < plan->listed_count; plan->next++) {
        const int32_t job = listed_job(plan, plan->next);
        const KindSet kinds =
            kinds_now(plan->view, plan->profiles, plan->kind_count, &plan->view->waiting[job]);
        if (kinds != 0)
            return (PolicyChoice){.job = job, .kinds = kinds};
    }
    return (PolicyChoice){.job = POLICY_NONE};
}

static void find_drops(const Profile *profile, Stairs *stairs)
{
    int64_t least = profile->spare;
    stairs->count = 0;
    for (int32_t i = 0; i < profile->count && least > 0 && stairs->count < DROPS_MAX; i++)
        if (profile->steps[i].slots < least) {
            least = profile->steps[i].slots;
            stairs->drops[stairs->count++] = profile->steps[i];
        }
}

/* No job that needs so many slots and starts now can run beyond this time. */
static int64_t free_until_ns(const Stairs *stairs, int64_t slots)
{
    int32_t i = 0;
    while (i < stairs->count && stairs->drops[i].slots >= slots)
        i++;
    return i < stairs->count ? stairs->drops[i].at_ns : INT64_MAX;
}

/* When the job would end at the latest if it started now; INT64_MIN: it cannot start. It is only
 * an estimate that fits_now may refute. */
static int64_t end_if_now_ns(const Plan *plan, const WaitingJob *job)
{
    int64_t latest_ns = INT64_MIN;
    for (int32_t k = 0; k < plan->kind_count; k++) {
        const Profile *profile = &plan->profiles[k];
        const int64_t slots = request_slots_on(job->request, profile->kind);
        if (slots > profile->spare || !request_allows(job->request, k))
            continue;
        const int64_t end_ns =
            bounded_add(plan->view->now_ns, policy_expected_ns(job, profile->kind));
        if (end_ns > latest_ns && end_ns <= free_until_ns(&plan->stairs[k], slots))
            latest_ns = end_ns;
    }
    return latest_ns;
}

/* Lists the jobs that might start now, and sets the horizon. */
static void list_jobs(Plan *plan)
{
    int32_t count = 0;
    for (int32_t k = 0; k < plan->kind_count; k++)
        find_drops(&plan->profiles[k], &plan->stairs[k]);
    plan->horizon_ns = bounded_add(plan->view->now_ns, 1);
    for (int32_t place = plan->next; place < plan->listed_count; place++) {
        const int32_t job = listed_job(plan, place);
        const int64_t end_ns = end_if_now_ns(plan, &plan->view->waiting[job]);
        if (end_ns == INT64_MIN)
            continue;
        plan->listed[count++] = job;
        if (end_ns > plan->horizon_ns)
            plan->horizon_ns = end_ns;
    }
    plan->listed_count = count;
    plan->is_listed = true;
    plan->next = plan->made = 0;
}

static void make_later(Plan *plan)
{
    for (int32_t i = 0; i < plan->later_count; i++)
        reserve_start(first_start(plan->view, plan->profiles, &plan->view->waiting[plan->later[i]],
                                  INT64_MAX));
    plan->later_count = 0;
}

/* Reserves the first start of a job, or puts it off. */
static void plan_job(Plan *plan, int32_t job)
{
    const WaitingJob *waiting = &plan->view->waiting[job];
    Start start = first_start(plan->view, plan->profiles, waiting, plan->horizon_ns);
    if (start.profile == NULL) {
        plan->later[plan->later_count++] = job;
        return;
    }
    if (start.end_ns > plan->horizon_ns && plan->later_count > 0) {
        make_later(plan);
        start = first_start(plan->view, plan->profiles, waiting, INT64_MAX);
    }
    reserve_start(start);
    // To look at a job is so much faster than a reservation.
    if (++plan->made * LOOK_SHARE >= plan->listed_count - plan->next)
        list_jobs(plan);
}

PolicyChoice policy_conservative(const PolicyView *view)
{
    Plan plan;
    plan_begin(view, &plan);
    for (int32_t i = 0;; i++) {
        const PolicyChoice able = next_able(&plan);
        if (able.job == POLICY_NONE || able.job == i)
            return able;
        plan_job(&plan, i);
    }
}
