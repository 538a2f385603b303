#include "sim/cloud/job/check.h"

#include "sim/base/invariant.h"
#include "sim/cloud/cluster/autoscale.h"
#include "sim/cloud/cluster/kind_demand.h"
#include "sim/cloud/job/attempt.h"
#include "sim/cloud/job/checkpoint.h"
#include "sim/cloud/job/exchange.h"
#include "sim/cloud/job/listed.h"
#include "sim/cloud/job/notice.h"
#include "sim/cloud/job/progress.h"
#include "sim/cloud/job/queue_plan.h"
#include "sim/cloud/job/scheduler.h"
#include "sim/cloud/job/tables.h"
#include "sim/cloud/job/work.h"
#include "sim/cloud/policy/policy.h"

/* A node that runs a job is once in the list of the job's nodes. */
static void check_node_job(const Jobs *jobs, const Node *node, JobId id)
{
    const Job *job = job_by_id(jobs, id);
    invariant(job->cluster.index == node->cluster.index);
    invariant(job_is_active(job));
    int32_t mentions = 0;
    for (int32_t n = 0; n < job->request.nodes; n++)
        mentions += job->nodes[n].index == node->id.index;
    invariant(mentions == 1);
}

static void check_jobs_of_node(const Jobs *jobs, const Node *node)
{
    for (int32_t i = 0; i < node_job_count(node); i++)
        check_node_job(jobs, node, node_job_at(node, i));
}

/* Whether the node has given the job that share. */
static bool has_given(const Node *node, JobId job, NodeShare share)
{
    int32_t i = 0;
    while (i < node->shared_count && node->shared[i].job.index != job.index)
        i++;
    if (i == node->shared_count)
        return false;
    const NodeShare given = node->shared[i].share;
    return given.gpus == share.gpus && given.cpus == share.cpus &&
           given.memory_mib == share.memory_mib;
}

/* The job has on each node the share that it asked for, or the node. */
static void check_gpus(const Jobs *jobs, const Job *job)
{
    const ClusterKind *kind = job_kind(jobs, job);
    const int32_t gpus_per_node = kind->whole.gpus;
    int64_t gpus = 0;
    for (int32_t n = 0; n < job->request.nodes; n++) {
        const Node *node = node_by_id(jobs->clusters, job->nodes[n]);
        const NodeShare share = request_share(job->request, n, gpus_per_node);
        invariant(node->kind == kind->room.kind);
        if (job->request.kind == REQUEST_NODES)
            invariant(node->job.index == job->id.index);
        else
            invariant(has_given(node, job->id, share));
        gpus += share.gpus;
    }
    invariant(gpus == request_gpus(job->request, gpus_per_node));
}

/* The demand on a cluster of several kinds is that of its waiting jobs. */
static void check_kind_demand(const Jobs *jobs, const Cluster *cluster)
{
    int64_t waiting = 0, counted = 0;
    for (uint32_t j = 0; (j = row_table_next(&jobs->rows, j)) < jobs->rows.count; j++) {
        const Job *job = job_by_id(jobs, (JobId){j});
        waiting += job->cluster.index == cluster->id.index && job->state == JOB_QUEUED &&
                   !job->is_held && kind_demand_counts(cluster, job_asked(jobs, job));
    }
    for (uint32_t i = 0; i < cluster->waiting.count; i++) {
        invariant(cluster->waiting.items[i].jobs > 0);
        counted += cluster->waiting.items[i].jobs;
    }
    invariant(!cluster_counts_demand(cluster) || counted == waiting);
}

/* The cluster's demand is that of its jobs that have not finished. */
static void check_demand(const Jobs *jobs, const Cluster *cluster)
{
    const int32_t gpus_per_node = cluster_gpus_per_node(cluster);
    int64_t nodes = 0, parts = 0, gpus = 0, sharing_jobs = 0;
    if (cluster->kind_count > 1) {
        check_kind_demand(jobs, cluster);
        return;
    }
    for (uint32_t j = 0; (j = row_table_next(&jobs->rows, j)) < jobs->rows.count; j++) {
        const Job *job = job_by_id(jobs, (JobId){j});
        if (job->cluster.index != cluster->id.index)
            continue;
        if (job->request.kind == REQUEST_NODES) {
            nodes += job_is_completed(job) || job->is_held ? 0 : job->request.nodes;
        } else if (job->state == JOB_QUEUED && !job->is_held &&
                   request_part(job->request, 0, gpus_per_node) <= gpus_per_node) {
            sharing_jobs++;
            parts += job->request.nodes;
            gpus += request_gpus(job->request, gpus_per_node);
        }
    }
    invariant(cluster->demand_nodes == nodes);
    invariant(cluster->sharing_jobs == sharing_jobs);
    for (int32_t free = 0; free <= gpus_per_node; free++) {
        invariant(cluster->waiting_parts[free] >= 0);
        parts -= cluster->waiting_parts[free];
        gpus -= cluster->waiting_parts[free] * free;
    }
    invariant(parts == 0 && gpus == 0);
}

/* Times that are set are in the past and in this order. */
static void check_times(const Jobs *jobs, const Job *job)
{
    const JobAttempt *attempt = job->attempt;
    // A job that is terminated in the queue shows a start although it never started.
    bool has_attempt = job->nodes != NULL;
    const int64_t times_ns[] = {job->created_ns,
                                job->started_ns,
                                has_attempt ? attempt->program_ns : INT64_MAX,
                                has_attempt ? attempt->training_ns : INT64_MAX,
                                has_attempt ? attempt->trained_ns : INT64_MAX,
                                has_attempt ? attempt->saved_ns : INT64_MAX};
    int64_t latest_ns = 0;
    for (size_t i = 0; i < sizeof times_ns / sizeof times_ns[0]; i++) {
        if (times_ns[i] == INT64_MAX)
            continue;
        invariant(times_ns[i] >= latest_ns);
        latest_ns = times_ns[i];
    }
    invariant(latest_ns <= jobs->engine->now_ns);
    invariant(job_is_completed(job) == (job->ended_ns != INT64_MAX));
    if (job_is_completed(job))
        invariant(latest_ns <= job->ended_ns && job->ended_ns <= jobs->engine->now_ns);
}

/* The stages of a node are in order. nodes_at_work is the number of nodes that have not reached the
 * next barrier: the start of the program, or of training. */
static void check_stages(const Jobs *jobs, const Job *job)
{
    const JobStage *stage = job->attempt->stage;
    JobStage barrier = job->attempt->program_ns == INT64_MAX ? STAGE_START : STAGE_COUNT;
    int32_t at_work = 0;
    for (int32_t n = 0; n < job->request.nodes; n++) {
        int64_t before_ns = job->started_ns;
        invariant(stage[n] <= barrier);
        at_work += stage[n] < barrier;
        for (int32_t s = 0; s < (int32_t)stage[n]; s++) {
            int64_t end_ns = job_stage_end_ns(job, n, (JobStage)s);
            invariant(end_ns >= before_ns && end_ns <= jobs->engine->now_ns);
            before_ns = end_ns;
        }
    }
    // After the last barrier no node is in a stage.
    invariant(at_work == 0 || at_work == job->attempt->nodes_at_work);
}

/* The epochs of an attempt follow each other without gaps. */
static void check_epochs(const Job *job)
{
    const Training *t = job->attempt->training;
    int64_t before_ns = job->attempt->training_ns;
    for (int64_t e = t->first_epoch; e < t->epoch; e++) {
        const EpochTimes times = job_epoch_times(job, e);
        invariant(times.begin_ns == before_ns);
        before_ns = times.checkpointed_ns;
    }
}

/* Kept epochs are done. */
static void check_training(const Job *job)
{
    const Training *t = job->attempt->training;
    invariant((t != NULL) == job_trains(job));
    if (!t)
        return;
    invariant((t->plan.ranks > 0) == (job->attempt->training_ns != INT64_MAX));
    invariant(t->first_epoch >= 0 && t->first_epoch <= t->epoch && t->epoch <= t->plan.epochs);
    invariant((t->first_epoch == 0 && t->first_step == 0) ||
              program_can_resume(job->spec->program));
    invariant(t->kept_steps >= 0 && t->kept_steps < job->spec->program->steps_per_epoch);
    invariant(t->step >= 0 && t->step <= t->plan.steps_per_epoch);
    if (t->plan.ranks == 0)
        return;
    if (job_is_active(job)) // the epochs of a job that has ended no longer change
        check_epochs(job);
    if (t->progress) {
        invariant(
            !training_point_is_later(checkpoint_kept(job), (TrainingPoint){t->epoch, t->step}));
        invariant(node_time_sum(t->progress->kept) <= node_time_sum(t->progress->done));
    }
}

/* A job has nodes from its start until it is requeued; a completed job keeps the list. */
static void check_attempt(const Jobs *jobs, const Job *job)
{
    bool is_active = job_is_active(job);
    invariant((job->attempt != NULL) == (job->starts > 0));
    invariant(!job->nodes || job->starts > 0);
    invariant(!is_active || job->nodes);
    invariant(job->state != JOB_QUEUED || !job->nodes);
    const Program *program = job->spec->program;
    invariant(job->epochs_kept == 0 ||
              program_can_resume(program->training ? program->training : program));
    if (!job->attempt)
        return;
    check_training(job);
    if (is_active) {
        check_stages(jobs, job);
        check_gpus(jobs, job);
    }
    if (job_is_stalled(job))
        invariant(job->transfers.count == 0 && job->attempt->stalled_ns >= job->started_ns);
}

/* Only programs that only take time carry work and costs from one attempt to the next. */
static void check_preemptions(const Job *job)
{
    invariant(job->preemptions >= 0 && job->preemptions <= job->starts);
    invariant(job->preemptions < job->starts || !job_is_active(job));
    invariant(job->carried_ns >= 0 && job->owed_ns >= 0);
    if (!job_keeps_work(job) || (job->preemptions == 0 && !program_saves_work(job->spec->program)))
        invariant(job->carried_ns == 0 && job->owed_ns == 0);
}

static void check_job(const Jobs *jobs, const Job *job)
{
    check_preemptions(job);
    check_times(jobs, job);
    check_attempt(jobs, job);
    invariant(job->state != JOB_SUCCEEDED || job->exit_code == 0);
    invariant((job->state == JOB_FAILED) == (job->error_code != NULL));
    invariant((job->state == JOB_TERMINATING) <= (job->stop_cause != CAUSE_NONE));
    invariant(job->provisioning < PROVISIONING_DELETING || job_is_completed(job) ||
              job->state == JOB_TERMINATING);
    invariant(job->provisioning != PROVISIONING_DELETED || job_is_completed(job));
    invariant(!job->is_waiting || job->state == JOB_QUEUED);
    invariant(job->transfers.count == 0 || job_is_active(job));
}

/* --- Queues --- */

/* The queue holds the waiting jobs, each once. With POLICY_SERVICE, if the head of a cluster's only
 * queue could start, a pass is due. (The choice of other policies may change with time alone, and
 * queues keep slots for each other.) */
static void check_queue(const Jobs *jobs, const Cluster *cluster, const ClusterQueues *queues,
                        const JobQueue *queue)
{
    const JobHeap *waiting = &queue->waiting;
    for (int32_t i = 0; i < waiting->count; i++) {
        const Job *job = job_by_id(jobs, waiting->items[i].job);
        invariant(job->is_waiting && job->cluster.index == cluster->id.index);
        invariant(&queues->items[job->queue] == queue);
        invariant(waiting->items[i].priority == job_priority(jobs->scenario, job));
        invariant(i == 0 || heap_job_is_before(waiting->items[(i - 1) / 2], waiting->items[i]));
    }
    bool is_asked = jobs->policy == POLICY_SERVICE && waiting->count > 0 && queue->spec == NULL &&
                    cluster->provisioning < PROVISIONING_DELETING &&
                    !room_closes(cluster_room(cluster));
    const Job *head = is_asked ? job_by_id(jobs, job_heap_first(waiting)) : NULL;
    if (is_asked && !job_is_stopping(head))
        invariant(!request_fits(&head->request, &(SlotLimit){0}, cluster_room(cluster)) ||
                  queues->is_pass_due);
}

/* A queue has the slots that its jobs have, and not more than its limit or than they had when it
 * changed. */
static void check_slots(const Jobs *jobs, const Cluster *cluster, const ClusterQueues *queues,
                        const JobQueue *queue)
{
    int64_t slots = 0;
    if (queue->spec == NULL)
        return;
    for (uint32_t j = 0; (j = row_table_next(&jobs->rows, j)) < jobs->rows.count; j++) {
        const Job *job = job_by_id(jobs, (JobId){j});
        if (job->cluster.index == cluster->id.index && job_is_active(job) &&
            &queues->items[job->queue] == queue)
            slots += job_slots(cluster, job->request);
    }
    invariant(slots == queue->used_slots);
    invariant(slots <= queue->spec->most || slots <= queue->top_slots);
}

/* A policy that stops jobs has stopped those that it would, or waits for one that is being
 * terminated. A policy from outside makes no such promise. */
static void check_victims(const Jobs *jobs, const Cluster *cluster, const ClusterQueues *queues,
                          const JobQueue *queue)
{
    const Policy *policy = policy_of(jobs->policy);
    if (policy->victim == NULL || jobs->policy == POLICY_OUTSIDE || queue->spec != NULL ||
        queues->is_pass_due || queue->waiting.count == 0 ||
        cluster->provisioning >= PROVISIONING_DELETING || room_closes(cluster_room(cluster)))
        return; // with maintenance the choice changes with time alone
    const PolicyView view = job_queue_view(jobs, queue, cluster_room(cluster));
    const int32_t victim = policy->victim(&view);
    invariant(victim == POLICY_NONE || job_is_stopping(job_by_id(jobs, view.waiting[0].job)) ||
              job_is_stopping(job_by_id(jobs, view.running[victim].job)));
}

/* The GPUs that jobs hold of shared nodes. */
static int64_t shared_gpus(const Jobs *jobs, const Cluster *cluster)
{
    int64_t gpus = 0;
    for (int32_t place = 0; place < cluster->place_count; place++) {
        const NodeId id = cluster->nodes[place];
        const Node *node = id.index != ID_NONE ? node_by_id(jobs->clusters, id) : NULL;
        for (int32_t i = 0; node != NULL && i < node->shared_count; i++)
            gpus += node->shared[i].share.gpus;
    }
    return gpus;
}

/* The listed running jobs of all queues have all that is in use. */
static void check_plans(const Jobs *jobs, const Cluster *cluster, const ClusterQueues *queues)
{
    int64_t running_nodes = 0, gpus = 0;
    for (int32_t k = 0; k < cluster->kind_count; k++)
        running_nodes += cluster->kinds[k].shared_nodes;
    for (int32_t q = 0; q < queues->count; q++) {
        const QueuePlan *plan = queues->items[q].plan;
        if (plan == NULL)
            continue;
        queue_plan_check(jobs, plan, cluster->id);
        invariant(plan->waiting_count == queues->items[q].waiting.count);
        for (int32_t i = 0; i < plan->running_count; i++) {
            const Job *job = job_by_id(jobs, plan->running[i].job);
            invariant(job->queue == q);
            if (job->request.kind == REQUEST_NODES)
                running_nodes += job->request.nodes;
            else
                gpus += job_slots(cluster, job->request);
        }
    }
    invariant(running_nodes == cluster->node_count[NODE_RUNNING]);
    invariant(gpus == shared_gpus(jobs, cluster));
}

/* Checks the queues of the cluster; returns how many jobs wait in them. */
static int32_t check_queues(const Jobs *jobs, const Cluster *cluster)
{
    const ClusterQueues *queues = scheduler_find_queues(jobs, cluster->id);
    int32_t waiting = 0;
    if (!queues)
        return 0;
    for (int32_t i = 0; i < queues->count; i++) {
        const JobQueue *queue = &queues->items[i];
        check_queue(jobs, cluster, queues, queue);
        check_slots(jobs, cluster, queues, queue);
        notice_check(jobs, cluster->id, queue, i);
        if (queue->plan != NULL)
            check_victims(jobs, cluster, queues, queue);
        waiting += queue->waiting.count;
    }
    if (scheduler_sees_queue(jobs))
        check_plans(jobs, cluster, queues);
    invariant(waiting == queues->waiting);
    return waiting;
}

/* --- All --- */

int64_t jobs_check(const Jobs *jobs)
{
    int32_t queued = 0, waiting = 0, transfers = 0;
    int64_t contained = 0;
    for (uint32_t n = 0; (n = node_next(jobs->clusters, n)) < node_count(jobs->clusters); n++) {
        const Node *node = node_by_id(jobs->clusters, (NodeId){n});
        check_jobs_of_node(jobs, node);
    }
    for (uint32_t c = 0; (c = cluster_next(jobs->clusters, c)) < cluster_count(jobs->clusters);
         c++) {
        const Cluster *cluster = cluster_by_id(jobs->clusters, (ClusterId){c});
        check_demand(jobs, cluster);
        queued += check_queues(jobs, cluster);
    }
    for (uint32_t j = 0; (j = row_table_next(&jobs->rows, j)) < jobs->rows.count; j++) {
        const Job *job = job_by_id(jobs, (JobId){j});
        check_job(jobs, job);
        waiting += job->is_waiting;
        transfers += transfer_list_check(jobs->storage, &job->transfers, job->id);
        contained += container_check(jobs->resources, job->path, job->provisioning);
    }
    invariant(waiting == queued);
    transfers_check(jobs->storage, transfers);
    exchanges_check(jobs);
    return contained;
}
