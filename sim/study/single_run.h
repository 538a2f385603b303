/* One run of a study: a pure function of the point's scenario, the seed and this version. */
#ifndef SIM_STUDY_SINGLE_RUN_H
#define SIM_STUDY_SINGLE_RUN_H

#include <stdatomic.h>

#include "sim/study/point_scenario.h"

typedef struct {
    double *values;       /* [value_count]; NAN: unknown */
    uint8_t *flags;       /* [value_count] of RUN_VALUE_... */
    uint64_t fingerprint; /* of the events, the draws, the end and the values: runs with different
                             fingerprints took different courses */
    int64_t job_count;
    int64_t events;
} RunOutcome;

/* Runs `point` with `seed`. `plan` is that of a steady study, NULL otherwise. `scratch` has the
 * memory of the run and may be rewound afterwards; `outcome` has arrays of the caller. Ends early
 * and returns false once `*is_stopped`. For several threads at once. */
MUST_CHECK bool single_run(Arena *scratch, const PointScenario *point, const SteadyPlan *plan,
                           uint64_t seed, const char *version, const atomic_bool *is_stopped,
                           RunOutcome *outcome);

/* The summary of the same run. Lives in `arena`. */
const Summary *single_run_summary(Arena *arena, const PointScenario *point, const SteadyPlan *plan,
                                  uint64_t seed, const char *version);

/* --- Pilot runs --- */

typedef struct {
    uint64_t seed;
    int64_t jobs;    /* of each workload */
    int64_t from_ns; /* metrics are about jobs submitted from here on */
} PilotPlan;

/* The jobs of a pilot run in the order of submission, up to the time when the first of the
 * workloads had submitted all of its jobs. */
typedef struct {
    int64_t job_count;
    double *waits; /* [job_count] in s: in the queue, all attempts together */
    int64_t *submitted_ns;
    int64_t arrivals_end_ns; /* that time */
    double *values;          /* [metric_count] */
} PilotRun;

/* `scratch` as single_run; `run` lives in `arena`. */
MUST_CHECK bool single_run_pilot(Arena *arena, Arena *scratch, const PointScenario *point,
                                 const PilotPlan *plan, const char *version,
                                 const atomic_bool *is_stopped, PilotRun *run);

#endif
