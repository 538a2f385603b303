/* Private to sim/study/design: designs that list values. */
#include "sim/study/design/make.h"

void make_grid(Design *design)
{
    int64_t repeat = 1; // successive points with the same level of the axis
    for (int32_t axis = design->axis_count - 1; axis >= 0; axis--) {
        int32_t levels = design_axis_levels(design, axis);
        for (int64_t p = 0; p < design->point_count; p++)
            for (int32_t f = 0; f < design->factor_count; f++)
                if (design->axis_of[f] == axis)
                    design->values[p * design->factor_count + f] = (double)(p / repeat % levels);
        repeat *= levels;
    }
}

static double baseline_value(const Design *design, int32_t factor)
{
    if (design->plan.baseline)
        return design->plan.baseline[factor];
    return design->factors[factor].level_count > 0 ? 0 : design->factors[factor].low;
}

/* The n-th value of the factor that differs from the baseline's; of a range its ends. */
static double other_value(const Design *design, int32_t factor, int32_t n)
{
    const DesignFactor *of = &design->factors[factor];
    if (of->level_count == 0)
        return n == 0 ? of->low : of->high;
    return n < baseline_value(design, factor) ? n : n + 1;
}

static void make_varied(Design *design, int64_t point, int32_t axis, int32_t n)
{
    for (int32_t f = 0; f < design->factor_count; f++)
        design->values[point * design->factor_count + f] =
            design->axis_of[f] == axis ? other_value(design, f, n) : baseline_value(design, f);
}

void make_one_at_a_time(Design *design)
{
    int64_t point = 0;
    make_varied(design, point++, -1, 0);
    for (int32_t axis = 0; axis < design->axis_count; axis++) {
        int32_t levels = design_axis_levels(design, axis);
        int32_t others = levels > 0 ? levels - 1 : 2;
        for (int32_t n = 0; n < others; n++)
            make_varied(design, point++, axis, n);
    }
}
