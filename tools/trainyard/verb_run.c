/* trainyard run: one scenario, once. */
#include <inttypes.h>
#include <stdio.h>

#include "real/launch/data_set.h"
#include "sim/cli/json_file.h"
#include "tools/trainyard/determinism.h"
#include "tools/trainyard/run_scenario.h"
#include "tools/trainyard/verbs.h"

typedef struct {
    const char *output_folder;
    int64_t seed;
    OptionTexts sets;
    int64_t until_ns;
    const char *failures; /* their scale */
    int fidelity;
    int level;
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

static const char *const level_names[] = {"jobs", "epochs", "steps", NULL};
static const char *const fidelity_names[] = {"step", "epoch", "job", NULL};
static const char *const backend_names[] = {
#define X(name, word) word,
    HAND_OFF_BACKENDS(X)
#undef X
        NULL};

static const Option run_options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_FOLDER,
     .argument = "DIR",
     .help = "write trace, summary, timeline, share files and report there",
     .offset = offsetof(RunArguments, output_folder)},
    {.name = "seed",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "use N instead of the scenario's seed",
     .offset = offsetof(RunArguments, seed),
     .maximum = INT64_C(1) << 53},
    {.name = "set",
     .kind = OPTION_TEXTS,
     .argument = "/POINTER=VALUE",
     .help = "change a value of the scenario or of a file it names",
     .offset = offsetof(RunArguments, sets)},
    {.name = "until",
     .kind = OPTION_DURATION,
     .argument = "TIME",
     .help = "stop the simulated clock there",
     .offset = offsetof(RunArguments, until_ns)},
    {.name = "failures",
     .kind = OPTION_TEXT,
     .argument = "SCALE",
     .help = "use SCALE as the factor on all failure rates and chances; 0 switches them off",
     .offset = offsetof(RunArguments, failures)},
    {.name = "fidelity",
     .kind = OPTION_CHOICE,
     .argument = "WHAT",
     .help = "simulate each step, each epoch, or each job as one event",
     .offset = offsetof(RunArguments, fidelity),
     .choices = fidelity_names},
    {.name = "trace",
     .kind = OPTION_CHOICE,
     .argument = "LEVEL",
     .help = "how much trace.tsv tells (default: epochs)",
     .offset = offsetof(RunArguments, level),
     .choices = level_names},
    {.name = "why",
     .kind = OPTION_TEXT,
     .argument = "JOB",
     .help = "tell the story of a job afterwards: what it waited for, lost and ended with",
     .offset = offsetof(RunArguments, why_job)},
    {.name = "real",
     .kind = OPTION_CHOICE,
     .argument = "WHERE",
     .help = "let the trainer run jobs that train a network which it knows, on this machine",
     .offset = offsetof(RunArguments, backend),
     .choices = backend_names},
    {.name = "data",
     .kind = OPTION_FOLDER,
     .argument = "DIR",
     .help = "let them train on CIFAR-10 in DIR (where the job says that its data is)",
     .offset = offsetof(RunArguments, data_folder)},
    {.name = "ran",
     .kind = OPTION_FILE,
     .argument = "FILE",
     .help = "take from FILE, ran.json of a run with --real, how its jobs went, and run none",
     .offset = offsetof(RunArguments, ran_path)},
    {.name = "json",
     .kind = OPTION_FLAG,
     .help = "print summary.json instead of the tables",
     .offset = offsetof(RunArguments, is_json)},
    {.name = "quiet",
     .letter = 'q',
     .kind = OPTION_FLAG,
     .help = "print nothing but errors",
     .offset = offsetof(RunArguments, is_quiet)},
    {.name = "check",
     .kind = OPTION_FLAG,
     .help = "check every invariant of the world after every event",
     .offset = offsetof(RunArguments, checks_always)},
    {.name = "check-determinism",
     .kind = OPTION_FLAG,
     .help = "run twice and compare; exit code 1 names the first record that differs",
     .offset = offsetof(RunArguments, checks_determinism)},
    {.name = "shuffle-ties",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "let what happens at one time happen in another order, drawn from N",
     .offset = offsetof(RunArguments, shuffle_seed),
     .minimum = 1},
    {0},
};

static const OptionTable run_table = {
    .name = "run",
    .operands = "SCENARIO",
    .summary = "Simulates a scenario: prints what `az` would have shown, the times and the cost.",
    .details =
        "Exit code 0 when every job succeeded, 1 when one failed or never ran, or a command was "
        "refused or never had its moment; 128 and the signal's number when a signal ended a job "
        "that ran for real.\n"
        "\n"
        "--real hands each job of \"commands\" whose program trains a network that `trainyard "
        "train` knows to it: as many ranks as the job has processes, all on this machine, started "
        "by Open MPI's mpirun. Simulated time stands meanwhile, and what a job took becomes its "
        "duration. With -o what the ranks write is in share/, their timelines are in "
        "real/JOB/attempt-N, and ran.json is what the world was told: --ran replays it, to the "
        "same trace.tsv and summary.json, but without what the ranks wrote; of a job that has "
        "changed since it warns. No command line of a scenario is run. \"execution\": \"real\" "
        "does the same for one job.",
    .example = "trainyard run scenarios/cifar10-horovod/scenario.json -o out/cifar10\n"
               "trainyard run scenarios/cifar10-horovod/scenario.json --set "
               "/commands/7/config/properties/nodeCount=2",
    .options = run_options,
    .operand_count_min = 1,
    .operand_count_max = 1,
};

/* Options that are short for --set, in the form of scenario_read.h. */
static ScenarioOverrides overrides_of(Arena *arena, const RunArguments *arguments,
                                      DataSamples samples)
{
    const char **items = ARENA_ARRAY(arena, const char *, arguments->sets.count + 3);
    int32_t count = 0;
    for (int32_t i = 0; i < arguments->sets.count; i++)
        items[count++] = arguments->sets.items[i];
    if (arguments->seed != NOT_GIVEN)
        items[count++] = arena_printf(arena, "/seed=%" PRId64, arguments->seed);
    if (arguments->until_ns != NOT_GIVEN)
        items[count++] = arena_printf(arena, "/until=\"%" PRId64 "ns\"", arguments->until_ns);
    if (arguments->fidelity != NOT_GIVEN)
        items[count++] =
            arena_printf(arena, "/fidelity=\"%s\"", fidelity_names[arguments->fidelity]);
    return (ScenarioOverrides){.count = count,
                               .items = items,
                               .failures_scale = arguments->failures,
                               .trains_for_real = arguments->backend != NOT_GIVEN,
                               .ran_path = arguments->ran_path,
                               .samples = samples};
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

/* False when there was no such job. */
static bool print_story(const RunResult *result)
{
    if (result->story != NULL)
        printf("\n%s", result->story);
    return result->story != NULL;
}

/* An exit code. */
static int run_again(Arena *arena, const char *path, const RunOptions *options,
                     const RunResult *result)
{
    Text explanation = {0};
    Problems problems = problems_create(arena);
    bool holds = determinism_holds(path, options, result, &explanation, &problems);
    int exit_code = report_problems(&problems);
    if (!holds)
        fprintf(stderr, "%s: %s", path, text_string(&explanation));
    else if (options->narration != NULL)
        fprintf(options->narration, "A second run told the same %" PRIu32 " records.\n",
                options->row_watch->count);
    text_free(&explanation);
    return exit_code == EXIT_FINE && !holds ? EXIT_NO : exit_code;
}

/* What runs on a machine takes another time each time, and what is replayed runs nothing. */
static bool options_fit(const RunArguments *arguments, Status *status)
{
    if (arguments->backend == NOT_GIVEN)
        return true;
    const char *other = arguments->ran_path != NULL     ? "--ran"
                        : arguments->checks_determinism ? "--check-determinism"
                                                        : NULL;
    return other == NULL || status_fail(status, STATUS_BAD_INPUT, place_in("--real", 0, 0),
                                        "does not go with %s", other);
}

/* An exit code. */
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
    Status status;
    if (!options_fit(arguments, &status) ||
        !data_set_count(arena, arguments->data_folder, NULL, &samples, &status))
        return report_status(&status);
    if (samples.train > 0 && !arguments->is_quiet)
        fprintf(stderr, "%s: %" PRId64 " images to train on, %" PRId64 " to test with\n",
                arguments->data_folder, samples.train, samples.test);
    const RunOptions options = {.overrides = overrides_of(arena, arguments, samples),
                                .level = (TraceLevel)arguments->level,
                                .checks_always = arguments->checks_always,
                                .output_folder = arguments->output_folder,
                                .shows_warnings = !arguments->is_quiet,
                                .shuffle_seed = (uint64_t)arguments->shuffle_seed,
                                .row_watch = arguments->checks_determinism ? &watch : NULL,
                                .narration = is_silent ? NULL : stdout,
                                .why_job = arguments->why_job,
                                .real = arguments->checks_determinism ? NULL : &real};
    RunResult result;
    Problems problems = problems_create(arena);
    if (!run_scenario(arena, path, &options, &result, &problems))
        return report_problems(&problems);
    if (arguments->is_json)
        json_show(run_summary(&result));
    const int exit_code =
        options.row_watch != NULL ? run_again(arena, path, &options, &result) : EXIT_FINE;
    if (exit_code != EXIT_FINE)
        return exit_code;
    if (arguments->why_job != NULL && !print_story(&result))
        return report_status(&result.story_status);
    if (result.real_signal != 0)
        return 128 + result.real_signal;
    return all_went_well(&result) ? EXIT_FINE : EXIT_NO;
}

static int run(int argc, char **argv)
{
    Arena *arena = arena_create();
    RunArguments arguments = {.seed = NOT_GIVEN,
                              .until_ns = NOT_GIVEN,
                              .fidelity = NOT_GIVEN,
                              .backend = NOT_GIVEN,
                              .level = TRACE_LEVEL_EPOCHS};
    Operands operands;
    int exit_code;
    if (options_read(&run_table, arena, argc, argv, &arguments, &operands, &exit_code))
        exit_code = simulate(arena, operands.items[0], &arguments);
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_run = {.options = &run_table, .run = run};
