#include "sim/cloud/job/check.h"

#include "sim/base/invariant.h"
#include "sim/cloud/cluster/autoscale.h"
#include "sim/cloud/cluster/kind_demand.h"
#include "sim/cloud/job/attempt.h"
#include "sim/cloud/job/checkpoint.h"
#include "sim/cloud/job/exchange.h"
#include "sim/cloud/job/progress.h"
#include "sim/cloud/job/scheduler.h"
#include "sim/cloud/job/tables.h"
#include "sim/cloud/job/work.h"

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
        queued += scheduler_check(jobs, cluster);
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
