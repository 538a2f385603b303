#include "sim/output/summary/workloads.h"

#include "sim/cloud/job/job.h"

/* The workload of a job, from 1; 0: the scenario lists the job. */
static uint32_t workload_of(const RunFacts *facts, uint32_t job)
{
    return facts != NULL ? facts->jobs[job].workload : 0;
}

static JobOutcome outcome_of(const JobMetrics *job)
{
    if (job->is_rejected)
        return OUTCOME_REJECTED;
    return job->state == JOB_SUCCEEDED ? OUTCOME_SUCCEEDED
           : job->state == JOB_FAILED  ? OUTCOME_FAILED
                                       : OUTCOME_NONE;
}

static JobTimes times_of(const Making *making, uint32_t id)
{
    const JobMetrics *job = run_job(making->run, id);
    const bool has_ended = job->ended_ns != METRIC_NEVER;
    const int64_t end_ns = has_ended ? job->ended_ns : making->run->ended_ns;
    JobTimes times = {
        .submitted_ns = job->submitted_ns,
        .ns = {[JOB_TIME_QUEUE] = job->queue_ns,
               [JOB_TIME_RUN] = has_ended && job->started_ns != METRIC_NEVER
                                    ? job->ended_ns - job->started_ns
                                    : METRIC_NEVER,
               [JOB_TIME_TURNAROUND] = end_ns - job->submitted_ns},
        .is_waiting = job->state == JOB_STATE_COUNT || job->state == JOB_QUEUED,
        .outcome = outcome_of(job),
        .size = job->nodes_max,
        .user = -1,
        .queue = -1,
    };
    for (int kind = 0; job->is_rejected && kind < JOB_TIME_COUNT; kind++)
        times.ns[kind] = METRIC_NEVER;
    if (making->facts != NULL) {
        const JobFacts *facts = &making->facts->jobs[id];
        times.size = facts->size;
        times.user = facts->user;
        times.queue = facts->queue;
    }
    return times;
}

/* --- All jobs, sorted by workload --- */

/* Whether the job counts: it exists, and was submitted in the measured part of the run. */
static bool is_counted(const Making *making, uint32_t job)
{
    const JobMetrics *metrics = run_job(making->run, job);
    return metrics->path != NULL &&
           (making->facts == NULL || measure_has(making->facts->measure, metrics->submitted_ns));
}

/* Where the jobs of each workload begin; first[workload_count + 1] is their total number. */
static uint32_t *count_jobs(Arena *scratch, const Making *making)
{
    const uint32_t workload_count = making->summary->workload_count;
    uint32_t *first = ARENA_ARRAY(scratch, uint32_t, workload_count + 2);
    for (uint32_t i = 0; i < making->run->job_count; i++)
        if (is_counted(making, i))
            first[workload_of(making->facts, i) + 1]++;
    for (uint32_t w = 1; w <= workload_count + 1; w++)
        first[w] += first[w - 1];
    return first;
}

/* Adds what a workload sums up of its jobs. */
static void workload_count_job(SummaryWorkload *workload, Wide *use_ns, const JobMetrics *job)
{
    if (job->ended_ns != METRIC_NEVER &&
        (workload->last_ended_ns == SUMMARY_NEVER || job->ended_ns > workload->last_ended_ns))
        workload->last_ended_ns = job->ended_ns;
    workload->restarts += job->restarts;
    workload->notice_checkpoints += job_saves(job);
    for (int use = 0; use < USE_OF_ATTEMPTS; use++)
        use_ns[use] += job_use_ns(job, (NodeUse)use);
    workload->lost_ns += job_node_time_ns(job, job_use_ns(job, USE_LOST));
    workload->checkpoint_ns += job_node_time_ns(job, job_use_ns(job, USE_CHECKPOINT));
}

static void count_outcomes(const JobTimes *jobs, uint32_t job_count, int64_t ended[OUTCOME_COUNT])
{
    memset(ended, 0, OUTCOME_COUNT * sizeof *ended);
    for (uint32_t i = 0; i < job_count; i++)
        ended[jobs[i].outcome]++;
}

SummaryClass summary_class(Arena *arena, const JobTimes *jobs, uint32_t job_count)
{
    SummaryClass of_all = {.jobs = job_count,
                           .queue = spread_of_jobs(arena, jobs, job_count, JOB_TIME_QUEUE),
                           .run = spread_of_jobs(arena, jobs, job_count, JOB_TIME_RUN),
                           .turnaround =
                               spread_of_jobs(arena, jobs, job_count, JOB_TIME_TURNAROUND)};
    int64_t ended[OUTCOME_COUNT];
    count_outcomes(jobs, job_count, ended);
    of_all.succeeded = ended[OUTCOME_SUCCEEDED];
    of_all.failed = ended[OUTCOME_FAILED];
    of_all.rejected = ended[OUTCOME_REJECTED];
    of_all.unfinished = ended[OUTCOME_NONE];
    return of_all;
}

static void count_all_jobs(Summary *summary, const JobTimes *jobs, uint32_t job_count)
{
    int64_t ended[OUTCOME_COUNT];
    count_outcomes(jobs, job_count, ended);
    summary->submitted = job_count;
    summary->succeeded = ended[OUTCOME_SUCCEEDED];
    summary->failed = ended[OUTCOME_FAILED];
    summary->rejected = ended[OUTCOME_REJECTED];
    summary->unfinished = ended[OUTCOME_NONE];
}

void summary_add_workloads(Making *making)
{
    const RunMetrics *run = making->run;
    Summary *summary = making->summary;
    summary->workload_count = making->facts != NULL ? making->facts->workload_count : 0;
    summary->has_queue_limit = making->facts != NULL && making->facts->has_queue_limit;
    summary->workloads = ARENA_ARRAY(making->arena, SummaryWorkload, summary->workload_count);
    Arena *scratch = arena_create();
    uint32_t *next = count_jobs(scratch, making);
    const uint32_t job_count = next[summary->workload_count + 1];
    JobTimes *jobs = ARENA_ARRAY(making->arena, JobTimes, job_count);
    Wide(*use_ns)[USE_OF_ATTEMPTS] =
        arena_alloc_array(scratch, summary->workload_count, sizeof *use_ns);
    for (uint32_t w = 0; w < summary->workload_count; w++)
        summary->workloads[w].last_ended_ns = SUMMARY_NEVER;
    for (uint32_t i = 0; i < run->job_count; i++) {
        if (!is_counted(making, i))
            continue;
        const uint32_t number = workload_of(making->facts, i);
        jobs[next[number]++] = times_of(making, i);
        if (number == 0)
            continue;
        SummaryWorkload *workload = &summary->workloads[number - 1];
        workload_count_job(workload, use_ns[number - 1], run_job(run, i));
        workload->saves_on_notice |= making->facts->jobs[i].saves_on_notice;
        workload->saves_work |= making->facts->jobs[i].saves_work;
    }
    for (uint32_t w = 0; w < summary->workload_count; w++) {
        // Each place has moved on to the first job of the following workload.
        SummaryWorkload *workload = &summary->workloads[w];
        workload->name = making->facts->workloads[w];
        workload->all = summary_class(making->arena, jobs + next[w], next[w + 1] - next[w]);
        workload->goodput_ppm = uses_goodput_ppm(use_ns[w]);
        workload->has_queue_limit = making->facts->has_queue_limit;
    }
    const bool is_one_workload = summary->workload_count == 1 && next[0] == 0;
    summary->queue = is_one_workload
                         ? summary->workloads[0].all.queue
                         : spread_of_jobs(making->arena, jobs, job_count, JOB_TIME_QUEUE);
    count_all_jobs(summary, jobs, job_count);
    arena_destroy(scratch);
}
