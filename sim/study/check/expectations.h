/* Checks the expectations of a scenario: watches a run while it proceeds, and evaluates each
 * expectation after the run. */
#ifndef SIM_STUDY_CHECK_EXPECTATIONS_H
#define SIM_STUDY_CHECK_EXPECTATIONS_H

#include "sim/cloud/world.h"
#include "sim/output/explain/expect_check.h"
#include "sim/output/explain/run_watch.h"
#include "sim/output/metrics/metrics.h"
#include "sim/scenario/read.h"

/* The metric of each EXPECT_METRIC and EXPECT_STATISTIC of `file`, NULL for other expectations; in
 * `arena`. Adds a problem for each name that is not a metric of the scenario's runs. */
const Metric *const *expectations_metrics(Arena *arena, const ScenarioFile *file,
                                          Problems *problems);

/* The watch of a run, and the numbers of each expectation's conditions and moments in that watch.
 */
typedef struct {
    RunWatch *watch;
    int32_t *conditions;     /* [expectation]: its condition, for EXPECT_ALWAYS the opposite one */
    const int32_t **moments; /* [expectation]: its moments; NULL if it has none */
} WatchedExpectations;

/* Makes a watch, in `run`, for all expectations of `file`. */
WatchedExpectations expectations_watch(Arena *run, const ScenarioFile *file);

/* A run that was watched, after its end. */
typedef struct {
    const ScenarioFile *file;
    const Metric *const *expected; /* expectations_metrics of `file` */
    WatchedExpectations watched;
    const World *world;
    const RunMetrics *metrics;
    const Summary *summary;
} WatchedRun;

/* Evaluates each expectation of a run; in `arena`. The answer of an EXPECT_STATISTIC, which needs
 * several runs, has no meaning. */
const ExpectAnswer *expectations_answers(Arena *arena, const WatchedRun *run);
/* Adds the expectations of `file` and their answers to the summary of the run. */
void expectations_summarise(Arena *arena, const ScenarioFile *file, const ExpectAnswer *answers,
                            Summary *summary);

/* Runs the scenario again and returns the records that explain a failed expectation, `*count` lines
 * in `arena`. They are the records around the instant of the failure, or the last records if the
 * answer has no instant. Only records of the expectation's cluster, job or share are selected, if
 * it names one. */
const char *const *expectations_records(Arena *arena, const ScenarioFile *file, int32_t index,
                                        const ExpectAnswer *answer, int32_t *count);

/* The value in a run for a sample: NaN if it is unknown, INFINITY if it is a lower bound that the
 * expectation's upper limit cannot be compared with. */
double expectations_sample_value(const Expectation *expectation, const Metric *metric,
                                 const Summary *summary);

/* The values of one metric in several runs, ordered by seed; NaN or INFINITY as of
 * expectations_sample_value. */
typedef struct {
    uint64_t first_seed;
    int32_t count;
    const double *values;
} MetricSample;

/* Evaluates an EXPECT_STATISTIC: whether the confidence bound of the statistic is within the
 * limits. */
ExpectAnswer expectations_statistic(Arena *arena, const Expectation *expectation,
                                    const MetricSample *sample);

#endif
