/* trainyard-study-mpi sweep ..., trainyard-study-mpi plan ...: a verb on the ranks of Open MPI. The
 * main program starts it when mpirun has started several ranks. */
#include <string.h>

#include "sim/cli/program.h"
#include "sim/cli/report.h"
#include "tools/trainyard/mpi/rank_command.h"

int program_run(int argc, char **argv)
{
    static const RankVerb *const verbs[] = {&sweep_ranks, &plan_ranks};
    for (size_t i = 0; argc > 1 && i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(argv[1], verbs[i]->table->name) == 0)
            return rank_command_run(verbs[i], argc - 1, argv + 1);
    Status status;
    status_fail(&status, STATUS_BAD_INPUT, place_in("trainyard-study-mpi", 0, 0),
                "the first argument is not sweep or plan");
    status_hint(&status, "`mpirun trainyard sweep` starts this program");
    return report_status(&status);
}
