#include "sim/output/summary/workloads.h"

#include <string.h>

#include "sim/cloud/job/job.h"

static bool is_in_state(const JobMetrics *job, JobState state)
{
    return job->state != NULL && strcmp(job->state, job_state_name(state)) == 0;
}

/* From submission to end; METRIC_NEVER before the end. */
static int64_t turnaround_ns(const JobMetrics *job)
{
    return job->ended_ns != METRIC_NEVER ? job->ended_ns - job->submitted_ns : METRIC_NEVER;
}

/* How long the job waited; METRIC_NEVER while it still waits: the total is not known yet. */
static int64_t wait_ns(const JobMetrics *job)
{
    return is_in_state(job, JOB_QUEUED) ? METRIC_NEVER : job->queue_ns;
}

typedef struct {
    int64_t jobs, succeeded, failed, restarts;
    Wide use_ns[USE_OF_ATTEMPTS];
    int64_t *queue_ns;      /* [jobs]: wait_ns */
    int64_t *turnaround_ns; /* [jobs] */
    int64_t last_ended_ns;  /* METRIC_NEVER: no job has ended */
    int64_t *run_ns;        /* [run_count]: jobs that have ended */
    uint32_t run_count;
} WorkloadSum;

static void workload_count_job(WorkloadSum *workload, const JobMetrics *job)
{
    workload->queue_ns[workload->jobs] = wait_ns(job);
    workload->turnaround_ns[workload->jobs++] = turnaround_ns(job);
    if (job->ended_ns != METRIC_NEVER &&
        (workload->last_ended_ns == METRIC_NEVER || job->ended_ns > workload->last_ended_ns))
        workload->last_ended_ns = job->ended_ns;
    workload->succeeded += is_in_state(job, JOB_SUCCEEDED);
    workload->failed += is_in_state(job, JOB_FAILED);
    workload->restarts += job->restarts;
    for (int use = 0; use < USE_OF_ATTEMPTS; use++)
        workload->use_ns[use] += job->use_ns[use];
    if (job->started_ns != METRIC_NEVER && job->ended_ns != METRIC_NEVER)
        workload->run_ns[workload->run_count++] = job->ended_ns - job->started_ns;
}

/* Sums over the jobs of workload `number`, counted from 1; the arrays live in `scratch`. */
static WorkloadSum workload_sum(Arena *scratch, const RunFacts *facts, const RunMetrics *run,
                                uint32_t number)
{
    WorkloadSum workload = {.queue_ns = ARENA_ARRAY(scratch, int64_t, run->job_count),
                            .turnaround_ns = ARENA_ARRAY(scratch, int64_t, run->job_count),
                            .last_ended_ns = METRIC_NEVER,
                            .run_ns = ARENA_ARRAY(scratch, int64_t, run->job_count)};
    for (uint32_t i = 0; i < run->job_count; i++)
        if (facts->jobs[i].workload == number && run->jobs[i].path != NULL)
            workload_count_job(&workload, &run->jobs[i]);
    return workload;
}

/* How long the jobs took; times that are METRIC_NEVER have not ended and count as longer than all
 * others. Sorts the times. */
static SummarySpread spread_of(int64_t *times_ns, uint32_t count)
{
    SummarySpread spread = {.mean_ns = SUMMARY_NEVER,
                            .p50_ns = SUMMARY_NEVER,
                            .p95_ns = SUMMARY_NEVER,
                            .p99_ns = SUMMARY_NEVER,
                            .max_ns = SUMMARY_NEVER,
                            .waiting = SUMMARY_NEVER};
    if (count == 0)
        return spread;
    Wide sum_ns = 0;
    int64_t endless = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum_ns += times_ns[i];
        endless += times_ns[i] == METRIC_NEVER;
    }
    if (endless == 0)
        spread.mean_ns = wide_capped(sum_ns / count);
    spread.p50_ns = percentile_of(times_ns, count, 50);
    spread.p95_ns = percentile_of(times_ns, count, 95);
    spread.p99_ns = percentile_of(times_ns, count, 99);
    spread.max_ns = percentile_of(times_ns, count, 100);
    if (endless > 0)
        spread.waiting = endless;
    return spread;
}

static SummaryWorkload workload_summary(const RunFacts *facts, const RunMetrics *run,
                                        uint32_t number)
{
    Arena *scratch = arena_create();
    const WorkloadSum sum = workload_sum(scratch, facts, run, number);
    const SummaryWorkload workload = {
        .name = facts->workloads[number - 1],
        .jobs = sum.jobs,
        .succeeded = sum.succeeded,
        .failed = sum.failed,
        .unfinished = sum.jobs - sum.succeeded - sum.failed,
        .queue = spread_of(sum.queue_ns, (uint32_t)sum.jobs),
        .run = spread_of(sum.run_ns, sum.run_count),
        .turnaround = spread_of(sum.turnaround_ns, (uint32_t)sum.jobs),
        .last_ended_ns = sum.last_ended_ns,
        .restarts = sum.restarts,
        .lost_ns = sum.use_ns[USE_LOST],
        .goodput_ppm = uses_goodput_ppm(sum.use_ns),
    };
    arena_destroy(scratch);
    return workload;
}

void summary_add_workloads(Making *making)
{
    const RunFacts *facts = making->facts;
    if (facts == NULL || facts->workload_count == 0)
        return;
    Summary *summary = making->summary;
    summary->workloads = ARENA_ARRAY(making->arena, SummaryWorkload, facts->workload_count);
    summary->workload_count = facts->workload_count;
    for (uint32_t i = 0; i < facts->workload_count; i++)
        summary->workloads[i] = workload_summary(facts, making->run, i + 1);
}

void summary_add_queue(Making *making)
{
    const RunMetrics *run = making->run;
    Arena *scratch = arena_create();
    int64_t *queue_ns = ARENA_ARRAY(scratch, int64_t, run->job_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->job_count; i++)
        if (run->jobs[i].path != NULL)
            queue_ns[count++] = wait_ns(&run->jobs[i]);
    making->summary->queue = spread_of(queue_ns, count);
    arena_destroy(scratch);
}
