#include "sim/cloud/job/scheduler.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cloud/job/attempt.h"
#include "sim/cloud/job/listed.h"
#include "sim/cloud/job/loss.h"
#include "sim/cloud/job/tables.h"
#include "sim/cloud/policy/policy.h"
#include "sim/model/bounded.h"
#include "sim/model/random_math.h"

/* The arrays of the PolicyView for policies that see the queue. */
typedef struct QueuePlan {
    RunningJob *running; /* the cluster's jobs with nodes, by expected end, then id */
    int32_t running_count, running_capacity;
    WaitingJob *waiting; /* the jobs of JobQueue.waiting in order, from `waiting_begin` on */
    int32_t waiting_begin, waiting_count, waiting_capacity;
    bool is_by_time;       /* `waiting` is in the order of expected times */
    int64_t *used_node_us; /* as of the present pass */
    uint32_t used_capacity;
    PolicyStep *steps; /* see PolicyView.steps */
    uint32_t step_capacity;
} QueuePlan;

static bool sees_queue(const Jobs *jobs)
{
    return policy_of(jobs->scenario->policy)->sight != POLICY_SEES_HEAD;
}

/* A larger array with the `count` items of the old one. */
static void *grown(Jobs *jobs, const void *items, int32_t count, int32_t *capacity, size_t size)
{
    *capacity = *capacity > 0 ? 2 * *capacity : 16;
    void *larger = arena_alloc_array(jobs->arena, (size_t)*capacity, size);
    if (count > 0)
        memcpy(larger, items, (size_t)count * size);
    return larger;
}

static QueuePlan *new_plan(Jobs *jobs)
{
    QueuePlan *plan = ARENA_NEW(jobs->arena, QueuePlan);
    plan->is_by_time = policy_of(jobs->scenario->policy)->sight == POLICY_SEES_QUEUE_BY_TIME;
    plan->waiting = grown(jobs, NULL, 0, &plan->waiting_capacity, sizeof *plan->waiting);
    plan->running = grown(jobs, NULL, 0, &plan->running_capacity, sizeof *plan->running);
    return plan;
}

/* --- Waiting jobs, for policies that see the queue --- */

/* The time that the owner expects the job to need from now on, if it does not run. */
static int64_t expected_left_ns(const Jobs *jobs, const Job *job)
{
    const int64_t expected_ns = job_expected_ns(jobs->scenario, job);
    const int64_t left_ns = expected_ns == INT64_MAX        ? INT64_MAX
                            : expected_ns > job->carried_ns ? expected_ns - job->carried_ns
                                                            : 0;
    return bounded_add(left_ns, job->owed_ns);
}

static WaitingJob waiting_job(const Jobs *jobs, const Job *job)
{
    return (WaitingJob){.job = job->id,
                        .request = job->request,
                        .priority = job_priority(jobs->scenario, job),
                        .expected_ns = expected_left_ns(jobs, job),
                        .owner = job->owner};
}

static bool waits_before(const QueuePlan *plan, const WaitingJob *a, const WaitingJob *b)
{
    if (plan->is_by_time && a->expected_ns != b->expected_ns)
        return a->expected_ns < b->expected_ns;
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

static void plan_add_waiting(Jobs *jobs, QueuePlan *plan, const Job *job)
{
    WaitingJob entry = waiting_job(jobs, job);
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

static void plan_remove_waiting(const Jobs *jobs, QueuePlan *plan, const Job *job)
{
    WaitingJob entry = waiting_job(jobs, job);
    WaitingJob *place = waiting_place(plan, &entry);
    WaitingJob *first = plan->waiting + plan->waiting_begin;
    invariant(place < first + plan->waiting_count && place->job.index == job->id.index);
    plan->waiting_count--;
    if (place == first)
        plan->waiting_begin++;
    else
        memmove(place, place + 1, (size_t)(first + plan->waiting_count - place) * sizeof *place);
}

/* --- The queue --- */

JobQueue *scheduler_queue(Jobs *jobs, ClusterId cluster)
{
    while (jobs->queues.count <= cluster.index)
        row_table_add(jobs->arena, &jobs->queues, ARENA_NEW(jobs->arena, JobQueue));
    return row_table_at(&jobs->queues, cluster.index);
}

/* NULL: no job was ever submitted to the cluster. */
static const JobQueue *find_queue(const Jobs *jobs, ClusterId cluster)
{
    return cluster.index < jobs->queues.count ? row_table_at(&jobs->queues, cluster.index) : NULL;
}

int32_t scheduler_queue_length(const Jobs *jobs, ClusterId cluster)
{
    const JobQueue *queue = find_queue(jobs, cluster);
    return queue ? queue->waiting.count : 0;
}

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

/* Finds the owner of the job, whose use counts for fair share. */
static void set_owner(Jobs *jobs, Job *job)
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

void scheduler_add(Jobs *jobs, Job *job)
{
    JobQueue *queue = scheduler_queue(jobs, job->cluster);
    if (sees_queue(jobs)) {
        if (queue->plan == NULL)
            queue->plan = new_plan(jobs);
        set_owner(jobs, job);
        plan_add_waiting(jobs, queue->plan, job);
    }
    job_heap_add(jobs->arena, &queue->waiting,
                 (HeapJob){.job = job->id, .priority = job_priority(jobs->scenario, job)});
    job->is_waiting = true;
}

void scheduler_remove(Jobs *jobs, Job *job)
{
    JobQueue *queue = scheduler_queue(jobs, job->cluster);
    if (queue->plan != NULL)
        plan_remove_waiting(jobs, queue->plan, job);
    job_heap_remove(&queue->waiting, job->id);
    job->is_waiting = false;
}

/* The first waiting job in the service's order; NULL: none waits. */
static const Job *queue_head(const Jobs *jobs, const JobQueue *queue)
{
    const JobId first = job_heap_first(&queue->waiting);
    return first.index != ID_NONE ? job_by_id(jobs, first) : NULL;
}

/* --- Running jobs, and the use of owners --- */

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

/* The job takes (change 1) or gives back (change -1) what it asked for. */
static void hold(Jobs *jobs, const Job *job, int32_t change)
{
    const Cluster *cluster = cluster_by_id(jobs->clusters, job->cluster);
    const int32_t gpus_per_node = cluster_gpus_per_node(cluster);
    const int64_t slots_per_node = gpus_per_node > 0 ? gpus_per_node : 1;
    OwnerUse *use = &jobs->uses[job->owner];
    update_use(jobs, use);
    use->parts_held +=
        change * (request_slots(job->request, gpus_per_node) * USE_PARTS / slots_per_node);
}

static bool is_before(RunningJob a, RunningJob b)
{
    if (a.expected_end_ns != b.expected_end_ns)
        return a.expected_end_ns < b.expected_end_ns;
    return a.job.index < b.job.index;
}

static RunningJob running_job(const Jobs *jobs, const Job *job)
{
    return (RunningJob){.job = job->id,
                        .request = job->request,
                        .priority = job_priority(jobs->scenario, job),
                        .started_ns = job->started_ns,
                        .expected_end_ns =
                            bounded_add(job->started_ns, expected_left_ns(jobs, job))};
}

/* The index of `job` among the running jobs, or the index where it belongs. */
static int32_t place_of(const QueuePlan *plan, RunningJob job)
{
    int32_t low = 0, high = plan->running_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (is_before(plan->running[middle], job))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void plan_add_running(Jobs *jobs, QueuePlan *plan, const Job *job)
{
    if (plan->running_count == plan->running_capacity)
        plan->running = grown(jobs, plan->running, plan->running_count, &plan->running_capacity,
                              sizeof *plan->running);
    RunningJob entry = running_job(jobs, job);
    entry.started_ns = jobs->engine->now_ns; // it is about to start
    entry.expected_end_ns = bounded_add(entry.started_ns, expected_left_ns(jobs, job));
    RunningJob *place = plan->running + place_of(plan, entry);
    memmove(place + 1, place,
            (size_t)(plan->running + plan->running_count - place) * sizeof *place);
    *place = entry;
    plan->running_count++;
    hold(jobs, job, 1);
}

void scheduler_attempt_ends(Jobs *jobs, const Job *job)
{
    QueuePlan *plan = scheduler_queue(jobs, job->cluster)->plan;
    if (plan == NULL)
        return;
    RunningJob *place = plan->running + place_of(plan, running_job(jobs, job));
    RunningJob *end = plan->running + plan->running_count;
    invariant(place < end && place->job.index == job->id.index);
    memmove(place, place + 1, (size_t)(end - place - 1) * sizeof *place);
    plan->running_count--;
    hold(jobs, job, -1);
}

/* --- The pass --- */

/* Whether a node takes jobs, even one whose GPUs are all in use: a job without GPUs may start. */
static bool has_room(const Cluster *cluster)
{
    for (int32_t free = 0; free <= cluster_gpus_per_node(cluster); free++)
        if (cluster->places_by_free[free].count > 0)
            return true;
    return false;
}

static int32_t most_nodes(const Cluster *cluster)
{
    return cluster->is_automatic ? cluster->maximum_nodes : cluster->target_nodes;
}

/* Whether the job is being terminated in the queue. If it is first, no job starts until it has
 * ended. */
static bool is_stopping(const Job *job)
{
    return job->stop_cause != CAUSE_NONE;
}

static void start(Jobs *jobs, JobQueue *queue, const Cluster *cluster, JobId id)
{
    Job *job = job_row(jobs, id);
    invariant(request_fits(job->request, cluster_room(cluster))); // policies choose jobs that fit
    scheduler_remove(jobs, job);
    if (queue->plan != NULL)
        plan_add_running(jobs, queue->plan, job);
    job_start(jobs, job);
}

static void pass_by_head(Jobs *jobs, JobQueue *queue, const Cluster *cluster, const Policy *policy)
{
    for (const Job *head; (head = queue_head(jobs, queue)) != NULL && !is_stopping(head);) {
        WaitingJob first = waiting_job(jobs, head);
        PolicyView view = {.now_ns = jobs->engine->now_ns,
                           .room = cluster_room(cluster),
                           .most_nodes = most_nodes(cluster),
                           .waiting_count = 1,
                           .waiting = &first};
        if (policy->choose(&view) == POLICY_NONE)
            return;
        start(jobs, queue, cluster, first.job);
    }
}

static void list_used(Jobs *jobs, QueuePlan *plan)
{
    plan->used_node_us = array_room(jobs->arena, plan->used_node_us, jobs->use_count,
                                    &plan->used_capacity, sizeof *plan->used_node_us);
    for (uint32_t i = 0; i < jobs->use_count; i++) {
        update_use(jobs, &jobs->uses[i]);
        plan->used_node_us[i] = jobs->uses[i].node_us;
    }
}

/* Memory for PolicyView.steps. */
static void reserve_steps(Jobs *jobs, QueuePlan *plan)
{
    const uint32_t steps = (uint32_t)plan->running_count + (uint32_t)plan->waiting_count + 1;
    plan->steps =
        array_room(jobs->arena, plan->steps, steps, &plan->step_capacity, sizeof *plan->steps);
}

static PolicyView queue_view(const Jobs *jobs, const QueuePlan *plan, const Cluster *cluster)
{
    return (PolicyView){.now_ns = jobs->engine->now_ns,
                        .room = cluster_room(cluster),
                        .most_nodes = most_nodes(cluster),
                        .waiting_count = plan->waiting_count,
                        .waiting = plan->waiting + plan->waiting_begin,
                        .running_count = plan->running_count,
                        .running = plan->running,
                        .used_node_us = plan->used_node_us,
                        .steps = plan->steps};
}

/* Stops the running jobs that the policy chooses. A job that is being terminated gives its nodes
 * back soon, and no further job is stopped until then. */
static void stop_victims(Jobs *jobs, JobQueue *queue, const Cluster *cluster, const Policy *policy)
{
    while (queue->waiting.count > 0) {
        const PolicyView view = queue_view(jobs, queue->plan, cluster);
        if (is_stopping(job_by_id(jobs, view.waiting[0].job)))
            return;
        const int32_t victim = policy->victim(&view);
        if (victim == POLICY_NONE)
            return;
        Job *job = job_row(jobs, view.running[victim].job);
        if (is_stopping(job))
            return;
        job_is_preempted(jobs, job);
    }
}

static void pass_by_queue(Jobs *jobs, JobQueue *queue, const Cluster *cluster, const Policy *policy)
{
    if (queue->waiting.count == 0 || (policy->victim == NULL && !has_room(cluster)))
        return;
    list_used(jobs, queue->plan);
    reserve_steps(jobs, queue->plan); // the sum of waiting and running jobs does not change
    for (;;) {
        if (policy->victim != NULL) // the next waiting job may have other victims
            stop_victims(jobs, queue, cluster, policy);
        const PolicyView view = queue_view(jobs, queue->plan, cluster);
        const int32_t next = has_room(cluster) ? policy->choose(&view) : POLICY_NONE;
        if (next == POLICY_NONE || is_stopping(job_by_id(jobs, view.waiting[next].job)))
            return;
        start(jobs, queue, cluster, view.waiting[next].job);
    }
}

/* The waiting job that was submitted last and has never started; NULL: there is none. */
static Job *newest_waiting(Jobs *jobs, const JobQueue *queue)
{
    Job *newest = NULL;
    for (int32_t i = 0; i < queue->waiting.count; i++) {
        Job *job = job_row(jobs, queue->waiting.items[i].job);
        if (job->starts == 0 && !is_stopping(job) &&
            (newest == NULL || job->id.index > newest->id.index))
            newest = job;
    }
    return newest;
}

/* Rejects the jobs that have just joined a full queue. A job that lost its nodes returns to its
 * place, whatever the limit. */
static void reject_beyond_limit(Jobs *jobs, const JobQueue *queue)
{
    Job *job;
    while (jobs->scenario->has_queue_limit && queue->waiting.count > jobs->scenario->queue_limit &&
           (job = newest_waiting(jobs, queue)) != NULL)
        job_reject(jobs, job);
}

void scheduler_wake(Jobs *jobs, ClusterId cluster)
{
    JobQueue *queue = scheduler_queue(jobs, cluster);
    if (queue->is_pass_due || queue->waiting.count == 0)
        return;
    queue->is_pass_due = true;
    engine_push(jobs->engine, 0, EVENT_SCHEDULE, cluster.index, 0, 0);
}

void scheduler_pass(Jobs *jobs, ClusterId id)
{
    const Policy *policy = policy_of(jobs->scenario->policy);
    const Cluster *cluster = cluster_by_id(jobs->clusters, id);
    JobQueue *queue = scheduler_queue(jobs, id);
    queue->is_pass_due = false;
    if (cluster->provisioning >= PROVISIONING_DELETING)
        return;
    switch (policy->sight) {
    case POLICY_SEES_HEAD:
        pass_by_head(jobs, queue, cluster, policy);
        break;
    case POLICY_SEES_QUEUE:
    case POLICY_SEES_QUEUE_BY_TIME:
        pass_by_queue(jobs, queue, cluster, policy);
        break;
    }
    reject_beyond_limit(jobs, queue);
}

/* --- Invariants --- */

/* The queue holds the waiting jobs, each once. With POLICY_SERVICE, if its head could start, a pass
 * is due. (The choice of other policies may change with time alone.) */
static void check_queue(const Jobs *jobs, const Cluster *cluster, const JobQueue *queue)
{
    const JobHeap *waiting = &queue->waiting;
    for (int32_t i = 0; i < waiting->count; i++) {
        const Job *job = job_by_id(jobs, waiting->items[i].job);
        invariant(job->is_waiting && job->cluster.index == cluster->id.index);
        invariant(waiting->items[i].priority == job_priority(jobs->scenario, job));
        invariant(i == 0 || heap_job_is_before(waiting->items[(i - 1) / 2], waiting->items[i]));
    }
    const Job *head = queue_head(jobs, queue);
    bool is_asked = jobs->scenario->policy == POLICY_SERVICE && head != NULL &&
                    cluster->provisioning < PROVISIONING_DELETING;
    if (is_asked && !is_stopping(head))
        invariant(!request_fits(head->request, cluster_room(cluster)) || queue->is_pass_due);
}

/* The GPUs that jobs hold of shared nodes. */
static int64_t shared_gpus(const Jobs *jobs, const Cluster *cluster)
{
    int64_t gpus = 0;
    for (int32_t place = 0; place < cluster->place_count; place++) {
        const NodeId id = cluster->nodes[place];
        const Node *node = id.index != ID_NONE ? node_by_id(jobs->clusters, id) : NULL;
        for (int32_t i = 0; node != NULL && i < node->shared_count; i++)
            gpus += node->shared[i].gpus;
    }
    return gpus;
}

/* A policy that stops jobs has stopped those that it would, or waits for one that is being
 * terminated. */
static void check_victims(const Jobs *jobs, const Cluster *cluster, const JobQueue *queue)
{
    const Policy *policy = policy_of(jobs->scenario->policy);
    if (policy->victim == NULL || queue->is_pass_due || queue->waiting.count == 0 ||
        cluster->provisioning >= PROVISIONING_DELETING)
        return;
    const PolicyView view = queue_view(jobs, queue->plan, cluster);
    const int32_t victim = policy->victim(&view);
    invariant(victim == POLICY_NONE || is_stopping(job_by_id(jobs, view.waiting[0].job)) ||
              is_stopping(job_by_id(jobs, view.running[victim].job)));
}

/* Waiting and running jobs are listed in order. The listed running jobs have all that is in use. */
static void check_plan(const Jobs *jobs, const Cluster *cluster, const JobQueue *queue)
{
    const QueuePlan *plan = queue->plan;
    const WaitingJob *waiting = plan->waiting + plan->waiting_begin;
    const int32_t gpus_per_node = cluster_gpus_per_node(cluster);
    int64_t whole_nodes = 0, gpus = 0;
    invariant(plan->waiting_count == queue->waiting.count);
    for (int32_t i = 0; i < plan->waiting_count; i++) {
        invariant(job_by_id(jobs, waiting[i].job)->is_waiting);
        invariant(i == 0 || waits_before(plan, &waiting[i - 1], &waiting[i]));
    }
    for (int32_t i = 0; i < plan->running_count; i++) {
        const Job *job = job_by_id(jobs, plan->running[i].job);
        invariant(job_is_active(job));
        invariant(job->cluster.index == cluster->id.index);
        invariant(plan->running[i].expected_end_ns == running_job(jobs, job).expected_end_ns);
        invariant(i == 0 || is_before(plan->running[i - 1], plan->running[i]));
        if (job->request.kind == REQUEST_NODES)
            whole_nodes += job->request.nodes;
        else
            gpus += request_gpus(job->request, gpus_per_node);
    }
    invariant(whole_nodes == cluster->node_count[NODE_RUNNING] - cluster->shared_nodes);
    invariant(gpus == shared_gpus(jobs, cluster));
}

int32_t scheduler_check(const Jobs *jobs, const Cluster *cluster)
{
    const JobQueue *queue = find_queue(jobs, cluster->id);
    if (!queue)
        return 0;
    check_queue(jobs, cluster, queue);
    if (queue->plan != NULL) {
        check_plan(jobs, cluster, queue);
        check_victims(jobs, cluster, queue);
    }
    return queue->waiting.count;
}
