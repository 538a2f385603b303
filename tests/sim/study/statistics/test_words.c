#include "sim/study/statistics/words.h"

#include <math.h>

#include "tests/support/suite.h"

static Text text;

static void begin(void)
{
    text = (Text){0};
}

static void end(void)
{
    text_free(&text);
}

START_TEST(numbers_have_the_digits_that_their_errors_deserve)
{
    static const struct {
        double value, error;
        const char *words;
    } rows[] = {
        {1601.43, 80.2, "1,601"},
        {1601.43, 8.02, "1,601"},
        {1601.43, 3.56, "1,601"},
        {1601.43, 3.54, "1,601.4"},
        {1601.43, 0.96, "1,601.4"},
        {1601.43, 0.34, "1,601.43"},
        {-1234567.8, 900, "-1,234,568"},
        {0.012345, 0.00042, "0.0123"},
        {12.3456, 0, "12.35"},
        {1601.43, INFINITY, "1,601"},
        {0, 0, "0"},
        {2, 0, "2"},
        {16016, INFINITY, "16,016"},
        {1e20, 1, "1e+20"},
        {999.6, 99, "1,000"},
        {NAN, 1, "unknown"},
        {INFINITY, 1, "infinite"},
        {0.5, 0.0951, "0.50"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        text_clear(&text);
        words_number(&text, rows[i].value, rows[i].error);
        ck_assert_str_eq(text_string(&text), rows[i].words);
    }
}
END_TEST

START_TEST(an_exact_amount_has_no_more_digits_than_matter)
{
    static const struct {
        double amount;
        const char *words;
    } rows[] = {{413002.93, "413,003"}, {99.994, "99.99"}, {99.996, "100"}, {0, "0.00"},
                {-7.25, "-7.25"},       {NAN, "unknown"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        text.length = 0;
        words_amount(&text, rows[i].amount);
        ck_assert_str_eq(text_string(&text), rows[i].words);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("words");
    TCase *tests = tcase_create("words");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, numbers_have_the_digits_that_their_errors_deserve);
    tcase_add_test(tests, an_exact_amount_has_no_more_digits_than_matter);
    suite_add_tcase(suite, tests);
    return suite;
}
