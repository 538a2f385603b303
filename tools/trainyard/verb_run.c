/* trainyard run: one scenario, once. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "real/launch/data_set.h"
#include "sim/base/array.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/json_file.h"
#include "sim/study/check/determinism.h"
#include "tools/trainyard/answer/answer.h"
#include "tools/trainyard/options/fork_options.h"
#include "tools/trainyard/options/scenario_options.h"
#include "tools/trainyard/policy/policy_file.h"
#include "tools/trainyard/run_scenario.h"
#include "tools/trainyard/verbs.h"

typedef struct {
    const char *output_folder;
    int64_t seed;
    ScenarioChanges changes;
    ForkOptions fork;
    int64_t until_ns;
    const char *failures; /* the factor on failure rates */
    int fidelity;
    const char *policy_path;
    int level; /* index in level_names */
    bool has_no_timeline;
    bool has_no_share;
    const char *why_job;
    int backend; /* HandOffBackend; NOT_GIVEN */
    const char *data_folder;
    const char *ran_path;
    bool is_json;
    bool is_quiet;
    bool checks_always;
    bool checks_determinism;
    int64_t shuffle_seed;
} RunArguments;

enum { NOT_GIVEN = -1 };

static const char *const level_names[] = {"none", "jobs", "epochs", "steps", NULL};
enum { LEVEL_NONE, LEVEL_EPOCHS = TRACE_LEVEL_EPOCHS + 1 }; /* of level_names */
static const char *const fidelity_names[] = {"step", "epoch", "job", NULL};
static const char *const backend_names[] = {
#define X(name, word) word,
    HAND_OFF_BACKENDS(X)
#undef X
        NULL};

#define OWNER RunArguments
static const Field run_options[] = {
    OPTION_FOLDER('o', "output", output_folder, "DIR",
                  "write trace, summary, timeline, share files and report to DIR"),
    OPTION_INTEGER(0, "seed", seed, "N", 0, SEED_MOST, "use N instead of the scenario's seed"),
    OPTIONS_OF_CHANGES(changes),
    OPTIONS_OF_FORK(fork, "from TIME on, follow --fork-seed and --fork-policy"),
    OPTION_DURATION(0, "until", until_ns, "TIME", "stop the simulated clock at TIME"),
    OPTION_TEXT(0, "failures", failures, "SCALE",
                "multiply all failure rates and probabilities by SCALE; 0 switches failures off"),
    OPTION_CHOICE(0, "fidelity", fidelity, "UNIT", fidelity_names,
                  "simulate each step, each epoch, or each job as one event"),
    OPTION_FILE(0, "policy", policy_path, "FILE",
                "let the function of a shared object choose the next job (trainyard_policy.h); "
                "what it prints goes to stderr"),
    OPTION_CHOICE(0, "trace", level, "LEVEL", level_names,
                  "the detail of trace.tsv (epochs); none: only its first lines"),
    OPTION_FLAG(0, "no-timeline", has_no_timeline, "with -o: do not write timeline.json"),
    OPTION_FLAG(0, "no-share", has_no_share,
                "with -o: do not write the files that jobs leave on shares"),
    OPTION_TEXT(0, "why", why_job, "JOB",
                "print the story of a job afterwards: its waits, its losses and its end"),
    OPTION_CHOICE(0, "real", backend, "BACKEND", backend_names,
                  "run jobs for real on this machine if the trainer knows their network"),
    OPTION_FOLDER(0, "data", data_folder, "DIR",
                  "train real jobs on CIFAR-10 in DIR (the folder that the job names)"),
    OPTION_FILE(0, "ran", ran_path, "FILE",
                "replay the real jobs recorded in FILE, ran.json of a run with --real"),
    OPTION_FLAG(
        0, "json", is_json,
        "print summary.json (trainyard schema summary) instead of the tables; with --why it has "
        "the story"),
    OPTION_FLAG('q', "quiet", is_quiet, "print nothing but errors"),
    OPTION_FLAG(0, "check", checks_always, "check every invariant of the world after every event"),
    OPTION_FLAG(0, "check-determinism", checks_determinism,
                "run twice and compare; exit code 1 names the first record that differs"),
    OPTION_INTEGER(0, "shuffle-ties", shuffle_seed, "N", 1, 0,
                   "handle events with equal times in a random order, drawn from N"),
    {0},
};
#undef OWNER

static const OptionTable run_table = {
    .name = "run",
    .operands = "SCENARIO",
    .summary = "Simulates a scenario: prints what `az` would have shown, the times and the cost.",
    .details =
        "SCENARIO is a JSON file, or a folder with scenario.json. scenarios/FORMAT.md describes "
        "it; "
        "`trainyard validate` checks it, and `trainyard explain` prints what it does not say.\n\n"
        "Exit code 0 when nothing failed. Exit code 1 when a job failed or a command was refused; "
        "also when a job did not end or the moment of a command never came, unless the run ended "
        "at a chosen time (\"until\"): what is unfinished then is a metric, job_counts.unfinished "
        "of summary.json. 128 plus the signal's number when a signal ended a job that ran for "
        "real.\n"
        "\n"
        "With --fork-at TIME, everything before TIME is as without it, and afterwards draws come "
        "from --fork-seed, or --fork-policy chooses the next jobs. Durations that have begun keep "
        "their draws (allocations, attempts of trainings, repairs). Failures, preemptions and "
        "arrivals that have not happened are drawn again, under the condition that they have not. "
        "The faults "
        "seed.change and policy.change of a scenario do the same.\n"
        "\n"
        "A run of many jobs writes less with --trace none --no-timeline --no-share. Its "
        "report.html is "
        "complete; `trainyard report` needs the trace to make it again with its plots.\n"
        "\n"
        "With --real, `trainyard train` runs each job of \"commands\" whose program trains a "
        "network that the trainer knows. Open MPI's mpirun starts as many ranks as the job has "
        "processes, all on this machine. Simulated time stops meanwhile, and the measured time "
        "becomes the job's duration. \"execution\": \"real\" does the same for one job. The "
        "command lines of a scenario are never run.\n"
        "\n"
        "scenarios/FORMAT.md describes summary.json, and the columns and records of trace.tsv.\n"
        "\n"
        "With -o, the files that the ranks write are in share/, their timelines are in "
        "real/JOB/attempt-N, and ran.json records how the jobs went. --ran replays ran.json. It "
        "produces the same trace.tsv and summary.json, but not the files of the ranks, and warns "
        "if a job has changed since.",
    .example =
        "trainyard run scenarios/cifar10-horovod/scenario.json -o out/cifar10\n"
        "trainyard run scenarios/cifar10-horovod/scenario.json --set "
        "/commands/7/config/properties/nodeCount=2\n"
        "trainyard run scenarios/workloads/poisson/scenario.json --param rate=10/h\n"
        "trainyard run scenarios/workloads/poisson/scenario.json --fork-at 3h --fork-seed 7\n"
        "trainyard run scenarios/scheduling/backfill --policy ./mine.so --check-determinism",
    .options = run_options,
    .operand_count_min = 1,
    .operand_count_max = 1,
};

/* The --set options and the options that are short for --set, in the form of sim/scenario/read.h.
 */
static ScenarioOverrides overrides_of(Arena *arena, const RunArguments *arguments,
                                      DataSamples samples)
{
    const OptionTexts *sets = &arguments->changes.sets;
    const char **items = ARENA_ARRAY(arena, const char *, sets->count + 3 + FORK_CHANGES_MOST);
    int32_t count = 0;
    for (int32_t i = 0; i < sets->count; i++)
        items[count++] = sets->items[i];
    if (arguments->seed != NOT_GIVEN)
        items[count++] = arena_printf(arena, "/seed=%" PRId64, arguments->seed);
    if (arguments->until_ns != NOT_GIVEN)
        items[count++] = arena_printf(arena, "/until=\"%" PRId64 "ns\"", arguments->until_ns);
    if (arguments->fidelity != NOT_GIVEN)
        items[count++] =
            arena_printf(arena, "/fidelity=\"%s\"", fidelity_names[arguments->fidelity]);
    const char *changes[FORK_CHANGES_MOST];
    const int32_t change_count = fork_changes(
        arena, &arguments->fork,
        arena_printf(arena, ", \"at\": \"%" PRId64 "ns\"", arguments->fork.at_ns), changes);
    for (int32_t i = 0; i < change_count; i++)
        items[count++] = arena_printf(arena, "/faults/-=%s", changes[i]);
    return (ScenarioOverrides){.count = count,
                               .items = items,
                               .param_count = arguments->changes.params.count,
                               .params = arguments->changes.params.items,
                               .failures_scale = arguments->failures,
                               .trains_for_real = arguments->backend != NOT_GIVEN,
                               .ran_path = arguments->ran_path,
                               .samples = samples};
}

/* Whether the run ended at the time that was chosen as its end, before all that was to happen. */
static bool is_cut_short(const RunResult *result)
{
    const int64_t until_ns = result->file->scenario.until_ns;
    return until_ns != INT64_MAX && world_now_ns(result->world) >= until_ns;
}

/* Nothing failed: no job, no command, and unless the run was cut short, no wait was in vain. */
static bool all_went_well(const RunResult *result)
{
    const World *world = result->world;
    const bool may_wait = is_cut_short(result);
    for (uint32_t i = 0; i < result->metrics->refused_count; i++)
        if (result->metrics->refused[i].is_refusal || !may_wait)
            return false;
    for (uint32_t j = 0; j < world_job_count(world); j++) {
        const JobState state = world_job(world, (JobId){j})->state;
        if (state == JOB_FAILED || (state != JOB_SUCCEEDED && !may_wait))
            return false;
    }
    return true;
}

/* The lines of `text`, in `arena`. */
static const char *const *lines_of(Arena *arena, const char *text, uint32_t *count)
{
    const char **lines = NULL;
    uint32_t capacity = 0;
    *count = 0;
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        lines = array_room(arena, lines, *count + 1, &capacity, sizeof *lines);
        lines[(*count)++] = arena_printf(arena, "%.*s", (int)length, text);
    }
    return lines;
}

/* Prints summary.json, with the story of --why. */
static void print_json(Arena *arena, const RunResult *result)
{
    Summary summary = *run_summary(result);
    if (result->story != NULL)
        summary.story = lines_of(arena, result->story, &summary.story_count);
    json_show(summary_json(arena, &summary));
}

/* Prints the result after the tables of the run. */
static void print_result(Arena *arena, const RunArguments *arguments, const RunResult *result)
{
    if (arguments->is_json)
        print_json(arena, result);
    else if (result->story != NULL)
        printf("\n%s", result->story);
}

/* Prints problems instead of a result. Returns their exit code. */
static int fail(Arena *arena, const RunArguments *arguments, const Problems *problems)
{
    return arguments->is_json ? answer_show_problems(arena, problems) : report_problems(problems);
}

static int fail_status(Arena *arena, const RunArguments *arguments, const Status *status)
{
    Problems problems = problems_create(arena);
    problems_add_status(&problems, status);
    return fail(arena, arguments, &problems);
}

typedef struct {
    const char *path;
    const RunOptions *options;
} Repeated;

/* Runs the scenario again with `watch` as listener, without files and without output. */
static const Json *repeat(void *owner, Arena *arena, RowWatch *watch, Problems *problems)
{
    const Repeated *repeated = owner;
    RunOptions again = *repeated->options;
    RunResult *result = ARENA_NEW(arena, RunResult);
    again.row_watch = watch;
    again.output_folder = NULL;
    again.narration = NULL;
    return run_scenario(arena, repeated->path, &again, result, problems) ? run_summary_json(result)
                                                                         : NULL;
}

/* The second run of --check-determinism. Returns an exit code. */
static int run_again(Arena *arena, const char *path, const RunOptions *options,
                     const RunResult *result)
{
    Text explanation = {0};
    Problems problems = problems_create(arena);
    Repeated repeated = {path, options};
    bool holds = determinism_holds((RunAgain){&repeated, repeat}, options->row_watch,
                                   run_summary_json(result), &explanation, &problems);
    int exit_code = report_problems(&problems);
    if (!holds)
        fprintf(stderr, "%s: %s", path, text_string(&explanation));
    else if (options->narration != NULL)
        fprintf(options->narration, "A second run has the same %" PRIu32 " records.\n",
                options->row_watch->count);
    text_free(&explanation);
    return exit_code == EXIT_FINE && !holds ? EXIT_NO : exit_code;
}

/* Refuses a folder of data that does not exist, and options that contradict --real: a real run
 * never takes the same time twice, and a replay runs nothing. */
static bool options_fit(const RunArguments *arguments, Status *status)
{
    if (arguments->data_folder != NULL && !folder_exists(arguments->data_folder))
        return status_fail(status, STATUS_BAD_INPUT, place_in("--data", 0, 0),
                           "there is no folder \"%s\"", arguments->data_folder);
    if ((arguments->fork.at_ns >= 0) != (arguments->fork.seed >= 0 || arguments->fork.policy >= 0))
        return status_fail(status, STATUS_BAD_INPUT, place_in("--fork-at", 0, 0),
                           "goes with --fork-seed, --fork-policy or both, and they with it");
    if (arguments->backend == NOT_GIVEN)
        return true;
    if (arguments->has_no_share)
        return status_fail(status, STATUS_BAD_INPUT, place_in("--real", 0, 0),
                           "does not go with --no-share");
    const char *other = arguments->ran_path != NULL     ? "--ran"
                        : arguments->checks_determinism ? "--check-determinism"
                                                        : NULL;
    return other == NULL || status_fail(status, STATUS_BAD_INPUT, place_in("--real", 0, 0),
                                        "does not go with %s", other);
}

/* Runs and prints the scenario. Returns an exit code. */
static int simulate(Arena *arena, const char *path, const RunArguments *arguments)
{
    const bool is_silent = arguments->is_json || arguments->is_quiet;
    const RealRunSettings real = {.backend = arguments->backend != NOT_GIVEN
                                                 ? (HandOffBackend)arguments->backend
                                                 : HAND_OFF_AUTO,
                                  .data_folder = arguments->data_folder,
                                  .is_quiet = arguments->is_quiet};
    RowWatch watch = row_watch_start(arena);
    DataSamples samples;
    PolicyFile policy;
    Status status;
    if (!options_fit(arguments, &status) ||
        !data_set_count(arena, arguments->data_folder, NULL, &samples, &status) ||
        (arguments->policy_path != NULL &&
         !policy_file_load(arena, arguments->policy_path, &policy, &status)))
        return fail_status(arena, arguments, &status);
    if (samples.train > 0 && !arguments->is_quiet)
        fprintf(stderr, "%s: %" PRId64 " images to train on, %" PRId64 " to test with\n",
                arguments->data_folder, samples.train, samples.test);
    const RunOptions options = {.overrides = overrides_of(arena, arguments, samples),
                                .level = arguments->level == LEVEL_NONE
                                             ? TRACE_LEVEL_EPOCHS
                                             : (TraceLevel)(arguments->level - 1),
                                .has_no_trace = arguments->level == LEVEL_NONE,
                                .has_no_timeline = arguments->has_no_timeline,
                                .has_no_share = arguments->has_no_share,
                                .checks_always = arguments->checks_always,
                                .output_folder = arguments->output_folder,
                                .shows_warnings = !arguments->is_quiet,
                                .policy = arguments->policy_path != NULL ? &policy : NULL,
                                .shuffle_seed = (uint64_t)arguments->shuffle_seed,
                                .row_watch = arguments->checks_determinism ? &watch : NULL,
                                .narration = is_silent ? NULL : stdout,
                                .watches = arguments->is_json || arguments->output_folder != NULL,
                                .why_job = arguments->why_job,
                                .real = arguments->checks_determinism ? NULL : &real};
    RunResult result;
    Problems problems = problems_create(arena);
    if (!run_scenario(arena, path, &options, &result, &problems))
        return fail(arena, arguments, &problems);
    if (arguments->why_job != NULL && result.story == NULL) {
        result.story_status.at = place_in("--why", 0, 0);
        return fail_status(arena, arguments, &result.story_status);
    }
    print_result(arena, arguments, &result);
    const int exit_code =
        options.row_watch != NULL ? run_again(arena, path, &options, &result) : EXIT_FINE;
    if (exit_code != EXIT_FINE)
        return exit_code;
    if (result.real_signal != 0)
        return 128 + result.real_signal;
    return all_went_well(&result) ? EXIT_FINE : EXIT_NO;
}

static int run(int argc, char **argv)
{
    Arena *arena = arena_create();
    RunArguments arguments = {.seed = NOT_GIVEN,
                              .fork = FORK_OPTIONS_NONE,
                              .until_ns = NOT_GIVEN,
                              .fidelity = NOT_GIVEN,
                              .backend = NOT_GIVEN,
                              .level = LEVEL_EPOCHS};
    Operands operands;
    int exit_code;
    if (options_read(&run_table, arena, argc, argv, &arguments, &operands, &exit_code))
        exit_code = simulate(arena, scenario_operand(arena, operands.items[0], false), &arguments);
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_run = {.options = &run_table, .run = run};
