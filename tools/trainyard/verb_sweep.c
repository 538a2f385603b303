/* trainyard sweep: many runs of one scenario. */
#include "tools/trainyard/study/sweep_command.h"
#include "tools/trainyard/verbs.h"

static int sweep(Arena *arena, const char *path, const SweepArguments *arguments)
{
    Problems problems = problems_create(arena);
    SweepOptions options;
    const Study *study = sweep_read_study(arena, path, arguments, &problems);
    return sweep_plan(arguments, &options, &problems) && study != NULL
               ? sweep_execute(arena, study, &options, &problems)
               : report_problems(&problems);
}

static int run(int argc, char **argv)
{
    Arena *arena = arena_create();
    SweepArguments arguments = sweep_defaults;
    Operands operands;
    int exit_code;
    if (options_read(&sweep_table, arena, argc, argv, &arguments, &operands, &exit_code))
        exit_code = sweep(arena, operands.items[0], &arguments);
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_sweep = {.options = &sweep_table, .run = run, .has_ranks = true};
