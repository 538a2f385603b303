#include "sim/model/bounded.h"

#include "tests/support/suite.h"

START_TEST(small_numbers_are_exact_and_parts_round_up)
{
    ck_assert_int_eq(bounded_add(2, 3), 5);
    ck_assert_int_eq(bounded_times(INT64_C(1) << 31, INT64_C(1) << 31), INT64_C(1) << 62);
    ck_assert_int_eq(bounded_part(10, 1, 3), 4);
    ck_assert_int_eq(bounded_part(9, 1, 3), 3);
    // The product alone does not fit: 2^62 * 6 / 3 = 2^63 does not either, 2^62 * 3 / 3 does.
    ck_assert_int_eq(bounded_part(INT64_C(1) << 62, 3, 3), INT64_C(1) << 62);
    // 1,000,001 bytes at 1 GB/s: 1,000,001 ns.
    ck_assert_int_eq(bounded_at_rate_ns(1000001, 1000000000), 1000001);
    ck_assert_int_eq(bounded_at_rate_ns(0, 1), 0);
    ck_assert_int_eq(divide_up(7, 7), 1);
    ck_assert_int_eq(divide_up(8, 7), 2);
    ck_assert_int_eq(divide_up(INT64_MAX, 2), INT64_C(1) << 62);
}
END_TEST

START_TEST(what_does_not_fit_is_the_largest_number)
{
    ck_assert_int_eq(bounded_add(INT64_MAX - 1, 1), INT64_MAX);
    ck_assert_int_eq(bounded_add(INT64_MAX, INT64_MAX), INT64_MAX);
    ck_assert_int_eq(bounded_times(INT64_C(1) << 32, INT64_C(1) << 31), INT64_MAX);
    ck_assert_int_eq(bounded_times(INT64_MAX, INT64_MAX), INT64_MAX);
    ck_assert_int_eq(bounded_part(INT64_C(1) << 62, 6, 3), INT64_MAX);
    ck_assert_int_eq(bounded_part(INT64_MAX, INT64_MAX, 1), INT64_MAX);
    // 2^34 bytes at one a second are 2^34 * 10^9 > 2^63 ns: 544 years.
    ck_assert_int_eq(bounded_at_rate_ns(INT64_C(1) << 34, 1), INT64_MAX);
    ck_assert_int_eq(bounded_at_rate_ns(INT64_C(1) << 33, 1), (INT64_C(1) << 33) * 1000000000);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("bounded");
    TCase *tests = tcase_create("examples");
    tcase_add_test(tests, small_numbers_are_exact_and_parts_round_up);
    tcase_add_test(tests, what_does_not_fit_is_the_largest_number);
    suite_add_tcase(suite, tests);
    return suite;
}
