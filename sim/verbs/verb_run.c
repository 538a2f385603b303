/* trainyard run: one scenario, once. */
#include <stdio.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/verbs/run_scenario.h"
#include "sim/verbs/verbs.h"

typedef struct {
    const char *output_folder;
    int64_t seed;
    OptionTexts sets;
    int64_t until_ns;
    int fidelity;
    int level;
    bool is_json;
    bool is_quiet;
    bool checks_always;
} RunArguments;

enum { NOT_GIVEN = -1 };

static const char *const level_names[] = {"jobs", "epochs", "steps", NULL};
static const char *const fidelity_names[] = {"step", "epoch", "job", NULL};

static const Option run_options[] = {
    {"output", 'o', OPTION_FOLDER, "DIR",
     "write trace, summary, timeline, share files and report there",
     offsetof(RunArguments, output_folder), NULL, 0, 0},
    {"seed", 0, OPTION_INTEGER, "N", "use N instead of the scenario's seed",
     offsetof(RunArguments, seed), NULL, 0, 0},
    {"set", 0, OPTION_TEXTS, "/POINTER=VALUE",
     "change a value of the scenario or of a file it names", offsetof(RunArguments, sets), NULL, 0,
     0},
    {"until", 0, OPTION_DURATION, "TIME", "stop the simulated clock there",
     offsetof(RunArguments, until_ns), NULL, 0, 0},
    {"fidelity", 0, OPTION_CHOICE, "WHAT",
     "simulate each step, each epoch, or each job as one event", offsetof(RunArguments, fidelity),
     fidelity_names, 0, 0},
    {"trace", 0, OPTION_CHOICE, "LEVEL", "how much trace.tsv tells (default: epochs)",
     offsetof(RunArguments, level), level_names, 0, 0},
    {"json", 0, OPTION_FLAG, NULL, "print summary.json instead of the tables",
     offsetof(RunArguments, is_json), NULL, 0, 0},
    {"quiet", 'q', OPTION_FLAG, NULL, "print nothing but errors", offsetof(RunArguments, is_quiet),
     NULL, 0, 0},
    {"check", 0, OPTION_FLAG, NULL, "check every invariant of the world after every event",
     offsetof(RunArguments, checks_always), NULL, 0, 0},
    {0},
};

static const OptionTable run_table = {
    .name = "run",
    .operands = "SCENARIO",
    .summary = "Simulates a scenario: prints what `az` would have shown, the times and the cost.",
    .details =
        "Exit code 0 when every job succeeded, 1 when one failed or never ran, or a command was "
        "refused or never had its moment.",
    .example = "trainyard run scenarios/cifar10-horovod/scenario.json -o out/cifar10\n"
               "trainyard run scenarios/cifar10-horovod/scenario.json --set "
               "/commands/7/config/properties/nodeCount=2",
    .options = run_options,
    .operand_count_min = 1,
    .operand_count_max = 1,
};

/* Options that are short for --set, in the form of scenario_read.h. */
static ScenarioOverrides overrides_of(Arena *arena, const RunArguments *arguments)
{
    const char **items = ARENA_ARRAY(arena, const char *, arguments->sets.count + 3);
    int32_t count = 0;
    for (int32_t i = 0; i < arguments->sets.count; i++)
        items[count++] = arguments->sets.items[i];
    if (arguments->seed != NOT_GIVEN)
        items[count++] = arena_printf(arena, "/seed=%lld", (long long)arguments->seed);
    if (arguments->until_ns != NOT_GIVEN)
        items[count++] = arena_printf(arena, "/until=\"%lldns\"", (long long)arguments->until_ns);
    if (arguments->fidelity != NOT_GIVEN)
        items[count++] =
            arena_printf(arena, "/fidelity=\"%s\"", fidelity_names[arguments->fidelity]);
    return (ScenarioOverrides){.count = count, .items = items};
}

static bool all_went_well(const RunResult *result)
{
    const World *world = result->world;
    if (result->metrics->refused_count > 0)
        return false;
    for (uint32_t j = 0; j < world_job_count(world); j++)
        if (world_job(world, (JobId){j})->state != JOB_SUCCEEDED)
            return false;
    return true;
}

static int run(int argc, char **argv)
{
    Arena *arena = arena_create();
    RunArguments arguments = {.seed = NOT_GIVEN,
                              .until_ns = NOT_GIVEN,
                              .fidelity = NOT_GIVEN,
                              .level = TRACE_LEVEL_EPOCHS};
    Operands operands;
    int exit_code;
    if (options_read(&run_table, arena, argc, argv, &arguments, &operands, &exit_code)) {
        bool is_silent = arguments.is_json || arguments.is_quiet;
        RunOptions options = {.overrides = overrides_of(arena, &arguments),
                              .level = (TraceLevel)arguments.level,
                              .checks_always = arguments.checks_always,
                              .output_folder = arguments.output_folder,
                              .narration = is_silent ? NULL : stdout};
        RunResult result;
        Problems problems = problems_create(arena);
        if (!run_scenario(arena, operands.items[0], &options, &result, &problems)) {
            exit_code = report_problems(&problems);
        } else {
            if (arguments.is_json) {
                Text text = {0};
                json_print(&text, result.summary, JSON_INDENTED);
                fputs(text_string(&text), stdout);
                text_free(&text);
            }
            exit_code = all_went_well(&result) ? EXIT_FINE : EXIT_NO;
        }
    }
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_run = {.options = &run_table, .run = run};
