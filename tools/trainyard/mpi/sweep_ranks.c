/* Private to tools/trainyard/mpi (rank_command.h): `trainyard sweep` on ranks. */
#include "tools/trainyard/mpi/rank_command.h"
#include "tools/trainyard/study/sweep_command.h"

static bool read_command(RankCommand *command, int argc, char **argv)
{
    Arena *arena = command->arena;
    SweepArguments arguments = sweep_defaults;
    Operands operands;
    Status status;
    if (!options_parse(&sweep_table, arena, argc, argv, &arguments, &operands, &command->wants_help,
                       &status)) {
        problems_add_status(&command->problems, &status);
        return false;
    }
    if (command->wants_help)
        return true;
    if (arguments.thread_count == 0)
        arguments.thread_count = 1; // the user starts as many ranks as there are processors
    command->study = sweep_read_study(arena, operands.items[0], &arguments, &command->problems);
    return sweep_plan(&arguments, &command->options, &command->problems) && command->study;
}

static int execute(RankCommand *command)
{
    return sweep_execute(command->arena, command->study, &command->options, &command->problems);
}

const RankVerb sweep_ranks = {&sweep_table, read_command, execute};
