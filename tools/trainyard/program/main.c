#include "sim/cli/program.h"

#include "sim/cli/report.h"
#include "sim/cli/streams.h"
#include "sim/cli/supervisor.h"

int main(int argc, char **argv)
{
    if (supervisor_is_asked(argc, argv))
        return supervisor_run(argv + SUPERVISOR_WORDS);
    streams_guard();
    int exit_code = program_run(argc, argv);
    Status status;
    if (!streams_finish(&status))
        exit_code = report_status(&status);
    return exit_code;
}
