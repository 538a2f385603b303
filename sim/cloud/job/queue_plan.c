#include "sim/cloud/job/queue_plan.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cloud/job/listed.h"
#include "sim/cloud/job/pace.h"
#include "sim/cloud/policy/queue_share.h"
#include "sim/model/bounded.h"
#include "sim/model/random_math.h"

/* A larger array with the `count` items of the old one. */
static void *grown(Jobs *jobs, const void *items, int32_t count, int32_t *capacity, size_t size)
{
    *capacity = *capacity > 0 ? 2 * *capacity : 16;
    void *larger = arena_alloc_array(jobs->arena, (size_t)*capacity, size);
    if (count > 0)
        memcpy(larger, items, (size_t)count * size);
    return larger;
}

QueuePlan *queue_plan_create(Jobs *jobs)
{
    QueuePlan *plan = ARENA_NEW(jobs->arena, QueuePlan);
    plan->is_by_time = policy_of(jobs->policy)->sight == POLICY_SEES_QUEUE_BY_TIME;
    plan->waiting = grown(jobs, NULL, 0, &plan->waiting_capacity, sizeof *plan->waiting);
    plan->running = grown(jobs, NULL, 0, &plan->running_capacity, sizeof *plan->running);
    return plan;
}

/* --- Waiting jobs, for policies that see the queue --- */

/* The time that the owner expects the job to need without the work that it keeps. */
static int64_t expected_work_ns(const Jobs *jobs, const Job *job)
{
    const int64_t expected_ns = job_expected_ns(jobs->scenario, job);
    return expected_ns == INT64_MAX        ? INT64_MAX
           : expected_ns > job->carried_ns ? expected_ns - job->carried_ns
                                           : 0;
}

/* The expected end of a job that starts at `started_ns` on nodes of its kind. */
static int64_t expected_end_ns(const Jobs *jobs, const Job *job, int64_t started_ns)
{
    const int64_t work_ns = pace_of_kind_ns(jobs, job, expected_work_ns(jobs, job));
    return bounded_add(started_ns, bounded_add(work_ns, job->owed_ns));
}

/* WaitingJob.fastest_ppm of a job that asked for `request`. The kinds that had no node at first
 * count if the job allows no others. It does not depend on the time, because the job has its place
 * in the queue by it. */
static int64_t fastest_ppm(const Jobs *jobs, const Job *job, JobRequest request)
{
    const Cluster *cluster = cluster_by_id(jobs->clusters, job->cluster);
    const KindSpeeds *own = job_speeds(jobs->scenario, job);
    int64_t fastest[2] = {0, 0}; /* [whether the kind may have nodes] */
    for (int32_t k = 0; k < cluster->kind_count; k++) {
        const NodeKind *kind = &cluster->kinds[k].spec;
        const bool has_nodes = kind->target_nodes > 0 ||
                               (cluster->spec->is_automatic && k == cluster->spec->scaling_kind);
        const int64_t ppm = kind_speed_ppm(own, k, kind->speed_ppm);
        if (request_allows(request, k) && ppm > fastest[has_nodes])
            fastest[has_nodes] = ppm;
    }
    return fastest[fastest[true] > 0];
}

/* A job that waits, as policies see it. */
static WaitingJob queue_plan_waiting_job(const Jobs *jobs, const Job *job)
{
    return (WaitingJob){.job = job->id,
                        .request = job->request,
                        .priority = job_priority(jobs->scenario, job),
                        .expected_ns = expected_work_ns(jobs, job),
                        .owed_ns = job->owed_ns,
                        .speeds = job_speeds(jobs->scenario, job),
                        .fastest_ppm = fastest_ppm(jobs, job, job->request),
                        .owner = job->owner};
}

static bool waits_before(const QueuePlan *plan, const WaitingJob *a, const WaitingJob *b)
{
    const int64_t of_a = plan->is_by_time ? policy_shortest_ns(a) : 0;
    const int64_t of_b = plan->is_by_time ? policy_shortest_ns(b) : 0;
    if (of_a != of_b)
        return of_a < of_b;
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return a->job.index < b->job.index;
}

/* The place of `job` among the waiting jobs, or the place where it belongs. */
static WaitingJob *waiting_place(const QueuePlan *plan, const WaitingJob *job)
{
    WaitingJob *first = plan->waiting + plan->waiting_begin;
    int32_t low = 0, high = plan->waiting_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (waits_before(plan, &first[middle], job))
            low = middle + 1;
        else
            high = middle;
    }
    return first + low;
}

/* Makes room for one more waiting job at the end. */
static void reserve_waiting(Jobs *jobs, QueuePlan *plan)
{
    WaitingJob *first = plan->waiting + plan->waiting_begin;
    if (plan->waiting_begin + plan->waiting_count < plan->waiting_capacity)
        return;
    if (plan->waiting_begin > plan->waiting_count)
        memmove(plan->waiting, first, (size_t)plan->waiting_count * sizeof *first);
    else
        plan->waiting =
            grown(jobs, first, plan->waiting_count, &plan->waiting_capacity, sizeof *first);
    plan->waiting_begin = 0;
}

void queue_plan_add_waiting(Jobs *jobs, QueuePlan *plan, const Job *job)
{
    WaitingJob entry = queue_plan_waiting_job(jobs, job);
    reserve_waiting(jobs, plan);
    WaitingJob *place = waiting_place(plan, &entry);
    WaitingJob *first = plan->waiting + plan->waiting_begin;
    if (place == first && plan->waiting_begin > 0) {
        place--; // a requeued job often returns to the front
        plan->waiting_begin--;
    } else {
        memmove(place + 1, place, (size_t)(first + plan->waiting_count - place) * sizeof *place);
    }
    *place = entry;
    plan->waiting_count++;
}

void queue_plan_remove_waiting(const Jobs *jobs, QueuePlan *plan, const Job *job)
{
    WaitingJob entry = queue_plan_waiting_job(jobs, job);
    WaitingJob *place = waiting_place(plan, &entry);
    WaitingJob *first = plan->waiting + plan->waiting_begin;
    invariant(place < first + plan->waiting_count && place->job.index == job->id.index);
    plan->waiting_count--;
    if (place == first)
        plan->waiting_begin++;
    else
        memmove(place, place + 1, (size_t)(first + plan->waiting_count - place) * sizeof *place);
}

/* --- Running jobs --- */

/* Whether the listed job ends before one that is expected to end at `end_ns`. */
static bool ends_before(const RunningJob *listed, int64_t end_ns, JobId job)
{
    return listed->expected_end_ns != end_ns ? listed->expected_end_ns < end_ns
                                             : listed->job.index < job.index;
}

static RunningJob running_job(const Jobs *jobs, const Job *job)
{
    return (RunningJob){.job = job->id,
                        .request = job->request,
                        .priority = job_priority(jobs->scenario, job),
                        .started_ns = job->started_ns,
                        .expected_end_ns = expected_end_ns(jobs, job, job->started_ns),
                        .speed_ppm = pace_speed_ppm(jobs, job),
                        .fastest_ppm = fastest_ppm(jobs, job, job_asked(jobs, job))};
}

/* The index among the running jobs of the job that is expected to end at `end_ns`, or the index
 * where it belongs. */
static int32_t place_of(const QueuePlan *plan, int64_t end_ns, JobId job)
{
    int32_t low = 0, high = plan->running_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (ends_before(&plan->running[middle], end_ns, job))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_running(Jobs *jobs, QueuePlan *plan, RunningJob entry)
{
    if (plan->running_count == plan->running_capacity)
        plan->running = grown(jobs, plan->running, plan->running_count, &plan->running_capacity,
                              sizeof *plan->running);
    RunningJob *place = plan->running + place_of(plan, entry.expected_end_ns, entry.job);
    memmove(place + 1, place,
            (size_t)(plan->running + plan->running_count - place) * sizeof *place);
    *place = entry;
    plan->running_count++;
}

void queue_plan_add_running(Jobs *jobs, QueuePlan *plan, const Job *job)
{
    RunningJob entry = running_job(jobs, job);
    entry.started_ns = jobs->engine->now_ns; // it is about to start
    entry.expected_end_ns = expected_end_ns(jobs, job, entry.started_ns);
    add_running(jobs, plan, entry);
}

/* The slots of the job on drained nodes, of which it has some. */
static int64_t kept_back_slots(const Jobs *jobs, const Job *job)
{
    const ClusterKind *kind = job_kind(jobs, job);
    int64_t slots = 0;
    if (kind->draining_nodes == 0)
        return 0; // the usual case
    for (int32_t i = 0; i < job->request.nodes; i++) {
        const int32_t gpus = request_part(job->request, i, kind->whole.gpus);
        if (node_by_id(jobs->clusters, job->nodes[i])->drain != DRAIN_NONE)
            slots += job->request.kind == REQUEST_NODES && gpus == 0 ? 1 : gpus;
    }
    return slots;
}

void queue_plan_add_started(Jobs *jobs, QueuePlan *plan, const Job *job)
{
    RunningJob entry = running_job(jobs, job);
    entry.kept_back = kept_back_slots(jobs, job);
    add_running(jobs, plan, entry);
}

/* The entry of a job that runs. */
static RunningJob *entry_of(const Jobs *jobs, const QueuePlan *plan, const Job *job)
{
    const int64_t end_ns = expected_end_ns(jobs, job, job->started_ns);
    RunningJob *entry = plan->running + place_of(plan, end_ns, job->id);
    invariant(entry < plan->running + plan->running_count && entry->job.index == job->id.index);
    return entry;
}

void queue_plan_node_drains(const Jobs *jobs, QueuePlan *plan, const Job *job)
{
    entry_of(jobs, plan, job)->kept_back = kept_back_slots(jobs, job);
}

void queue_plan_remove_running(const Jobs *jobs, QueuePlan *plan, const Job *job)
{
    RunningJob *place = entry_of(jobs, plan, job), *end = plan->running + plan->running_count;
    memmove(place, place + 1, (size_t)(end - place - 1) * sizeof *place);
    plan->running_count--;
}

/* --- The node time that owners have used --- */

static void set_experiment(Jobs *jobs, Job *job)
{
    const ResourcePath *path = &job->path;
    if (job->experiment == ID_NONE)
        job->experiment = resource_index(jobs->resources, COMMAND_EXPERIMENT_CREATE,
                                         (ResourcePath){.group = path->group,
                                                        .workspace = path->workspace,
                                                        .name = path->experiment});
    invariant(job->experiment != ID_NONE); // a job's experiment exists as long as the job
}

void owner_use_set(Jobs *jobs, Job *job)
{
    uint32_t *owner = listed_owner(jobs, job);
    if (owner == NULL) {
        set_experiment(jobs, job);
        jobs->owner_of = array_room(jobs->arena, jobs->owner_of, job->experiment + 1,
                                    &jobs->owner_of_capacity, sizeof *jobs->owner_of);
        owner = &jobs->owner_of[job->experiment];
    }
    if (*owner == 0) {
        jobs->uses = array_room(jobs->arena, jobs->uses, jobs->use_count + 1, &jobs->use_capacity,
                                sizeof *jobs->uses);
        *owner = ++jobs->use_count;
    }
    job->owner = *owner - 1;
}

/* Counts the node time of an owner up to now, with decay: with the half-life h, u(t) = u(0)
 * 2^(-t/h) for used time, and held * h / ln 2 * (1 - 2^(-t/h)) for the nodes held meanwhile. */
static void update_decayed_use(const Jobs *jobs, OwnerUse *use)
{
    const double ln2 = 0.69314718055994530942;
    const double half_life_ns = (double)jobs->scenario->fair_share_half_life_ns;
    const double left =
        random_exp(-ln2 * (double)(jobs->engine->now_ns - use->until_ns) / half_life_ns);
    const double nodes = (double)use->parts_held / USE_PARTS;
    use->decayed_us =
        use->decayed_us * left + nodes * (half_life_ns / NS_PER_US / ln2) * (1 - left);
    use->node_us = use->decayed_us < 0x1p62 ? (int64_t)use->decayed_us : INT64_C(1) << 62;
    use->until_ns = jobs->engine->now_ns;
}

/* Counts the node time of an owner up to now. */
static void update_use(const Jobs *jobs, OwnerUse *use)
{
    if (jobs->scenario->fair_share_half_life_ns > 0) {
        update_decayed_use(jobs, use);
        return;
    }
    int64_t passed_ns = jobs->engine->now_ns - use->until_ns;
    int64_t parts = bounded_add(use->rest, bounded_times(passed_ns / NS_PER_US, use->parts_held));
    use->node_us = bounded_add(use->node_us, parts / USE_PARTS);
    use->rest = parts % USE_PARTS;
    // The rest of a microsecond counts next time.
    use->until_ns = jobs->engine->now_ns - passed_ns % NS_PER_US;
}

void owner_use_changes(Jobs *jobs, const Job *job, int32_t change)
{
    const int32_t gpus_per_node = job_kind(jobs, job)->whole.gpus;
    const int64_t slots_per_node = gpus_per_node > 0 ? gpus_per_node : 1;
    OwnerUse *use = &jobs->uses[job->owner];
    update_use(jobs, use);
    use->parts_held +=
        change * (request_slots(job->request, gpus_per_node) * USE_PARTS / slots_per_node);
}

/* Writes the use of all owners up to now: [Jobs.use_count]. */
static void owner_use_list(Jobs *jobs, int64_t *used_node_us)
{
    for (uint32_t i = 0; i < jobs->use_count; i++) {
        update_use(jobs, &jobs->uses[i]);
        used_node_us[i] = jobs->uses[i].node_us;
    }
}

/* --- For a pass --- */

void queue_plan_prepare(Jobs *jobs, QueuePlan *plan, int32_t kind_count)
{
    const uint32_t steps =
        (uint32_t)kind_count * ((uint32_t)plan->running_count + (uint32_t)plan->waiting_count + 1);
    plan->used_node_us = array_room(jobs->arena, plan->used_node_us, jobs->use_count,
                                    &plan->used_capacity, sizeof *plan->used_node_us);
    owner_use_list(jobs, plan->used_node_us);
    plan->steps =
        array_room(jobs->arena, plan->steps, steps, &plan->step_capacity, sizeof *plan->steps);
    plan->indices = array_room(jobs->arena, plan->indices, 2 * (uint32_t)plan->waiting_count,
                               &plan->index_capacity, sizeof *plan->indices);
}

/* Sets the members of `view` that come from the plan. */
static void queue_plan_view(const QueuePlan *plan, PolicyView *view)
{
    view->waiting_count = plan->waiting_count;
    view->waiting = plan->waiting + plan->waiting_begin;
    view->running_count = plan->running_count;
    view->running = plan->running;
    view->used_node_us = plan->used_node_us;
    view->steps = plan->steps;
    view->indices = plan->indices;
}

void queue_plan_check(const Jobs *jobs, const QueuePlan *plan, ClusterId cluster)
{
    const WaitingJob *waiting = plan->waiting + plan->waiting_begin;
    for (int32_t i = 0; i < plan->waiting_count; i++) {
        invariant(job_by_id(jobs, waiting[i].job)->is_waiting);
        invariant(i == 0 || waits_before(plan, &waiting[i - 1], &waiting[i]));
    }
    for (int32_t i = 0; i < plan->running_count; i++) {
        const Job *job = job_by_id(jobs, plan->running[i].job);
        invariant(job_is_active(job) && job->cluster.index == cluster.index);
        const int64_t end_ns = expected_end_ns(jobs, job, job->started_ns);
        invariant(plan->running[i].expected_end_ns == end_ns);
        invariant(plan->running[i].kept_back == kept_back_slots(jobs, job));
        invariant(i == 0 || ends_before(&plan->running[i - 1], end_ns, job->id));
    }
}

/* --- A queue, with or without a plan --- */

int64_t job_slots(const Cluster *cluster, JobRequest request)
{
    return request_slots(request, cluster_kind_of(cluster, request)->whole.gpus);
}

bool job_is_stopping(const Job *job)
{
    return job->stop_cause != CAUSE_NONE;
}

SlotLimit job_queue_limit(const JobQueue *queue)
{
    return queue->spec != NULL ? queue_limit(queue->spec, queue->used_slots) : (SlotLimit){0};
}

bool job_queue_is_guaranteed(const JobQueue *queue, int64_t slots)
{
    return queue_is_guaranteed(queue->spec, queue->used_slots, slots);
}

static bool takes_fastest(const Jobs *jobs)
{
    return jobs->scenario->kind_choice == KIND_CHOICE_FASTEST;
}

static int64_t last_start_ns(const WaitingJob *job, const Room *room)
{
    int64_t last_ns = INT64_MIN;
    for (const Room *kind = room; kind != NULL; kind = kind->next) {
        const int64_t on_kind_ns = policy_last_start_ns(job, kind);
        if (request_allows(job->request, kind->kind) && on_kind_ns > last_ns)
            last_ns = on_kind_ns;
    }
    return last_ns;
}

int64_t job_last_start_ns(const Jobs *jobs, const Job *job, const Room *room)
{
    const WaitingJob waiting = queue_plan_waiting_job(jobs, job);
    return last_start_ns(&waiting, room);
}

int32_t job_kinds_in_order(const Jobs *jobs, const Job *job, const Room *room,
                           const Room *order[NODE_KINDS_MAX])
{
    const WaitingJob waiting = queue_plan_waiting_job(jobs, job);
    const PolicyView view = {.room = room, .takes_fastest = takes_fastest(jobs)};
    return policy_kinds_in_order(&view, &waiting, order);
}

/* Leaves only the kinds of nodes of which no maintenance defers the job; false: there is none. */
static bool keep_kinds_in_time(const Jobs *jobs, const Room *room, WaitingJob *job)
{
    KindSet kinds = 0;
    for (const Room *kind = room; kind != NULL; kind = kind->next)
        if (request_allows(job->request, kind->kind) &&
            jobs->engine->now_ns <= policy_last_start_ns(job, kind))
            kinds |= kind_set_of(kind->kind);
    if (job->request.kinds != 0)
        job->request.kinds = kinds & KIND_SET_ALL;
    return kinds != 0;
}

/* Leaves only the waiting jobs that no maintenance defers. */
static void keep_jobs_in_time(const Jobs *jobs, QueuePlan *plan, PolicyView *view)
{
    int32_t count = 0;
    plan->in_time = array_room(jobs->arena, plan->in_time, (uint32_t)view->waiting_count,
                               &plan->in_time_capacity, sizeof *plan->in_time);
    for (int32_t i = 0; i < view->waiting_count; i++) {
        plan->in_time[count] = view->waiting[i];
        count += keep_kinds_in_time(jobs, view->room, &plan->in_time[count]);
    }
    view->waiting = plan->in_time;
    view->waiting_count = count;
}

/* Finds the first job in the service's order that no maintenance defers, among those at `place` of
 * the heap and below, unless `first` (ID_NONE: none) is before all of them. */
static void search_head(const Jobs *jobs, const JobHeap *waiting, const Room *room, int32_t place,
                        HeapJob *first)
{
    if (place >= waiting->count)
        return;
    const HeapJob job = waiting->items[place];
    if (first->job.index != ID_NONE && !heap_job_is_before(job, *first))
        return;
    if (job_last_start_ns(jobs, job_by_id(jobs, job.job), room) >= jobs->engine->now_ns) {
        *first = job; // it is before all below it
        return;
    }
    search_head(jobs, waiting, room, 2 * place + 1, first);
    search_head(jobs, waiting, room, 2 * place + 2, first);
}

/* The first waiting job in the service's order that no maintenance defers; NULL: none waits. */
static const Job *find_head(const Jobs *jobs, const JobQueue *queue, const Room *room)
{
    HeapJob first = {.job = job_heap_first(&queue->waiting)};
    if (room_closes(room)) {
        first.job.index = ID_NONE;
        search_head(jobs, &queue->waiting, room, 0, &first);
    }
    return first.job.index != ID_NONE ? job_by_id(jobs, first.job) : NULL;
}

/* The cluster as the policy sees it, without jobs. */
static PolicyView view_of(const Jobs *jobs, const JobQueue *queue, const Room *room)
{
    return (PolicyView){.now_ns = jobs->engine->now_ns,
                        .room = room,
                        .limit = job_queue_limit(queue),
                        .takes_fastest = takes_fastest(jobs),
                        .outside = jobs->scenario->outside};
}

PolicyView job_queue_view(const Jobs *jobs, const JobQueue *queue, const Room *room)
{
    PolicyView view = view_of(jobs, queue, room);
    queue_plan_view(queue->plan, &view);
    if (room_closes(room))
        keep_jobs_in_time(jobs, queue->plan, &view);
    return view;
}

const Job *job_queue_first(const Jobs *jobs, const JobQueue *queue, const Room *room)
{
    const Policy *policy = policy_of(jobs->policy);
    if (queue->plan == NULL)
        return find_head(jobs, queue, room);
    const PolicyView view = job_queue_view(jobs, queue, room);
    const bool asks = queue->spec != NULL && policy->first != NULL;
    const int32_t first = asks ? policy->first(&view) : view.waiting_count > 0 ? 0 : POLICY_NONE;
    return first != POLICY_NONE ? job_by_id(jobs, view.waiting[first].job) : NULL;
}

/* The one of `kinds` (0: of all that it allows) on which the job starts; `kinds` if the placement
 * decides. */
static KindSet kind_to_take(const PolicyView *view, const WaitingJob *job, KindSet kinds)
{
    const Room *order[NODE_KINDS_MAX];
    if (!view->takes_fastest || view->room->next == NULL)
        return kinds;
    const int32_t count = policy_kinds_in_order(view, job, order);
    int32_t i = 0;
    while (i < count && ((kinds != 0 && (kinds & kind_set_of(order[i]->kind)) == 0) ||
                         !request_fits_on(&job->request, &view->limit, order[i])))
        i++;
    invariant(i < count);
    return kind_set_of(order[i]->kind);
}

QueueChoice job_queue_choose(const Jobs *jobs, const JobQueue *queue, const Room *room)
{
    PolicyView view;
    WaitingJob head;
    if (queue->plan != NULL) {
        view = job_queue_view(jobs, queue, room);
    } else {
        view = view_of(jobs, queue, room);
        const Job *first = find_head(jobs, queue, room);
        if (first != NULL) {
            head = queue_plan_waiting_job(jobs, first);
            if (room_closes(room))
                (void)keep_kinds_in_time(jobs, room, &head);
            view.waiting_count = 1;
            view.waiting = &head;
        }
    }
    const PolicyChoice next = policy_of(jobs->policy)->choose(&view);
    if (next.job == POLICY_NONE)
        return (QueueChoice){0};
    const WaitingJob *chosen = &view.waiting[next.job];
    const Job *job = job_by_id(jobs, chosen->job);
    const KindSet kinds =
        kind_to_take(&view, chosen, next.kinds != 0 ? next.kinds : chosen->request.kinds);
    return !job_is_stopping(job) ? (QueueChoice){job, kinds} : (QueueChoice){0};
}
