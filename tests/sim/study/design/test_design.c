#include "sim/study/design/design.h"

#include <math.h>
#include <string.h>

#include "tests/support/suite.h"

static Arena *arena;
static Design design;
static Status status;
static const Place place = {"study.json", 3, 5};

static void begin(void)
{
    arena = arena_create();
    memset(&status, 0, sizeof status);
}

static void end(void)
{
    arena_destroy(arena);
}

static bool create(DesignPlan plan, const DesignFactor *factors, int32_t count)
{
    return design_create(arena, &plan, factors, count, place, &design, &status);
}

#define MUST_CREATE(...) ck_assert_msg(create(__VA_ARGS__), "%s", status.message)

static void check_values(const double *wanted, int32_t points, int32_t factors)
{
    ck_assert_int_eq(design.point_count, points);
    for (int32_t p = 0; p < points; p++)
        for (int32_t f = 0; f < factors; f++)
            ck_assert_msg(design_point(&design, p)[f] == wanted[p * factors + f],
                          "point %d, factor %d: %g", (int)p, (int)f, design_point(&design, p)[f]);
}

static const DesignFactor two_and_three[] = {{.name = "a", .level_count = 2},
                                             {.name = "b", .level_count = 3}};
static const DesignFactor ranges[] = {{.name = "load", .low = 1, .high = 3},
                                      {.name = "gap", .low = 1, .high = 10000, .is_log = true},
                                      {.name = "nodes", .level_count = 7}};

START_TEST(a_grid_has_every_combination_the_last_factor_fastest)
{
    static const double wanted[] = {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2};
    MUST_CREATE((DesignPlan){.kind = DESIGN_GRID}, two_and_three, 2);
    check_values(wanted, 6, 2);
}
END_TEST

START_TEST(zipped_factors_change_together)
{
    static const DesignFactor factors[] = {{.name = "nodes", .level_count = 2, .zip = 1},
                                           {.name = "load", .level_count = 2},
                                           {.name = "minimum", .level_count = 2, .zip = 1}};
    static const double wanted[] = {0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1};
    MUST_CREATE((DesignPlan){.kind = DESIGN_GRID}, factors, 3);
    check_values(wanted, 4, 3);
}
END_TEST

START_TEST(a_grid_without_factors_is_one_point)
{
    MUST_CREATE((DesignPlan){.kind = DESIGN_GRID}, NULL, 0);
    ck_assert_int_eq(design.point_count, 1);
}
END_TEST

START_TEST(one_at_a_time_begins_with_the_baseline)
{
    static const double baseline[] = {1, 1};
    static const double wanted[] = {1, 1, 0, 1, 1, 0, 1, 2};
    MUST_CREATE((DesignPlan){.kind = DESIGN_ONE_AT_A_TIME, .baseline = baseline}, two_and_three, 2);
    check_values(wanted, 4, 2);
}
END_TEST

START_TEST(one_at_a_time_takes_both_ends_of_a_range)
{
    static const double baseline[] = {2, 100, 3};
    MUST_CREATE((DesignPlan){.kind = DESIGN_ONE_AT_A_TIME, .baseline = baseline}, ranges, 3);
    ck_assert_int_eq(design.point_count, 1 + 2 + 2 + 6);
    ck_assert_double_eq(design_point(&design, 1)[0], 1);
    ck_assert_double_eq(design_point(&design, 2)[0], 3);
    ck_assert_double_eq(design_point(&design, 3)[1], 1);
    ck_assert_double_eq(design_point(&design, 4)[1], 10000);
}
END_TEST

START_TEST(values_of_ranges_are_even_or_even_in_ratio)
{
    ck_assert_double_eq(design_value(&ranges[0], 0), 1);
    ck_assert_double_eq(design_value(&ranges[0], 0.25), 1.5);
    ck_assert_double_eq(design_value(&ranges[0], 1), 3);
    ck_assert_double_eq_tol(design_value(&ranges[1], 0.5), 100, 1e-12);
    ck_assert_double_eq(design_value(&ranges[1], 1), 10000);
    ck_assert_double_eq(design_value(&ranges[2], 0.999), 6);
    ck_assert_double_eq(design_value(&ranges[2], 1), 6);
}
END_TEST

START_TEST(a_latin_hypercube_uses_each_stratum_once)
{
    enum { POINTS = 210 };
    for (uint64_t seed = 1; seed <= 20; seed++) {
        MUST_CREATE((DesignPlan){.kind = DESIGN_LATIN_HYPERCUBE, .size = POINTS, .seed = seed},
                    ranges, 3);
        for (int32_t axis = 0; axis < 3; axis++) {
            int32_t used[POINTS] = {0};
            for (int32_t p = 0; p < POINTS; p++)
                used[(int32_t)(design.units[p * 3 + axis] * POINTS)]++;
            for (int32_t s = 0; s < POINTS; s++)
                ck_assert_int_eq(used[s], 1);
        }
        // 210 points over 7 levels: 30 each.
        int32_t levels[7] = {0};
        for (int32_t p = 0; p < POINTS; p++)
            levels[(int32_t)design_point(&design, p)[2]]++;
        for (int32_t level = 0; level < 7; level++)
            ck_assert_int_eq(levels[level], 30);
    }
}
END_TEST

START_TEST(axes_of_a_latin_hypercube_are_unrelated)
{
    enum { POINTS = 4000 };
    MUST_CREATE((DesignPlan){.kind = DESIGN_LATIN_HYPERCUBE, .size = POINTS, .seed = 7}, ranges, 3);
    double sum = 0;
    for (int32_t p = 0; p < POINTS; p++)
        sum += (design.units[p * 3] - 0.5) * (design.units[p * 3 + 1] - 0.5);
    // The correlation of independent axes is about normal with deviation 1 / sqrt(4000).
    ck_assert_double_le(fabs(sum * 12 / POINTS), 4 / sqrt(POINTS));
}
END_TEST

START_TEST(seeds_give_other_points_and_the_same_seed_the_same)
{
    static const DesignKind kinds[] = {DESIGN_LATIN_HYPERCUBE, DESIGN_SOBOL, DESIGN_MORRIS,
                                       DESIGN_SALTELLI};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        MUST_CREATE((DesignPlan){.kind = kinds[k], .size = 8, .seed = 1}, ranges, 3);
        Design first = design;
        size_t bytes = sizeof(double) * 3 * (size_t)design.point_count;
        MUST_CREATE((DesignPlan){.kind = kinds[k], .size = 8, .seed = 1}, ranges, 3);
        ck_assert_int_eq(memcmp(design.values, first.values, bytes), 0);
        MUST_CREATE((DesignPlan){.kind = kinds[k], .size = 8, .seed = 2}, ranges, 3);
        ck_assert_int_ne(memcmp(design.values, first.values, bytes), 0);
    }
}
END_TEST

START_TEST(more_points_of_a_sobol_design_keep_the_first_ones)
{
    MUST_CREATE((DesignPlan){.kind = DESIGN_SOBOL, .size = 16, .seed = 1}, ranges, 3);
    Design small = design;
    MUST_CREATE((DesignPlan){.kind = DESIGN_SOBOL, .size = 64, .seed = 1}, ranges, 3);
    ck_assert_int_eq(memcmp(design.values, small.values, sizeof(double) * 3 * 16), 0);
}
END_TEST

START_TEST(a_trajectory_moves_each_axis_once_by_two_thirds)
{
    MUST_CREATE((DesignPlan){.kind = DESIGN_MORRIS, .size = 50, .seed = 3}, ranges, 3);
    ck_assert_int_eq(design.point_count, 200);
    int32_t starts[3][4] = {{0}};
    for (int32_t t = 0; t < 50; t++) {
        int32_t moved[3] = {0};
        for (int32_t step = 0; step < 3; step++)
            for (int32_t axis = 0; axis < 3; axis++) {
                const double *unit = &design.units[(t * 4 + step) * 3 + axis];
                if (unit[3] == unit[0])
                    continue;
                ck_assert_double_eq_tol(fabs(unit[3] - unit[0]), 2.0 / 3, 1e-15);
                moved[axis]++;
            }
        for (int32_t axis = 0; axis < 3; axis++) {
            ck_assert_int_eq(moved[axis], 1);
            starts[axis][(int32_t)(design.units[t * 12 + axis] * 3 + 0.5)]++;
        }
    }
    for (int32_t axis = 0; axis < 3; axis++)
        for (int32_t level = 0; level < 4; level++)
            ck_assert_int_gt(starts[axis][level], 3); // of 50, 12.5 expected
}
END_TEST

START_TEST(a_saltelli_design_mixes_two_matrices)
{
    MUST_CREATE((DesignPlan){.kind = DESIGN_SALTELLI, .size = 16, .seed = 3}, ranges, 3);
    ck_assert_int_eq(design.point_count, 16 * 5);
    for (int32_t base = 0; base < 16; base++) {
        const double *a = &design.units[base * 15], *b = a + 3;
        for (int32_t axis = 0; axis < 3; axis++)
            for (int32_t other = 0; other < 3; other++)
                ck_assert_double_eq(a[(2 + axis) * 3 + other], other == axis ? b[other] : a[other]);
        ck_assert_double_ne(a[0], b[0]);
    }
}
END_TEST

static const struct {
    const char *why, *message;
    DesignPlan plan;
    DesignFactor factors[2];
} refused[] = {
    {"ranges in a grid",
     "factor \"b\" is a range, but a grid needs a list of values",
     {.kind = DESIGN_GRID},
     {{.name = "a", .level_count = 2}, {.name = "b", .low = 1, .high = 2}}},
    {"zipped levels",
     "factors \"a\" and \"b\" are zipped, but have 2 and 3 values",
     {.kind = DESIGN_GRID},
     {{.name = "a", .level_count = 2, .zip = 1}, {.name = "b", .level_count = 3, .zip = 1}}},
    {"an empty range",
     "factor \"b\": its range begins at 2 and ends at 2",
     {.kind = DESIGN_SOBOL, .size = 4},
     {{.name = "a", .level_count = 2}, {.name = "b", .low = 2, .high = 2}}},
    {"a logarithm of zero",
     "factor \"b\": a logarithmic range must begin above 0",
     {.kind = DESIGN_SOBOL, .size = 4},
     {{.name = "a", .level_count = 2}, {.name = "b", .low = 0, .high = 2, .is_log = true}}},
    {"too many points",
     "the design has 4000000000000 points, expected at most 10000000",
     {.kind = DESIGN_GRID},
     {{.name = "a", .level_count = 2000000}, {.name = "b", .level_count = 2000000}}},
    {"unlike baselines of zipped factors",
     "factors \"a\" and \"b\" are zipped, but the baseline has their values 0 and 1",
     {.kind = DESIGN_ONE_AT_A_TIME, .baseline = (const double[]){0, 1}},
     {{.name = "a", .level_count = 3, .zip = 1}, {.name = "b", .level_count = 3, .zip = 1}}},
};

START_TEST(designs_that_cannot_be_are_refused_with_their_place)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        memset(&status, 0, sizeof status);
        ck_assert_msg(!create(refused[i].plan, refused[i].factors, 2), "%s", refused[i].why);
        ck_assert_str_eq(status.message, refused[i].message);
        ck_assert_int_eq(status.at.line, 3);
    }
    DesignFactor many[41];
    for (int32_t f = 0; f < 41; f++)
        many[f] = (DesignFactor){.name = "x", .low = 0, .high = 1};
    ck_assert(!create((DesignPlan){.kind = DESIGN_SOBOL, .size = 2}, many, 41));
    ck_assert(!create((DesignPlan){.kind = DESIGN_SALTELLI, .size = 2}, many, 21));
    ck_assert(create((DesignPlan){.kind = DESIGN_SOBOL, .size = 2}, many, 40));
    ck_assert(create((DesignPlan){.kind = DESIGN_SALTELLI, .size = 2}, many, 20));
}
END_TEST

static bool keeps_small(void *context, const Design *of, int32_t point, Status *problem,
                        bool *is_kept)
{
    (void)context;
    (void)problem;
    const double *values = design_point(of, point);
    *is_kept = values[0] + values[1] <= 1;
    return true;
}

START_TEST(a_filter_keeps_points_in_their_order)
{
    static const double wanted[] = {0, 0, 0, 1, 1, 0};
    MUST_CREATE((DesignPlan){.kind = DESIGN_GRID}, two_and_three, 2);
    ck_assert(design_filter(&design, keeps_small, NULL, place, &status));
    check_values(wanted, 3, 2);
    MUST_CREATE((DesignPlan){.kind = DESIGN_MORRIS, .size = 20, .seed = 1}, two_and_three, 2);
    ck_assert(!design_filter(&design, keeps_small, NULL, place, &status));
    ck_assert_str_eq(status.message, "the design morris needs all of its points, so it cannot have "
                                     "a filter that excludes one");
}
END_TEST

START_TEST(the_number_of_points_is_known_beforehand)
{
    static const struct {
        DesignPlan plan;
        int64_t points;
    } rows[] = {
        {{.kind = DESIGN_LATIN_HYPERCUBE, .size = 200}, 200},
        {{.kind = DESIGN_SOBOL, .size = 256}, 256},
        {{.kind = DESIGN_MORRIS, .size = 20}, 80},
        {{.kind = DESIGN_ONE_AT_A_TIME}, 11},
        {{.kind = DESIGN_SALTELLI, .size = 64}, 320},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_int_eq(design_point_count(&rows[i].plan, ranges, 3), rows[i].points);
    DesignFactor many[40];
    for (int32_t f = 0; f < 40; f++)
        many[f] = (DesignFactor){.level_count = 10};
    ck_assert_int_eq(design_point_count(&(DesignPlan){.kind = DESIGN_GRID}, many, 18),
                     INT64_C(1000000000000000000));
    ck_assert_int_eq(design_point_count(&(DesignPlan){.kind = DESIGN_GRID}, many, 40), INT64_MAX);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("design");
    TCase *tests = tcase_create("design");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_grid_has_every_combination_the_last_factor_fastest);
    tcase_add_test(tests, zipped_factors_change_together);
    tcase_add_test(tests, a_grid_without_factors_is_one_point);
    tcase_add_test(tests, one_at_a_time_begins_with_the_baseline);
    tcase_add_test(tests, one_at_a_time_takes_both_ends_of_a_range);
    tcase_add_test(tests, values_of_ranges_are_even_or_even_in_ratio);
    tcase_add_test(tests, a_latin_hypercube_uses_each_stratum_once);
    tcase_add_test(tests, axes_of_a_latin_hypercube_are_unrelated);
    tcase_add_test(tests, seeds_give_other_points_and_the_same_seed_the_same);
    tcase_add_test(tests, more_points_of_a_sobol_design_keep_the_first_ones);
    tcase_add_test(tests, a_trajectory_moves_each_axis_once_by_two_thirds);
    tcase_add_test(tests, a_saltelli_design_mixes_two_matrices);
    tcase_add_test(tests, designs_that_cannot_be_are_refused_with_their_place);
    tcase_add_test(tests, a_filter_keeps_points_in_their_order);
    tcase_add_test(tests, the_number_of_points_is_known_beforehand);
    suite_add_tcase(suite, tests);
    return suite;
}
