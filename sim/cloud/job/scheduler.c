#include "sim/cloud/job/scheduler.h"

#include "sim/base/invariant.h"
#include "sim/cloud/job/attempt.h"
#include "sim/cloud/job/demand.h"
#include "sim/cloud/job/listed.h"
#include "sim/cloud/job/loss.h"
#include "sim/cloud/job/notice.h"
#include "sim/cloud/job/queue_plan.h"
#include "sim/cloud/job/reclaim.h"
#include "sim/cloud/job/tables.h"
#include "sim/cloud/policy/policy.h"
#include "sim/cloud/policy/queue_share.h"

bool scheduler_sees_queue(const Jobs *jobs)
{
    return policy_of(jobs->policy)->sight != POLICY_SEES_HEAD;
}

/* --- The queue --- */

static __attribute__((noinline)) ClusterQueues *add_queues(Jobs *jobs, ClusterId cluster)
{
    const ClusterSpec *spec = cluster_by_id(jobs->clusters, cluster)->spec;
    ClusterQueues *queues = ARENA_NEW(jobs->arena, ClusterQueues);
    queues->count = spec->queue_count > 0 ? spec->queue_count : 1;
    queues->items = ARENA_ARRAY(jobs->arena, JobQueue, queues->count);
    queues->order = ARENA_ARRAY(jobs->arena, int32_t, queues->count);
    for (int32_t i = 0; i < queues->count; i++) {
        queues->order[i] = i;
        queues->items[i].spec = spec->queue_count > 0 ? &spec->queues[i] : NULL;
        queues->items[i].reported.index = ID_NONE;
        queues->items[i].owed_since_ns = INT64_MAX;
    }
    queues->reclaim = reclaim_create(jobs->arena, spec);
    row_table_put(jobs->arena, &jobs->queues, cluster.index, queues);
    return queues;
}

ClusterQueues *scheduler_find_queues(const Jobs *jobs, ClusterId cluster)
{
    return cluster.index < jobs->queues.count ? row_table_at(&jobs->queues, cluster.index) : NULL;
}

ClusterQueues *scheduler_queues(Jobs *jobs, ClusterId cluster)
{
    ClusterQueues *queues = scheduler_find_queues(jobs, cluster);
    return queues != NULL ? queues : add_queues(jobs, cluster);
}

void scheduler_forget(Jobs *jobs, ClusterId cluster)
{
    if (scheduler_find_queues(jobs, cluster) != NULL)
        row_table_clear(&jobs->queues, cluster.index);
}

PolicyKind scheduler_policy(const Jobs *jobs)
{
    return jobs->policy;
}

int32_t scheduler_queue_length(const Jobs *jobs, ClusterId cluster)
{
    const ClusterQueues *queues = scheduler_find_queues(jobs, cluster);
    return queues ? queues->waiting : 0;
}

SlotLimit scheduler_queue_limit(const Jobs *jobs, ClusterId cluster, int32_t queue)
{
    const ClusterQueues *queues = scheduler_find_queues(jobs, cluster);
    return queues != NULL ? job_queue_limit(&queues->items[queue]) : (SlotLimit){0};
}

int64_t scheduler_noticed_slots(const Jobs *jobs, ClusterId id, int32_t index)
{
    const Cluster *cluster = cluster_by_id(jobs->clusters, id);
    const ClusterQueues *queues = scheduler_find_queues(jobs, id);
    int64_t slots = 0;
    for (uint32_t i = 0; queues != NULL && i < queues->items[index].noticed_count; i++)
        slots += job_slots(cluster, job_by_id(jobs, queues->items[index].noticed[i])->request);
    return slots;
}

uint32_t scheduler_claim(const Jobs *jobs, ClusterId cluster, int32_t queue)
{
    const ClusterQueues *queues = scheduler_find_queues(jobs, cluster);
    return queues != NULL ? queues->items[queue].claim : 0;
}

void scheduler_add(Jobs *jobs, Job *job)
{
    ClusterQueues *queues = scheduler_queues(jobs, job->cluster);
    JobQueue *queue = &queues->items[job->queue];
    if (scheduler_sees_queue(jobs)) {
        if (queue->plan == NULL)
            queue->plan = queue_plan_create(jobs);
        owner_use_set(jobs, job);
        queue_plan_add_waiting(jobs, queue->plan, job);
    }
    job_heap_add(jobs->arena, &queue->waiting,
                 (HeapJob){.job = job->id, .priority = job_priority(jobs->scenario, job)});
    queues->waiting++;
    job->is_waiting = true;
}

void scheduler_remove(Jobs *jobs, Job *job)
{
    ClusterQueues *queues = scheduler_queues(jobs, job->cluster);
    JobQueue *queue = &queues->items[job->queue];
    if (queue->plan != NULL)
        queue_plan_remove_waiting(jobs, queue->plan, job);
    job_heap_remove(&queue->waiting, job->id);
    queues->waiting--;
    if (queue->reported.index == job->id.index)
        queue->reported.index = ID_NONE;
    job->is_waiting = false;
    queues->deferred -= job->is_deferred;
    job->is_deferred = false;
    if (queue->waiting.count > 0)
        return;
    notice_withdraw_all(jobs, queue, CAUSE_PRECEDENCE);
    if (queue->owed_since_ns != INT64_MAX)
        reclaim_forget(jobs, queue);
}

/* --- Running jobs --- */

/* The job takes its nodes, and is no longer in its queue. */
static void attempt_begins(Jobs *jobs, JobQueue *queue, const Cluster *cluster, const Job *job)
{
    if (queue->spec != NULL)
        queue->used_slots += job_slots(cluster, job->request);
    if (queue->plan == NULL)
        return;
    queue_plan_add_running(jobs, queue->plan, job);
    owner_use_changes(jobs, job, 1);
}

void scheduler_attempt_ends(Jobs *jobs, const Job *job)
{
    JobQueue *queue = &scheduler_queues(jobs, job->cluster)->items[job->queue];
    if (queue->spec != NULL)
        queue->used_slots -= job_slots(cluster_by_id(jobs->clusters, job->cluster), job->request);
    if (queue->plan == NULL)
        return;
    queue_plan_remove_running(jobs, queue->plan, job);
    owner_use_changes(jobs, job, -1);
}

void scheduler_node_drains(Jobs *jobs, const Job *job)
{
    const JobQueue *queue = &scheduler_queues(jobs, job->cluster)->items[job->queue];
    if (queue->plan != NULL && job_is_active(job))
        queue_plan_node_drains(jobs, queue->plan, job);
}

/* --- Another policy --- */

/* Calls `change` for each job of the cluster that has nodes. */
static void each_active(Jobs *jobs, ClusterId cluster, void (*change)(Jobs *jobs, Job *job))
{
    for (uint32_t j = 0; (j = row_table_next(&jobs->rows, j)) < jobs->rows.count; j++) {
        Job *job = job_row(jobs, (JobId){j});
        if (job->cluster.index == cluster.index && job_is_active(job))
            change(jobs, job);
    }
}

/* The nodes of the job no longer count for its owner. */
static void leave_plan(Jobs *jobs, Job *job)
{
    owner_use_changes(jobs, job, -1);
}

static void join_plan(Jobs *jobs, Job *job)
{
    owner_use_set(jobs, job);
    queue_plan_add_started(jobs, scheduler_queues(jobs, job->cluster)->items[job->queue].plan, job);
    owner_use_changes(jobs, job, 1);
}

static void drop_plans(Jobs *jobs, ClusterId cluster, const ClusterQueues *queues)
{
    each_active(jobs, cluster, leave_plan);
    for (int32_t i = 0; i < queues->count; i++)
        queues->items[i].plan = NULL;
}

static void make_plans(Jobs *jobs, ClusterId cluster, const ClusterQueues *queues)
{
    for (int32_t i = 0; i < queues->count; i++) {
        JobQueue *queue = &queues->items[i];
        queue->plan = queue_plan_create(jobs);
        for (int32_t k = 0; k < queue->waiting.count; k++) {
            Job *job = job_row(jobs, queue->waiting.items[k].job);
            owner_use_set(jobs, job);
            queue_plan_add_waiting(jobs, queue->plan, job);
        }
    }
    each_active(jobs, cluster, join_plan);
}

void scheduler_change_policy(Jobs *jobs, PolicyKind policy)
{
    const bool saw_queue = scheduler_sees_queue(jobs);
    jobs->policy = policy;
    for (uint32_t c = 0; (c = row_table_next(&jobs->queues, c)) < jobs->queues.count; c++) {
        const ClusterQueues *queues = row_table_at(&jobs->queues, c);
        for (int32_t i = 0; i < queues->count; i++)
            notice_withdraw_all(jobs, &queues->items[i], CAUSE_PRECEDENCE);
        if (saw_queue)
            drop_plans(jobs, (ClusterId){c}, queues);
        if (scheduler_sees_queue(jobs))
            make_plans(jobs, (ClusterId){c}, queues);
        scheduler_wake(jobs, (ClusterId){c});
    }
}

/* --- Another guarantee or limit --- */

const QueueSpec *scheduler_queue_spec(const Jobs *jobs, ClusterId cluster, int32_t index)
{
    const ClusterQueues *queues = scheduler_find_queues(jobs, cluster);
    return queues != NULL ? queues->items[index].spec
                          : &cluster_by_id(jobs->clusters, cluster)->spec->queues[index];
}

static void emit_change(const Jobs *jobs, const Cluster *cluster, int32_t index,
                        const QueueSpec *spec)
{
    TraceRecord *record = cluster_trace(jobs->clusters, TRACE_QUEUE_CHANGED, cluster);
    record->name = spec->name;
    record->queue_changed.queue = index;
    record->queue_changed.gpus = spec->guaranteed;
    record->queue_changed.gpus_max = spec->most < INT64_MAX ? spec->most : -1;
    recorder_emit(jobs->recorder);
}

bool scheduler_change_queue(Jobs *jobs, ClusterId id, int32_t index, const Command *command,
                            Status *status)
{
    QueueSpec *spec = ARENA_NEW(jobs->arena, QueueSpec);
    JobQueue *queue = &scheduler_queues(jobs, id)->items[index];
    *spec = *queue->spec;
    if (command->as.fault.gpus >= 0)
        spec->guaranteed = command->as.fault.gpus;
    if (command->as.fault.gpus_max >= 0)
        spec->most = command->as.fault.gpus_max;
    if (spec->most < spec->guaranteed)
        return status_fail(status, STATUS_CONFLICT, command_place(command),
                           "queue \"%s\" would have a gpus_max of %lld, below its guaranteed gpus, "
                           "%lld",
                           spec->name, (long long)spec->most, (long long)spec->guaranteed);
    const bool was_limited = demand_is_limited(queue);
    queue->spec = spec;
    if (!was_limited && demand_is_limited(queue))
        demand_limit_begins(jobs, id, index);
    queue->top_slots = queue->used_slots;
    emit_change(jobs, cluster_by_id(jobs->clusters, id), index, spec);
    scheduler_wake(jobs, id);
    return true;
}

/* --- The job that a queue starts next --- */

/* Whether a node takes jobs, even one whose GPUs are all in use: a job without GPUs may start. */
static bool has_room(const Cluster *cluster)
{
    for (int32_t k = 0; k < cluster->kind_count; k++)
        for (int32_t free = 0; free <= cluster->kinds[k].whole.gpus; free++)
            if (cluster->kinds[k].places_by_free[free].count > 0)
                return true;
    return false;
}

/* A job that may start. */
typedef struct {
    const Job *job;     /* NULL: none */
    JobRequest request; /* as divided for the kind of nodes on which it starts */
} Start;

/* The kind of nodes on which the job starts: `kinds` as PolicyChoice.kinds. */
static Start start_on_kind(const Jobs *jobs, const Cluster *cluster, const Job *job, KindSet kinds,
                           SlotLimit limit)
{
    JobRequest request = job->request;
    if (cluster->kind_count > 1) {
        if (kinds != 0)
            request.kinds = kinds & KIND_SET_ALL;
        const int32_t kind = cluster_choose_kind(jobs->clusters, cluster, request, limit);
        request = request_on(request, cluster->kinds[kind].whole.gpus);
        request.kinds = kind_set_of(kind) & KIND_SET_ALL;
    }
    return (Start){job, request};
}

/* The job that the policy would start. If the first job is being terminated, none starts until it
 * has ended. */
static Start choose(const Jobs *jobs, const JobQueue *queue, const Cluster *cluster)
{
    if (queue->waiting.count == 0 || !has_room(cluster))
        return (Start){0};
    const QueueChoice choice = job_queue_choose(jobs, queue, cluster_room(cluster));
    return choice.job != NULL
               ? start_on_kind(jobs, cluster, choice.job, choice.kinds, job_queue_limit(queue))
               : (Start){0};
}

/* Stops the running jobs that the policy chooses; returns whether there were any. A job that is
 * being terminated gives its nodes back soon, and no further job is stopped until then. A job that
 * has started at this instant is not stopped: queues that take each other's nodes would never
 * finish. */
static bool stop_victims(Jobs *jobs, ClusterQueues *queues, int32_t index, const Cluster *cluster,
                         const Policy *policy)
{
    JobQueue *queue = &queues->items[index];
    bool has_stopped = false;
    if (queue->spec != NULL && queue->spec->grace_ns > 0)
        return notice_stop_victims(jobs, cluster, queues, index);
    while (policy->victim != NULL && queue->waiting.count > 0) {
        const PolicyView view = job_queue_view(jobs, queue, cluster_room(cluster));
        if (view.waiting_count == 0 || job_is_stopping(job_by_id(jobs, view.waiting[0].job)))
            break;
        const int32_t victim = policy->victim(&view);
        if (victim == POLICY_NONE)
            break;
        Job *job = job_row(jobs, view.running[victim].job);
        if (job_is_stopping(job) ||
            (queue->spec != NULL && job->started_ns == jobs->engine->now_ns))
            break;
        job_is_preempted(jobs, job, CAUSE_PRECEDENCE);
        has_stopped = true;
    }
    return has_stopped;
}

/* --- The pass --- */

static void start(Jobs *jobs, JobQueue *queue, const Cluster *cluster, Start next)
{
    Job *job = job_row(jobs, next.job->id);
    const SlotLimit limit = job_queue_limit(queue);
    invariant(request_fits(&next.request, &limit, cluster_room(cluster)));
    scheduler_remove(jobs, job);
    job->request = next.request;
    attempt_begins(jobs, queue, cluster, job);
    job_start(jobs, job);
}

/* Puts the queues into the order in which they are asked. */
static void sort_queues(const ClusterQueues *queues)
{
    for (int32_t i = 1; i < queues->count; i++) {
        const int32_t moved = queues->order[i];
        const JobQueue *queue = &queues->items[moved];
        int32_t place = i;
        for (; place > 0; place--) {
            const int32_t before = queues->order[place - 1];
            const JobQueue *other = &queues->items[before];
            const bool is_before =
                queue_is_before(queue->spec, queue->used_slots, other->spec, other->used_slots);
            const bool is_equal = !is_before && !queue_is_before(other->spec, other->used_slots,
                                                                 queue->spec, queue->used_slots);
            if (!is_before && !(is_equal && moved < before))
                break;
            queues->order[place] = before;
        }
        queues->order[place] = moved;
    }
}

/* Whether the queue, which starts no job now, waits for what it is guaranteed. */
static bool is_owed(const Jobs *jobs, const JobQueue *queue, const Cluster *cluster)
{
    const Room *room = cluster_room(cluster);
    const SlotLimit limit = job_queue_limit(queue);
    const Job *first = job_queue_first(jobs, queue, room);
    return first != NULL && !job_is_stopping(first) &&
           job_queue_is_guaranteed(queue, request_least_slots(first->request, room)) &&
           request_may_start(&first->request, &limit, room);
}

/* The next start in a cluster with queues. */
typedef struct {
    JobQueue *queue; /* NULL: no queue starts a job */
    Start start;
    bool is_owed; /* a queue waits for its guarantee */
} NextStart;

/* The next job of a cluster with queues (queue_share.h). */
static NextStart next_start(const Jobs *jobs, const ClusterQueues *queues, const Cluster *cluster)
{
    NextStart next = {0};
    sort_queues(queues);
    for (int32_t i = 0; i < queues->count; i++) {
        JobQueue *queue = &queues->items[queues->order[i]];
        const Start chosen = choose(jobs, queue, cluster);
        if (chosen.job == NULL)
            next.is_owed |= is_owed(jobs, queue, cluster);
        else if (job_queue_is_guaranteed(queue, job_slots(cluster, chosen.request)))
            return (NextStart){.queue = queue, .start = chosen};
        else if (next.queue == NULL)
            next = (NextStart){queue, chosen, next.is_owed};
    }
    if (next.is_owed)
        next.queue = NULL;
    return next;
}

/* Starts the next job; false: no job can start. */
static bool start_next(Jobs *jobs, ClusterQueues *queues, const Cluster *cluster)
{
    JobQueue *only = &queues->items[0];
    if (only->spec != NULL) {
        const NextStart next = next_start(jobs, queues, cluster);
        if (next.queue != NULL)
            start(jobs, next.queue, cluster, next.start);
        return next.queue != NULL;
    }
    const Start chosen = choose(jobs, only, cluster);
    if (chosen.job != NULL)
        start(jobs, only, cluster, chosen);
    return chosen.job != NULL;
}

static void report_stop(const Jobs *jobs, const ClusterQueues *queues, const Cluster *cluster,
                        const Job *job)
{
    TraceRecord *record = job_trace(jobs, TRACE_JOB_RECLAIMED, job);
    record->name = queues->items[job->queue].spec->name;
    record->cause = CAUSE_RECLAIM;
    record->job_reclaimed.queue = job->queue;
    record->job_reclaimed.slots = job_slots(cluster, job->request);
    recorder_emit(jobs->recorder);
}

static void report_reclaim(const Jobs *jobs, const JobQueue *queue, int32_t index,
                           Reclaimed reclaimed)
{
    TraceRecord *record = job_trace(jobs, TRACE_QUEUE_RECLAIMS, reclaimed.job);
    record->since_ns = queue->owed_since_ns;
    record->name = queue->spec->name;
    record->queue_reclaims.queue = index;
    record->queue_reclaims.jobs = reclaimed.stopped_count;
    record->queue_reclaims.slots = reclaimed.slots;
    recorder_emit(jobs->recorder);
}

/* Starts a job of the queue in place of jobs that borrow; false: none. */
static bool reclaim_for(Jobs *jobs, ClusterQueues *queues, const Cluster *cluster, int32_t index)
{
    JobQueue *queue = &queues->items[index];
    Reclaimed reclaimed;
    if (!reclaim_find(jobs, cluster, queues, index, &reclaimed))
        return false;
    report_reclaim(jobs, queue, index, reclaimed);
    for (int32_t i = 0; i < reclaimed.stopped_count; i++) {
        Job *job = job_row(jobs, reclaimed.stopped[i]);
        report_stop(jobs, queues, cluster, job);
        job_is_preempted(jobs, job, CAUSE_RECLAIM);
    }
    start(jobs, queue, cluster, (Start){reclaimed.job, reclaimed.request});
    return true;
}

/* Notes which queues wait for their guarantees, now that no job can start. Starts a job of the
 * first queue that reclaims its own; false: none does. */
static bool reclaim_next(Jobs *jobs, ClusterQueues *queues, const Cluster *cluster)
{
    if (queues->reclaim == NULL)
        return false;
    for (int32_t i = 0; i < queues->count; i++) {
        const JobQueue *queue = &queues->items[i];
        if (queue->spec->reclaims)
            reclaim_note(jobs, cluster, queues, i,
                         choose(jobs, queue, cluster).job == NULL && is_owed(jobs, queue, cluster));
    }
    for (int32_t i = 0; i < queues->count; i++)
        if (reclaim_for(jobs, queues, cluster, queues->order[i]))
            return true;
    return false;
}

/* The reason why the first job of a queue waits. */
static Shortage shortage_of(const JobQueue *queue, const Cluster *cluster, const Job *first)
{
    const SlotLimit limit = job_queue_limit(queue);
    const Room *room = cluster_room(cluster);
    if (!request_fits(&first->request, &limit, room)) {
        const Shortage shortage = request_shortage(&first->request, &limit, room);
        return shortage == SHORT_OF_GPUS && queue->noticed_count > 0 ? SHORT_OF_NOTICE : shortage;
    }
    return queue->spec != NULL && !job_is_stopping(first) ? SHORT_OF_GUARANTEE : SHORT_OF_GPUS;
}

/* Whether records say why the first job of the queue waits. */
static bool is_reported(const JobQueue *queue, const Job *first)
{
    return queue->spec != NULL || first->request.cpus > 0 || first->request.memory_mib > 0 ||
           queue->shortage != SHORT_OF_GPUS;
}

/* Records why the first jobs of queues wait. */
static void report_waits(const Jobs *jobs, ClusterQueues *queues, const Cluster *cluster)
{
    for (int32_t i = 0; i < queues->count; i++) {
        JobQueue *queue = &queues->items[i];
        const Job *first = job_queue_first(jobs, queue, cluster_room(cluster));
        if (first == NULL || !is_reported(queue, first))
            continue;
        const Shortage shortage = shortage_of(queue, cluster, first);
        if (first->id.index == queue->reported.index && shortage == queue->shortage)
            continue;
        queue->reported = first->id;
        queue->shortage = shortage;
        TraceRecord *record = job_trace(jobs, TRACE_JOB_WAITS, first);
        record->name = shortage_name(shortage);
        record->job_waits.queue = i;
        recorder_emit(jobs->recorder);
    }
}

/* --- Maintenance --- */

static void set_deferred(Jobs *jobs, ClusterQueues *queues, Job *job, bool is_deferred,
                         const Room *room)
{
    queues->deferred += (int32_t)is_deferred - job->is_deferred;
    job->is_deferred = is_deferred;
    TraceRecord *record = job_trace(jobs, TRACE_JOB_DEFERRED, job);
    record->job_deferred.begins_ns = -1;
    for (const Room *kind = room; is_deferred && kind != NULL; kind = kind->next)
        if (request_allows(job->request, kind->kind) &&
            kind->closes_ns > record->job_deferred.begins_ns)
            record->job_deferred.begins_ns = kind->closes_ns;
    recorder_emit(jobs->recorder);
}

/* After a pass: notes which waiting jobs maintenance defers. Another job may start as soon as it
 * defers one more, if nodes are free. */
static void defer_jobs(Jobs *jobs, const Cluster *cluster, ClusterQueues *queues)
{
    const Room *room = cluster_room(cluster);
    const int64_t now_ns = jobs->engine->now_ns;
    int64_t next_ns = INT64_MAX;
    if (!room_closes(room) && queues->deferred == 0)
        return;
    for (int32_t q = 0; q < queues->count; q++)
        for (int32_t i = 0; i < queues->items[q].waiting.count; i++) {
            Job *job = job_row(jobs, queues->items[q].waiting.items[i].job);
            const int64_t last_ns = job_last_start_ns(jobs, job, room);
            if (job->is_deferred != (last_ns < now_ns))
                set_deferred(jobs, queues, job, last_ns < now_ns, room);
            if (last_ns >= now_ns && last_ns < next_ns)
                next_ns = last_ns;
        }
    if (next_ns == INT64_MAX || !has_room(cluster))
        return;
    const bool is_due = queues->defers_ns > now_ns && queues->defers_ns <= next_ns + 1;
    if (!is_due)
        engine_push(jobs->engine, next_ns + 1 - now_ns, EVENT_QUEUE_DEFERS, cluster->id.index, 0,
                    0);
    queues->defers_ns = is_due ? queues->defers_ns : next_ns + 1;
}

/* --- The end of a pass --- */

/* The job that was submitted last, among those that have joined the queue since the last pass and
 * still wait, or NULL. */
static Job *newest_joining(Jobs *jobs, const JobQueue *queue)
{
    Job *newest = NULL;
    for (int32_t i = 0; i < queue->waiting.count; i++) {
        Job *job = job_row(jobs, queue->waiting.items[i].job);
        if (job->is_joining && job->starts == 0 && !job_is_stopping(job) &&
            (newest == NULL || job->id.index > newest->id.index))
            newest = job;
    }
    return newest;
}

/* Rejects the jobs that join a full queue. A job that lost its nodes returns to its place, whatever
 * the limit: it drives out no job that waits already. */
static void reject_beyond_limit(Jobs *jobs, const JobQueue *queue)
{
    Job *job;
    if (!jobs->scenario->has_queue_limit)
        return;
    while (queue->waiting.count > jobs->scenario->queue_limit &&
           (job = newest_joining(jobs, queue)) != NULL)
        job_reject(jobs, job);
    for (int32_t i = 0; i < queue->waiting.count; i++)
        job_row(jobs, queue->waiting.items[i].job)->is_joining = false;
}

void scheduler_wake(Jobs *jobs, ClusterId cluster)
{
    ClusterQueues *queues = scheduler_queues(jobs, cluster);
    if (queues->is_pass_due || queues->waiting == 0)
        return;
    queues->is_pass_due = true;
    engine_push(jobs->engine, 0, EVENT_SCHEDULE, cluster.index, 0, 0);
}

/* Prepares the plans of queues for a pass. The number of waiting and running jobs of a queue does
 * not change meanwhile. In a queue without waiting jobs only a reclaimed job can begin to wait. */
static void prepare_plans(Jobs *jobs, const ClusterQueues *queues, int32_t kind_count)
{
    for (int32_t i = 0; i < queues->count; i++) {
        const JobQueue *queue = &queues->items[i];
        if (queue->plan == NULL || (queue->waiting.count == 0 && queues->reclaim == NULL))
            continue;
        queue_plan_prepare(jobs, queue->plan, kind_count);
    }
}

/* Whether a pass reads the plans of the queues even if no node takes jobs. */
static bool needs_plans(const ClusterQueues *queues, const Policy *policy)
{
    return policy->victim != NULL || queues->reclaim != NULL ||
           (policy->first != NULL && queues->items[0].spec != NULL);
}

void scheduler_pass(Jobs *jobs, ClusterId id)
{
    const Policy *policy = policy_of(jobs->policy);
    const Cluster *cluster = cluster_by_id(jobs->clusters, id);
    ClusterQueues *queues = scheduler_queues(jobs, id);
    queues->is_pass_due = false;
    if (cluster->provisioning >= PROVISIONING_DELETING || queues->waiting == 0)
        return;
    if (needs_plans(queues, policy) || has_room(cluster)) {
        prepare_plans(jobs, queues, cluster->kind_count);
        bool has_changed = true;
        while (has_changed) { // the next waiting job may have other victims
            has_changed = false;
            for (int32_t i = 0; i < queues->count; i++)
                has_changed |= stop_victims(jobs, queues, i, cluster, policy);
            has_changed |= start_next(jobs, queues, cluster);
            if (!has_changed)
                has_changed = reclaim_next(jobs, queues, cluster);
        }
    }
    for (int32_t i = 0; i < queues->count; i++)
        reject_beyond_limit(jobs, &queues->items[i]);
    for (int32_t i = 0; i < queues->count; i++)
        demand_update(jobs, cluster, queues, &queues->items[i]);
    defer_jobs(jobs, cluster, queues);
    report_waits(jobs, queues, cluster);
}
