/* The expectations of a scenario, put to a run of it: what must be watched while it goes, and the
 * answers afterwards. */
#ifndef SIM_VERBS_EXPECTATIONS_H
#define SIM_VERBS_EXPECTATIONS_H

#include "sim/output/explain/expect_check.h"
#include "sim/output/explain/run_watch.h"
#include "sim/scenario/read.h"

/* A run's watch, and where each expectation finds its conditions and moments in it. */
typedef struct {
    RunWatch *watch;
    int32_t *conditions;     /* [expectation]: number; of EXPECT_ALWAYS the contrary's */
    const int32_t **moments; /* [expectation]: numbers; NULL where there are none */
} WatchedExpectations;

WatchedExpectations expectations_watch(Arena *run, const ScenarioFile *file);

struct RunResult;

/* Whether the `index`-th expectation holds of a run that was watched for it; not for
 * EXPECT_STATISTIC. */
ExpectAnswer expectations_answer(Arena *arena, const struct RunResult *run, int32_t index);

/* Runs the scenario once more and returns the records around what failed, `*count` lines in
 * `arena`: those of the instant, of the thing that the expectation is about; else the last ones. */
const char *const *expectations_records(Arena *arena, const ScenarioFile *file, int32_t index,
                                        const ExpectAnswer *answer, int32_t *count);

/* Values of one metric in several runs, by seed; NaN where a run has none. */
typedef struct {
    uint64_t first_seed;
    int32_t count;
    const double *values;
} MetricSample;

/* Whether the bound of an EXPECT_STATISTIC keeps within its limits. */
ExpectAnswer expectations_statistic(Arena *arena, const Expectation *expectation,
                                    const MetricSample *sample);

#endif
