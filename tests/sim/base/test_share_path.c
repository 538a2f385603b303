#include <string.h>

#include "sim/base/share_path.h"
#include "tests/support/suite.h"

START_TEST(parts_that_say_nothing_are_dropped)
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

START_TEST(what_leads_out_is_no_path)
{
    static const char *const rows[] = {"", "/", "/a", "..", "../a", "a/..", "a/../b", ".", "./"};
    Arena *arena = arena_create();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(!share_path_below(rows[i], arena), "\"%s\"", rows[i]);
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("share_path");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, parts_that_say_nothing_are_dropped);
    tcase_add_test(tests, what_leads_out_is_no_path);
    suite_add_tcase(suite, tests);
    return suite;
}
