#include "sim/study/statistics/stopping.h"

#include "tests/support/suite.h"

static void check_waves(int32_t at_least, int32_t at_most, int32_t count, const int32_t *totals)
{
    int32_t done = 0;
    for (int32_t wave = 0; wave < count; wave++) {
        done = stopping_next(at_least, at_most, done);
        ck_assert_int_eq(done, totals[wave]);
    }
}

START_TEST(waves_end_at_20_30_45_67_runs)
{
    static const int32_t totals[] = {20, 30, 45, 67, 100, 150, 225, 337, 400, 400};
    check_waves(20, 400, 10, totals);
}
END_TEST

START_TEST(the_next_wave_depends_only_on_the_study)
{
    ck_assert_int_eq(stopping_next(20, 400, 0), 20);
    ck_assert_int_eq(stopping_next(20, 400, 19), 20);
    ck_assert_int_eq(stopping_next(20, 400, 20), 30);
    ck_assert_int_eq(stopping_next(20, 400, 29), 30);
    ck_assert_int_eq(stopping_next(20, 400, 337), 400);
    ck_assert_int_eq(stopping_next(20, 400, 400), 400);
    ck_assert_int_eq(stopping_next(20, 400, 1000), 1000);
}
END_TEST

START_TEST(few_runs_still_advance_and_many_do_not_overflow)
{
    static const int32_t totals[] = {1, 2, 3, 4, 5, 5};
    check_waves(1, 5, 6, totals);
    ck_assert_int_eq(stopping_next(20, 7, 0), 7);
    ck_assert_int_eq(stopping_next(INT32_MAX - 1, INT32_MAX, INT32_MAX - 1), INT32_MAX);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("stopping");
    TCase *tests = tcase_create("stopping");
    tcase_add_test(tests, waves_end_at_20_30_45_67_runs);
    tcase_add_test(tests, the_next_wave_depends_only_on_the_study);
    tcase_add_test(tests, few_runs_still_advance_and_many_do_not_overflow);
    suite_add_tcase(suite, tests);
    return suite;
}
