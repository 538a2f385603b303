#include "sim/cli/supervisor.h"
#include "tests/support/suite.h"

int main(int argc, char **argv)
{
    if (supervisor_is_asked(argc, argv)) // a test has started a supervised child
        return supervisor_run(argv + SUPERVISOR_WORDS);
    return test_suites_run(argc, argv, CK_FORK_GETENV);
}
