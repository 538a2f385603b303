/* Runs tests on a real GPU (`ctest -L gpu`). Without one they are skipped, with exit code 77 and
 * the reason; nothing has passed then. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/suite.h"
#include "trainer/cuda/backend_cuda.h"

int main(void)
{
    enum { EXIT_SKIPPED = 77 };
    Status status;
    if (!backend_cuda.probe(PRECISION_FP32, &status)) {
        printf("skipped: %s\n", status.message);
        return EXIT_SKIPPED;
    }
    SRunner *runner = srunner_create(test_suite());
    // What a process has begun on a GPU is of no use to its children, and each would begin anew.
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
