#include <stdio.h>

#include "sim/cli/progress.h"
#include "tests/support/suite.h"

#define COUNT_OF(items) ((int32_t)(sizeof(items) / sizeof((items)[0])))

static const struct {
    int64_t done, total, elapsed_ms;
    const char *line;
} lines[] = {
    {0, 100, 1000, "run  0 %  [>                                       ]"},
    // A quarter took 2 s and three quarters are left. These take 6 s. The line counts the second
    // under way too: 7 s.
    {25, 100, 2000, "run  25 %  [==========>                             ]  7 s left"},
    {99, 100, 1000, "run  99 %  [=======================================>]  1 s left"},
    {100, 100, 9000, "run  100 %  [========================================]"},
    {150, 100, 9000, "run  100 %  [========================================]"},
    {7, 0, 12345, "run  12 s"},
    {1, 3600, 1000, "run  0 %  [>                                       ]  1 h left"},
    // Too long to estimate: more nanoseconds than an int64 holds.
    {1, INT64_MAX, 1000, "run  0 %  [>                                       ]"},
    {INT64_MAX - 1, INT64_MAX, 1000,
     "run  100 %  [========================================]  1 s left"},
};

START_TEST(the_line_shows_progress_and_remaining_time)
{
    for (int32_t i = 0; i < COUNT_OF(lines); i++) {
        Text line = {0};
        progress_line("run", lines[i].done, lines[i].total, lines[i].elapsed_ms, 80, &line);
        ck_assert_str_eq(text_string(&line), lines[i].line);
        text_free(&line);
    }
}
END_TEST

START_TEST(the_bar_is_shorter_on_a_narrow_terminal)
{
    Text line = {0};
    progress_line("run", 5, 10, 1000, 45, &line);
    ck_assert_str_eq(text_string(&line), "run  50 %  [======>     ]  2 s left");
    text_clear(&line);
    progress_line("run", 5, 10, 1000, 20, &line); // not shorter than this
    ck_assert_str_eq(text_string(&line), "run  50 %  [=====>    ]  2 s left");
    text_free(&line);
}
END_TEST

START_TEST(nothing_is_drawn_without_a_terminal)
{
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
    Progress progress = progress_start("run", 10);
    ck_assert_int_eq(progress.next_ms, INT64_MAX);
    progress_update(&progress, 5);
    ck_assert(!progress.is_drawn);
    progress_end(&progress);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("progress");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_line_shows_progress_and_remaining_time);
    tcase_add_test(tests, the_bar_is_shorter_on_a_narrow_terminal);
    tcase_add_test(tests, nothing_is_drawn_without_a_terminal);
    suite_add_tcase(suite, tests);
    return suite;
}
