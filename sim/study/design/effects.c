#include "sim/study/design/effects.h"

#include <math.h>

#include "sim/base/invariant.h"

/* --- Morris --- */

/* The axis that changes between a point of a trajectory and the next. */
static int32_t moved_axis(const Design *design, int64_t point)
{
    const double *here = design->units + point * design->axis_count;
    for (int32_t axis = 0; axis < design->axis_count; axis++)
        if (here[axis] != here[axis + design->axis_count])
            return axis;
    invariant_broken("a step of a trajectory moves an axis", __FILE__, __LINE__);
}

static double effect_of_step(const Design *design, const double *metric, int64_t point,
                             int32_t axis)
{
    const double *here = design->units + point * design->axis_count;
    return (metric[point + 1] - metric[point]) / (here[axis + design->axis_count] - here[axis]);
}

void effects_morris(const Design *design, const double *metric, ElementaryEffects *effects)
{
    invariant(design->plan.kind == DESIGN_MORRIS);
    const int32_t axes = design->axis_count, trajectories = design->plan.size;
    for (int32_t axis = 0; axis < axes; axis++)
        effects[axis] = (ElementaryEffects){0};
    // Two passes: means first, then deviations from them.
    for (int32_t pass = 0; pass < 2; pass++)
        for (int32_t t = 0; t < trajectories; t++)
            for (int32_t step = 0; step < axes; step++) {
                int64_t point = (int64_t)t * (axes + 1) + step;
                int32_t axis = moved_axis(design, point);
                double effect = effect_of_step(design, metric, point, axis);
                double rest = effect - effects[axis].mean;
                if (pass == 0) {
                    effects[axis].mean += effect / trajectories;
                    effects[axis].mean_size += fabs(effect) / trajectories;
                } else if (trajectories > 1) {
                    effects[axis].deviation += rest * rest / (trajectories - 1);
                }
            }
    for (int32_t axis = 0; axis < axes; axis++)
        effects[axis].deviation = sqrt(effects[axis].deviation);
}

/* --- One at a time --- */

/* The axis whose value a point varies, or -1 for the baseline. */
static int32_t varied_axis(const Design *design, int32_t point)
{
    const double *base = design_point(design, 0), *here = design_point(design, point);
    for (int32_t f = 0; f < design->factor_count; f++)
        if (here[f] != base[f])
            return design->axis_of[f];
    return -1;
}

void effects_one_at_a_time(const Design *design, const double *metric, Swing *swings)
{
    invariant(design->plan.kind == DESIGN_ONE_AT_A_TIME);
    for (int32_t axis = 0; axis < design->axis_count; axis++)
        swings[axis] = (Swing){.low = metric[0], .high = metric[0]};
    for (int32_t p = 1; p < design->point_count; p++) {
        int32_t axis = varied_axis(design, p);
        if (axis < 0)
            continue; // an end of a range that is its baseline
        swings[axis].low = fmin(swings[axis].low, metric[p]);
        swings[axis].high = fmax(swings[axis].high, metric[p]);
    }
}

/* --- Sobol' indices --- */

/* The variance of the metric over the points of A and B. */
static double base_variance(const Design *design, const double *metric)
{
    const int64_t rows = design->axis_count + 2;
    const int64_t count = 2 * (int64_t)design->plan.size;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; i++)
        sum += metric[i / 2 * rows + i % 2];
    for (int64_t i = 0; i < count; i++) {
        double rest = metric[i / 2 * rows + i % 2] - sum / (double)count;
        squares += rest * rest;
    }
    return squares / (double)count;
}

void effects_saltelli(const Design *design, const double *metric, SobolIndices *indices)
{
    invariant(design->plan.kind == DESIGN_SALTELLI);
    const int64_t rows = design->axis_count + 2;
    const double variance = base_variance(design, metric);
    for (int32_t axis = 0; axis < design->axis_count; axis++) {
        double first = 0, total = 0;
        for (int64_t base = 0; base < design->plan.size; base++) {
            const double *y = metric + base * rows;
            double a = y[0], b = y[1], ab = y[2 + axis];
            first += b * (ab - a);
            total += (a - ab) * (a - ab) / 2;
        }
        double scale = variance > 0 ? 1 / (variance * design->plan.size) : 0;
        indices[axis] = (SobolIndices){.first = first * scale, .total = total * scale};
    }
}
