/* How often the stated errors of one GPU's step hold. Each row that was measured is estimated
 * without some of the others, and compared with the error that the estimate states
 * (sim/cloud/training/step_estimate.h). About 19 of 20 should be within it. */
#ifndef SIM_SCENARIO_COVERAGE_H
#define SIM_SCENARIO_COVERAGE_H

#include "sim/base/arena.h"
#include "sim/cloud/spec/spec.h"

/* The rows that are left out before a row is estimated. */
#define COVERAGE_CASES(X)                                                                          \
    X(SOFTWARE, "the software on this network and GPU")                                            \
    X(NETWORK_ON_GPU, "the network on this GPU")                                                   \
    X(NETWORK, "the network on all GPUs")                                                          \
    X(GPU, "the GPU")                                                                              \
    X(BATCH_OF_SEVERAL, "larger or smaller batches, several kept")                                 \
    X(BATCH_OF_ONE, "larger or smaller batches, one kept")

typedef enum {
#define X(name, text) COVERAGE_##name,
    COVERAGE_CASES(X)
#undef X
        COVERAGE_CASE_COUNT
} CoverageCase;

const char *coverage_case_name(CoverageCase left_out);

typedef struct {
    CoverageCase left_out;
    const Throughput *row;
    int64_t nearest_batch; /* BATCH_*: the kept batch that is nearest to the row's; otherwise 0 */
    double error;          /* |estimated / measured step - 1| */
    double stated;         /* the error that the estimate states */
} CoverageTrial;

typedef struct {
    int32_t count;
    const CoverageTrial *items;
} CoverageTrials;

/* All trials of `rows`, in the order of the cases, then of the rows. They live in `arena` and point
 * to `rows`. Rows that apply to themselves only are tried at other batches only. */
CoverageTrials coverage_trials(Arena *arena, Throughputs rows);

/* A sum over trials. */
typedef struct {
    int32_t count;
    int32_t within;
    double error_mean;
    double error_most;
    double stated_least;
    double stated_most;
} CoverageSum;

/* Adds a trial; a sum begins as {0}. */
void coverage_add(CoverageSum *sum, const CoverageTrial *trial);

#endif
