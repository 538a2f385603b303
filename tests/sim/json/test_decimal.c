#include "sim/json/decimal.h"
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
        {-1, 6, 2, "0.00"}, // zero has no sign
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
        decimal_print_amount(&out, rows[i].micro_usd);
        ck_assert_str_eq(text_string(&out), rows[i].expected);
        text_free(&out);
    }
}
END_TEST

START_TEST(numbers_beyond_64_bits_are_written_and_read_back)
{
    // 3,153,600,000,000 s: 100,000 nodes for a year; and 285 million node-years.
    const Wide fleet_ns = (Wide)3153600000000 * 1000000000 + 500000000;
    const Wide most = (Wide)9007199254740991 * 1000000000 + 999999999;
    const struct {
        Wide value;
        int32_t decimals;
        const char *text;
    } rows[] = {
        {fleet_ns, 9, "3153600000000.5"},
        {-fleet_ns, 9, "-3153600000000.5"},
        {most, 9, "9007199254740991.999999999"},
        {0, 9, "0"},
    };
    Arena *arena = arena_create();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Wide back;
        Json *number = decimal_json(arena, rows[i].value, rows[i].decimals);
        ck_assert_str_eq(number->text, rows[i].text);
        ck_assert(decimal_read(number, rows[i].decimals, &back));
        ck_assert(back == rows[i].value);
    }
    const char *const bad[] = {"12345678901234567890.1234567891", "1e30",
                               "1234567890123456789012345678.0000000001"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Wide back = 7;
        ck_assert_msg(!decimal_read(json_decimal(arena, bad[i]), 9, &back), "%s", bad[i]);
        ck_assert(back == 7);
    }
    ck_assert(!decimal_read(json_string(arena, "1"), 9, &(Wide){0}));
    ck_assert(!decimal_read(NULL, 9, &(Wide){0}));
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("decimal");
    TCase *tests = tcase_create("decimal");
    tcase_add_test(tests, exact_decimals_have_the_digits_they_need);
    tcase_add_test(tests, numbers_beyond_64_bits_are_written_and_read_back);
    tcase_add_test(tests, decimals_are_rounded_half_away_from_zero);
    tcase_add_test(tests, money_has_cents_and_little_money_two_significant_digits);
    suite_add_tcase(suite, tests);
    return suite;
}
