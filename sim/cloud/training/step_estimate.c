#include "sim/cloud/training/step_estimate.h"

#include "sim/base/units.h"
#include "sim/cloud/training/step_roofline.h"
#include "sim/cloud/training/step_rows.h"
#include "sim/model/bounded.h"

/* --- Measured with this software --- */

/* The error of one measurement: repeated ones of the same step are up to 2.6 % from their median
 * (TensorFlow of May 2017 on K80 of two clouds). */
#define MEASUREMENT_ERROR_PPM INT64_C(30000)

static StepEstimate measured_beyond(const Throughputs *all, Key key, Point end, int64_t batch)
{
    int64_t ns = step_at_batch(end.ns, end.batch, batch, rows_idle_for(all, key));
    // The other possible assumption is that there are no idle samples: the difference is an error.
    int64_t proportional_ns = step_at_batch(end.ns, end.batch, batch, 0);
    int64_t idle_ppm = bounded_part(distance(ns, proportional_ns), PPM, ns);
    // One batch of small layers does not show whether the step depends on the batch at all.
    if (step_has_small_layers(key.network) && rows_idle(all, key) < 0)
        idle_ppm = larger(idle_ppm, bounded_part(distance(ns, end.ns), PPM, end.ns));
    int64_t beyond_ppm = bounded_add(idle_ppm, step_beyond_error_ppm(end.batch, batch));
    return (StepEstimate){
        .step_ns = ns,
        .error_ppm = bounded_add(MEASUREMENT_ERROR_PPM, bounded_add(end.spread_ppm, beyond_ppm)),
        .row = end.row,
        .row_count = end.rows,
        .is_other_batch = true};
}

static StepEstimate measured_between(const Throughputs *all, Key key, Point low, Point high,
                                     int64_t batch)
{
    int64_t span = high.batch - low.batch, way = batch - low.batch;
    int64_t ns = high.ns >= low.ns ? low.ns + bounded_part(high.ns - low.ns, way, span)
                                   : low.ns - bounded_part(low.ns - high.ns, way, span);
    // The difference from the line through all batches shows the noise of the measurements.
    int64_t line_ns = step_at_batch(low.ns, low.batch, batch, rows_idle_for(all, key));
    int64_t noise_ppm = bounded_add(larger(low.spread_ppm, high.spread_ppm),
                                    bounded_part(distance(ns, line_ns), PPM, ns));
    return (StepEstimate){.step_ns = ns,
                          .error_ppm = bounded_add(2 * MEASUREMENT_ERROR_PPM, noise_ppm),
                          .row = low.row,
                          .row_count = low.rows + high.rows,
                          .is_other_batch = true};
}

/* `key` has rows. */
static StepEstimate measured(const Throughputs *all, Key key, int64_t batch)
{
    Neighbours next = rows_near(all, key, batch);
    StepEstimate estimate;
    if (next.below == next.above) {
        Point point = rows_at(all, key, batch);
        estimate = (StepEstimate){.step_ns = point.ns,
                                  .error_ppm = larger(MEASUREMENT_ERROR_PPM, point.spread_ppm),
                                  .row = point.row,
                                  .row_count = point.rows};
    } else if (next.below > 0 && next.above > 0) {
        estimate = measured_between(all, key, rows_at(all, key, next.below),
                                    rows_at(all, key, next.above), batch);
    } else {
        Point end = rows_at(all, key, next.below > 0 ? next.below : next.above);
        estimate = measured_beyond(all, key, end, batch);
    }
    estimate.basis = STEP_BASIS_MEASURED;
    return estimate;
}

/* --- Measured with other software --- */

/* The median ratio of one software to another. */
typedef struct {
    int64_t factor_ppm; /* 0: never measured side by side */
    int64_t spread_ppm;
    bool is_of_gpu;
} Ratio;

/* Steps of `framework` over those of `other`, same network, GPU and batch, on `gpu` (NULL: any). */
static Ratio ratio_on(const Throughputs *all, const Framework *framework, const Framework *other,
                      const GpuModel *gpu)
{
    Sample sample;
    sample.count = 0;
    for (int32_t i = 0; i < all->count; i++) {
        const Throughput *row = &all->rows[i];
        Key key = row_key(row);
        if (row->framework != framework || (gpu != NULL && row->gpu != gpu) ||
            !rows_prefer(all, row))
            continue;
        key.framework = other;
        if (!rows_find(all, &key) || rows_near(all, key, row->batch).above != row->batch)
            continue;
        Point point = rows_at(all, key, row->batch);
        if (point.row->calibrates)
            sample_add(&sample, bounded_part(row_step_ns(row), PPM, point.ns));
    }
    if (sample.count == 0)
        return (Ratio){0};
    return (Ratio){sample_median(&sample), sample_spread_ppm(&sample), gpu != NULL};
}

static Ratio ratio_find(const Throughputs *all, const Framework *framework, const Framework *other,
                        const GpuModel *gpu)
{
    Ratio ratio = ratio_on(all, framework, other, gpu);
    return ratio.factor_ppm > 0 ? ratio : ratio_on(all, framework, other, NULL);
}

static StepEstimate times_ratio(StepEstimate estimate, Ratio ratio)
{
    int64_t error_ppm =
        bounded_add(SOFTWARE_ERROR_PPM * (ratio.is_of_gpu ? 1 : 2), ratio.spread_ppm);
    if (ratio.factor_ppm > 0)
        estimate.step_ns = bounded_part(estimate.step_ns, ratio.factor_ppm, PPM);
    else
        error_ppm = UNKNOWN_SOFTWARE_ERROR_PPM;
    estimate.error_ppm = bounded_add(estimate.error_ppm, error_ppm);
    estimate.basis = STEP_BASIS_SOFTWARE;
    estimate.factor_ppm = ratio.factor_ppm;
    estimate.is_of_gpu = ratio.is_of_gpu;
    return estimate;
}

/* The estimate from other software, with the least error; a step of 0 ns: there is none. */
static StepEstimate measured_with_other(const Throughputs *all, Key key, int64_t batch)
{
    StepEstimate best = {.step_ns = 0};
    for (int32_t i = 0; i < all->count; i++) {
        const Throughput *row = &all->rows[i];
        const Key other = row_key(row);
        if (row->gpu != key.gpu || row->network != key.network || row->framework == key.framework ||
            !rows_prefer(all, row))
            continue;
        const Ratio ratio = ratio_find(all, key.framework, row->framework, key.gpu);
        const StepEstimate estimate = times_ratio(measured(all, other, batch), ratio);
        if (best.step_ns == 0 || estimate.error_ppm < best.error_ppm)
            best = estimate;
    }
    return best;
}

/* --- All together --- */

/* The measured batch that is nearest to `batch`; 0: none. */
static int64_t nearest_batch(const Throughputs *all, Key key, int64_t batch)
{
    const Neighbours next = rows_near(all, key, batch);
    if (next.below == 0 || next.above == 0)
        return larger(next.below, next.above);
    return batch - next.below <= next.above - batch ? next.below : next.above;
}

/* Sets the cost of the exchange for a single process. If it was measured: the difference to the
 * step without an exchange (gradients are equally large at any batch, so the nearest measured batch
 * is used). Else as modelled. If the step was only measured with the same exchange: the modelled
 * cost that was subtracted. */
static void add_alone(const Throughputs *all, Key base, const Program *program,
                      StepEstimate *estimate)
{
    Key with = base;
    with.exchange = program->exchange;
    const int64_t batch = nearest_batch(all, with, program->batch_per_rank);
    if (program->exchange != NULL && base.exchange == NULL && batch > 0) {
        const Point point = rows_at(all, with, batch);
        const int64_t with_ns =
            bounded_add(point.ns, row_held_ns(point.row, row_measured_ns(point.row)));
        estimate->alone_ns = larger(with_ns - measured(all, base, batch).step_ns, 0);
        estimate->alone_batch = batch;
        return;
    }
    if (program->exchange != NULL && rows_same_exchange(base.exchange, program->exchange)) {
        estimate->alone_ns = estimate->held_ns;
        return;
    }
    estimate->alone_ns = rows_alone_ns(program->exchange, program->network);
    estimate->alone_error_ns = estimate->alone_ns / 2;
}

/* If the rows were measured with an exchange: sets held_ns, and adds the error of the subtracted
 * cost if it is not added again. */
static void add_held(const Program *program, StepEstimate *estimate)
{
    const Throughput *row = estimate->row;
    if (row == NULL || row->exchange == NULL)
        return;
    estimate->held_ns = row_held_ns(row, row_measured_ns(row));
    if (!rows_same_exchange(row->exchange, program->exchange))
        estimate->error_ppm = bounded_add(
            estimate->error_ppm, bounded_part(estimate->held_ns / 2, PPM, estimate->step_ns));
}

/* On processors with measured stages, steps are within 11.4 % of their prediction
 * (reports/validation.md). */
#define STAGES_ERROR_PPM INT64_C(120000)

/* The estimate if the network was not measured with this software on this GPU. */
static StepEstimate from_others(const Throughputs *all, Key key, int64_t batch)
{
    if (!all->replaces_constants && !rows_measure(all, key.framework))
        return (StepEstimate){.basis = STEP_BASIS_CONSTANTS};
    const StepEstimate estimate = measured_with_other(all, key, batch);
    return estimate.step_ns > 0 ? estimate : step_from_layers(all, key, batch);
}

StepEstimate step_estimate(const Program *program, const GpuModel *gpu)
{
    const Throughputs *all = &program->throughputs;
    if (gpu->times != NULL)
        return (StepEstimate){.basis = STEP_BASIS_STAGES, .error_ppm = STAGES_ERROR_PPM};
    Key key = {gpu, program->network, program->framework, program->exchange};
    StepEstimate estimate;
    if (rows_find(all, &key)) {
        estimate = measured(all, key, program->batch_per_rank);
    } else {
        key.exchange = NULL; // other rows show the step without it
        estimate = from_others(all, key, program->batch_per_rank);
    }
    if (estimate.basis == STEP_BASIS_CONSTANTS)
        return estimate;
    add_held(program, &estimate);
    add_alone(all, key, program, &estimate);
    return estimate;
}
