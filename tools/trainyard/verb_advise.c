/* trainyard advise: the obvious changes of a scenario, and those that save most. */
#include <stdio.h>

#include "sim/cli/disk_files.h"
#include "sim/cli/processors.h"
#include "sim/study/advice/advice_json.h"
#include "sim/study/advice/advice_text.h"
#include "tools/trainyard/options/scenario_options.h"
#include "tools/trainyard/verbs.h"

typedef struct {
    ScenarioChanges changes;
    const char *minimise, *maximise;
    OptionTexts slos;
    int64_t seeds;
    int64_t thread_count;
    int64_t time_limit_ns;
    bool is_json;
    bool is_quiet;
} AdviseArguments;

#define OWNER AdviseArguments
static const Field advise_options[] = {
    OPTIONS_OF_CHANGES(changes),
    OPTION_TEXT(0, "minimise", minimise, "METRIC",
                "the metric whose smallest value is best (cost_usd.total)"),
    OPTION_TEXT(0, "maximise", maximise, "METRIC", "or the one whose largest value is best"),
    OPTION_TEXTS(0, "slo", slos, "LIMIT",
                 "a constraint that a change has to keep, such as 'waited_within(20m) >= 95%'; may "
                 "be repeated"),
    OPTION_INTEGER(0, "seeds", seeds, "N", 2, REPLICATIONS_MAX,
                   "run each change N times, and the best with N fresh seeds (20)"),
    OPTION_INTEGER('j', "threads", thread_count, "N", 1, 4096,
                   "run on N threads (as many as this process may use processors)"),
    OPTION_DURATION(0, "time-limit", time_limit_ns, "TIME", "stop after TIME, with exit code 4"),
    OPTION_FLAG(0, "json", is_json, "print JSON (trainyard schema advise-answer)"),
    OPTION_FLAG('q', "quiet", is_quiet, "print no progress"),
    {0},
};
#undef OWNER

static const OptionTable advise_table = {
    .name = "advise",
    .operands = "SCENARIO",
    .summary = "Tries the obvious changes of a scenario, and prints the three that save most.",
    .details =
        "The changes are: fewer or more nodes, VM sizes with as many GPUs whose memory the "
        "training "
        "fits into, low priority or dedicated, automatic scaling, the interval of checkpoints, "
        "scheduling policies and placements. Each is tried alone, on the same seeds as the "
        "unchanged scenario, so that differences are paired. A change is recommended when the 95 % "
        "interval of its difference is an improvement, no fewer jobs succeed, and the whole "
        "interval of each --slo is on the right side. The best three are then run with fresh "
        "seeds, and these figures are printed, with the command that runs the changed scenario.\n"
        "\n"
        "Low-priority nodes are preempted as the scenario says or, if it says nothing, by the "
        "catalogue's models of their VM family. Changes that are not tried are listed with the "
        "reason. `trainyard plan` finds the best combination of several changes.\n"
        "\n"
        "Exit code 0 when a change is recommended, 1 when none is, 2 for wrong input, 3 for a "
        "failure of this machine, 4 after --time-limit or SIGTERM, 130 after Ctrl-C.",
    .example = "trainyard advise scenarios/workloads/diurnal/scenario.json\n"
               "trainyard advise scenarios/studies/cifar-team/scenario.json "
               "--slo 'workloads.team.waited_within(30m) >= 95%'",
    .options = advise_options,
    .operand_count_min = 1,
    .operand_count_max = 1,
};

enum { EXIT_STOPPED = 4, EXIT_SIGINT = 130, SIGNAL_INT = 2 };

static void print(Arena *arena, const Advice *advice, const char *path, bool is_json)
{
    Text text = {0};
    if (is_json) {
        json_print(&text, advice_json(arena, advice, path), JSON_INDENTED);
        text_add(&text, "\n");
    } else {
        advice_print(arena, advice, path, &text);
    }
    fputs(text_string(&text), stdout);
    text_free(&text);
}

static int advise(Arena *arena, const char *path, const AdviseArguments *arguments)
{
    Problems problems = problems_create(arena);
    const AdviceOptions options = {.scenario = path,
                                   .overrides = scenario_overrides(&arguments->changes),
                                   .minimise = arguments->minimise,
                                   .maximise = arguments->maximise,
                                   .slo_count = arguments->slos.count,
                                   .slos = arguments->slos.items,
                                   .seeds = arguments->seeds,
                                   .sweep = {.version = TRAINYARD_VERSION,
                                             .thread_count = arguments->thread_count > 0
                                                                 ? (int32_t)arguments->thread_count
                                                                 : processors_available(),
                                             .time_limit_ns = arguments->time_limit_ns,
                                             .shard = {0, 1},
                                             .is_quiet = arguments->is_quiet,
                                             .run = sweep_on_threads}};
    Advice advice;
    if (!advice_make(arena, disk_files, &options, &advice, &problems))
        return report_problems(&problems);
    if (advice.end == RUNNER_SIGNALLED && advice.signal == SIGNAL_INT)
        return EXIT_SIGINT;
    if (advice.end != RUNNER_FINISHED)
        return EXIT_STOPPED;
    print(arena, &advice, path, arguments->is_json);
    return advice.chosen_count > 0 ? EXIT_FINE : EXIT_NO;
}

static int run(int argc, char **argv)
{
    Arena *arena = arena_create();
    AdviseArguments arguments = {.time_limit_ns = INT64_MAX};
    Operands operands;
    int exit_code;
    if (options_read(&advise_table, arena, argc, argv, &arguments, &operands, &exit_code))
        exit_code = advise(arena, scenario_operand(arena, operands.items[0], false), &arguments);
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_advise = {.options = &advise_table, .run = run};
