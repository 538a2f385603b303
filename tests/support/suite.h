/* Each test file defines `Suite *test_suite(void)`. The build renames it after its file
 * (test_acl.c: test_suite_acl) and generates the table `test_suites` of each folder's program. */
#ifndef TESTS_SUPPORT_SUITE_H
#define TESTS_SUPPORT_SUITE_H

#include <check.h>
#include <stdbool.h>

/* libcheck notes the place of each assertion that holds, for its report of a crash. In loops that
 * takes long: a place is noted once, so a crash is after the last place that was new. */
static inline void suite_note_place(const char *file, int line)
{
    enum { LINES = 4096 };
    static bool is_noted[LINES];
    if (line < LINES && is_noted[line])
        return;
    _mark_point(file, line);
    if (line < LINES)
        is_noted[line] = true;
}
#define _mark_point(file, line) suite_note_place(file, line)

#ifdef __cplusplus
extern "C" {
#endif

Suite *test_suite(void);

typedef struct {
    const char *name; /* of the file, without "test_" and ".c" */
    Suite *(*create)(void);
} TestSuite;

extern const TestSuite test_suites[]; /* ends with an entry without a name */

/* Runs the suites that the arguments name, or all of them; --list prints their names. Returns the
 * exit code of the program: 2 for an unknown name. */
int test_suites_run(int argc, char **argv, enum fork_status fork_status);

#ifdef __cplusplus
}
#endif
#endif
