/* Runs tests on a real GPU (`ctest -L gpu`). Exit code 77 and the reason, if there is no GPU. */
#include <stdio.h>

#include "tests/support/suite.h"
#include "trainer/cuda/backend_cuda.h"

int main(int argc, char **argv)
{
    enum { EXIT_SKIPPED = 77 };
    Status status;
    if (!backend_cuda.probe(PRECISION_FP32, &status)) {
        printf("skipped: %s\n", status.message);
        return EXIT_SKIPPED;
    }
    // A child cannot use the GPU state of its parent and would have to create its own.
    return test_suites_run(argc, argv, CK_NOFORK);
}
