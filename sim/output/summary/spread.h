/* How long many jobs took: means, percentiles and shares of jobs, also while some jobs still wait.
 *
 * A time that has not ended by the end of the run counts up to the end of the run. It can only
 * become longer, so a value that depends on it is marked as a lower bound. */
#ifndef SIM_OUTPUT_SUMMARY_SPREAD_H
#define SIM_OUTPUT_SUMMARY_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"

typedef enum {
    JOB_TIME_QUEUE,      /* in the queue, all attempts together */
    JOB_TIME_RUN,        /* of the latest attempt; unknown unless the job has ended */
    JOB_TIME_TURNAROUND, /* from submission to end */
    JOB_TIME_COUNT
} JobTimeKind;

typedef enum {
    OUTCOME_NONE,
    OUTCOME_SUCCEEDED,
    OUTCOME_FAILED,
    OUTCOME_REJECTED, /* by a full queue: it has no times */
    OUTCOME_COUNT
} JobOutcome;

/* The times of one job, and the classes that it belongs to. */
typedef struct {
    int64_t submitted_ns;
    int64_t ns[JOB_TIME_COUNT]; /* INT64_MAX: unknown, and not counted */
    bool is_waiting;            /* its time in the queue has not ended */
    JobOutcome outcome;         /* OUTCOME_NONE: its turnaround has not ended */
    int32_t size;               /* its GPUs; its nodes if they have no GPU */
    int32_t user, queue;        /* indexes in the lists of its workload; -1: none */
} JobTimes;

/* The members of a spread that may be lower bounds. */
enum { SPREAD_MEAN, SPREAD_P50, SPREAD_P95, SPREAD_P99, SPREAD_MAX, SPREAD_VALUES };

/* A spread without times has unknown values (INT64_MAX). */
typedef struct {
    int64_t mean_ns, p50_ns, p95_ns, p99_ns, max_ns;
    int64_t waiting;       /* times that have not ended; INT64_MAX: none */
    const char **at_least; /* the keys of the values that are lower bounds: "p95" */
    uint32_t at_least_count;

    /* The source of the values, for other percentiles and shares. Not in summary.json. */
    JobTimeKind kind;
    const JobTimes *jobs; /* NULL: unknown, because the spread was read from a file */
    uint32_t job_count;
} SummarySpread;

/* `jobs` are borrowed. */
SummarySpread spread_of_jobs(Arena *arena, const JobTimes *jobs, uint32_t job_count,
                             JobTimeKind kind);

/* Whether the value called `key` ("p95") is a lower bound. */
bool spread_is_at_least(const SummarySpread *spread, const char *key);

/* A number of a spread that jobs are known of. */
typedef struct {
    int64_t value; /* INT64_MAX: unknown */
    bool is_lower_bound;
} SpreadValue;

/* The percentile in ns; `percent` as in percentile_place. */
SpreadValue spread_percentile(const SummarySpread *spread, int64_t percent);

/* The mean, in ns, if each time that has not ended ends after it has lasted as long again: where a
 * queue neither grows nor shrinks, the age of a wait that is found in progress and the rest of it
 * have the same distribution (D. R. Cox, "Renewal Theory", 1962, chapter 5). A lower bound if a
 * time has lasted for half of the run or more: then it may never end. */
SpreadValue spread_mean_completed(const SummarySpread *spread);

/* Sorts the known times, in ns; returns their number. `*sorted` lives in
 * `arena`. */
uint32_t spread_sorted(Arena *arena, const SummarySpread *spread, const int64_t **sorted);

/* The jobs whose time was at most `limit_ns`. A job that has waited longer counts as not within; so
 * does a job that may still end within, and then the value is a lower bound. */
typedef struct {
    int64_t jobs, within;
    bool is_lower_bound;
} SpreadShare;

SpreadShare spread_within(const SummarySpread *spread, int64_t limit_ns);

#endif
