#include "sim/study/design/effects.h"

#include <math.h>

#include "sim/base/arena.h"
#include "tests/support/suite.h"

enum { AXES = 3, POINTS_MOST = 40000 };

static const DesignFactor factors[] = {{.name = "a", .low = 0, .high = 1},
                                       {.name = "b", .low = 0, .high = 1},
                                       {.name = "c", .low = 0, .high = 1}};

static Arena *arena;
static Design design;
static double metric[POINTS_MOST];

static void begin(void)
{
    arena = arena_create();
}

static void end(void)
{
    arena_destroy(arena);
}

static void measure(DesignPlan plan, double (*model)(const double *point))
{
    Status status = {0};
    ck_assert(design_create(arena, &plan, factors, AXES, place_in("s", 1, 1), &design, &status));
    ck_assert_int_le(design.point_count, POINTS_MOST);
    for (int32_t p = 0; p < design.point_count; p++)
        metric[p] = model(design_point(&design, p));
}

static double line(const double *x)
{
    return 5 + 3 * x[0] - 2 * x[1];
}

static double product(const double *x)
{
    return x[0] * x[1];
}

START_TEST(elementary_effects_of_a_line_are_its_slopes)
{
    ElementaryEffects effects[AXES];
    measure((DesignPlan){.kind = DESIGN_MORRIS, .size = 20, .seed = 1}, line);
    effects_morris(&design, metric, effects);
    static const double slopes[] = {3, -2, 0};
    for (int32_t axis = 0; axis < AXES; axis++) {
        ck_assert_double_eq_tol(effects[axis].mean, slopes[axis], 1e-12);
        ck_assert_double_eq_tol(effects[axis].mean_size, fabs(slopes[axis]), 1e-12);
        ck_assert_double_eq_tol(effects[axis].deviation, 0, 1e-12);
    }
    ck_assert_double_eq(effects[2].mean_size, 0); // exactly: this axis does nothing
}
END_TEST

START_TEST(interactions_show_as_deviation)
{
    ElementaryEffects effects[AXES];
    measure((DesignPlan){.kind = DESIGN_MORRIS, .size = 400, .seed = 1}, product);
    effects_morris(&design, metric, effects);
    // The effect of a is b, one of 0, 1/3, 2/3, 1: mean 1/2, deviation sqrt(5)/6 = 0.3727.
    ck_assert_double_eq_tol(effects[0].mean, .5, .06);
    ck_assert_double_eq_tol(effects[0].deviation, .3727, .03);
}
END_TEST

START_TEST(swings_are_around_the_baseline)
{
    static const double baseline[] = {.5, .5, .5};
    Swing swings[AXES];
    measure((DesignPlan){.kind = DESIGN_ONE_AT_A_TIME, .baseline = baseline}, line);
    effects_one_at_a_time(&design, metric, swings);
    ck_assert_double_eq(swings[0].low, 4);
    ck_assert_double_eq(swings[0].high, 7);
    ck_assert_double_eq(swings[1].low, 4.5);
    ck_assert_double_eq(swings[1].high, 6.5);
    ck_assert_double_eq(swings[2].low, 5.5);
    ck_assert_double_eq(swings[2].high, 5.5);
}
END_TEST

/* Ishigami and Homma's function, whose indices are known: x = pi (2 u - 1), y = sin x1 + 7 sin^2 x2
 * + 0.1 x3^4 sin x1. */
static double ishigami(const double *u)
{
    const double pi = acos(-1);
    double x1 = pi * (2 * u[0] - 1), x2 = pi * (2 * u[1] - 1), x3 = pi * (2 * u[2] - 1);
    return sin(x1) + 7 * sin(x2) * sin(x2) + .1 * x3 * x3 * x3 * x3 * sin(x1);
}

START_TEST(sobol_indices_of_ishigami_s_function_are_known)
{
    // (T. Homma, A. Saltelli, Reliability Engineering and System Safety 52, 1996): first .3139
    // .4424 0, total .5576 .4424 .2437.
    static const SobolIndices wanted[] = {{.3139, .5576}, {.4424, .4424}, {0, .2437}};
    SobolIndices indices[AXES];
    measure((DesignPlan){.kind = DESIGN_SALTELLI, .size = 8000, .seed = 3}, ishigami);
    effects_saltelli(&design, metric, indices);
    for (int32_t axis = 0; axis < AXES; axis++) {
        ck_assert_double_eq_tol(indices[axis].first, wanted[axis].first, .01);
        ck_assert_double_eq_tol(indices[axis].total, wanted[axis].total, .01);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("effects");
    TCase *tests = tcase_create("effects");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, elementary_effects_of_a_line_are_its_slopes);
    tcase_add_test(tests, interactions_show_as_deviation);
    tcase_add_test(tests, swings_are_around_the_baseline);
    tcase_add_test(tests, sobol_indices_of_ishigami_s_function_are_known);
    suite_add_tcase(suite, tests);
    return suite;
}
