#include "real/compare/load.h"

#include "real/compare/print.h"
#include "tests/support/suite.h"

START_TEST(busy_time_leaves_out_idle_and_waiting)
{
    double busy_s = 0;
    ck_assert(load_parse("cpu  100 20 30 4000 500 6 7 37 90 10\ncpu0 ...\n", 100, &busy_s));
    ck_assert_double_eq_tol(busy_s, 2.0, 1e-12); // 100 + 20 + 30 + 6 + 7 + 37 ticks
    ck_assert(!load_parse("cpu0 1 2 3 4 5 6 7 8\n", 100, &busy_s));
    ck_assert(!load_parse("cpu 1 2 3\n", 100, &busy_s));
    ck_assert(!load_parse("", 100, &busy_s));
}
END_TEST

START_TEST(the_time_of_others_is_the_busy_time_without_ones_own)
{
    const LoadReading before = {true, 100, 1000, 50, 2};
    // In 10 s the processors were busy for 17 s, 12 of them with this process and its children.
    ck_assert_double_eq_tol(load_others(before, (LoadReading){true, 110, 1017, 62, 2}), 0.5, 1e-12);
    // Ticks are coarse: rounding may make the difference negative, or larger than the machine.
    ck_assert_double_eq(load_others(before, (LoadReading){true, 110, 1011, 62, 2}), 0);
    ck_assert_double_eq(load_others(before, (LoadReading){true, 110, 1032, 50, 2}), 2);
    ck_assert_double_eq(load_others(before, (LoadReading){true, 100, 1000, 50, 2}), -1);
    ck_assert_double_eq(load_others(before, (LoadReading){.is_known = false}), -1);
}
END_TEST

START_TEST(ones_own_work_is_not_of_others)
{
    const LoadReading before = load_read();
    ck_assert(before.is_known);
    ck_assert_int_ge(before.cores, 1);
    volatile double sum = 0;
    LoadReading after = before;
    while (after.own_s < before.own_s + 0.2) {
        for (int i = 0; i < 1000000; i++)
            sum += i;
        after = load_read();
    }
    // All that was busy includes what this process was busy with.
    ck_assert_double_ge(after.busy_s - before.busy_s, 0.1);
    ck_assert_double_ge(load_others(before, after), 0);
    ck_assert_double_gt(sum, 0);
}
END_TEST

START_TEST(a_comparison_says_how_busy_others_were)
{
    static const struct {
        double other_cores;
        const char *text;
    } rows[] = {{-1, ""},
                {0.04, "Other programs used 0.0 of 2 cores during the runs."},
                {1.26,
                 "Other programs used 1.3 of 2 cores during the runs: the measured times are too "
                 "long. Repeat it on an idle machine."}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const Comparison comparison = {.other_cores = rows[i].other_cores, .cores = 2};
        Text text = {0};
        compare_load_print(&text, &comparison);
        ck_assert_str_eq(text_string(&text), rows[i].text);
        text_free(&text);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("load");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, busy_time_leaves_out_idle_and_waiting);
    tcase_add_test(tests, the_time_of_others_is_the_busy_time_without_ones_own);
    tcase_add_test(tests, ones_own_work_is_not_of_others);
    tcase_add_test(tests, a_comparison_says_how_busy_others_were);
    suite_add_tcase(suite, tests);
    return suite;
}
