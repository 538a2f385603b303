#include "sim/output/decimal.h"
#include "tests/support/suite.h"

START_TEST(exact_decimals_have_the_digits_they_need)
{
    static const struct {
        int64_t value;
        int32_t decimals;
        const char *expected;
    } rows[] = {
        {0, 9, "0"},
        {1500000, 6, "1.5"},
        {-1, 9, "-0.000000001"},
        {42, 0, "42"},
        {INT64_MIN, 18, "-9.223372036854775808"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Text out = {0};
        decimal_print(&out, rows[i].value, rows[i].decimals);
        ck_assert_str_eq(text_string(&out), rows[i].expected);
        text_free(&out);
    }
}
END_TEST

START_TEST(decimals_are_rounded_half_away_from_zero)
{
    static const struct {
        int64_t value;
        int32_t decimals, shown;
        const char *expected;
    } rows[] = {
        {123456, 6, 3, "0.123"},
        {123500, 6, 3, "0.124"},
        {-123500, 6, 3, "-0.124"},
        {999999, 6, 2, "1.00"},
        {-1, 6, 2, "0.00"}, // nothing has no sign
        {7, 0, 0, "7"},
        {INT64_MAX, 6, 0, "9223372036855"},
        {INT64_MIN, 18, 0, "-9"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Text out = {0};
        decimal_print_rounded(&out, rows[i].value, rows[i].decimals, rows[i].shown);
        ck_assert_str_eq(text_string(&out), rows[i].expected);
        text_free(&out);
    }
}
END_TEST

START_TEST(money_has_cents_and_little_money_two_significant_digits)
{
    static const struct {
        int64_t micro_usd;
        const char *expected;
    } rows[] = {
        {0, "0.00"},           {3600000, "3.60"}, {3604999, "3.60"}, {3605000, "3.61"},
        {397500000, "397.50"}, {100000, "0.10"},  {99000, "0.099"},  {4200, "0.0042"},
        {12, "0.000012"},      {1, "0.000001"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Text out = {0};
        decimal_print_usd(&out, rows[i].micro_usd);
        ck_assert_str_eq(text_string(&out), rows[i].expected);
        text_free(&out);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("decimal");
    TCase *tests = tcase_create("decimal");
    tcase_add_test(tests, exact_decimals_have_the_digits_they_need);
    tcase_add_test(tests, decimals_are_rounded_half_away_from_zero);
    tcase_add_test(tests, money_has_cents_and_little_money_two_significant_digits);
    suite_add_tcase(suite, tests);
    return suite;
}
