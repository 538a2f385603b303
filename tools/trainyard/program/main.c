#include "sim/cli/program.h"

#include "sim/cli/report.h"
#include "sim/cli/streams.h"

int main(int argc, char **argv)
{
    streams_guard();
    int exit_code = program_run(argc, argv);
    Status status;
    if (!streams_finish(&status))
        exit_code = report_status(&status);
    return exit_code;
}
