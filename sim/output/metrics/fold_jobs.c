/* Private to sim/output/metrics: jobs, their attempts and trainings. */
#include "sim/base/array.h"
#include "sim/cloud/job/attempt.h"
#include "sim/output/metrics/fold.h"

/* The details of the job, to change them. */
static JobDetails *details_of(MetricsFold *fold, JobMetrics *job)
{
    if (job->details == NULL) {
        JobDetails *details = ARENA_NEW(fold->arena, JobDetails);
        *details = *job_details(job); // those of a job without any
        job->details = details;
    }
    return job->details;
}

static void training_forget_attempt(TrainingMetrics *training)
{
    training->begun_ns = METRIC_NEVER;
    training->trained_ns = METRIC_NEVER;
    training->epochs = 0;
    training->step_count = 0;
}

void fold_job_forget_attempt(JobMetrics *job)
{
    job->started_ns = METRIC_NEVER;
    job->ended_ns = METRIC_NEVER;
    if (job->details == NULL)
        return;
    job->details->prepared_ns = METRIC_NEVER;
    job->details->error = NULL;
    if (job->details->training != NULL)
        training_forget_attempt(job->details->training);
}

/* Adds the time that `job` has waited, if it is waiting. */
static void job_close_wait(MetricsFold *fold, uint32_t id, int64_t at_ns)
{
    JobMetrics *job = job_at(fold, id);
    if (job->queued_since_ns == METRIC_NEVER)
        return;
    add(&job->queue_ns, at_ns - job->queued_since_ns);
    job->queued_since_ns = METRIC_NEVER;
    fold_clock_of(fold, job->queue_cluster)->deferred -= job->is_deferred;
    job->is_deferred = false;
    fold_clock_turn(fold, job->queue_cluster, id, at_ns, -1);
}

static void job_begins_wait(MetricsFold *fold, uint32_t id, int64_t at_ns)
{
    JobMetrics *job = job_at(fold, id);
    job->queued_since_ns = at_ns;
    job->queue_cluster = job->cluster.index;
    fold_clock_turn(fold, job->queue_cluster, id, at_ns, 1);
}

/* The job is the first of its queue. */
void fold_job_waits(MetricsFold *fold, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    const int64_t queue = record->job_waits.queue;
    const int shortage = fold_name_index(fold->shortages, SHORTAGE_COUNT, record->name);
    const JobMetrics *job = job_of(fold, row);
    if (queue >= QUEUES_MAX || shortage == SHORTAGE_COUNT || job->queued_since_ns == METRIC_NEVER)
        return;
    QueueClock *clock = fold_clock_stop(fold, record->cluster.index, record->at_ns);
    clock->firsts = array_room(fold->arena, clock->firsts, (uint32_t)queue + 1,
                               &clock->first_capacity, sizeof *clock->firsts);
    if (clock->first_count <= queue)
        clock->first_count = (uint32_t)queue + 1;
    clock->firsts[queue] = (QueueFirst){record->job.index + 1, (Shortage)shortage};
    clock->shortage = fold_clock_shortage(clock);
}

/* Maintenance defers the waiting job from now on, or no longer. */
void fold_job_deferred(MetricsFold *fold, const TraceRow *row)
{
    JobMetrics *job = job_of(fold, row);
    const bool is_deferred = row->record.job_deferred.begins_ns >= 0;
    if (job->queued_since_ns == METRIC_NEVER || job->is_deferred == is_deferred)
        return;
    QueueClock *clock = fold_clock_stop(fold, job->queue_cluster, row->record.at_ns);
    clock->deferred += is_deferred ? 1 : -1;
    job->is_deferred = is_deferred;
    clock->shortage = fold_clock_shortage(clock);
}

/* NULL: the trace is forged. */
static QueueMetrics *queue_of(MetricsFold *fold, const TraceRow *row, int64_t queue)
{
    ClusterMetrics *cluster = cluster_of(fold, row);
    if (queue >= QUEUES_MAX)
        return NULL;
    cluster->queues = array_room(fold->arena, cluster->queues, (uint32_t)queue + 1,
                                 &cluster->queue_capacity, sizeof *cluster->queues);
    if (cluster->queue_count <= queue)
        cluster->queue_count = (uint32_t)queue + 1;
    return &cluster->queues[queue];
}

void fold_queue_reclaims(MetricsFold *fold, const TraceRow *row)
{
    QueueMetrics *queue = queue_of(fold, row, row->record.queue_reclaims.queue);
    if (queue != NULL)
        add(&queue->reclaims, 1);
}

void fold_job_reclaimed(MetricsFold *fold, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    QueueMetrics *queue = queue_of(fold, row, record->job_reclaimed.queue);
    QueueClock *clock = fold_clock_of(fold, record->cluster.index);
    if (queue == NULL)
        return;
    add(&queue->stopped, 1);
    clock->stopped_job = record->job.index + 1;
    clock->stopped_queue = (uint32_t)record->job_reclaimed.queue;
}

void fold_job_notice(MetricsFold *fold, const TraceRow *row)
{
    QueueMetrics *queue = queue_of(fold, row, row->record.job_notice.queue);
    if (queue != NULL)
        add(row->record.job_notice.grace_ns >= 0 ? &queue->notices : &queue->notices_withdrawn, 1);
}

/* The attempt of a job that is stopped for another queue's guarantee has ended. */
static void add_reclaimed(MetricsFold *fold, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    QueueClock *clock = fold_clock_of(fold, record->cluster.index);
    if (clock->stopped_job != record->job.index + 1)
        return; // of a forged trace
    clock->stopped_job = 0;
    queue_of(fold, row, clock->stopped_queue)->lost_ns += record->job_attempt.lost_ns;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The job takes GPUs of a node. */
void fold_job_placed(MetricsFold *fold, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    // A forged trace may have any numbers.
    const int64_t most = smaller(record->job_placed.gpus_per_node, INT32_MAX);
    const int32_t gpus_per_node = most > 0 ? (int32_t)most : 1; // a node without GPUs is one slot
    const int64_t gpus = smaller(record->job_placed.gpus, gpus_per_node);
    JobMetrics *job = job_of(fold, row);
    const uint8_t kind = node_of(fold, row)->kind;
    ClusterMetrics *all = cluster_of(fold, row);
    ClusterMetrics *cluster = account_of(fold, record->cluster.index, kind);
    if (cluster->gpus_per_node == 0)
        fold_count_gpus(all, gpus_per_node, record->at_ns);
    job->kind = kind;
    fold_shared_until(fold, record->cluster.index, record->at_ns);
    cluster->shared_gpus += gpus;
    job->gpus_now = (int32_t)smaller(job->gpus_now + gpus, INT32_MAX);
    job->gpus_per_node = gpus_per_node;
    if (++job->nodes_now > job->nodes_max)
        job->nodes_max = job->nodes_now;
}

/* The job gives back the GPUs of shared nodes. */
static void job_leaves_gpus(MetricsFold *fold, const TraceRow *row, JobMetrics *job)
{
    const TraceRecord *record = &row->record;
    fold_shared_until(fold, record->cluster.index, record->at_ns);
    cluster_of(fold, row);
    account_of(fold, record->cluster.index, job->kind)->shared_gpus -= job->gpus_now;
    add(&job->node_ns, capped_product(job->gpus_now, record->at_ns - record->since_ns));
    job->gpus_now = 0;
    job->nodes_now = 0;
}

void fold_job_attempt(MetricsFold *fold, const TraceRow *row)
{
    JobMetrics *job = job_of(fold, row);
    cluster_of(fold, row);
    ClusterMetrics *cluster = account_of(fold, row->record.cluster.index, job->kind);
    const bool is_of_gpus = job->gpus_per_node > 0;
    const int32_t slots = cluster->gpus_per_node > 0 && !is_of_gpus ? cluster->gpus_per_node : 1;
    Wide *attempt_ns = cluster->attempt_ns;
    job->attempts++;
    const TraceRecord *record = &row->record;
    if (is_of_gpus)
        job_leaves_gpus(fold, row, job);
    const int64_t use_ns[] = {
        [USE_USEFUL] = record->job_attempt.kept_ns,
        [USE_EXCHANGE] = record->job_attempt.exchange_ns,
        [USE_INPUT] = record->job_attempt.input_ns,
        [USE_GANG] = record->job_attempt.gang_ns,
        [USE_STARTUP] = record->job_attempt.startup_ns,
        [USE_CHECKPOINT] = record->job_attempt.checkpoint_ns,
        [USE_LOST] = record->job_attempt.lost_ns,
    };
    _Static_assert(sizeof use_ns / sizeof use_ns[0] == USE_OF_ATTEMPTS, "one value per use");
    add(&job->useful_ns, use_ns[USE_USEFUL]);
    if (record->cause == CAUSE_RECLAIM)
        add_reclaimed(fold, row);
    if (job->details != NULL && job->details->training != NULL)
        add(&job->details->training->epochs_kept, record->job_attempt.epochs_kept);
    for (int use = 0; use < USE_OF_ATTEMPTS; use++) {
        if (use_ns[use] == 0)
            continue; // the usual case
        if (use != USE_USEFUL)
            add(&details_of(fold, job)->use_ns[use], use_ns[use]);
        attempt_ns[use] += (Wide)use_ns[use] * slots;
    }
    if (fold->cycle_hours > 0)
        fold_attempt_hours(fold, cluster, record, slots);
}

void fold_job_state(MetricsFold *fold, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    JobMetrics *job = job_of(fold, row);
    note_first(&job->submitted_ns, record->at_ns);
    job_close_wait(fold, record->job.index, record->at_ns);
    const int state = fold_name_index(fold->job_states, JOB_STATE_COUNT, record->name);
    if (state == JOB_QUEUED) {
        job_begins_wait(fold, record->job.index, record->at_ns);
        if (job->state != JOB_STATE_COUNT) {
            job->restarts++;
            fold_job_forget_attempt(job);
        }
    }
    if (state == JOB_RUNNING)
        job->started_ns = record->at_ns;
    if (state == JOB_SUCCEEDED || state == JOB_FAILED)
        job->ended_ns = record->at_ns;
    job->state = (uint8_t)state;
    job->exit_code = (int32_t)smaller(record->job_state.exit_code, INT32_MAX);
    job->is_rejected = record->cause == CAUSE_FULL_QUEUE;
}

void fold_job_provisioning(MetricsFold *fold, const TraceRow *row)
{
    note_first(&job_of(fold, row)->submitted_ns, row->record.at_ns);
}

void fold_job_error(MetricsFold *fold, const TraceRow *row)
{
    details_of(fold, job_of(fold, row))->error = row->record.name;
}

void fold_job_stage(MetricsFold *fold, const TraceRow *row)
{
    JobMetrics *job = job_of(fold, row);
    if (fold_name_index(fold->job_stages, STAGE_COUNT, row->record.name) <= STAGE_PREPARATION)
        details_of(fold, job)->prepared_ns =
            row->record.at_ns; // in order of time, so the last stage's end stays
}

/* The training of the job that the row is about; made when it is first mentioned. */
static TrainingMetrics *training_of(MetricsFold *fold, const TraceRow *row)
{
    JobDetails *details = details_of(fold, job_of(fold, row));
    if (details->training == NULL) {
        details->training = ARENA_NEW(fold->arena, TrainingMetrics);
        training_forget_attempt(details->training);
    }
    return details->training;
}

void fold_job_training(MetricsFold *fold, const TraceRow *row)
{
    TrainingMetrics *training = training_of(fold, row);
    training->begun_ns = row->record.at_ns;
    training->ranks = row->record.job_training.ranks;
    training->steps_per_epoch = row->record.job_training.steps;
    training->epochs_planned = row->record.job_training.epochs;
}

void fold_job_trained(MetricsFold *fold, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    TrainingMetrics *training = training_of(fold, row);
    training->trained_ns = record->at_ns;
    training->epochs = training->epochs_planned;
    training->steps = record->job_trained.steps;
    training->parts = record->job_trained.parts;
    training->evaluate_ns = record->job_trained.evaluate_ns;
    training->checkpoint_ns = record->job_trained.checkpoint_ns;
    training->accuracy_ppm = record->job_trained.accuracy_ppm;
    training->loss_micro = record->job_trained.loss_micro;
}

void fold_epoch(MetricsFold *fold, const TraceRow *row)
{
    training_of(fold, row)->epochs = row->record.epoch.epoch;
}

void fold_job_saved(MetricsFold *fold, const TraceRow *row)
{
    details_of(fold, job_of(fold, row))->saves++;
}

void fold_step(MetricsFold *fold, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    if (record->step.rank != 0)
        return; // a step is equally long for all ranks
    TrainingMetrics *training = training_of(fold, row);
    training->step_ns = array_room(fold->arena, training->step_ns, training->step_count + 1,
                                   &training->step_capacity, sizeof *training->step_ns);
    training->step_ns[training->step_count++] = record->at_ns - record->since_ns;
}

void fold_jobs_end(MetricsFold *fold, int64_t at_ns)
{
    for (uint32_t i = 0; i < fold->run.job_count; i++)
        job_close_wait(fold, i, at_ns);
}
