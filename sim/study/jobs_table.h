/* jobs.csv: a row for each job of each run, for distributions over jobs. */
#ifndef SIM_STUDY_JOBS_TABLE_H
#define SIM_STUDY_JOBS_TABLE_H

#include "sim/study/study_tables.h"

/* Replications first, ..., first + count - 1 of a point. */
typedef struct {
    int32_t point, first, count;
} JobsOfRuns;

/* Columns: point, the factors, seed, workload (empty: a job of a command), job (its name; in a
 * workload its number from 1), slots (GPUs; nodes if they have no GPU), submitted_s, queue_s,
 * run_s, turnaround_s, state (succeeded, failed, unfinished), waiting (1: it still waits, and
 * queue_s and turnaround_s are lower bounds).
 *
 * `only` NULL: all runs that count. Journals do not have the jobs, so the runs are repeated, on
 * this thread. Before each run `is_stopped` is asked (NULL: never); false, without a problem, once
 * it is true. False with problems when a scenario cannot be read. */
MUST_CHECK bool jobs_table(const StudyFindings *findings, const JobsOfRuns *only, FileSource files,
                           const char *version, ByteSink out, bool (*is_stopped)(void *context),
                           void *context, Problems *problems);

/* The reference of this table as Markdown. */
void jobs_table_reference(Text *out);

#endif
