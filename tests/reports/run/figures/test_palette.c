/* Colours differ for readers without green cones (deuteranopia, the most frequent form with no
 * green-sensitive pigment), and from light and dark paper.
 *
 * The simulation is G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, "A physiologically-based
 * model for simulation of color vision deficiency", IEEE Transactions on Visualization and Computer
 * Graphics 15(6), 2009, severity 1. Distances are CIE 1976 differences in L*a*b*: 2.3 is just
 * noticeable side by side, and 15 is seen in a legend. */
#include <math.h>

#include "reports/figure/figure.h"
#include "reports/plan/palette.h"
#include "reports/run/figures/palette.h"
#include "reports/study/palette.h"
#include "tests/support/suite.h"

static const double deuteranopia[3][3] = {{0.367322, 0.860646, -0.227968},
                                          {0.280085, 0.672501, 0.047413},
                                          {-0.011820, 0.042940, 0.968881}};
static const double least_distance = 15;

typedef struct {
    double l, a, b;
} Lab;

static double linear(int32_t byte)
{
    const double value = byte / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double lab_part(double t)
{
    return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

static Lab lab_of(int32_t rgb, bool is_seen_without_green)
{
    const double full[3] = {linear(rgb >> 16 & 255), linear(rgb >> 8 & 255), linear(rgb & 255)};
    double seen[3];
    for (int i = 0; i < 3; i++) {
        const double *row = deuteranopia[i];
        const double value = row[0] * full[0] + row[1] * full[1] + row[2] * full[2];
        seen[i] = is_seen_without_green ? fmin(1, fmax(0, value)) : full[i];
    }
    const double x = lab_part((0.4124 * seen[0] + 0.3576 * seen[1] + 0.1805 * seen[2]) / 0.95047);
    const double y = lab_part(0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2]);
    const double z = lab_part((0.0193 * seen[0] + 0.1192 * seen[1] + 0.9505 * seen[2]) / 1.08883);
    return (Lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

static double distance_as_seen(int32_t one, int32_t other, bool is_seen_without_green)
{
    const Lab a = lab_of(one, is_seen_without_green), b = lab_of(other, is_seen_without_green);
    return sqrt((a.l - b.l) * (a.l - b.l) + (a.a - b.a) * (a.a - b.a) + (a.b - b.b) * (a.b - b.b));
}

static double distance(int32_t one, int32_t other)
{
    return fmin(distance_as_seen(one, other, false), distance_as_seen(one, other, true));
}

static double light(int32_t rgb)
{
    return 0.2126 * linear(rgb >> 16 & 255) + 0.7152 * linear(rgb >> 8 & 255) +
           0.0722 * linear(rgb & 255);
}

/* The contrast of two colours by WCAG 2.1: 1 to 21. */
static double contrast(int32_t one, int32_t other)
{
    const double a = light(one) + 0.05, b = light(other) + 0.05;
    return a > b ? a / b : b / a;
}

/* WCAG 2.1, 1.4.3, for every fifth part of each colour: no colour has a worse ink. */
START_TEST(ink_is_read_on_every_colour)
{
    for (int32_t red = 0; red < 256; red += 5)
        for (int32_t green = 0; green < 256; green += 5)
            for (int32_t blue = 0; blue < 256; blue += 5) {
                const int32_t rgb = red << 16 | green << 8 | blue;
                ck_assert_double_ge(contrast(rgb, ink_on(rgb)), 4.5);
            }
}
END_TEST

START_TEST(the_simulation_confuses_red_and_green)
{
    // Pure red and a green of its lightness differ strongly, and are nearly the same without green
    // cones.
    ck_assert_double_gt(distance_as_seen(0xC04000, 0x6E7A00, false), 60);
    ck_assert_double_lt(distance_as_seen(0xC04000, 0x6E7A00, true), 15);
    ck_assert_double_lt(distance_as_seen(0x808080, 0x808080, true), 0.001);
}
END_TEST

static const int32_t papers[] = {0xFFFFFF, 0x12181F};

static void check_pairs(const int32_t *rgb, int32_t count, const char *figure)
{
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = 0; j < i; j++)
            ck_assert_msg(distance(rgb[i], rgb[j]) >= least_distance, "%s: %06X and %06X: %.1f",
                          figure, (unsigned)rgb[i], (unsigned)rgb[j], distance(rgb[i], rgb[j]));
        for (int p = 0; p < 2; p++)
            ck_assert_msg(distance(rgb[i], papers[p]) >= least_distance, "%s: %06X on %06X", figure,
                          (unsigned)rgb[i], (unsigned)papers[p]);
    }
}

START_TEST(states_of_nodes_differ)
{
    int32_t rgb[NODE_STATE_COUNT];
    for (int i = 0; i < NODE_STATE_COUNT; i++)
        rgb[i] = node_shades[i].rgb;
    check_pairs(rgb, NODE_STATE_COUNT, "nodes");
}
END_TEST

START_TEST(bars_of_the_gantt_chart_differ)
{
    int32_t rgb[BAR_COUNT];
    for (int i = 0; i < BAR_COUNT; i++)
        rgb[i] = bar_shades[i].rgb;
    check_pairs(rgb, BAR_COUNT, "gantt");
}
END_TEST

START_TEST(parts_of_training_time_differ)
{
    int32_t rgb[PART_COUNT];
    for (int i = 0; i < PART_COUNT; i++)
        rgb[i] = step_part_shades[i].shade.rgb;
    check_pairs(rgb, PART_COUNT, "parts");
}
END_TEST

START_TEST(sizes_of_jobs_differ_from_each_other_and_from_idle_nodes)
{
    for (int32_t count = 1; count <= SIZE_CLASSES_MAX; count++) {
        int32_t rgb[SIZE_CLASSES_MAX + NODE_STATE_COUNT];
        int32_t used = 0;
        for (int32_t class = 0; class < count; class ++)
            rgb[used++] = size_class_rgb(class, count);
        for (int state = 0; state < NODE_STATE_COUNT; state++)
            if (state != NODE_RUNNING) // it has the colour of its job
                rgb[used++] = node_shades[state].rgb;
        check_pairs(rgb, used, "slots");
    }
}
END_TEST

START_TEST(curves_of_waits_differ)
{
    for (int32_t count = 2; count <= SIZE_CLASSES_MAX; count++) {
        int32_t rgb[SIZE_CLASSES_MAX + 1] = {RGB_ALL_JOBS};
        for (int32_t class = 0; class < count; class ++)
            rgb[class + 1] = size_class_rgb(class, count);
        check_pairs(rgb, count + 1, "waits");
    }
}
END_TEST

START_TEST(jobs_that_run_and_wait_differ)
{
    const int32_t rgb[] = {RGB_JOBS_RUN, RGB_JOBS_WAIT};
    check_pairs(rgb, 2, "queue");
}
END_TEST

/* Points and lines are too thin to be seen by a difference that suffices for areas: WCAG 2.1,
 * 1.4.11, asks for 3 to 1. */
static void check_marks(const int32_t *rgb, int32_t count, const char *figure)
{
    check_pairs(rgb, count, figure);
    for (int32_t i = 0; i < count; i++)
        for (int p = 0; p < 2; p++)
            ck_assert_msg(contrast(rgb[i], papers[p]) >= 3, "%s: %06X on %06X: %.2f", figure,
                          (unsigned)rgb[i], (unsigned)papers[p], contrast(rgb[i], papers[p]));
}

START_TEST(colours_of_studies_differ)
{
    const int32_t differences[] = {RGB_DIFFERS, RGB_MAY_BE_0}, effects[] = {RGB_EFFECT, RGB_SPREAD};
    const int32_t dots[] = {RGB_DOTS, series_rgb[0]};
    check_marks(differences, 2, "differences");
    check_marks(effects, 2, "effects");
    check_marks(dots, 2, "dots and their curve");
}
END_TEST

START_TEST(candidates_of_plans_differ)
{
    const int32_t rgb[] = {RGB_CHOSEN, RGB_MEETS, RGB_MISSES, RGB_OPEN};
    check_marks(rgb, sizeof rgb / sizeof *rgb, "candidates");
}
END_TEST

START_TEST(series_without_a_meaning_differ)
{
    check_marks(series_rgb, SERIES_MAX, "series");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("palette");
    TCase *tests = tcase_create("palette");
    tcase_add_test(tests, ink_is_read_on_every_colour);
    tcase_add_test(tests, the_simulation_confuses_red_and_green);
    tcase_add_test(tests, states_of_nodes_differ);
    tcase_add_test(tests, bars_of_the_gantt_chart_differ);
    tcase_add_test(tests, parts_of_training_time_differ);
    tcase_add_test(tests, sizes_of_jobs_differ_from_each_other_and_from_idle_nodes);
    tcase_add_test(tests, curves_of_waits_differ);
    tcase_add_test(tests, jobs_that_run_and_wait_differ);
    tcase_add_test(tests, colours_of_studies_differ);
    tcase_add_test(tests, candidates_of_plans_differ);
    tcase_add_test(tests, series_without_a_meaning_differ);
    suite_add_tcase(suite, tests);
    return suite;
}
