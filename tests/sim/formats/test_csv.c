#include "sim/formats/csv.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/philox.h"
#include "tests/support/suite.h"

START_TEST(texts_with_commas_and_quotes_are_quoted)
{
    Text row = {0};
    csv_text(&row, "");
    csv_text(&row, "plain text");
    csv_text(&row, "a,b");
    csv_text(&row, "say \"no\"");
    csv_integer(&row, -3);
    csv_unknown(&row);
    csv_end(&row);
    csv_integer(&row, 7);
    csv_end(&row);
    ck_assert_str_eq(text_string(&row), "\"\",plain text,\"a,b\",\"say \"\"no\"\"\",-3,\n7\n");
    text_free(&row);
}
END_TEST

static const struct {
    double value;
    const char *text;
} reals[] = {
    {0.1, "0.1"},       {0.1 + 0.2, "0.30000000000000004"},
    {1601.4, "1601.4"}, {0, "0"},
    {1e300, "1e+300"},  {-2.5, "-2.5"},
    {1e15, "1e+15"},    {123456789, "123456789"},
    {(double)NAN, ""},  {(double)INFINITY, ""},
};

START_TEST(numbers_have_the_fewest_digits_and_unknown_ones_none)
{
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        Text row = {0};
        csv_real(&row, reals[i].value);
        ck_assert_str_eq(text_string(&row), reals[i].text);
        text_free(&row);
    }
}
END_TEST

START_TEST(every_number_is_read_back_in_every_bit)
{
    for (uint32_t i = 0; i < 20000; i++) {
        const PhiloxBlock words = philox(1, (PhiloxBlock){{i}});
        const double value =
            (double)words.word[0] / ((double)words.word[1] + 1) * (double)words.word[2];
        Text row = {0};
        csv_real(&row, value);
        ck_assert_msg(strtod(text_string(&row), NULL) == value, "%s", text_string(&row));
        text_free(&row);
    }
}
END_TEST

START_TEST(what_is_written_is_read)
{
    static const char *const fields[] = {"point",      "",     "a,b", "say \"no\"",
                                         "two\nlines", "31.5", ""};
    enum { COUNT = sizeof fields / sizeof fields[0] };
    Text row = {0}, field = {0};
    for (int i = 0; i < COUNT; i++)
        csv_text(&row, fields[i]);
    csv_end(&row);
    csv_integer(&row, 8);
    csv_unknown(&row);
    csv_end(&row);
    const char *rest = text_string(&row);
    bool ends_row = false;
    for (int i = 0; i < COUNT; i++) {
        csv_cut(&rest, &field, &ends_row);
        ck_assert_str_eq(text_string(&field), fields[i]);
        ck_assert_int_eq(ends_row, i == COUNT - 1);
    }
    csv_cut(&rest, &field, &ends_row);
    ck_assert_str_eq(text_string(&field), "8");
    csv_cut(&rest, &field, &ends_row);
    ck_assert_str_eq(text_string(&field), "");
    ck_assert(ends_row && *rest == '\0');
    text_free(&row);
    text_free(&field);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("csv");
    TCase *tests = tcase_create("csv");
    tcase_add_test(tests, texts_with_commas_and_quotes_are_quoted);
    tcase_add_test(tests, numbers_have_the_fewest_digits_and_unknown_ones_none);
    tcase_add_test(tests, every_number_is_read_back_in_every_bit);
    tcase_add_test(tests, what_is_written_is_read);
    suite_add_tcase(suite, tests);
    return suite;
}
