#include "sim/cli/report.h"
#include "trainer/verbs/program.h"

int program_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    return EXIT_MACHINE;
}
