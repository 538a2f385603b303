#include "trainer/run/fork_guard.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"

enum { COUNT = 100000 }; // more than a pipe holds

static bool count_up(const void *argument, void *result, Status *status)
{
    (void)status;
    for (int32_t i = 0; i < COUNT; i++)
        ((int32_t *)result)[i] = *(const int32_t *)argument + i;
    return true;
}

static bool refuse(const void *argument, void *result, Status *status)
{
    (void)argument, (void)result;
    return status_fail(status, STATUS_NOT_FOUND, place_in("elsewhere", 3, 4), "there is none");
}

static bool crash(const void *argument, void *result, Status *status)
{
    (void)result, (void)status;
    raise(*(const int *)argument);
    return true;
}

static bool never_end(const void *argument, void *result, Status *status)
{
    (void)argument, (void)result, (void)status;
    volatile bool goes_on = true;
    while (goes_on)
        ;
    return false;
}

static bool leave(const void *argument, void *result, Status *status)
{
    (void)argument, (void)result, (void)status;
    _Exit(7);
}

static Status failed(GuardedWork *work, const void *argument, int seconds)
{
    int result = 0;
    Status status = {0};
    ck_assert(!fork_guard_run(work, argument, &result, sizeof result, seconds,
                              place_in("x.h5", 0, 0), "reading", &status));
    ck_assert_str_eq(status.at.source, "x.h5");
    return status;
}

START_TEST(the_result_comes_back_whole)
{
    static int32_t result[COUNT];
    const int32_t first = 42;
    Status status = {0};
    ck_assert(fork_guard_run(count_up, &first, result, sizeof result, 10, place_in("x", 0, 0),
                             "counting", &status));
    for (int32_t i = 0; i < COUNT; i++)
        ck_assert_int_eq(result[i], 42 + i);
}
END_TEST

START_TEST(a_refusal_comes_back_with_its_message)
{
    Status status = failed(refuse, NULL, 10);
    ck_assert_int_eq(status.code, STATUS_NOT_FOUND);
    ck_assert_str_eq(status.message, "there is none");
}
END_TEST

START_TEST(a_crash_is_a_message)
{
    static const int signals[] = {SIGSEGV, SIGABRT, SIGFPE};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "reading crashed (signal %d)", signals[i]);
        Status status = failed(crash, &signals[i], 10);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_str_eq(status.message, expected);
    }
}
END_TEST

START_TEST(endless_work_is_stopped)
{
    Status status = failed(never_end, NULL, 1);
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    ck_assert_str_eq(status.message, "reading was stopped after 1 s of work");
}
END_TEST

START_TEST(an_end_without_a_result_is_a_message)
{
    ck_assert_str_eq(failed(leave, NULL, 10).message,
                     "reading ended without a result (exit code 7)");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fork_guard");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_result_comes_back_whole);
    tcase_add_test(tests, a_refusal_comes_back_with_its_message);
    tcase_add_test(tests, a_crash_is_a_message);
    tcase_add_test(tests, endless_work_is_stopped);
    tcase_add_test(tests, an_end_without_a_result_is_a_message);
    suite_add_tcase(suite, tests);
    return suite;
}
