#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/base/units.h"
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

START_TEST(there_is_no_bar_without_a_terminal)
{
    Text line = {0};
    progress_line("run", 25, 100, 2000, 0, &line);
    ck_assert_str_eq(text_string(&line), "run  25 %  7 s left");
    text_clear(&line);
    progress_line("run", 25, 0, 2000, 0, &line);
    ck_assert_str_eq(text_string(&line), "run  2 s");
    text_free(&line);
}
END_TEST

/* The text on stderr since it was redirected to `path`. */
static const char *written_to(const char *path)
{
    static char text[256];
    fflush(stderr);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

START_TEST(a_file_has_a_line_a_minute)
{
    char path[] = "/tmp/trainyard-progress-XXXXXX";
    const int file = mkstemp(path);
    ck_assert(file >= 0);
    close(file);
    ck_assert_ptr_nonnull(freopen(path, "w", stderr));
    Progress progress = progress_start("run", 10, false);
    ck_assert_int_eq(progress.next_ns, progress.began_ns + NS_PER_MIN);
    progress_update(&progress, 4); // the first minute has not ended
    ck_assert_str_eq(written_to(path), "");
    progress.began_ns -= 2 * NS_PER_MIN;
    progress.next_ns -= NS_PER_MIN;
    progress_update(&progress, 5);
    progress_update(&progress, 6); // the next is a minute later
    progress_end(&progress);
    ck_assert_str_eq(written_to(path), "run  50 %  2 min 1 s left\n");
    unlink(path);
}
END_TEST

static void words(const void *of, int64_t elapsed_ns, Text *out)
{
    (void)elapsed_ns;
    text_add(out, of);
}

START_TEST(a_quiet_one_shows_what_is_asked_for_only)
{
    char path[] = "/tmp/trainyard-progress-XXXXXX";
    const int file = mkstemp(path);
    ck_assert(file >= 0);
    close(file);
    ck_assert_ptr_nonnull(freopen(path, "w", stderr));
    Progress progress = progress_start("run", 10, true);
    progress_update(&progress, 5);
    progress_show(&progress, false, words, "not due");
    ck_assert_str_eq(written_to(path), "");
    progress_show(&progress, true, words, "5 runs");
    progress_update(&progress, 6);
    progress_end(&progress);
    ck_assert_str_eq(written_to(path), "5 runs\n");
    unlink(path);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("progress");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_line_shows_progress_and_remaining_time);
    tcase_add_test(tests, the_bar_is_shorter_on_a_narrow_terminal);
    tcase_add_test(tests, there_is_no_bar_without_a_terminal);
    tcase_add_test(tests, a_file_has_a_line_a_minute);
    tcase_add_test(tests, a_quiet_one_shows_what_is_asked_for_only);
    suite_add_tcase(suite, tests);
    return suite;
}
