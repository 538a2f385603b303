/* Values about a whole run, for the answers and the key figures of its page. */
#ifndef REPORTS_RUN_TOTALS_H
#define REPORTS_RUN_TOTALS_H

#include "reports/run/facts/facts.h"
#include "sim/cloud/job/job.h"

/* All jobs, listed or of workloads. */
typedef struct {
    int64_t jobs, succeeded, failed;
    int64_t rejected; /* of workloads, by a full queue */
} JobCounts;

JobCounts run_job_counts(const Facts *facts);
/* The number of listed jobs whose last state is `state`. */
uint32_t run_jobs_in_state(const Facts *facts, JobState state);

/* When the last listed job ended; ABSENT if none has. */
int64_t run_last_end_ns(const Facts *facts);
/* When the last of all jobs ended, those of workloads included; ABSENT while one has not. */
int64_t run_all_ended_ns(const Facts *facts);

/* The listed job with the best validation accuracy; NULL if no accuracy is known. */
const SummaryJob *run_most_accurate(const Facts *facts);

/* Expectations of the scenario. The rest is about several runs and not judged by one. */
typedef struct {
    uint32_t met, missed;
} ExpectationCounts;

ExpectationCounts run_expectation_counts(const Facts *facts);
/* Whether the result of an expectation of Summary.expectations is `result` (EXPECTATION_MET, ...).
 */
bool run_expectation_is(const Facts *facts, uint32_t index, const char *result);

#endif
