#include "sim/output/summary/jobs.h"

#include <string.h>

#include "sim/base/capped.h"
#include "sim/cloud/job/job.h"
#include "sim/model/bounded.h"
#include "sim/output/summary/names.h"
#include "sim/output/summary/percentile.h"

bool making_lists_job(const Making *making, uint32_t job)
{
    return making->job_names[job] != NULL;
}

const char *making_cluster_of(const Making *making, const JobMetrics *job)
{
    const uint32_t id = job->cluster.index;
    return id < making->run->cluster_count && making->cluster_names[id] != NULL
               ? making->cluster_names[id]
               : summary_short_name(making->run->job_clusters[id]);
}

/* "JobFailed: Job failed with non-zero exit code" as code and message. */
static void put_error(Arena *arena, SummaryJob *job, const char *error)
{
    const char *colon = strstr(error, ": ");
    if (colon != NULL)
        job->error_code = arena_strndup(arena, error, (size_t)(colon - error));
    job->error_message = colon != NULL ? colon + 2 : error;
}

/* SUMMARY_NEVER when one of the two moments has not come. */
static int64_t between(int64_t from_ns, int64_t to_ns)
{
    return from_ns != METRIC_NEVER && to_ns != METRIC_NEVER ? to_ns - from_ns : SUMMARY_NEVER;
}

static bool trains(const JobMetrics *metrics)
{
    const TrainingMetrics *training = job_details(metrics)->training;
    return training != NULL && training->ranks > 0;
}

static void put_times(SummaryJob *job, const JobMetrics *metrics)
{
    // Without any preparation the program begins with the job.
    const JobDetails *details = job_details(metrics);
    const int64_t prepared_ns =
        details->prepared_ns != METRIC_NEVER ? details->prepared_ns : metrics->started_ns;
    job->submitted_ns = metrics->submitted_ns;
    job->started_ns = metrics->started_ns;
    job->ended_ns = metrics->ended_ns;
    job->queue_ns = metrics->queue_ns;
    job->prep_ns = between(metrics->started_ns, prepared_ns);
    job->run_ns = between(metrics->started_ns, metrics->ended_ns);
    if (trains(metrics)) {
        const TrainingMetrics *training = details->training;
        job->start_ns = between(prepared_ns, training->begun_ns);
        job->train_ns = between(training->begun_ns, training->trained_ns);
        job->finish_ns = between(training->trained_ns, metrics->ended_ns);
    }
}

static int64_t sum_of_step_parts(const StepParts *parts)
{
    const int64_t parts_ns[] = {parts->compute_ns, parts->wait_ns, parts->exchange_ns,
                                parts->update_ns};
    int64_t sum_ns = parts->input_ns;
    for (size_t i = 0; i < sizeof parts_ns / sizeof parts_ns[0]; i++)
        sum_ns = capped_sum(sum_ns, parts_ns[i]);
    return sum_ns;
}

static void put_steps(SummaryJob *job, const TrainingMetrics *metrics)
{
    job->steps = metrics->steps;
    job->step_mean_ns = sum_of_step_parts(&metrics->parts) / metrics->steps;
    if (metrics->step_count > 0) {
        job->step_p50_ns = percentile_of(metrics->step_ns, metrics->step_count, 50);
        job->step_p95_ns = percentile_of(metrics->step_ns, metrics->step_count, 95);
    }
    job->part_ns[PART_INPUT] = metrics->parts.input_ns;
    job->part_ns[PART_COMPUTE] = metrics->parts.compute_ns;
    job->part_ns[PART_WAIT] = metrics->parts.wait_ns;
    job->part_ns[PART_EXCHANGE] = metrics->parts.exchange_ns;
    job->part_ns[PART_UPDATE] = metrics->parts.update_ns;
    job->part_ns[PART_EVALUATE] = metrics->evaluate_ns;
    job->part_ns[PART_CHECKPOINT] = metrics->checkpoint_ns;
}

static void put_training(SummaryJob *job, const JobMetrics *metrics)
{
    const TrainingMetrics *training = job_details(metrics)->training;
    const bool is_trained = training->trained_ns != METRIC_NEVER;
    job->trains = true;
    job->ranks = training->ranks;
    job->epochs = training->epochs;
    if (is_trained && training->steps > 0)
        put_steps(job, training);
    if (is_trained) {
        job->val_accuracy_ppm = training->accuracy_ppm;
        job->val_loss_micro = training->loss_micro;
    }
}

/* A job that ran outside of the world: the values that it reported. */
static void put_real(SummaryJob *job, const RealFacts *facts)
{
    const RealTraining *training = &facts->training;
    job->execution = "real";
    if (facts->ranks > 0)
        job->ranks = facts->ranks;
    if (training->steps >= 0)
        job->steps = training->steps;
    if (training->epochs >= 0)
        job->epochs = training->epochs;
    if (training->accuracy_ppm >= 0)
        job->val_accuracy_ppm = training->accuracy_ppm;
    if (training->loss_micro >= 0)
        job->val_loss_micro = training->loss_micro;
}

/* Steps that are in a checkpoint, or that an attempt has done when the run ends. */
static int64_t tokens_kept(const Program *program, const JobMetrics *metrics)
{
    const TrainingMetrics *training = job_details(metrics)->training;
    const TransformerTraining *planned = program->transformer;
    const int64_t epochs = training != NULL ? training->epochs_kept : 0;
    const int64_t steps =
        epochs < program->epochs ? epochs * program->steps_per_epoch : planned->steps;
    return bounded_times(steps, planned->tokens_per_step);
}

static void put_transformer(SummaryJob *job, const JobMetrics *metrics, const Program *program,
                            int64_t now_ns)
{
    const TransformerTraining *planned = program->transformer;
    const int64_t end_ns = metrics->ended_ns != METRIC_NEVER ? metrics->ended_ns : now_ns;
    const int64_t took_ns = between(metrics->submitted_ns, end_ns);
    job->tokens = tokens_kept(program, metrics);
    // Operations and capacity in 10^6, so that their products fit 128 bits.
    const Wide operations = (Wide)job->tokens * planned->flops_per_token / 1000000;
    const Wide capacity = job->gpu_ns * (planned->peak_flops_per_s / NS_PER_S) / 1000000;
    if (took_ns != SUMMARY_NEVER && took_ns > 0)
        job->tokens_per_s = wide_proportion(job->tokens, NS_PER_S, took_ns);
    if (capacity > 0)
        job->mfu_ppm = wide_proportion(operations, PPM, capacity);
    job->checkpoint_ns = job_node_time_ns(metrics, job_use_ns(metrics, USE_CHECKPOINT));
    job->val_accuracy_ppm = job->val_loss_micro = SUMMARY_NEVER; // learning is not modelled
}

static void put_facts(SummaryJob *job, const JobMetrics *metrics, const JobFacts *facts,
                      int64_t now_ns)
{
    job->is_described = true;
    job->tool = facts->tool;
    job->nodes = facts->nodes;
    const int32_t gpus = metrics->gpus_per_node > 0 ? 1 : facts->gpus_per_node;
    job->gpu_ns = (Wide)metrics->node_ns * gpus;
    job->wasted_gpu_ns = (Wide)job_use_ns(metrics, USE_LOST) * gpus;
    job->output_path = facts->output_path;
    job->saves_on_notice = facts->saves_on_notice;
    if (facts->saves_work)
        job->checkpoint_ns = job_node_time_ns(metrics, job_use_ns(metrics, USE_CHECKPOINT));
    job->notice_checkpoints = job_saves(metrics);
    if (facts->real != NULL)
        put_real(job, facts->real);
    if (facts->transformer != NULL)
        put_transformer(job, metrics, facts->transformer, now_ns);
}

static const SummaryJob no_job = {
    .ranks = SUMMARY_NEVER,
    .start_ns = SUMMARY_NEVER,
    .train_ns = SUMMARY_NEVER,
    .finish_ns = SUMMARY_NEVER,
    .steps = SUMMARY_NEVER,
    .step_mean_ns = SUMMARY_NEVER,
    .step_p50_ns = SUMMARY_NEVER,
    .step_p95_ns = SUMMARY_NEVER,
    .part_ns = {SUMMARY_NEVER, SUMMARY_NEVER, SUMMARY_NEVER, SUMMARY_NEVER, SUMMARY_NEVER,
                SUMMARY_NEVER, SUMMARY_NEVER},
    .epochs = SUMMARY_NEVER,
    .val_accuracy_ppm = SUMMARY_NEVER,
    .val_loss_micro = SUMMARY_NEVER,
    .gpu_ns = SUMMARY_NEVER,
    .wasted_gpu_ns = SUMMARY_NEVER,
    .tokens = SUMMARY_NEVER,
    .tokens_per_s = SUMMARY_NEVER,
    .mfu_ppm = SUMMARY_NEVER,
    .checkpoint_ns = SUMMARY_NEVER,
};

static int64_t goodput_ppm(const JobMetrics *metrics)
{
    Wide use_ns[USE_OF_ATTEMPTS];
    for (int use = 0; use < USE_OF_ATTEMPTS; use++)
        use_ns[use] = job_use_ns(metrics, (NodeUse)use);
    return uses_goodput_ppm(use_ns);
}

static SummaryJob job_summary(const Making *making, uint32_t id)
{
    const JobMetrics *metrics = run_job(making->run, id);
    const RunFacts *facts = making->facts;
    SummaryJob job = no_job;
    job.name = making->job_names[id];
    job.path = metrics->path;
    job.cluster = making_cluster_of(making, metrics);
    job.nodes = metrics->nodes_max;
    job.state = metrics->state != JOB_STATE_COUNT ? job_state_name((JobState)metrics->state) : NULL;
    job.exit_code = metrics->exit_code >= 0 ? metrics->exit_code : SUMMARY_NEVER;
    if (job_details(metrics)->error != NULL)
        put_error(making->arena, &job, job_details(metrics)->error);
    put_times(&job, metrics);
    if (trains(metrics))
        put_training(&job, metrics);
    job.node_ns = job_node_time_ns(metrics, metrics->node_ns);
    job.restarts = metrics->restarts;
    job.attempts = metrics->attempts;
    job.lost_ns = job_node_time_ns(metrics, job_use_ns(metrics, USE_LOST));
    job.goodput_ppm = goodput_ppm(metrics);
    if (facts != NULL)
        put_facts(&job, metrics, &facts->jobs[id], making->run->ended_ns);
    return job;
}

void summary_add_jobs(Making *making)
{
    const RunMetrics *run = making->run;
    Summary *summary = making->summary;
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->job_count; i++)
        count += making_lists_job(making, i);
    summary->jobs = ARENA_ARRAY(making->arena, SummaryJob, count);
    for (uint32_t i = 0; i < run->job_count; i++)
        if (making_lists_job(making, i))
            summary->jobs[summary->job_count++] = job_summary(making, i);
}
