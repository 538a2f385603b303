/* trainyard validate: checks files without running them. */
#include <stdio.h>

#include "real/launch/real_run.h"
#include "sim/cli/disk_files.h"
#include "sim/scenario/validate.h"
#include "tools/trainyard/options/scenario_options.h"
#include "tools/trainyard/run_scenario.h"
#include "tools/trainyard/verbs.h"

typedef struct {
    ScenarioChanges changes;
    bool is_quiet;
} ValidateArguments;

#define OWNER ValidateArguments
static const Field validate_options[] = {
    OPTIONS_OF_CHANGES(changes),
    OPTION_FLAG('q', "quiet", is_quiet, "print nothing but problems"),
    {0},
};
#undef OWNER

static const OptionTable validate_table = {
    .name = "validate",
    .operands = "FILE...",
    .summary = "Checks scenario, cluster.json, job.json and catalogue files.",
    .details =
        "Every problem of a file is reported as file:line:column with a hint. Exit code 0 "
        "when there are no problems, 2 otherwise. A warning names something that will run, "
        "but probably not as intended; it does not change the exit code. A partial "
        "catalogue is checked together with the compiled-in azure-2018.json. --param and --set "
        "change the scenario before it is checked.",
    .example = "trainyard validate scenarios/cifar10-horovod/scenario.json\n"
               "trainyard validate scenarios/cifar10-horovod/job.json "
               "scenarios/cifar10-horovod/cluster.json",
    .options = validate_options,
    .operand_count_min = 1,
    .operand_count_max = INT32_MAX,
};

static int validate(int argc, char **argv)
{
    Arena *arena = arena_create();
    ValidateArguments arguments = {0};
    Operands operands;
    int exit_code;
    if (options_read(&validate_table, arena, argc, argv, &arguments, &operands, &exit_code)) {
        Problems problems = problems_create(arena);
        Problems warnings = problems_create(arena);
        for (int32_t i = 0; i < operands.count; i++) {
            const char *path = scenario_operand(arena, operands.items[i], false);
            int32_t problems_before = problems.count;
            const ScenarioFile *scenario;
            const char *kind =
                validate_file(arena, disk_files, path, scenario_overrides(&arguments.changes),
                              &problems, &warnings, &scenario);
            if (scenario != NULL) {
                (void)expectations_metrics(arena, scenario, &problems);
                real_run_check(&scenario->scenario, true, &problems);
            }
            if (problems.count == problems_before && !arguments.is_quiet)
                printf("%s: %s, no problems\n", path, kind);
        }
        report_warnings(&warnings);
        exit_code = report_problems(&problems);
    }
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_validate = {.options = &validate_table, .run = validate};
