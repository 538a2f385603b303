#include "reports/run/facts/totals.h"

#include <string.h>

#include "sim/base/capped.h"

static bool is_in_state(const SummaryJob *job, JobState state)
{
    return job->state != NULL && strcmp(job->state, job_state_name(state)) == 0;
}

uint32_t run_jobs_in_state(const Facts *facts, JobState state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < facts->run->job_count; i++)
        count += is_in_state(&facts->run->jobs[i], state);
    return count;
}

JobCounts run_job_counts(const Facts *facts)
{
    JobCounts counts = {facts->run->job_count, run_jobs_in_state(facts, JOB_SUCCEEDED),
                        run_jobs_in_state(facts, JOB_FAILED), 0};
    for (uint32_t i = 0; i < facts->run->workload_count; i++) {
        const SummaryClass *all = &facts->run->workloads[i].all;
        counts.jobs = capped_sum(counts.jobs, all->jobs);
        counts.succeeded = capped_sum(counts.succeeded, all->succeeded);
        counts.failed = capped_sum(counts.failed, all->failed);
        counts.rejected = capped_sum(counts.rejected, all->rejected);
    }
    return counts;
}

/* The larger of two values; either may be ABSENT. */
static int64_t later(int64_t a_ns, int64_t b_ns)
{
    if (a_ns == ABSENT || b_ns == ABSENT)
        return a_ns == ABSENT ? b_ns : a_ns;
    return a_ns > b_ns ? a_ns : b_ns;
}

int64_t run_last_end_ns(const Facts *facts)
{
    int64_t last_ns = ABSENT;
    for (uint32_t i = 0; i < facts->run->job_count; i++)
        last_ns = later(last_ns, facts->run->jobs[i].ended_ns);
    return last_ns;
}

int64_t run_all_ended_ns(const Facts *facts)
{
    int64_t last_ns = run_last_end_ns(facts);
    for (uint32_t i = 0; i < facts->run->job_count; i++)
        if (facts->run->jobs[i].ended_ns == ABSENT)
            return ABSENT;
    for (uint32_t i = 0; i < facts->run->workload_count; i++) {
        if (facts->run->workloads[i].all.unfinished != 0)
            return ABSENT;
        last_ns = later(last_ns, facts->run->workloads[i].last_ended_ns);
    }
    return last_ns;
}

const SummaryJob *run_most_accurate(const Facts *facts)
{
    const SummaryJob *best = NULL;
    for (uint32_t i = 0; i < facts->run->job_count; i++) {
        const SummaryJob *job = &facts->run->jobs[i];
        if (job->val_accuracy_ppm != ABSENT &&
            (best == NULL || job->val_accuracy_ppm > best->val_accuracy_ppm))
            best = job;
    }
    return best;
}

ExpectationCounts run_expectation_counts(const Facts *facts)
{
    ExpectationCounts counts = {0};
    for (uint32_t i = 0; i < facts->run->expectation_count; i++) {
        counts.met += run_expectation_is(facts, i, EXPECTATION_MET);
        counts.missed += run_expectation_is(facts, i, EXPECTATION_MISSED);
    }
    return counts;
}

bool run_expectation_is(const Facts *facts, uint32_t index, const char *result)
{
    const char *found = facts->run->expectations[index].result;
    return found != NULL && strcmp(found, result) == 0;
}
