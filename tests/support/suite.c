#define _GNU_SOURCE // ST_NOEXEC
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "sim/base/arena.h"
#include "sim/cli/files.h"
#include "tests/support/temporary_folder.h"

static const TestSuite *find_suite(const char *name)
{
    for (const TestSuite *suite = test_suites; suite->name; suite++)
        if (strcmp(suite->name, name) == 0)
            return suite;
    return NULL;
}

static int print_names(void)
{
    for (const TestSuite *suite = test_suites; suite->name; suite++)
        printf("%s\n", suite->name);
    return EXIT_SUCCESS;
}

/* On a disk, tests of the emulator spend half of their time waiting for it. Files in memory outlive
 * a killed process, too. A container may have little memory for files, or forbid programs there. */
static void keep_files_in_memory(void)
{
    static const char folder[] = "/dev/shm";
    static const uint64_t bytes_least = UINT64_C(1) << 30;
    struct statvfs found;
    if (access(folder, W_OK) == 0 && statvfs(folder, &found) == 0 &&
        (found.f_flag & ST_NOEXEC) == 0 && (uint64_t)found.f_bavail * found.f_frsize >= bytes_least)
        setenv("TMPDIR", folder, 0);
}

/* Runs the suites with a folder for temporary files. It is removed afterwards, with the files of
 * tests that ended before they had removed theirs. Returns the number of failed tests. */
static int run_all(SRunner *runner)
{
    keep_files_in_memory();
    Arena *arena = arena_create();
    const char *folder = temporary_folder_create(arena);
    setenv("TMPDIR", folder, 1);
    srunner_run_all(runner, CK_ENV);
    Status status;
    if (!folder_remove(folder, &status))
        fprintf(stderr, "%s\n", status.message);
    arena_destroy(arena);
    return srunner_ntests_failed(runner);
}

int test_suites_run(int argc, char **argv, enum fork_status fork_status)
{
    enum { EXIT_USAGE = 2 };
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return print_names();
    for (int i = 1; i < argc; i++)
        if (!find_suite(argv[i])) {
            fprintf(stderr, "%s: unknown suite \"%s\"; --list prints the names\n", argv[0],
                    argv[i]);
            return EXIT_USAGE;
        }
    setenv("CK_DEFAULT_TIMEOUT", "1000",
           0); // ends a test that hangs; a loaded machine is not that slow
    SRunner *runner = srunner_create(NULL);
    srunner_set_fork_status(runner, fork_status);
    for (int i = 1; i < argc; i++)
        srunner_add_suite(runner, find_suite(argv[i])->create());
    for (const TestSuite *suite = test_suites; argc == 1 && suite->name; suite++)
        srunner_add_suite(runner, suite->create());
    const int failed = run_all(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
