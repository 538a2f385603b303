#include "sim/study/journal/value_text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/philox.h"
#include "tests/support/suite.h"

static bool is_same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void check_round_trip(double value)
{
    Text text = {0};
    double read;
    bool is_lower_bound;
    value_text_print(value, false, &text);
    ck_assert_msg(value_text_parse(text.data, text.length, &read, &is_lower_bound), "%s",
                  text.data);
    ck_assert_msg(is_same_bits(read, value), "%s became %.17g", text.data, read);
    ck_assert(!is_lower_bound);
    text_free(&text);
}

START_TEST(every_double_is_read_back_in_every_bit)
{
    static const double values[] = {0.0,
                                    -0.0,
                                    1.0,
                                    -1.0,
                                    0.1,
                                    1601.4,
                                    1e22,
                                    1e23,
                                    5e-324,
                                    -5e-324,
                                    DBL_MAX,
                                    -DBL_MAX,
                                    DBL_MIN,
                                    DBL_EPSILON,
                                    INFINITY,
                                    1e-19,
                                    1e-5,
                                    123e-20,
                                    9007199254740993.0,
                                    -INFINITY,
                                    0.5,
                                    1e15,
                                    1.5e300,
                                    18446744073709551615.0,
                                    1.0 / 3,
                                    2.0 / 3,
                                    1e-300,
                                    4503599627370496.5};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        check_round_trip(values[i]);
    for (uint32_t i = 0; i < 20000; i++) { // any bits, and numbers of the size of results
        const PhiloxBlock block = philox(7, (PhiloxBlock){{i, 0, 0, 0}});
        const uint64_t bits = (uint64_t)block.word[0] << 32 | block.word[1];
        double any;
        memcpy(&any, &bits, sizeof any);
        if (isfinite(any))
            check_round_trip(any);
        check_round_trip((double)block.word[2] / (1.0 + (double)(block.word[3] % 100000)));
        check_round_trip((double)(int64_t)(bits >> 11) / 1e9);
        check_round_trip(-(double)block.word[3] / 1e9);
    }
}
END_TEST

START_TEST(values_with_nine_decimals_have_no_others)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "-0"},
                 {1601.4, "1601.4"},
                 {-0.000000001, "-0.000000001"},
                 {12.000000034, "12.000000034"},
                 {1200, "1200"},
                 {9007199.254740991, "9007199.2547409907"},
                 {4503599.25474099, "4503599.25474099"},
                 {1e10, "10000000000"},
                 {0.1 + 0.2, "0.30000000000000004"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text text = {0};
        value_text_print(cases[i].value, false, &text);
        ck_assert_str_eq(text_string(&text), cases[i].text);
        text_free(&text);
    }
}
END_TEST

/* The fast conversion must agree with the C library's for each decimal number, also for those that
 * value_text_print never writes. */
START_TEST(decimal_numbers_are_rounded_as_by_the_c_library)
{
    for (uint32_t i = 0; i < 20000; i++) {
        const PhiloxBlock block = philox(8, (PhiloxBlock){{i, 0, 0, 0}});
        const uint64_t digits = (uint64_t)block.word[0] << 32 | block.word[1];
        char text[64];
        const int cut = (int)(block.word[2] % 20);
        int length = snprintf(text, sizeof text, "%" PRIu64, digits % 10000000000000000000u);
        if (cut < length - 1) {
            memmove(text + length - cut, text + length - cut - 1, (size_t)cut + 2);
            text[length - cut - 1] = '.';
            length++;
        }
        if (text[length - 1] == '.')
            continue;
        double read;
        bool is_lower_bound;
        ck_assert_msg(value_text_parse(text, (size_t)length, &read, &is_lower_bound), "%s", text);
        ck_assert_msg(is_same_bits(read, strtod(text, NULL)), "%s became %.17g", text, read);
    }
}
END_TEST

START_TEST(halves_are_rounded_to_even)
{
    // 2^53 + 1 is half way between two doubles; a digit more decides.
    double read;
    bool is_lower_bound;
    static const struct {
        const char *text;
        double value;
    } rows[] = {{"9007199254740993", 9007199254740992.0},
                {"9007199254740993.1", 9007199254740994.0},
                {"9007199254740995", 9007199254740996.0},
                {"9007199254740992.9", 9007199254740992.0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert(value_text_parse(rows[i].text, strlen(rows[i].text), &read, &is_lower_bound));
        ck_assert_double_eq(read, rows[i].value);
    }
}
END_TEST

START_TEST(unknown_values_and_lower_bounds_are_kept)
{
    Text text = {0};
    value_text_print(NAN, true, &text);
    text_add(&text, " ");
    value_text_print(259200, true, &text);
    ck_assert_str_eq(text.data, "unknown >=259200");
    double value;
    bool is_lower_bound;
    ck_assert(value_text_parse("unknown", 7, &value, &is_lower_bound) && isnan(value));
    ck_assert(!is_lower_bound);
    ck_assert(value_text_parse(">=259200", 8, &value, &is_lower_bound) && is_lower_bound);
    ck_assert_double_eq(value, 259200);
    text_free(&text);
}
END_TEST

START_TEST(anything_else_is_refused)
{
    static const char *const texts[] = {"",         "-",
                                        ".5",       "5.",
                                        "1e5",      "1e+",
                                        "1e+5x",    "nan",
                                        "0x10",     " 1",
                                        "1 ",       "+1",
                                        "1,5",      "NaN",
                                        "infinity", "--1",
                                        ">=",       ">=unknown",
                                        "1e+5000",  ">= 1",
                                        "1..2",     "12345678901234567890123456789012"};
    double value;
    bool is_lower_bound;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(!value_text_parse(texts[i], strlen(texts[i]), &value, &is_lower_bound), "%s",
                      texts[i]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("value_text");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, every_double_is_read_back_in_every_bit);
    tcase_add_test(tests, values_with_nine_decimals_have_no_others);
    tcase_add_test(tests, decimal_numbers_are_rounded_as_by_the_c_library);
    tcase_add_test(tests, halves_are_rounded_to_even);
    tcase_add_test(tests, unknown_values_and_lower_bounds_are_kept);
    tcase_add_test(tests, anything_else_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
