#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
