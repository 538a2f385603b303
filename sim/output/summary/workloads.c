#include "sim/output/summary/workloads.h"

#include <inttypes.h>
#include <string.h>

#include "sim/cloud/job/job.h"
#include "sim/output/summary/capped.h"
#include "sim/output/summary/members.h"

bool is_workload_job(const RunFacts *facts, uint32_t job)
{
    return facts != NULL && facts->jobs[job].workload > 0;
}

static bool is_in_state(const JobMetrics *job, JobState state)
{
    return job->state != NULL && strcmp(job->state, job_state_name(state)) == 0;
}

/* From its submission to its end; METRIC_NEVER while it is not over. */
static int64_t turnaround_ns(const JobMetrics *job)
{
    return job->ended_ns != METRIC_NEVER ? job->ended_ns - job->submitted_ns : METRIC_NEVER;
}

/* How long the job waited; METRIC_NEVER while it still does, as that is longer than anybody knows.
 */
static int64_t wait_ns(const JobMetrics *job)
{
    return is_in_state(job, JOB_QUEUED) ? METRIC_NEVER : job->queue_ns;
}

typedef struct {
    int64_t jobs, succeeded, failed, restarts;
    Wide use_ns[USE_OF_ATTEMPTS];
    int64_t *queue_ns;      /* [jobs]: wait_ns */
    int64_t *turnaround_ns; /* [jobs] */
    int64_t last_ended_ns;  /* METRIC_NEVER: none has */
    int64_t *run_ns;        /* [run_count], of jobs that are over */
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

/* Sums over the jobs of the workload with that number, from 1; its times live in `scratch`. */
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

static Json *workload_json(Arena *arena, const RunFacts *facts, const RunMetrics *run,
                           uint32_t number)
{
    Arena *scratch = arena_create();
    WorkloadSum workload = workload_sum(scratch, facts, run, number);
    Json *object = json_object(arena);
    member_integer(arena, object, "jobs", workload.jobs);
    member_integer(arena, object, "succeeded", workload.succeeded);
    member_integer(arena, object, "failed", workload.failed);
    member_integer(arena, object, "unfinished",
                   workload.jobs - workload.succeeded - workload.failed);
    member_spread(arena, object, "queue_s", workload.queue_ns, (uint32_t)workload.jobs);
    member_spread(arena, object, "run_s", workload.run_ns, workload.run_count);
    member_spread(arena, object, "turnaround_s", workload.turnaround_ns, (uint32_t)workload.jobs);
    member_moment(arena, object, "last_ended_s", workload.last_ended_ns);
    member_integer(arena, object, "restarts", workload.restarts);
    member_seconds(arena, object, "lost_node_s", workload.use_ns[USE_LOST]);
    member_share(arena, object, "goodput", uses_forward_ns(workload.use_ns),
                 uses_sum_ns(workload.use_ns));
    arena_destroy(scratch);
    return object;
}

void summary_set_workloads(Arena *arena, Json *summary, const RunFacts *facts,
                           const RunMetrics *run)
{
    if (facts == NULL || facts->workload_count == 0)
        return;
    Json *object = json_put_object(arena, summary, "workloads");
    for (uint32_t i = 0; i < facts->workload_count; i++)
        json_set(arena, object, facts->workloads[i], workload_json(arena, facts, run, i + 1));
}

void summary_set_queue(Arena *arena, Json *summary, const RunMetrics *run)
{
    Arena *scratch = arena_create();
    int64_t *queue_ns = ARENA_ARRAY(scratch, int64_t, run->job_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->job_count; i++)
        if (run->jobs[i].path != NULL)
            queue_ns[count++] = wait_ns(&run->jobs[i]);
    member_spread(arena, summary, "queue_s", queue_ns, count);
    arena_destroy(scratch);
}

void summary_add_workload_problems(Arena *arena, Json *problems, const RunFacts *facts,
                                   const RunMetrics *run)
{
    for (uint32_t i = 0; facts != NULL && i < facts->workload_count; i++) {
        Arena *scratch = arena_create();
        const WorkloadSum workload = workload_sum(scratch, facts, run, i + 1);
        const int64_t unfinished = workload.jobs - workload.succeeded - workload.failed;
        if (workload.failed > 0 || unfinished > 0)
            json_add(problems,
                     json_string(arena, arena_printf(arena,
                                                     "workload %s: of %" PRId64 " jobs %" PRId64
                                                     " failed and %" PRId64
                                                     " were not over when the run ended",
                                                     facts->workloads[i], workload.jobs,
                                                     workload.failed, unfinished)));
        arena_destroy(scratch);
    }
}
