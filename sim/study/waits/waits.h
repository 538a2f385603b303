/* Recorded against simulated waits: the waits that a log states for its jobs, and those of the same
 * jobs in a run. They are not expected to agree; waits_page.h lists the reasons. */
#ifndef SIM_STUDY_WAITS_WAITS_H
#define SIM_STUDY_WAITS_WAITS_H

#include "sim/base/arena.h"
#include "sim/cloud/spec/job_list.h"
#include "sim/output/trace/row.h"

/* The waits of some jobs. Quantiles are by nearest rank, in ns. */
typedef struct {
    double mean_s;
    int64_t p50_ns, p95_ns, most_ns;
} WaitSpread;

enum { WAIT_CLASSES = 5, WAIT_QUANTILES = 199 };

/* Jobs of one size with both waits. */
typedef struct {
    const char *name; /* "1 GPU" */
    int32_t gpus_least, gpus_most;
    int64_t jobs;
    WaitSpread recorded, simulated;
    int64_t longer, shorter; /* jobs that wait longer or shorter in the run, by more than 60 s */
} WaitClass;

typedef struct {
    int64_t jobs;                    /* of the list */
    int64_t unrecorded;              /* the log does not state their waits */
    int64_t not_started;             /* in the run */
    WaitClass classes[WAIT_CLASSES]; /* the first has all jobs */
    /* Quantiles over all jobs, at shares 1/200 to 199/200. */
    int64_t recorded_ns[WAIT_QUANTILES], simulated_ns[WAIT_QUANTILES];
} WaitComparison;

/* A listener to the trace of a run that collects the waits of the jobs of `workload`, whose names
 * are WORKLOAD-1, WORKLOAD-2, ... in the order of the list. Lives in `arena`. */
typedef struct Waits Waits;

Waits *waits_create(Arena *arena, const JobList *list, const char *workload);
TraceListener waits_listener(Waits *waits);
/* After the last row. */
const WaitComparison *waits_compare(Arena *arena, const Waits *waits);

#endif
