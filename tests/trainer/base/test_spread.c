#include "trainer/base/spread.h"

#include "tests/support/suite.h"

START_TEST(median_and_p90_are_measured_values)
{
    double ten[] = {7, 1, 10, 4, 9, 2, 8, 3, 6, 5};
    const Spread of_ten = spread_of(ten, 10); // nearest rank: the 5th and the 9th
    ck_assert_double_eq(of_ten.min, 1);
    ck_assert_double_eq(of_ten.median, 5);
    ck_assert_double_eq(of_ten.mean, 5.5);
    ck_assert_double_eq(of_ten.p90, 9);
    double three[] = {30, 10, 20}; // the 2nd value, and the 3rd (2.7 rounded up)
    const Spread of_three = spread_of(three, 3);
    ck_assert_double_eq(of_three.median, 20);
    ck_assert_double_eq(of_three.p90, 30);
}
END_TEST

START_TEST(the_spread_of_one_value_is_that_value)
{
    double one[] = {2.5};
    const Spread spread = spread_of(one, 1);
    ck_assert(spread.min == 2.5 && spread.median == 2.5 && spread.mean == 2.5 && spread.p90 == 2.5);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("spread");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, median_and_p90_are_measured_values);
    tcase_add_test(tests, the_spread_of_one_value_is_that_value);
    suite_add_tcase(suite, tests);
    return suite;
}
