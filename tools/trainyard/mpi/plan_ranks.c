/* Private to tools/trainyard/mpi (rank_command.h): `trainyard plan` on ranks. */
#include "tools/trainyard/mpi/rank_command.h"
#include "tools/trainyard/study/plan_command.h"

static bool read_command(RankCommand *command, int argc, char **argv)
{
    Arena *arena = command->arena;
    PlanArguments *arguments = ARENA_NEW(arena, PlanArguments);
    Operands operands;
    Status status;
    *arguments = plan_defaults;
    command->arguments = arguments;
    if (!options_parse(&plan_table_of_options, arena, argc, argv, arguments, &operands,
                       &command->wants_help, &status)) {
        problems_add_status(&command->problems, &status);
        return false;
    }
    if (command->wants_help)
        return true;
    if (arguments->thread_count == 0)
        arguments->thread_count = 1; // the user starts as many ranks as there are processors
    command->study = plan_read_study(arena, operands.count > 0 ? operands.items[0] : NULL,
                                     arguments, &command->problems);
    command->options = plan_options(arguments);
    return command->study != NULL;
}

static int execute(RankCommand *command)
{
    return plan_execute(command->arena, command->study, &command->options, command->arguments,
                        &command->problems);
}

const RankVerb plan_ranks = {&plan_table_of_options, read_command, execute};
