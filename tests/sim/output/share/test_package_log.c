#include "sim/output/share/package_log.h"

#include <string.h>

#include "sim/base/text.h"
#include "tests/support/suite.h"

static void append(void *text, const char *bytes, size_t length)
{
    text_append(text, bytes, length);
}

typedef void PackageLog(const char *command, int64_t begin_ns, int64_t end_ns, LogWriter *log);

/* The output at `now_s` of a command that ran from 10 s to 40 s. */
static const char *printed(PackageLog *put, const char *command, int64_t end_ns, int64_t now_s,
                           Text *text)
{
    static LogWriter log;
    text_clear(text);
    log_begin(&log, (ByteSink){text, append}, 0, now_s * NS_PER_S);
    put(command, 10 * NS_PER_S, end_ns, &log);
    log_end(&log);
    return text_string(text);
}

static const char tutorial[] =
    "apt update; apt install mpi-default-dev mpi-default-bin -y; pip install keras horovod";

/* As recorded on each node of the tutorial: 238 bytes, which are two warnings of apt and one of
 * debconf, and 13,651 bytes. */
START_TEST(the_preparation_of_the_tutorial_prints_what_was_recorded)
{
    Text text = {0};
    printed(package_error_log, tutorial, 40 * NS_PER_S, 100, &text);
    ck_assert_int_eq((int64_t)text.length, 238);
    printed(package_out_log, tutorial, 40 * NS_PER_S, 100, &text);
    ck_assert_int_ge((int64_t)text.length, 13651 * 95 / 100);
    ck_assert_int_le((int64_t)text.length, 13651 * 105 / 100);
    text_free(&text);
}
END_TEST

START_TEST(steps_are_printed_one_after_the_other)
{
    Text text = {0};
    const char *now = printed(package_out_log, tutorial, 40 * NS_PER_S, 19, &text);
    ck_assert_ptr_nonnull(strstr(now, "xenial InRelease"));
    ck_assert_ptr_null(strstr(now, "Setting up"));
    now = printed(package_out_log, tutorial, 40 * NS_PER_S, 20, &text);
    ck_assert_ptr_nonnull(strstr(now, "Setting up mpi-default-dev (1.4)"));
    ck_assert_ptr_null(strstr(now, "Collecting"));
    now = printed(package_out_log, tutorial, INT64_MAX, 1000, &text); // it still runs
    ck_assert_ptr_null(strstr(now, "Setting up"));
    text_free(&text);
}
END_TEST

START_TEST(only_package_managers_print_like_package_managers)
{
    static const struct {
        const char *command;
        bool is_package;
    } rows[] = {
        {tutorial, true},
        {"sudo apt-get update && apt-get install -y openmpi-bin", true},
        {"pip3 install --upgrade numpy", true},
        {"pip install x; make", false},
        {"apt install", false},
        {"make ready", false},
        {"", false},
        {";;", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(is_package_command(rows[i].command) == rows[i].is_package, "%s",
                      rows[i].command);
    Text text = {0}; // a package that no table lists
    const char *out = printed(package_out_log, rows[2].command, 40 * NS_PER_S, 100, &text);
    ck_assert_ptr_nonnull(strstr(out, "Successfully installed numpy\n"));
    text_free(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("package_log");
    TCase *tests = tcase_create("package_log");
    tcase_add_test(tests, the_preparation_of_the_tutorial_prints_what_was_recorded);
    tcase_add_test(tests, steps_are_printed_one_after_the_other);
    tcase_add_test(tests, only_package_managers_print_like_package_managers);
    suite_add_tcase(suite, tests);
    return suite;
}
