#include "tools/trainyard/study/plan_command.h"

#include <stdio.h>

#include "reports/page/page.h"
#include "reports/plan/report.h"
#include "sim/base/units.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/processors.h"
#include "sim/cli/report.h"
#include "sim/schema/value.h"
#include "sim/study/answer/plan_check.h"
#include "sim/study/answer/plan_text.h"
#include "sim/study/expect/study_expect.h"
#include "sim/study/follow/follow_text.h"
#include "sim/study/format/study_types.h"
#include "sim/study/study_options.h"
#include "tools/trainyard/policy/policy_file.h"
#include "tools/trainyard/study/worst_folder.h"

static const char *const sensitivity_words[] = {
#define X(name, text, words) text,
    SENSITIVITIES(X)
#undef X
        NULL};

#define OWNER PlanArguments
static const Field plan_options_table[] = {
    OPTION_FOLDER('o', "output", output_folder, "DIR",
                  "write the answer and the tables to DIR, and continue an interrupted plan there"),
    OPTION_TEXTS(0, "vary", vary, "NAME=VALUES",
                 "of a scenario: vary its parameter NAME, or NAME=/POINTER=VALUES"),
    OPTIONS_OF_CHANGES(changes),
    OPTION_TEXTS(0, "slo", slos, "LIMIT",
                 "add a constraint such as 'waited_within(20m) >= 95%', or another limit of one"),
    OPTION_TEXT(0, "minimise", minimise, "METRIC", "the metric whose smallest value is best"),
    OPTION_TEXT(0, "maximise", maximise, "METRIC", "or the one whose largest value is best"),
    OPTION_TEXTS(0, "weather", weather, "NAME",
                 "a varied factor that is not chosen; the constraints have to hold at each of its "
                 "levels"),
    OPTION_TEXT(0, "confidence", confidence, "RATIO",
                "how likely the answer has to be right (95%)"),
    OPTION_TEXT(0, "indifference", indifference, "RATIO",
                "differences that do not matter, as a part of the objective and of each limit "
                "(1%)"),
    OPTION_INTEGER(0, "budget", budget, "N", 1, INT64_C(1) << 40,
                   "at most N runs, which are divided so that the answer is most likely right"),
    OPTION_INTEGER(0, "seeds", seeds, "N", 2, REPLICATIONS_MAX,
                   "at least N runs of a candidate that is accepted (20)"),
    OPTION_TEXTS(0, "metric", metrics, "METRIC", "record this metric too"),
    OPTION_TEXTS(0, "baseline", baseline, "NAME=LEVEL",
                 "compare the answer with the candidate of these levels"),
    OPTION_INTEGER('j', "threads", thread_count, "N", 1, 4096,
                   "run on N threads (as many as this process may use processors)"),
    OPTION_DURATION(0, "time-limit", time_limit_ns, "TIME",
                    "stop after TIME, with exit code 4 and the results so far"),
    OPTION_CHOICE(0, "sensitivity", sensitivity, "KIND", sensitivity_words,
                  "how assumptions are varied to find those that would change the answer "
                  "(one-at-a-time)"),
    OPTION_TEXT(0, "growth", growth, "RATIO",
                "the load grows by RATIO every month, such as 5%: when is a constraint missed, "
                "and which candidate is needed then?"),
    OPTION_FILE(0, "policy", policy, "FILE",
                "let the function of a shared object choose the next job in all runs "
                "(trainyard_policy.h); what it prints goes to stderr"),
    OPTION_FLAG(0, "check-determinism", checks_determinism,
                "repeat each run, and stop at the first whose result differs"),
    OPTION_FLAG(0, "dry-run", is_forecast,
                "say how many candidates and runs there are and how long they will take, and stop"),
    OPTION_FOLDER(
        0, "check", check_folder, "DIR",
        "plan again and compare with plan.json in DIR: exit code 1 when the recommendation "
        "changed, or when a margin is below --margin"),
    OPTION_TEXT(0, "margin", margin, "RATIO",
                "with --check: by how much the recommended candidate has to meet each limit, as a "
                "part of it (0%)"),
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
        "(scenarios/FORMAT.md). With --vary and --minimise no study file is needed. With a study "
        "file, options replace what it says of the objective, the confidence, the indifference, "
        "the budget, the weather, the baseline and the seeds; constraints and metrics are added, "
        "and a constraint of the same metric gets the other limit.\n"
        "\n"
        "The answer comes first: what to choose, and what the next best costs. Its estimates are "
        "made with fresh seeds, which took no part in the choice. Then a table has each candidate "
        "and why it lost.\n"
        "\n"
        "A plan runs in rounds. After each, candidates that surely miss a constraint, or are "
        "surely "
        "worse than another that meets them all, get no more runs. With the stated confidence (95 "
        "%) the answer misses no constraint by more than the indifference, and is at most the "
        "indifference worse than any candidate that meets the constraints with that margin. A "
        "share of jobs is the share of the jobs of all runs.\n"
        "\n"
        "DIR gets plan.json, plan.csv (a row for each candidate), fresh.csv (a row for each run "
        "with "
        "fresh seeds) and the files of a sweep. Runs of "
        "`trainyard sweep` or `trainyard merge` in DIR are used, and only those that are missing "
        "are made. The files have the same bytes for any number of threads, with `mpirun -n N "
        "trainyard plan ...` for any number of ranks, and after any interruption: the same command "
        "continues the plan in DIR. `trainyard show DIR POINT SEED` prints the command that "
        "repeats "
        "a run.\n"
        "\n"
        "With --policy ./mine.so the scheduling policy of all runs is the function of a shared "
        "object, "
        "as with `trainyard run --policy`; the study may not vary the policy then. study.json has "
        "its "
        "name, path and checksum, and a folder of another policy is not continued. Ranks on other "
        "machines need the same file. --check-determinism finds a policy that depends on more than "
        "its view.\n"
        "\n"
        "--check DIR is for continuous integration: it plans STUDY again (without STUDY, the one "
        "that DIR was planned from) with this version, catalogue and workload, and compares.\n"
        "\n"
        "Exit code 0 when a candidate meets all constraints, 1 when none does (the answer then "
        "names "
        "the nearest miss), 2 for wrong input, 3 for a failure of this machine, 4 after "
        "--time-limit or SIGTERM, 130 after Ctrl-C. Both signals wait for the runs that have "
        "begun, "
        "a second one does not. SIGUSR1 prints the progress.",
    .example = "trainyard plan scenarios/studies/cifar-team/study.json -o out/team\n"
               "trainyard plan scenarios/studies/cifar-team/scenario.json --vary nodes=1..3 "
               "--slo 'waited_within(30m) >= 95%' --minimise cost_usd.total\n"
               "trainyard plan scenarios/studies/cifar-team/study.json --policy ./mine.so",
    .options = plan_options_table,
    .operand_count_min = 0,
    .operand_count_max = 1,
};

const PlanArguments plan_defaults = {.time_limit_ns = INT64_MAX,
                                     .sensitivity = SENSITIVITY_ONE_AT_A_TIME};

/* --- The study --- */

/* The study of the plan that is checked. */
static const char *path_to_check(Arena *arena, const PlanArguments *arguments, Problems *problems)
{
    const PlanFile *before = NULL;
    const int32_t count = problems->count;
    if (arguments->check_folder != NULL)
        before = plan_check_load(arena, disk_files, arguments->check_folder, problems);
    const char *path = before != NULL ? before->study : NULL;
    if (path == NULL && problems->count == count)
        status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in("trainyard: plan", 0, 0),
                                 "STUDY or SCENARIO is missing"),
                    before == NULL ? "`trainyard plan --help` has examples"
                                   : "the plan in DIR was made with options: give STUDY or "
                                     "SCENARIO and the same options");
    return path;
}

const Study *plan_read_study(Arena *arena, const char *path, const PlanArguments *arguments,
                             Problems *problems)
{
    if (path == NULL && (path = path_to_check(arena, arguments, problems)) == NULL)
        return NULL;
    StudyPolicy *policy = NULL;
    if (arguments->policy != NULL &&
        (policy = policy_file_of_study(arena, arguments->policy, problems)) == NULL)
        return NULL;
    const StudyOptions options = {.path = scenario_operand(arena, path, true),
                                  .vary_count = arguments->vary.count,
                                  .vary = arguments->vary.items,
                                  .param_count = arguments->changes.params.count,
                                  .params = arguments->changes.params.items,
                                  .set_count = arguments->changes.sets.count,
                                  .sets = arguments->changes.sets.items,
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
                                  .budget = arguments->budget,
                                  .policy = policy};
    StudyExpectations checked;
    const Study *study = study_read_with(arena, disk_files, "trainyard: plan", &options, problems);
    return study != NULL && study_expect_read(arena, study, &checked, problems) ? study : NULL;
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
                          .repeats = arguments->checks_determinism,
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

/* Compares the plan with an earlier one. Returns an exit code. */
static int check(Arena *arena, const PlanRun *run, const PlanArguments *arguments,
                 Problems *problems)
{
    const PlanFile *before = plan_check_load(arena, disk_files, arguments->check_folder, problems);
    Status status = {0};
    int64_t margin_ppm = 0;
    Text text = {0};
    if (before == NULL)
        return report_problems(problems);
    if (arguments->margin != NULL &&
        !ratio_parse(arguments->margin, place_in("--margin", 0, 0), &margin_ppm, &status))
        return report_status(&status);
    const bool is_same = plan_check(before, &run->outcome, (double)margin_ppm / (double)PPM, &text);
    if (!arguments->is_quiet || !is_same)
        fputs(text_string(&text), stdout);
    text_free(&text);
    return is_same ? EXIT_FINE : EXIT_NO;
}

static bool read_follow_options(const PlanArguments *arguments, FollowOptions *follow,
                                Problems *problems)
{
    const Place at = place_in("--growth", 0, 0);
    Status status = {0};
    *follow = (FollowOptions){.sensitivity = (Sensitivity)arguments->sensitivity};
    if (arguments->growth == NULL)
        return true;
    if (ratio_parse(arguments->growth, at, &follow->growth_ppm, &status) &&
        follow->growth_ppm > 0 && follow->growth_ppm < PPM)
        return true;
    status_hint(problems_add(problems, STATUS_BAD_INPUT, at,
                             "\"%s\" is not a growth above 0 and below 100%%", arguments->growth),
                "as in --growth 5%%");
    return false;
}

/* The report, unless no folder is given. */
static int write_report(Arena *arena, const SweepOptions *options, PlanRun *run, Problems *problems)
{
    const PlanOutcome *outcome = &run->outcome;
    Status no_plots = {0}, status = {0};
    PlanKnown known;
    if (options->folder == NULL)
        return EXIT_FINE;
    if (run->sweep.end == RUNNER_FINISHED &&
        !worst_folder_write(arena, outcome, options->folder, &run->sweep.end, &run->sweep.signal,
                            &status) &&
        report_status(&status) == EXIT_MACHINE) // otherwise the answer is complete without it
        return EXIT_MACHINE;
    if (!winner_jobs_write(arena, outcome, options->folder, disk_files, options->version,
                           problems) ||
        !plan_known_read(arena, disk_files, options->folder, outcome, &known, problems))
        return report_problems(problems);
    if (!plan_report_write(arena, options->folder, &known, &no_plots, &status))
        return report_status(&status);
    if (!options->is_quiet)
        page_warn_of_plots(arena_printf(arena, "%s/report.html", options->folder), &no_plots);
    return EXIT_FINE;
}

static bool print_follow(Arena *arena, const Study *study, const PlanRun *run,
                         const FollowRuns *runs, const char *folder, Problems *problems)
{
    FollowOutcome outcome;
    Text text = {0};
    if (!follow_outcome_read(arena, disk_files, folder, study, &outcome, problems))
        return false;
    follow_text_print(&outcome, study, &text);
    plan_text_follow_cost(run, runs, &text);
    printf("%s%s", text_string(&text)[0] != '\0' ? "\n" : "", text_string(&text));
    text_free(&text);
    return true;
}

int plan_execute(Arena *arena, const Study *study, const SweepOptions *options,
                 const PlanArguments *arguments, Problems *problems)
{
    PlanRun run;
    FollowOptions follow;
    FollowRuns runs = {0};
    if (!read_follow_options(arguments, &follow, problems))
        return report_problems(problems);
    if (!plan_run(arena, study, disk_files, options, &run, problems))
        return report_problems(problems);
    if (options->is_forecast) {
        print(plan_text_forecast, &run);
        return EXIT_FINE;
    }
    if (!options->is_quiet)
        print(plan_text_result, &run);
    if (run.sweep.end == RUNNER_FINISHED) {
        if (!plan_follow(arena, study, &run.outcome, &follow, disk_files, options, &runs, problems))
            return report_problems(problems);
        run.sweep.end = runs.end;
        run.sweep.signal = runs.signal;
    }
    if (options->folder != NULL && !options->is_quiet &&
        !print_follow(arena, study, &run, &runs, options->folder, problems))
        return report_problems(problems);
    const int report_code = write_report(arena, options, &run, problems);
    const int exit_code = exit_code_of_plan(&run);
    if (report_code != EXIT_FINE)
        return report_code;
    return arguments->check_folder != NULL && exit_code <= EXIT_NO
               ? check(arena, &run, arguments, problems)
               : exit_code;
}
