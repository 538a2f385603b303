#include "sim/study/design/design.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/model/random_math.h"
#include "sim/study/design/make.h"

#define KIND_NAME(kind, name, size, help) [DESIGN_##kind] = name,
static const char *const kind_names[] = {DESIGN_KINDS(KIND_NAME)};
#define KIND_SIZE(kind, name, size, help) [DESIGN_##kind] = size,
static const char *const kind_sizes[] = {DESIGN_KINDS(KIND_SIZE)};

const char *design_kind_name(DesignKind kind)
{
    return kind_names[kind];
}

const char *design_kind_size(DesignKind kind)
{
    return kind_sizes[kind];
}

double design_value(const DesignFactor *factor, double unit)
{
    if (factor->level_count > 0) {
        double level = floor(unit * factor->level_count);
        return level < factor->level_count ? level : factor->level_count - 1;
    }
    if (unit <= 0 || unit >= 1)
        return unit <= 0 ? factor->low : factor->high;
    if (factor->is_log)
        return factor->low * random_exp(unit * random_log(factor->high / factor->low));
    return factor->low + unit * (factor->high - factor->low);
}

/* --- Axes --- */

/* The first factor of the axis to which `factor` belongs. */
static int32_t first_of_axis(const DesignFactor *factors, int32_t factor)
{
    if (factors[factor].zip == 0)
        return factor;
    int32_t first = 0;
    while (factors[first].zip != factors[factor].zip)
        first++;
    return first;
}

static void number_axes(Arena *arena, Design *design)
{
    int32_t *axis_of = ARENA_ARRAY(arena, int32_t, design->factor_count);
    for (int32_t f = 0; f < design->factor_count; f++) {
        int32_t first = first_of_axis(design->factors, f);
        axis_of[f] = first < f ? axis_of[first] : design->axis_count++;
    }
    design->axis_of = axis_of;
}

int32_t design_axis_levels(const Design *design, int32_t axis)
{
    int32_t f = 0;
    while (design->axis_of[f] != axis)
        f++;
    return design->factors[f].level_count;
}

/* --- How many points --- */

static int64_t times(int64_t a, int64_t b)
{
    return b > 0 && a > INT64_MAX / b ? INT64_MAX : a * b;
}

/* Values other than the baseline's: of a range its ends. */
static int32_t other_values(const DesignFactor *factor)
{
    return factor->level_count > 0 ? factor->level_count - 1 : 2;
}

int64_t design_point_count(const DesignPlan *plan, const DesignFactor *factors,
                           int32_t factor_count)
{
    int64_t axes = 0, product = 1, others = 0;
    for (int32_t f = 0; f < factor_count; f++) {
        if (first_of_axis(factors, f) < f)
            continue;
        axes++;
        product = times(product, factors[f].level_count > 0 ? factors[f].level_count : 1);
        others += other_values(&factors[f]);
    }
    switch (plan->kind) {
    case DESIGN_GRID:
        return product;
    case DESIGN_LATIN_HYPERCUBE:
    case DESIGN_SOBOL:
        return plan->size;
    case DESIGN_MORRIS:
        return times(plan->size, axes + 1);
    case DESIGN_ONE_AT_A_TIME:
        return 1 + others;
    case DESIGN_SALTELLI:
        return times(plan->size, axes + 2);
    case DESIGN_KIND_COUNT:
        break;
    }
    invariant_broken("a kind of design", __FILE__, __LINE__);
}

/* --- Checks --- */

static bool check_factor(const DesignPlan *plan, const DesignFactor *factors, int32_t f, Place at,
                         Status *status)
{
    const DesignFactor *factor = &factors[f], *first = &factors[first_of_axis(factors, f)];
    if (factor->level_count == 0 && plan->kind == DESIGN_GRID) {
        status_fail(status, STATUS_BAD_INPUT, at,
                    "factor \"%s\" is a range, but a grid needs a list of values", factor->name);
        return status_hint(status,
                           "list its values, or choose the design latin_hypercube or sobol");
    }
    if (factor->level_count != first->level_count) {
        status_fail(status, STATUS_BAD_INPUT, at,
                    "factors \"%s\" and \"%s\" are zipped, but have %" PRId32 " and %" PRId32
                    " values",
                    first->name, factor->name, first->level_count, factor->level_count);
        return status_hint(status, "zipped factors take their first values together, then their "
                                   "second, and so on");
    }
    if (factor->level_count == 0 && !(factor->low < factor->high))
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "factor \"%s\": its range begins at %g and ends at %g", factor->name,
                           factor->low, factor->high);
    if (factor->level_count == 0 && factor->is_log && !(factor->low > 0))
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "factor \"%s\": a logarithmic range must begin above 0", factor->name);
    return true;
}

/* Zipped factors begin and change together. */
static bool check_baseline(const DesignPlan *plan, const DesignFactor *factors, int32_t f, Place at,
                           Status *status)
{
    const int32_t first = first_of_axis(factors, f);
    if (plan->kind != DESIGN_ONE_AT_A_TIME || !plan->baseline || factors[f].level_count == 0 ||
        plan->baseline[f] == plan->baseline[first])
        return true;
    return status_fail(status, STATUS_BAD_INPUT, at,
                       "factors \"%s\" and \"%s\" are zipped, but the baseline has their values %g "
                       "and %g",
                       factors[first].name, factors[f].name, plan->baseline[first],
                       plan->baseline[f]);
}

static bool check_plan(const Design *design, Place at, Status *status)
{
    const DesignPlan *plan = &design->plan;
    for (int32_t f = 0; f < design->factor_count; f++)
        if (!check_factor(plan, design->factors, f, at, status) ||
            !check_baseline(plan, design->factors, f, at, status))
            return false;
    int32_t dimensions = plan->kind == DESIGN_SOBOL      ? design->axis_count
                         : plan->kind == DESIGN_SALTELLI ? 2 * design->axis_count
                                                         : 0;
    if (dimensions > DESIGN_SOBOL_AXES_MOST)
        return status_fail(
            status, STATUS_BAD_INPUT, at, "the design %s has room for %d factors, not %" PRId32,
            design_kind_name(plan->kind),
            plan->kind == DESIGN_SOBOL ? DESIGN_SOBOL_AXES_MOST : DESIGN_SOBOL_AXES_MOST / 2,
            design->axis_count);
    int64_t count = design_point_count(plan, design->factors, design->factor_count);
    if (count > DESIGN_POINTS_MOST)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "the design has %" PRId64 " points, expected at most %d", count,
                           DESIGN_POINTS_MOST);
    return true;
}

/* --- Points --- */

/* Sets the values of all points from their coordinates. */
static void place_points(Design *design)
{
    for (int64_t p = 0; p < design->point_count; p++)
        for (int32_t f = 0; f < design->factor_count; f++)
            design->values[p * design->factor_count + f] = design_value(
                &design->factors[f], design->units[p * design->axis_count + design->axis_of[f]]);
}

typedef void Make(Design *design);
static Make *const make_units[DESIGN_KIND_COUNT] = {
    [DESIGN_LATIN_HYPERCUBE] = make_latin_hypercube,
    [DESIGN_SOBOL] = make_sobol,
    [DESIGN_MORRIS] = make_morris,
    [DESIGN_SALTELLI] = make_saltelli,
};
static Make *const make_values[DESIGN_KIND_COUNT] = {
    [DESIGN_GRID] = make_grid,
    [DESIGN_ONE_AT_A_TIME] = make_one_at_a_time,
};

bool design_create(Arena *arena, const DesignPlan *plan, const DesignFactor *factors,
                   int32_t factor_count, Place at, Design *design, Status *status)
{
    *design = (Design){.plan = *plan, .factors = factors, .factor_count = factor_count};
    number_axes(arena, design);
    if (!check_plan(design, at, status))
        return false;
    design->point_count = (int32_t)design_point_count(plan, factors, factor_count);
    const int64_t count = design->point_count;
    design->values = ARENA_ARRAY(arena, double, count *factor_count);
    if (make_values[plan->kind]) {
        make_values[plan->kind](design);
        return true;
    }
    design->units = ARENA_ARRAY(arena, double, count * design->axis_count);
    make_units[plan->kind](design);
    place_points(design);
    return true;
}

/* --- Filters --- */

static bool needs_all_points(DesignKind kind)
{
    return kind == DESIGN_MORRIS || kind == DESIGN_SALTELLI;
}

static void move_point(Design *design, int32_t from, int32_t to)
{
    memmove(design->values + (int64_t)to * design->factor_count,
            design->values + (int64_t)from * design->factor_count,
            (size_t)design->factor_count * sizeof *design->values);
    if (design->units)
        memmove(design->units + (int64_t)to * design->axis_count,
                design->units + (int64_t)from * design->axis_count,
                (size_t)design->axis_count * sizeof *design->units);
}

bool design_filter(Design *design, DesignKeeps *keeps, void *context, Place at, Status *status)
{
    int32_t kept = 0;
    for (int32_t p = 0; p < design->point_count; p++) {
        bool is_kept;
        if (!keeps(context, design, p, status, &is_kept))
            return false;
        if (is_kept)
            move_point(design, p, kept++);
        else if (needs_all_points(design->plan.kind))
            return status_fail(status, STATUS_BAD_INPUT, at,
                               "the design %s needs all of its points, so it cannot have a filter "
                               "that excludes one",
                               design_kind_name(design->plan.kind));
    }
    design->point_count = kept;
    return true;
}
