/* Each test file defines `Suite *test_suite(void)`. The build renames it after its file
 * (test_acl.c: test_suite_acl) and generates the table `test_suites` of each folder's program. */
#ifndef TESTS_SUPPORT_SUITE_H
#define TESTS_SUPPORT_SUITE_H

#include <check.h>

/* libcheck notes the place of each assertion that holds, for its report of a crash, which takes a
 * microsecond. Millions of them in loops need not be noted: a place is, unless it was the last one.
 */
static inline void suite_note_place(const char *file, int line)
{
    static int last;
    if (line != last)
        _mark_point(file, line);
    last = line;
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
