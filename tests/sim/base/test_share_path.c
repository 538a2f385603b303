#include <string.h>

#include "sim/base/share_path.h"
#include "tests/support/suite.h"

START_TEST(empty_parts_and_single_dots_are_dropped)
{
    static const char *const rows[][2] = {
        {"a", "a"},      {"a/b.txt", "a/b.txt"}, {"a//b", "a/b"}, {"./a/./b", "a/b"},
        {"a/b/", "a/b"}, {"a..b", "a..b"},       {"..a", "..a"},  {"a../b...c", "a../b...c"},
        {"...", "..."},
    };
    Arena *arena = arena_create();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *below = share_path_below(rows[i][0], arena);
        ck_assert_msg(below && strcmp(below, rows[i][1]) == 0, "\"%s\": \"%s\"", rows[i][0],
                      below ? below : "NULL");
    }
    arena_destroy(arena);
}
END_TEST

START_TEST(a_path_that_leaves_the_share_is_refused)
{
    static const char *const rows[] = {"", "/", "/a", "..", "../a", "a/..", "a/../b", ".", "./"};
    Arena *arena = arena_create();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(!share_path_below(rows[i], arena), "\"%s\"", rows[i]);
    arena_destroy(arena);
}
END_TEST

START_TEST(only_a_part_of_exactly_two_dots_leads_up)
{
    static const char *const up[] = {"..", "/..", "../a", "a/..", "a/../b", "a//.."};
    static const char *const not_up[] = {"",    "/",   ".",     "a..b", "..a",
                                         "a..", "...", "a/...", "a/.b"};
    for (size_t i = 0; i < sizeof up / sizeof *up; i++)
        ck_assert_msg(share_path_leads_up(up[i]), "\"%s\"", up[i]);
    for (size_t i = 0; i < sizeof not_up / sizeof *not_up; i++)
        ck_assert_msg(!share_path_leads_up(not_up[i]), "\"%s\"", not_up[i]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("share_path");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, empty_parts_and_single_dots_are_dropped);
    tcase_add_test(tests, a_path_that_leaves_the_share_is_refused);
    tcase_add_test(tests, only_a_part_of_exactly_two_dots_leads_up);
    suite_add_tcase(suite, tests);
    return suite;
}
