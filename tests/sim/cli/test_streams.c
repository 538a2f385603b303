#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/cli/streams.h"
#include "tests/support/suite.h"

// libcheck runs every test in a separate process, so a test may close its standard streams.

static void expect_finish_fails(const char *message)
{
    Status status;
    ck_assert(!streams_finish(&status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_str_eq(status.at.source, "standard output");
    ck_assert_str_eq(status.message, message);
}

START_TEST(output_that_is_written_succeeds)
{
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stdout));
    puts("text");
    Status status;
    ck_assert(streams_finish(&status));
}
END_TEST

START_TEST(a_full_disk_is_noticed_at_the_end)
{
    ck_assert_ptr_nonnull(freopen("/dev/full", "w", stdout));
    puts("text");
    expect_finish_fails("writing failed: No space left on device");
}
END_TEST

START_TEST(a_disk_that_was_full_for_a_while_is_noticed)
{
    ck_assert_ptr_nonnull(freopen("/dev/full", "w", stdout));
    puts("text");
    ck_assert_int_eq(fflush(stdout),
                     EOF); // the text is lost, and the close has nothing left to write
    Status status;
    ck_assert(!streams_finish(&status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
}
END_TEST

START_TEST(a_closed_output_does_not_write_into_the_next_file_opened)
{
    char path[] = "/tmp/trainyard-test-XXXXXX";
    fflush(stdout);
    close(STDOUT_FILENO);
    streams_guard();
    const int file = mkstemp(path);
    ck_assert_int_gt(file, STDERR_FILENO);
    unlink(path);
    puts("meant for the terminal");
    expect_finish_fails("writing failed: Bad file descriptor");
    ck_assert_int_eq(lseek(file, 0, SEEK_END), 0);
    close(file);
}
END_TEST

START_TEST(a_closed_output_without_writes_succeeds)
{
    fflush(stdout);
    close(STDOUT_FILENO);
    streams_guard();
    Status status;
    ck_assert(streams_finish(&status));
}
END_TEST

START_TEST(open_streams_are_left_unchanged)
{
    int pipe_ends[2];
    ck_assert_int_eq(pipe(pipe_ends), 0);
    ck_assert_int_eq(dup2(pipe_ends[1], STDOUT_FILENO), STDOUT_FILENO);
    streams_guard();
    puts("text");
    Status status;
    ck_assert(streams_finish(&status));
    char text[8] = "";
    ck_assert_int_eq(read(pipe_ends[0], text, sizeof text - 1), 5);
    ck_assert_str_eq(text, "text\n");
}
END_TEST

/* The text that is in a pipe. */
static const char *arrived(int pipe_end)
{
    static char text[64];
    const ssize_t got = read(pipe_end, text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    return text;
}

START_TEST(code_from_outside_prints_on_standard_error)
{
    int outs[2], errors[2];
    Status status;
    ck_assert(pipe(outs) == 0 && pipe(errors) == 0);
    ck_assert(dup2(outs[1], STDOUT_FILENO) >= 0 && dup2(errors[1], STDERR_FILENO) >= 0);
    fputs("before, ", stdout);
    ck_assert(streams_divide(&status));
    FILE *const own = stdout;
    streams_foreign_begin();
    puts("foreign");
    streams_foreign_begin(); // on another thread
    streams_foreign_end();
    puts("still foreign");
    streams_foreign_end();
    ck_assert_ptr_eq(stdout, own);
    ck_assert_int_eq(write(STDOUT_FILENO, "written\n", 8), 8);
    puts("after");
    ck_assert(streams_finish(&status));
    puts("at exit");
    fflush(stdout);
    ck_assert_str_eq(arrived(outs[0]), "before, after\n");
    ck_assert_str_eq(arrived(errors[0]), "foreign\nstill foreign\nwritten\nat exit\n");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("streams");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, output_that_is_written_succeeds);
    tcase_add_test(tests, a_full_disk_is_noticed_at_the_end);
    tcase_add_test(tests, a_disk_that_was_full_for_a_while_is_noticed);
    tcase_add_test(tests, a_closed_output_does_not_write_into_the_next_file_opened);
    tcase_add_test(tests, a_closed_output_without_writes_succeeds);
    tcase_add_test(tests, open_streams_are_left_unchanged);
    tcase_add_test(tests, code_from_outside_prints_on_standard_error);
    suite_add_tcase(suite, tests);
    return suite;
}
