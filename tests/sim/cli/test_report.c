#include <stdio.h>
#include <string.h>

#include "sim/cli/report.h"
#include "sim/cli/terminal.h"
#include "tests/support/suite.h"

#define COUNT_OF(items) ((int32_t)(sizeof(items) / sizeof((items)[0])))

static const struct {
    Place at;
    const char *message, *hint;
    const char *plain, *coloured;
} statuses[] = {
    {{"spot.json", 6, 15},
     "nodes is -3",
     "use 0",
     "spot.json:6:15: nodes is -3\n  hint: use 0\n",
     "\x1b[1mspot.json:6:15: \x1b[0mnodes is -3\n  \x1b[36mhint:\x1b[0m use 0\n"},
    {{"spot.json", 0, 0},
     "is empty",
     "",
     "spot.json: is empty\n",
     "\x1b[1mspot.json: \x1b[0mis empty\n"},
    {{NULL, 0, 0}, "no place", "", "no place\n", "\x1b[1m\x1b[0mno place\n"},
    // Control characters from a file must not reach the terminal.
    {{"a\nb", 1, 1},
     "name \"\x1b[2J\x7f\"",
     "tab\t",
     "a\\x0ab:1:1: name \"\\x1b[2J\\x7f\"\n  hint: tab\\x09\n",
     "\x1b[1ma\\x0ab:1:1: \x1b[0mname \"\\x1b[2J\\x7f\"\n  \x1b[36mhint:\x1b[0m tab\\x09\n"},
    {{"Zürich.json", 2, 3},
     "naïve",
     "",
     "Zürich.json:2:3: naïve\n",
     "\x1b[1mZürich.json:2:3: \x1b[0mnaïve\n"},
};

START_TEST(a_status_is_one_line_and_its_hint)
{
    for (int32_t i = 0; i < COUNT_OF(statuses); i++) {
        Status status;
        status_fail(&status, STATUS_BAD_INPUT, statuses[i].at, "%s", statuses[i].message);
        if (statuses[i].hint[0])
            status_hint(&status, "%s", statuses[i].hint);
        Text text = {0};
        status_print(&status, false, &text);
        ck_assert_str_eq(text_string(&text), statuses[i].plain);
        text_clear(&text);
        status_print(&status, true, &text);
        ck_assert_str_eq(text_string(&text), statuses[i].coloured);
        text_free(&text);
    }
}
END_TEST

START_TEST(problems_beyond_the_limit_are_counted)
{
    static const struct {
        int32_t count;
        const char *end;
    } rows[] = {{100, "f:100:1: bad\n"},
                {101, "f:100:1: bad\n1 more problem\n"},
                {150, "f:100:1: bad\n50 more problems\n"}};
    for (int32_t i = 0; i < COUNT_OF(rows); i++) {
        Arena *arena = arena_create();
        Problems problems = problems_create(arena);
        for (int32_t line = 1; line <= rows[i].count; line++)
            problems_add(&problems, STATUS_BAD_INPUT, place_in("f", line, 1), "bad");
        Text text = {0};
        problems_print(&problems, false, &text);
        const char *all = text_string(&text);
        ck_assert_mem_eq(all, "f:1:1: bad\nf:2:1: bad\n", 22);
        ck_assert_str_eq(all + text.length - strlen(rows[i].end), rows[i].end);
        text_free(&text);
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(warnings_are_marked_as_warnings)
{
    Arena *arena = arena_create();
    Problems warnings = problems_create(arena);
    for (int32_t line = 1; line <= 101; line++)
        status_hint(problems_add(&warnings, STATUS_QUOTA, place_in("f", line, 7), "much"), "less");
    Text text = {0};
    warnings_print(&warnings, false, &text);
    static const char begin[] = "f:1:7: warning: much\n  hint: less\n";
    static const char end[] = "f:100:7: warning: much\n  hint: less\n1 more warning\n";
    ck_assert_mem_eq(text_string(&text), begin, sizeof begin - 1);
    ck_assert_str_eq(text_string(&text) + text.length - (sizeof end - 1), end);
    text_free(&text);
    arena_destroy(arena);
}
END_TEST

START_TEST(each_code_has_its_exit_code)
{
    ck_assert_int_eq(exit_code_of(STATUS_OK), 0);
    ck_assert_int_eq(exit_code_of(STATUS_BAD_INPUT), 2);
    ck_assert_int_eq(exit_code_of(STATUS_NOT_FOUND), 2);
    ck_assert_int_eq(exit_code_of(STATUS_CONFLICT), 2);
    ck_assert_int_eq(exit_code_of(STATUS_QUOTA), 2);
    ck_assert_int_eq(exit_code_of(STATUS_MACHINE), 3);
}
END_TEST

START_TEST(a_problem_of_the_machine_decides_the_exit_code)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    ck_assert_int_eq(report_problems(&problems), EXIT_FINE);
    problems_add(&problems, STATUS_BAD_INPUT, place_in("a", 0, 0), "expected by this test");
    ck_assert_int_eq(report_problems(&problems), EXIT_BAD_INPUT);
    problems_add(&problems, STATUS_MACHINE, place_in("b", 0, 0), "expected by this test");
    problems_add(&problems, STATUS_QUOTA, place_in("c", 0, 0), "expected by this test");
    ck_assert_int_eq(report_problems(&problems), EXIT_MACHINE);
    arena_destroy(arena);
}
END_TEST

START_TEST(a_file_gets_no_colour)
{
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    ck_assert(!terminal_has_colour(fileno(file)));
    fclose(file);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("report");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_status_is_one_line_and_its_hint);
    tcase_add_test(tests, problems_beyond_the_limit_are_counted);
    tcase_add_test(tests, warnings_are_marked_as_warnings);
    tcase_add_test(tests, each_code_has_its_exit_code);
    tcase_add_test(tests, a_problem_of_the_machine_decides_the_exit_code);
    tcase_add_test(tests, a_file_gets_no_colour);
    suite_add_tcase(suite, tests);
    return suite;
}
