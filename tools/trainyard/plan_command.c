#include "tools/trainyard/plan_command.h"

#include <stdio.h>

#include "sim/base/units.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/processors.h"
#include "sim/cli/report.h"
#include "sim/study/plan/plan_text.h"
#include "sim/study/study_options.h"
#include "sim/study/study_types.h"

#define OWNER PlanArguments
static const Field plan_options_table[] = {
    OPTION_FOLDER('o', "output", output_folder, "DIR",
                  "write the answer and the tables to DIR, and continue an interrupted plan there"),
    OPTION_TEXTS(0, "vary", vary, "NAME=VALUES",
                 "of a scenario: vary its parameter NAME, or NAME=/POINTER=VALUES"),
    OPTION_TEXTS(0, "slo", slos, "LIMIT",
                 "of a scenario: a constraint such as 'waited_within(20m) >= 95%'"),
    OPTION_TEXT(0, "minimise", minimise, "METRIC",
                "of a scenario: the metric whose smallest value is best"),
    OPTION_TEXT(0, "maximise", maximise, "METRIC", "or the one whose largest value is best"),
    OPTION_TEXTS(0, "weather", weather, "NAME",
                 "of a scenario: a varied factor that nobody chooses; the constraints have to hold "
                 "at each of its levels"),
    OPTION_TEXT(0, "confidence", confidence, "RATIO",
                "of a scenario: how likely the answer has to be right (95%)"),
    OPTION_TEXT(0, "indifference", indifference, "RATIO",
                "of a scenario: differences that do not matter, as a part of the objective and of "
                "each limit (1%)"),
    OPTION_INTEGER(0, "budget", budget, "N", 1, INT64_C(1) << 40,
                   "of a scenario: at most N runs, which are divided so that the answer is most "
                   "likely right"),
    OPTION_INTEGER(0, "seeds", seeds, "N", 2, REPLICATIONS_MAX,
                   "of a scenario: at least N runs of a candidate that is accepted (20)"),
    OPTION_TEXTS(0, "metric", metrics, "METRIC", "of a scenario: record this metric too"),
    OPTION_TEXTS(0, "baseline", baseline, "NAME=LEVEL",
                 "of a scenario: compare the answer with the candidate of these levels"),
    OPTION_INTEGER('j', "threads", thread_count, "N", 1, 4096,
                   "run on N threads (as many as this process may use processors)"),
    OPTION_DURATION(0, "time-limit", time_limit_ns, "TIME",
                    "stop after TIME, with exit code 4 and the results so far"),
    OPTION_FLAG(0, "dry-run", is_forecast,
                "say how many candidates and runs there are and how long they will take, and stop"),
    OPTION_FLAG('q', "quiet", is_quiet, "print nothing but errors"),
    {0},
};
#undef OWNER

const OptionTable plan_table_of_options = {
    .name = "plan",
    .operands = "STUDY|SCENARIO",
    .summary = "Finds the combination of levels that is best by an objective and meets all "
               "constraints, with a stated confidence, from as few runs as possible.",
    .details =
        "A plan is a sweep's study with a goal: `minimise` or `maximise`, and `subject_to` "
        "(scenarios/FORMAT.md). With --vary and --minimise no study file is needed.\n"
        "\n"
        "The answer comes first: what to choose, and what the next best costs. Its estimates are "
        "made with fresh seeds, which took no part in the choice. Then a table has each candidate "
        "and why it lost.\n"
        "\n"
        "A plan runs in rounds. After each, candidates that surely miss a constraint, or are "
        "surely "
        "worse than another that meets them all, get no more runs. With the stated confidence (95 "
        "%) the answer misses no constraint by more than the indifference, and no candidate that "
        "meets them by more is better by more. A share of jobs is the share of the jobs of all "
        "runs.\n"
        "\n"
        "DIR gets plan.json, plan.csv (a row for each candidate) and the files of a sweep. Runs of "
        "`trainyard sweep` or `trainyard merge` in DIR are used, and only those that are missing "
        "are made. The files have the same bytes for any number of threads, with `mpirun -n N "
        "trainyard plan ...` for any number of ranks, and after any interruption: the same command "
        "continues the plan in DIR. `trainyard show DIR POINT SEED` prints the command that "
        "repeats "
        "a run.\n"
        "\n"
        "Exit code 0 when a candidate meets all constraints, 1 when none does (the answer then "
        "names "
        "the nearest miss), 2 for wrong input, 3 for a failure of this machine, 4 after "
        "--time-limit or SIGTERM, 130 after Ctrl-C. SIGUSR1 prints the progress.",
    .example = "trainyard plan scenarios/studies/cifar-team/study.json -o out/team\n"
               "trainyard plan scenarios/workloads/poisson/scenario.json --vary nodes=1..4 "
               "--slo 'waited_within(20m) >= 95%' --minimise cost_usd.total",
    .options = plan_options_table,
    .operand_count_min = 1,
    .operand_count_max = 1,
};

const PlanArguments plan_defaults = {.time_limit_ns = INT64_MAX};

/* --- The study --- */

static bool is_without_file(const PlanArguments *arguments)
{
    return arguments->vary.count > 0 || arguments->minimise != NULL || arguments->maximise != NULL;
}

/* Refuses options that change a study file. */
static bool options_fit(const PlanArguments *arguments, Problems *problems)
{
    const struct {
        const char *option;
        bool is_given;
    } others[] = {{"--slo", arguments->slos.count > 0},
                  {"--weather", arguments->weather.count > 0},
                  {"--confidence", arguments->confidence != NULL},
                  {"--indifference", arguments->indifference != NULL},
                  {"--budget", arguments->budget > 0},
                  {"--seeds", arguments->seeds > 0},
                  {"--metric", arguments->metrics.count > 0},
                  {"--baseline", arguments->baseline.count > 0}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].is_given && !is_without_file(arguments)) {
            status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in(others[i].option, 0, 0),
                                     "does not go with a study file"),
                        "the file has this value; without a file --vary and --minimise are needed");
            return false;
        }
    return true;
}

const Study *plan_read_study(Arena *arena, const char *path, const PlanArguments *arguments,
                             Problems *problems)
{
    if (!options_fit(arguments, problems))
        return NULL;
    if (!is_without_file(arguments))
        return study_read(arena, disk_files, path, problems);
    const StudyOptions options = {.scenario = path,
                                  .vary_count = arguments->vary.count,
                                  .vary = arguments->vary.items,
                                  .metric_count = arguments->metrics.count,
                                  .metrics = arguments->metrics.items,
                                  .baseline_count = arguments->baseline.count,
                                  .baseline = arguments->baseline.items,
                                  .seeds = arguments->seeds,
                                  .minimise = arguments->minimise,
                                  .maximise = arguments->maximise,
                                  .confidence = arguments->confidence,
                                  .indifference = arguments->indifference,
                                  .slo_count = arguments->slos.count,
                                  .slos = arguments->slos.items,
                                  .weather_count = arguments->weather.count,
                                  .weather = arguments->weather.items,
                                  .budget = arguments->budget};
    const Json *root = study_of_options(arena, "plan", &options, problems);
    return root != NULL ? study_read_tree(arena, disk_files, "plan", root, problems) : NULL;
}

SweepOptions plan_options(const PlanArguments *arguments)
{
    return (SweepOptions){.folder = arguments->output_folder,
                          .version = TRAINYARD_VERSION,
                          .thread_count = arguments->thread_count > 0
                                              ? (int32_t)arguments->thread_count
                                              : processors_available(),
                          .time_limit_ns = arguments->time_limit_ns,
                          .is_quiet = arguments->is_quiet,
                          .is_forecast = arguments->is_forecast,
                          .shard = {0, 1},
                          .run = sweep_on_threads};
}

/* --- The plan --- */

static void print(void (*write)(const PlanRun *, Text *), const PlanRun *run)
{
    Text text = {0};
    write(run, &text);
    fputs(text_string(&text), stdout);
    text_free(&text);
}

static int exit_code_of_plan(const PlanRun *run)
{
    enum { EXIT_STOPPED = 4, EXIT_SIGINT = 130, SIGNAL_INT = 2 };
    switch (run->sweep.end) {
    case RUNNER_SIGNALLED:
        return run->sweep.signal == SIGNAL_INT ? EXIT_SIGINT : EXIT_STOPPED;
    case RUNNER_LATE:
        return EXIT_STOPPED;
    case RUNNER_FINISHED:
    case RUNNER_FAILED:
        break;
    }
    return run->outcome.verdict == PLAN_INFEASIBLE ? EXIT_NO : EXIT_FINE;
}

int plan_execute(Arena *arena, const Study *study, const SweepOptions *options, Problems *problems)
{
    PlanRun run;
    if (!plan_run(arena, study, disk_files, options, &run, problems))
        return report_problems(problems);
    if (options->is_forecast) {
        print(plan_text_forecast, &run);
        return EXIT_FINE;
    }
    if (!options->is_quiet)
        print(plan_text_result, &run);
    return exit_code_of_plan(&run);
}
