#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/terminal.h"
#include "tests/support/suite.h"

START_TEST(colour_follows_the_variables)
{
    static const struct {
        const char *no_color, *force;
        bool has_colour; // of /dev/null, which is not a terminal
    } rows[] = {
        {"", "", false}, {"", "1", true}, {"", "0", false}, {"1", "1", false}, {"1", "", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        setenv("NO_COLOR", rows[i].no_color, 1);
        setenv("CLICOLOR_FORCE", rows[i].force, 1);
        ck_assert_int_eq(terminal_has_colour(-1), rows[i].has_colour);
    }
}
END_TEST

START_TEST(the_option_replaces_the_variables)
{
    setenv("NO_COLOR", "1", 1);
    terminal_colour_choose(TERMINAL_COLOUR_AUTO);
    ck_assert(!terminal_has_colour(-1));
    terminal_colour_choose(TERMINAL_COLOUR_ALWAYS);
    ck_assert(terminal_has_colour(-1));
    terminal_colour_choose(TERMINAL_COLOUR_NEVER);
    ck_assert(!terminal_has_colour(-1));
}
END_TEST

START_TEST(columns_are_a_number_from_twenty_on)
{
    static const struct {
        const char *text;
        int32_t columns;
    } rows[] = {{"132", 132}, {"20", 20}, {"19", 80},     {"x", 80},
                {"40x", 80},  {"", 80},   {"99999", 1000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        setenv("COLUMNS", rows[i].text, 1);
        ck_assert_int_eq(terminal_columns(-1), rows[i].columns);
    }
}
END_TEST

START_TEST(the_locale_is_the_first_of_three_variables)
{
    static const struct {
        const char *all, *ctype, *lang;
        bool is_utf8;
    } rows[] = {
        {"", "", "", false},
        {"", "", "C.UTF-8", true},
        {"", "", "de_DE.utf8", true},
        {"", "de_DE.ISO-8859-1", "C.UTF-8", false},
        {"C", "C.UTF-8", "C.UTF-8", false},
        {"en_US.UTF-8", "C", "C", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        setenv("LC_ALL", rows[i].all, 1);
        setenv("LC_CTYPE", rows[i].ctype, 1);
        setenv("LANG", rows[i].lang, 1);
        ck_assert_int_eq(terminal_is_utf8(), rows[i].is_utf8);
    }
}
END_TEST

START_TEST(characters_become_what_looks_like_them)
{
    static const char text[] = "\u00b7 wait \u00b1 60 %, 3\u20135 \u2192 caf\u00e9 \U0001F600";
    Text out = {0};
    terminal_ascii(&out, text, strlen(text));
    ck_assert_str_eq(text_string(&out), "- wait +- 60 %, 3-5 -> caf? ?");
    text_free(&out);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("terminal");
    TCase *tests = tcase_create("terminal");
    tcase_add_test(tests, colour_follows_the_variables);
    tcase_add_test(tests, the_option_replaces_the_variables);
    tcase_add_test(tests, columns_are_a_number_from_twenty_on);
    tcase_add_test(tests, the_locale_is_the_first_of_three_variables);
    tcase_add_test(tests, characters_become_what_looks_like_them);
    suite_add_tcase(suite, tests);
    return suite;
}
