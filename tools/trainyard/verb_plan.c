/* trainyard plan: the best candidate of a study by its goal. */
#include "sim/cli/report.h"
#include "tools/trainyard/study/plan_command.h"
#include "tools/trainyard/verbs.h"

static int plan(Arena *arena, const char *path, const PlanArguments *arguments)
{
    Problems problems = problems_create(arena);
    const SweepOptions options = plan_options(arguments);
    const Study *study = plan_read_study(arena, path, arguments, &problems);
    return study != NULL ? plan_execute(arena, study, &options, arguments, &problems)
                         : report_problems(&problems);
}

static int run(int argc, char **argv)
{
    Arena *arena = arena_create();
    PlanArguments arguments = plan_defaults;
    Operands operands;
    int exit_code;
    if (options_read(&plan_table_of_options, arena, argc, argv, &arguments, &operands, &exit_code))
        exit_code = plan(arena, operands.count > 0 ? operands.items[0] : NULL, &arguments);
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_plan = {.options = &plan_table_of_options, .run = run, .has_ranks = true};
