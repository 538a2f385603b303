#include "sim/scenario/coverage.h"

#include <math.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cloud/training/step_estimate.h"

const char *coverage_case_name(CoverageCase left_out)
{
    static const char *const names[] = {
#define X(name, text) text,
        COVERAGE_CASES(X)
#undef X
    };
    return names[left_out];
}

/* --- Trials --- */

typedef struct {
    Throughputs all;
    Throughput *kept; /* [all.count] */
    int32_t kept_count;
    CoverageTrial *trials; /* [most] */
    int32_t count;
    int32_t most;
} Trying;

static void keep(Trying *trying, const Throughput *row)
{
    trying->kept[trying->kept_count++] = *row;
}

/* Estimates `row` from the kept rows. */
static void try_row(Trying *trying, const Throughput *row, CoverageCase left_out,
                    int64_t nearest_batch)
{
    const Program program = {.kind = PROGRAM_TRAIN,
                             .network = row->network,
                             .framework = row->framework,
                             .exchange = row->exchange,
                             .batch_per_rank = row->batch,
                             .throughputs = {.count = trying->kept_count, .rows = trying->kept}};
    const StepEstimate estimate = step_estimate(&program, row->gpu);
    if (estimate.basis == STEP_BASIS_CONSTANTS)
        return; // no row remains that applies
    const int64_t alone_ns = row->exchange != NULL ? estimate.alone_ns : 0;
    const double measured_ns =
        (double)row->batch * NS_PER_S * PPM / (double)row->micro_samples_per_s;
    invariant(trying->count < trying->most);
    trying->trials[trying->count++] =
        (CoverageTrial){.left_out = left_out,
                        .row = row,
                        .nearest_batch = nearest_batch,
                        .error = fabs((double)(estimate.step_ns + alone_ns) / measured_ns - 1),
                        .stated = (double)estimate.error_ppm / PPM};
}

static bool is_left_out(CoverageCase left_out, const Throughput *candidate, const Throughput *row)
{
    const bool is_gpu = candidate->gpu == row->gpu, is_network = candidate->network == row->network;
    switch (left_out) {
    case COVERAGE_SOFTWARE:
        return is_gpu && is_network && candidate->framework == row->framework;
    case COVERAGE_NETWORK_ON_GPU:
        return is_gpu && is_network;
    case COVERAGE_NETWORK:
        return is_network;
    case COVERAGE_GPU:
        return is_gpu;
    case COVERAGE_BATCH_OF_SEVERAL:
    case COVERAGE_BATCH_OF_ONE:
    case COVERAGE_CASE_COUNT:
        break;
    }
    return false;
}

static void try_without(Trying *trying, CoverageCase left_out)
{
    for (int32_t i = 0; i < trying->all.count; i++) {
        const Throughput *row = &trying->all.rows[i];
        trying->kept_count = 0;
        for (int32_t j = 0; j < trying->all.count; j++)
            if (!is_left_out(left_out, &trying->all.rows[j], row))
                keep(trying, &trying->all.rows[j]);
        if (row->calibrates)
            try_row(trying, row, left_out, 0);
    }
}

/* --- Batches --- */

/* Whether two rows measure the same combination, at any batch. */
static bool is_same_combination(const Throughput *a, const Throughput *b)
{
    return a->gpu == b->gpu && a->network == b->network && a->framework == b->framework &&
           a->exchange == b->exchange;
}

static bool is_beyond(const Throughput *row, const Throughput *end, bool is_upwards)
{
    return is_same_combination(row, end) &&
           (is_upwards ? row->batch > end->batch : row->batch < end->batch);
}

/* Whether a row before `end` measures the same combination and batch. */
static bool is_repeated(Throughputs all, const Throughput *end)
{
    for (const Throughput *row = all.rows; row < end; row++)
        if (is_same_combination(row, end) && row->batch == end->batch)
            return true;
    return false;
}

/* Keeps the batches of a combination up to that of `end`, or only those from it on, and tries the
 * others. */
static void try_beyond(Trying *trying, const Throughput *end, bool is_upwards)
{
    bool has_other = false;
    trying->kept_count = 0;
    for (int32_t i = 0; i < trying->all.count; i++) {
        const Throughput *row = &trying->all.rows[i];
        if (is_beyond(row, end, is_upwards))
            continue;
        keep(trying, row);
        has_other = has_other || (is_same_combination(row, end) && row->batch != end->batch);
    }
    for (int32_t i = 0; i < trying->all.count; i++)
        if (is_beyond(&trying->all.rows[i], end, is_upwards))
            try_row(trying, &trying->all.rows[i],
                    has_other ? COVERAGE_BATCH_OF_SEVERAL : COVERAGE_BATCH_OF_ONE, end->batch);
}

static void try_batches(Trying *trying)
{
    for (int32_t i = 0; i < trying->all.count; i++) {
        const Throughput *end = &trying->all.rows[i];
        if (is_repeated(trying->all, end))
            continue;
        try_beyond(trying, end, true);
        try_beyond(trying, end, false);
    }
}

/* The number of pairs of rows of one combination and different batches. */
static int32_t pairs_of(Throughputs all)
{
    int32_t pairs = 0;
    for (int32_t i = 0; i < all.count; i++)
        for (int32_t j = 0; j < all.count; j++)
            pairs += is_same_combination(&all.rows[i], &all.rows[j]) &&
                     all.rows[i].batch != all.rows[j].batch;
    return pairs;
}

CoverageTrials coverage_trials(Arena *arena, Throughputs rows)
{
    const int32_t most = rows.count * COVERAGE_BATCH_OF_SEVERAL + pairs_of(rows);
    Trying trying = {.all = rows,
                     .kept = ARENA_ARRAY(arena, Throughput, rows.count + 1),
                     .trials = ARENA_ARRAY(arena, CoverageTrial, most + 1),
                     .most = most};
    for (CoverageCase left_out = 0; left_out < COVERAGE_BATCH_OF_SEVERAL; left_out++)
        try_without(&trying, left_out);
    try_batches(&trying);
    return (CoverageTrials){.count = trying.count, .items = trying.trials};
}

/* --- Sums --- */

void coverage_add(CoverageSum *sum, const CoverageTrial *trial)
{
    const bool is_first = sum->count == 0;
    sum->count++;
    sum->within += trial->error <= trial->stated;
    sum->error_mean += (trial->error - sum->error_mean) / sum->count;
    sum->error_most = fmax(sum->error_most, trial->error);
    sum->stated_least = is_first ? trial->stated : fmin(sum->stated_least, trial->stated);
    sum->stated_most = fmax(sum->stated_most, trial->stated);
}
