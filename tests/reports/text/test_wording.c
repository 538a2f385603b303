#include "reports/text/wording.h"
#include "tests/support/suite.h"

typedef struct {
    const char *input;
    const char *expected;
    const char *why;
} TextRow;

static void check_rows(void (*print)(Text *, const char *), const TextRow *rows, int count)
{
    for (int i = 0; i < count; i++) {
        Text out = {0};
        print(&out, rows[i].input);
        ck_assert_msg(strcmp(text_string(&out), rows[i].expected) == 0, "%s: \"%s\"", rows[i].why,
                      text_string(&out));
        text_free(&out);
    }
}
#define CHECK_ROWS(print, rows) check_rows((print), (rows), (int)(sizeof(rows) / sizeof((rows)[0])))

START_TEST(markup_cannot_be_opened_by_a_name)
{
    static const TextRow rows[] = {
        {"nc6", "nc6", "plain names stay"},
        {"<script>&\"'", "&lt;script&gt;&amp;&quot;&#39;", "all five characters of XML"},
        {"caf\xC3\xA9", "caf\xC3\xA9", "UTF-8 stays"},
        {"a\tb\nc", "a\tb\nc", "white space stays"},
        {"\x01\x1b[0m", "\xEF\xBF\xBD\xEF\xBF\xBD[0m", "XML has no control characters"},
        {"\xFFx", "\xEF\xBF\xBDx", "no lead byte"},
        {"\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD", "overlong slash"},
        {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", "surrogate"},
        {"\xF0\x9F\x9A\x82", "\xF0\x9F\x9A\x82", "four bytes: a locomotive"},
        {"\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", "beyond U+10FFFF"},
        {"\xE2\x82", "\xEF\xBF\xBD\xEF\xBF\xBD", "cut off"},
    };
    CHECK_ROWS(markup_print, rows);
}
END_TEST

START_TEST(gnuplot_strings_expand_nothing)
{
    static const TextRow rows[] = {
        {"`date`", "'`date`'", "single quotes hold back commands"},
        {"it's", "'it''s'", "a quote is doubled"},
        {"a\\n\"%d\"", "'a\\n\"%d\"'", "backslashes mean nothing in single quotes"},
        {"a\nb", "'a b'", "a string ends with its line"},
        {"\xFF", "'\xEF\xBF\xBD'", "broken UTF-8"},
    };
    CHECK_ROWS(gnuplot_string_print, rows);
}
END_TEST

START_TEST(quantities_stay_on_one_line)
{
    static const TextRow rows[] = {
        {"4 %", "4\xC2\xA0%", "a percent sign"},
        {"it costs 17.2 ± 0.4 USD a week",
         "it costs 17.2\xC2\xA0±\xC2\xA0"
         "0.4\xC2\xA0USD a week",
         "an interval with its unit"},
        {"at most 30 min, or ≥ 3 d",
         "at most 30\xC2\xA0min, or ≥\xC2\xA0"
         "3\xC2\xA0"
         "d",
         "times"},
        {"4 hosts & 2 data sets", "4 hosts &amp; 2 data sets", "words that begin with a unit"},
    };
    CHECK_ROWS(prose_print, rows);
}
END_TEST

START_TEST(money_has_its_sign_before_it)
{
    Text out = {0};
    usd_print(&out, 3600000);
    ck_assert_str_eq(text_string(&out), "3.60\xC2\xA0USD");
    text_free(&out);
}
END_TEST

START_TEST(long_names_lose_their_middle)
{
    static const struct {
        const char *name;
        int32_t characters;
        const char *expected;
    } rows[] = {
        {"short", 5, "short"},
        {"STANDARD_NC6, 2, lowpriority", 20,
         "STA\xE2\x80\xA6"
         "NC6, 2, lowp\xE2\x80\xA6"
         "ity"}, // 20, less 4 for commas and 1 for the number: 7 and 8
        {"one, two, three", 5,
         "on\xE2\x80\xA6"
         "ee"}, // too short for three items
        {"cifar_distributed", 12,
         "cifar_\xE2\x80\xA6"
         "buted"}, // 6 + 1 + 5 = 12
        {"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 3,
         "\xC3\xA9\xE2\x80\xA6\xC3\xA9"}, // letters, not bytes
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Text out = {0};
        shortened_print(&out, rows[i].name, rows[i].characters);
        ck_assert_str_eq(text_string(&out), rows[i].expected);
        text_free(&out);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("wording");
    TCase *tests = tcase_create("wording");
    tcase_add_test(tests, markup_cannot_be_opened_by_a_name);
    tcase_add_test(tests, gnuplot_strings_expand_nothing);
    tcase_add_test(tests, quantities_stay_on_one_line);
    tcase_add_test(tests, money_has_its_sign_before_it);
    tcase_add_test(tests, long_names_lose_their_middle);
    suite_add_tcase(suite, tests);
    return suite;
}
