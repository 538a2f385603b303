#include "tests/support/suite.h"

int main(int argc, char **argv)
{
    return test_suites_run(argc, argv, CK_FORK_GETENV);
}
