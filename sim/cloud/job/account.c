#include "sim/cloud/job/account.h"

#include "sim/base/invariant.h"
#include "sim/cloud/job/attempt.h"
#include "sim/cloud/job/progress.h"
#include "sim/cloud/job/real.h"
#include "sim/cloud/job/tables.h"
#include "sim/cloud/job/work.h"
#include "sim/model/bounded.h"

static const char *attempt_end_name(AttemptEnd end)
{
    static const char *const names[] = {
#define X(name, text) text,
        ATTEMPT_ENDS(X)
#undef X
    };
    return names[end];
}

static int64_t earlier(int64_t a_ns, int64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

/* The use of one node's time up to `barrier_ns`, when all nodes have their data, or now if that is
 * earlier. */
static NodeTime node_stages(const Job *job, int32_t node, int64_t barrier_ns, int64_t now_ns)
{
    int64_t program_ns = earlier(job->attempt->program_ns, now_ns);
    int64_t prepared_ns = earlier(job_stage_end_ns(job, node, STAGE_PREPARATION), now_ns);
    if (job->attempt->program_ns == INT64_MAX)
        return (NodeTime){.startup_ns = prepared_ns - job->started_ns,
                          .gang_ns = now_ns - prepared_ns};
    int64_t begun_ns = earlier(job_stage_end_ns(job, node, STAGE_START), now_ns);
    int64_t fed_ns = earlier(job_stage_end_ns(job, node, STAGE_DATA), now_ns);
    return (NodeTime){.startup_ns = prepared_ns - job->started_ns + begun_ns - program_ns,
                      .input_ns = fed_ns - begun_ns,
                      .gang_ns = program_ns - prepared_ns + barrier_ns - fed_ns};
}

/* When the last node had its data; `now_ns` if one has not. */
static int64_t last_barrier_ns(const Job *job, int64_t now_ns)
{
    int64_t latest_ns = job->started_ns;
    for (int32_t n = 0; n < job->request.nodes; n++) {
        int64_t end_ns = earlier(job_stage_end_ns(job, n, STAGE_DATA), now_ns);
        latest_ns = end_ns > latest_ns ? end_ns : latest_ns;
    }
    return latest_ns;
}

/* How often the time of a job's nodes counts: once for each node, or for each of the job's GPUs. */
static int64_t weights(const Jobs *jobs, const Job *job)
{
    if (job->request.kind == REQUEST_NODES)
        return job->request.nodes;
    return request_gpus(job->request, job_kind(jobs, job)->whole.gpus);
}

/* The time of all nodes of a job, each counted once, as the time of the job's
 * nodes or GPUs. Rounds down. */
static NodeTime weigh(const Jobs *jobs, const Job *job, NodeTime time)
{
    return job->request.kind == REQUEST_NODES
               ? time
               : node_time_part(time, weights(jobs, job), job->request.nodes);
}

/* The time of one node, for each of the job's GPUs there if the job asks for GPUs. */
static NodeTime weigh_node(const Jobs *jobs, const Job *job, int32_t node, NodeTime time)
{
    return job->request.kind == REQUEST_NODES
               ? time
               : node_time_times(time,
                                 request_part(job->request, node, job_kind(jobs, job)->whole.gpus));
}

/* The time of all stages of all nodes, and of resuming: of reading the checkpoint, or of paying
 * Job.owed_ns. */
static NodeTime before_training(const Jobs *jobs, const Job *job)
{
    const int64_t now_ns = jobs->engine->now_ns;
    NodeTime time = {0};
    int64_t barrier_ns = last_barrier_ns(job, now_ns);
    for (int32_t n = 0; n < job->request.nodes; n++) {
        const NodeTime stages = node_stages(job, n, barrier_ns, now_ns);
        time = node_time_add(time, weigh_node(jobs, job, n, stages));
    }
    int64_t training_ns = earlier(job->attempt->training_ns, now_ns);
    const int64_t resuming_ns =
        job_trains(job) ? training_ns - barrier_ns : work_paid_ns(jobs, job);
    time.startup_ns = bounded_add(time.startup_ns, bounded_times(weights(jobs, job), resuming_ns));
    return time;
}

/* Epochs of this attempt that need not be done again. */
static int64_t epochs_kept(const Job *job, bool is_thrown_away)
{
    const Training *training = job->attempt->training;
    if (job_is_real(job))
        return job->attempt->kept_epochs;
    if (!training || training->plan.ranks == 0)
        return 0;
    int64_t kept = is_thrown_away ? job->epochs_kept : training->epoch;
    return kept > training->first_epoch ? kept - training->first_epoch : 0;
}

/* Subtracts `part_ns`, or all of `*left_ns` if that is less; returns the difference. */
static int64_t take(int64_t *left_ns, int64_t part_ns)
{
    part_ns = earlier(part_ns, *left_ns);
    *left_ns -= part_ns;
    return part_ns;
}

/* The headings add up to all node time: time under no other heading is the program's own work, or
 * lost. (If the sum exceeds int64, it and its parts are cut off.) */
static void put_node_time(TraceRecord *record, NodeTime time, int64_t total_ns, bool is_thrown_away)
{
    int64_t left_ns = total_ns;
    record->job_attempt.kept_ns = take(&left_ns, time.kept_ns);
    record->job_attempt.exchange_ns = take(&left_ns, time.exchange_ns);
    record->job_attempt.input_ns = take(&left_ns, time.input_ns);
    record->job_attempt.gang_ns = take(&left_ns, time.gang_ns);
    record->job_attempt.startup_ns = take(&left_ns, time.startup_ns);
    record->job_attempt.checkpoint_ns = take(&left_ns, time.checkpoint_ns);
    if (is_thrown_away)
        record->job_attempt.lost_ns = left_ns;
    else
        record->job_attempt.kept_ns += left_ns;
}

/* Whether the work of an attempt that ends so is lost, except what was kept before. */
static bool throws_work_away(const Job *job, AttemptEnd end)
{
    switch (end) {
    case ATTEMPT_COMPLETED:
    case ATTEMPT_UNFINISHED:
        return job_is_stalled(job);
    case ATTEMPT_PREEMPTED:
        return job_is_stalled(job) || !job_keeps_work(job);
    case ATTEMPT_FAILED:
    case ATTEMPT_STOPPED:
    case ATTEMPT_LOST:
        break;
    }
    return true;
}

void attempt_account(Jobs *jobs, const Job *job, AttemptEnd end, JobReason reason)
{
    if (!recorder_takes(jobs->recorder, TRACE_JOB_ATTEMPT))
        return;
    const bool is_thrown_away = throws_work_away(job, end);
    NodeTime done = {0}, kept = {0};
    if (job_keeps_work(job))
        work_node_time(jobs, job, &done, &kept);
    else
        epochs_node_time(job, &done, &kept);
    done = weigh(jobs, job, done);
    kept = weigh(jobs, job, kept);
    if (job->attempt->kept_ns != INT64_MAX) // work outside the world has no known parts
        kept.kept_ns =
            bounded_times(weights(jobs, job), job->attempt->kept_ns - job->attempt->program_ns);
    if (!is_thrown_away)
        kept = node_time_add(done, before_training(jobs, job));
    TraceRecord *record = job_trace(jobs, TRACE_JOB_ATTEMPT, job);
    record->cause = reason.cause;
    if (reason.node)
        record->node = reason.node->id;
    record->since_ns = job->started_ns;
    record->name = attempt_end_name(end);
    record->job_attempt.nodes = job->request.nodes;
    int64_t total_ns = bounded_times(weights(jobs, job), jobs->engine->now_ns - job->started_ns);
    put_node_time(record, kept, total_ns, is_thrown_away);
    record->job_attempt.epochs_kept = epochs_kept(job, is_thrown_away);
    recorder_emit(jobs->recorder);
}
