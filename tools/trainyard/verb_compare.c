/* trainyard compare: predicts a scenario, runs it for real, and compares both. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "real/compare/compare.h"
#include "real/compare/device.h"
#include "real/compare/load.h"
#include "real/compare/page.h"
#include "real/compare/print.h"
#include "real/compare/ran.h"
#include "real/compare/trace_pair.h"
#include "real/compare/validation.h"
#include "real/compare/validation_print.h"
#include "real/launch/data_set.h"
#include "real/launch/ranks.h"
#include "reports/page/page.h"
#include "sim/base/units.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/files.h"
#include "sim/cli/json_file.h"
#include "sim/cloud/training/layer_rates.h"
#include "sim/scenario/catalog/files.h"
#include "tools/trainyard/options/scenario_options.h"
#include "tools/trainyard/run_scenario.h"
#include "tools/trainyard/verbs.h"

extern char **environ;

typedef struct {
    const char *output_folder, *measured_folder;
    const char *tolerance, *mean; /* "12%" */
    const char *catalog;
    const char *matrix;
    ScenarioChanges changes; /* predicted and real */
    const char *data_folder;
    int real; /* index in real_words */
    int64_t repeat;
    bool is_json, is_markdown;
} CompareArguments;

enum { REAL_CPU, REAL_CUDA };
static const char *const real_words[] = {
    [REAL_CPU] = "cpu",
    [REAL_CUDA] = "cuda", // the backend's name, too
    NULL,
};

enum { REPEAT_MAX = 100 };

#define OWNER CompareArguments
static const Field compare_options[] = {
    OPTION_FOLDER('o', "output", output_folder, "DIR",
                  "write tables, plots, timelines and the files of real runs to DIR"),
    OPTION_FOLDER(0, "measured", measured_folder, "DIR",
                  "run nothing; compare with the files of earlier real runs in DIR"),
    OPTION_TEXT(0, "tolerance", tolerance, "PERCENT",
                "the largest error allowed for each judged quantity (12%)"),
    OPTION_TEXT(0, "mean", mean, "PERCENT", "the largest mean error allowed for steps (5%)"),
    OPTION_FILE(0, "catalog", catalog, "FILE",
                "predict with FILE, this machine's catalogue (trainyard calibrate)"),
    OPTIONS_OF_CHANGES(changes),
    OPTION_CHOICE(0, "real", real, "DEVICE", real_words, "train on processors or on GPUs (cpu)"),
    OPTION_INTEGER(0, "repeat", repeat, "N", 1, REPEAT_MAX, "run for real N times (1)"),
    OPTION_FOLDER(0, "data", data_folder, "DIR", "train on the CIFAR-10 set in DIR"),
    OPTION_FILE(0, "matrix", matrix, "FILE",
                "compare the measured cells of FILE (tools/validate.sh) instead of a scenario"),
    OPTION_FLAG(0, "json", is_json, "print JSON instead of tables"),
    OPTION_FLAG(0, "markdown", is_markdown, "print a matrix as Markdown"),
    {0},
};
#undef OWNER

static const OptionTable compare_table = {
    .name = "compare",
    .operands = "[SCENARIO]",
    .summary = "Predicts a scenario, runs it for real, and says how far off the prediction was.",
    .details =
        "Compares every job that trains: a step, its parts, each rank, images per second, an "
        "epoch, evaluations, checkpoints, and all epochs together. Whole durations are judged "
        "against the tolerance. Exit code 0 when all errors are within the tolerance, 1 when one "
        "is not, 128 plus the signal's number when a signal ended a real run: complete runs before "
        "it are kept, and nothing is compared.\n"
        "\n"
        "Files in DIR:\n"
        "  run-N/                  files of the N-th real run; --measured accepts DIR or "
        "DIR/run-N\n"
        "  compare.json            the output of --json\n"
        "  compare.html, plots/    a page that needs no other file, and its plots\n"
        "  compare.timeline.json   predicted and measured ranks side by side, for "
        "https://ui.perfetto.dev\n"
        "\n"
        "A matrix is a table of measured steps of several networks, precisions, batches and ranks. "
        "Each cell is predicted for the VM size \"local\" of the catalogue, which is read after "
        "azure-2018.json in the same folder. Cells with more ranks than cores are shown, but not "
        "judged.",
    .example =
        "trainyard compare scenarios/local/tutorial/scenario.json --set /programs/0/epochs=1 "
        "--set /programs/0/precision=fp32 --data cifar10 -o out/compare\n"
        "trainyard compare scenarios/local/tutorial/scenario.json --set /programs/0/epochs=1 "
        "--set /programs/0/precision=fp32 --measured out/compare --tolerance 10%\n"
        "trainyard compare --matrix reports/measured/validation-zen4.tsv --catalog "
        "scenarios/catalog/local-zen4.json",
    .options = compare_options,
    .operand_count_max = 1,
};

/* --- Options --- */

/* Reads "12%" as 0.12. */
static bool percent_read(const char *option, const char *text, double *share, Status *status)
{
    const size_t digits = strspn(text, "0123456789.");
    char *end;
    const double percent = strtod(text, &end);
    if (digits > 0 && end == text + digits && strcmp(end, "%") == 0 && percent <= 1000) {
        *share = percent / 100;
        return true;
    }
    return status_fail(status, STATUS_BAD_INPUT, place_in("trainyard: compare", 0, 0),
                       "%s: is \"%s\", expected a percentage such as 12%%", option, text);
}

static bool tolerance_read(const CompareArguments *arguments, Tolerance *tolerance, Status *status)
{
    return percent_read("--tolerance", arguments->tolerance, &tolerance->worst, status) &&
           percent_read("--mean", arguments->mean, &tolerance->mean, status);
}

/* --- Predicting --- */

/* Adds --catalog to the --set changes, which apply to the predicted and the real run. The path
 * becomes absolute, as a relative path would start at the scenario's folder. */
static bool sets_complete(Arena *arena, CompareArguments *arguments, Status *status)
{
    OptionTexts *sets = &arguments->changes.sets;
    const char **items = ARENA_ARRAY(arena, const char *, sets->count + 1);
    if (arguments->catalog == NULL)
        return true;
    char here[4096] = ""; // Linux' PATH_MAX
    if (access(arguments->catalog, R_OK) != 0 || getcwd(here, sizeof here) == NULL)
        return status_fail(status, STATUS_BAD_INPUT, place_in(arguments->catalog, 0, 0), "%s",
                           strerror(errno));
    const bool is_absolute = arguments->catalog[0] == '/';
    for (int32_t i = 0; i < sets->count; i++)
        items[i] = sets->items[i];
    items[sets->count] = arena_printf(arena, "/catalog/-=%s%s%s", is_absolute ? "" : here,
                                      is_absolute ? "" : "/", arguments->catalog);
    *sets = (OptionTexts){items, sets->count + 1};
    return true;
}

static ScenarioOverrides overrides_of(Arena *arena, const CompareArguments *arguments,
                                      DataSamples samples)
{
    ScenarioOverrides overrides = scenario_overrides(&arguments->changes);
    const char **items = ARENA_ARRAY(arena, const char *, overrides.count + 1);
    for (int32_t i = 0; i < overrides.count; i++)
        items[i] = overrides.items[i];
    items[overrides.count++] = "/fidelity=step";
    overrides.items = items;
    overrides.samples = samples;
    return overrides;
}

static bool predict(Arena *arena, const char *path, const CompareArguments *arguments,
                    DataSamples samples, PredictedJob **predictions, int32_t *count,
                    Problems *problems)
{
    PredictedSteps *steps = predicted_steps_create(arena);
    const RunOptions options = {.overrides = overrides_of(arena, arguments, samples),
                                .level = TRACE_LEVEL_EPOCHS,
                                .listener = predicted_steps_listener(steps)};
    RunResult result;
    if (!run_scenario(arena, path, &options, &result, problems))
        return false;
    *predictions = predicted_jobs(arena, result.world, result.metrics, steps, count);
    if (*count == 0)
        problems_add(problems, STATUS_BAD_INPUT, place_in(path, 0, 0),
                     "no job of the scenario trains: there is nothing to compare");
    return *count > 0;
}

/* --- Runs to compare with, and warnings --- */

static const char *run_folder(Arena *arena, const char *folder, int32_t run)
{
    return arena_printf(arena, "%s/run-%" PRId32, folder, run);
}

/* Finds the folders of single runs, run-1 and so on, in `folder`; if there are none, `folder`
 * itself is one. Returns their number, at most REPEAT_MAX. */
static int32_t run_folders(Arena *arena, const char *folder, const char **folders)
{
    int32_t count = 0;
    for (; count < REPEAT_MAX; count++) {
        folders[count] = run_folder(arena, folder, count + 1);
        if (access(folders[count], F_OK) != 0)
            break;
    }
    if (count == 0)
        folders[count++] = folder;
    return count;
}

/* Facts about the real run that are known before it is compared. */
typedef struct {
    DataSamples samples; /* that it finds; both 0: it did not record them */
    Device device;       /* DEVICE_UNKNOWN: it did not record its backend */
} KnownRun;

static bool find_known(Arena *arena, const CompareArguments *arguments, KnownRun *known,
                       Status *status)
{
    const char *folders[REPEAT_MAX];
    RanCommon common;
    *known = (KnownRun){.device = device_of_backend(real_words[arguments->real])};
    if (arguments->measured_folder == NULL)
        return data_set_count(arena, arguments->data_folder, NULL, &known->samples, status);
    run_folders(arena, arguments->measured_folder, folders);
    if (!ran_common_read(arena, folders[0], &common, status))
        return false;
    *known = (KnownRun){common.samples, device_of_backend(common.backend)};
    return true;
}

/* Warns that an earlier run did not record its number of images. */
static void warn_of_samples(const CompareArguments *arguments, Arena *arena)
{
    Problems warnings = problems_create(arena);
    status_hint(problems_add(&warnings, STATUS_BAD_INPUT,
                             place_in(arguments->measured_folder, 0, 0),
                             "the number of training images is not known: evaluations are "
                             "predicted for the catalogue's number, and the training is not "
                             "judged"),
                "`trainyard run --real` records it in ranks.json");
    report_warnings(&warnings);
}

static void warn_of_vm_size(const CompareArguments *arguments, const PredictedJob *prediction,
                            Place at, Problems *warnings)
{
    const VmSize *vm_size = prediction->vm_size;
    status_hint(problems_add(warnings, STATUS_BAD_INPUT, at,
                             "job \"%s\" is predicted for %s%s%s, which is not the machine "
                             "that runs it%s",
                             prediction->job, vm_size->name, vm_size->gpu ? " with " : "",
                             vm_size->gpu ? vm_size->gpu->name : "",
                             arguments->catalog ? ": --catalog has no effect on that machine" : ""),
                "use \"vmSize\": \"" VALIDATION_VM_SIZE
                "\" to predict this machine, as in scenarios/local/tutorial");
}

static void warn_of_equal_steps(const PredictedJob *prediction, Place at, Problems *warnings)
{
    if (prediction->program->step_jitter_ppm.count == 1)
        status_hint(problems_add(warnings, STATUS_BAD_INPUT, at,
                                 "all steps of job \"%s\" are predicted equal, and no rank "
                                 "waits for a slower one",
                                 prediction->job),
                    "with \"jitter\": \"" VALIDATION_JITTER "\" in its program they vary as on "
                    "the calibrated machine");
}

/* Fails if a job is predicted for another kind of device than it trains on. */
static bool check_devices(Arena *arena, const char *path, Device device,
                          const PredictedJob *predictions, int32_t count, Status *status)
{
    for (int32_t i = 0; i < count; i++)
        if (!device_check(arena_printf(arena, "job \"%s\"", predictions[i].job),
                          predictions[i].vm_size, device, place_in(path, 0, 0), status))
            return false;
    return true;
}

/* Warns of each job that is predicted for another machine than the calibrated one, which runs it,
 * or with steps that do not vary, although real steps do. */
static void warn_of_models(const CompareArguments *arguments, Arena *arena, const char *path,
                           const PredictedJob *predictions, int32_t count)
{
    Problems warnings = problems_create(arena);
    const Place at = place_in(path, 0, 0);
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(predictions[i].vm_size->name, VALIDATION_VM_SIZE) != 0) {
            warn_of_vm_size(arguments, &predictions[i], at, &warnings);
            continue;
        }
        warn_of_equal_steps(&predictions[i], at, &warnings);
    }
    report_warnings(&warnings);
}

/* --- Running --- */

static int32_t add_option(Arena *arena, char **command, int32_t count, const char *option,
                          const OptionTexts *values)
{
    for (int32_t i = 0; i < values->count; i++) {
        command[count++] = arena_strdup(arena, option);
        command[count++] = arena_strdup(arena, values->items[i]);
    }
    return count;
}

static char **run_command(Arena *arena, const char *path, const CompareArguments *arguments,
                          const char *folder)
{
    const OptionTexts *sets = &arguments->changes.sets, *params = &arguments->changes.params;
    char **command = ARENA_ARRAY(arena, char *, 10 + 2 * (sets->count + params->count));
    int32_t count = 0;
    Text program = {0};
    folder_of_program(&program);
    text_add(&program, "trainyard");
    command[count++] = arena_strdup(arena, text_string(&program));
    command[count++] = arena_strdup(arena, "run");
    command[count++] = arena_strdup(arena, path);
    command[count++] = arena_strdup(arena, "--real");
    command[count++] = arena_strdup(arena, real_words[arguments->real]);
    command[count++] = arena_strdup(arena, "-o");
    command[count++] = arena_strdup(arena, folder);
    if (arguments->data_folder != NULL) {
        command[count++] = arena_strdup(arena, "--data");
        command[count++] = arena_strdup(arena, arguments->data_folder);
    }
    count = add_option(arena, command, count, "--set", sets);
    count = add_option(arena, command, count, "--param", params);
    text_free(&program);
    return command;
}

/* Runs the scenario for real; its tables are not shown, but its warnings and its progress. Exit
 * code 1, a failed job, is accepted here: job_compare decides whether the job was expected to fail.
 */
static bool run_once(Arena *arena, const char *path, const CompareArguments *arguments,
                     const char *folder, RanksEnd *end, Status *status)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0)
        return file_failed("/dev/null", status);
    const ChildPlan plan = {.arguments = run_command(arena, path, arguments, folder),
                            .environment = environ,
                            .directory = ".",
                            .out = nowhere,
                            .error = STDERR_FILENO};
    Child child;
    const bool has_run =
        child_start(&plan, &child, status) && ranks_run(&child, INT64_MAX, NULL, NULL, end, status);
    close(nowhere);
    if (!has_run)
        return false;
    if (end->is_stopped)
        return status_fail(status, STATUS_MACHINE, place_in(folder, 0, 0),
                           "a signal ended this real run");
    return end->exit_code <= EXIT_NO ||
           status_fail(status, end->exit_code == EXIT_BAD_INPUT ? STATUS_BAD_INPUT : STATUS_MACHINE,
                       place_in(path, 0, 0), "the real run ended with exit code %d",
                       end->exit_code);
}

/* After a signal: what is left of the runs before. */
static void hint_at_complete(const CompareArguments *arguments, int32_t complete, Status *status)
{
    if (complete > 0)
        status_hint(status,
                    "%" PRId32 " run%s complete: remove this folder, and `--measured %s` compares "
                    "with %s",
                    complete, complete == 1 ? " is" : "s are", arguments->output_folder,
                    complete == 1 ? "it" : "them");
}

/* Checks that each folder of the new runs belongs to earlier runs. Removes earlier runs with higher
 * numbers, as --measured would count them with the new ones. */
static bool folders_begin(Arena *arena, const CompareArguments *arguments, Status *status)
{
    const char *all = arguments->output_folder;
    int32_t run = 1;
    for (; run <= arguments->repeat; run++)
        if (!folder_is_ours(run_folder(arena, all, run), &run_mark, status))
            return false;
    for (; access(run_folder(arena, all, run), F_OK) == 0; run++) {
        const char *folder = run_folder(arena, all, run);
        const char *const names[] = {folder + strlen(all) + 1, NULL};
        FolderMark mark = run_mark;
        mark.mark = arena_printf(arena, "%s/%s", names[0], run_mark.mark);
        mark.replaced = names;
        const bool was_empty = rmdir(folder) == 0; // left by a failed run
        if (!was_empty && (!folder_is_ours(all, &mark, status) || !folder_remove(folder, status)))
            return false;
    }
    return true;
}

/* Runs the scenario --repeat times; `folders` are the folders of the runs. `*signal` is the signal
 * that ended a run; 0: none. */
static bool run_all(Arena *arena, const char *path, const CompareArguments *arguments,
                    const char **folders, int32_t *count, int *signal, Status *status)
{
    RanksEnd end = {0};
    if (!folders_begin(arena, arguments, status))
        return false;
    for (*count = 0; *count < arguments->repeat; ++*count) {
        folders[*count] = run_folder(arena, arguments->output_folder, *count + 1);
        if (run_once(arena, path, arguments, folders[*count], &end, status))
            continue;
        *signal = end.signal;
        if (end.is_stopped)
            hint_at_complete(arguments, *count, status);
        return false;
    }
    return true;
}

/* --- Reading --- */

/* Whether `attempt` has the predicted device, ranks, batch, precision and network. */
static bool fits_prediction(Arena *arena, const PredictedJob *prediction, const RanAttempt *attempt,
                            Status *status)
{
    const char *whose = arena_printf(arena, "job \"%s\"", prediction->job);
    const Place at = place_in(attempt->source, 0, 0);
    const char *precision = step_precision_word(prediction->program->precision);
    const int64_t batch = prediction->program->batch_per_rank;
    if (!device_check(whose, prediction->vm_size, device_of_backend(attempt->backend), at, status))
        return false;
    if (attempt->ranks != prediction->plan.ranks)
        return status_fail(status, STATUS_BAD_INPUT, at, "has %d ranks, but job \"%s\" has %d",
                           (int)attempt->ranks, prediction->job, (int)prediction->plan.ranks);
    if (attempt->batch != batch)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "has a batch of %lld, but job \"%s\" has a batch of %lld",
                           (long long)attempt->batch, prediction->job, (long long)batch);
    if (attempt->precision != NULL && strcmp(attempt->precision, precision) != 0)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "has the precision \"%s\", but job \"%s\" has the precision \"%s\"",
                           attempt->precision, prediction->job, precision);
    return strcmp(attempt->network, prediction->program->network->name) == 0 ||
           status_fail(status, STATUS_BAD_INPUT, at,
                       "trains the network \"%s\", but job \"%s\" trains \"%s\"", attempt->network,
                       prediction->job, prediction->program->network->name);
}

static int64_t last_step(const TimelineFile *files)
{
    int64_t last = -1;
    for (int64_t i = 0; i < files->count; i++)
        last = files->spans[i].step > last ? files->spans[i].step : last;
    return last;
}

static int64_t first_step(const TimelineFile *files)
{
    int64_t first = INT64_MAX;
    for (int64_t i = 0; i < files->count; i++)
        first = files->spans[i].step < first ? files->spans[i].step : first;
    return first;
}

/* Steps that two attempts have both done; -1 if the progress of one of them is unknown. */
static int64_t steps_lost(const RanJob *ran)
{
    int64_t lost = 0;
    for (int32_t i = 1; i < ran->attempt_count; i++) {
        const RanAttempt *before = &ran->attempts[i - 1], *after = &ran->attempts[i];
        const int64_t done = before->files ? last_step(before->files) + 1 : ran->reached_step;
        if (done < 0 || after->files == NULL || (before->files == NULL && ran->attempt_count > 2))
            return -1;
        const int64_t again = done - first_step(after->files);
        lost += again > 0 ? again : 0;
    }
    return lost;
}

/* The number of steps that all ranks have completed. */
static int64_t steps_done(const RanAttempt *attempt)
{
    int64_t least = attempt->files ? INT64_MAX : 0;
    for (int32_t rank = 0; attempt->files && rank < attempt->ranks; rank++) {
        const int64_t done = last_step(&attempt->files[rank]) + 1;
        least = done < least ? done : least;
    }
    return least;
}

/* Whether a training that is predicted to succeed has succeeded, with all its steps. */
static bool is_complete(const PredictedJob *prediction, const RanAttempt *last, Status *status)
{
    const int64_t steps = prediction->plan.epochs * prediction->plan.steps_per_epoch;
    const int64_t done = steps_done(last);
    const bool has_all = prediction->guesses_samples || done >= steps;
    if (!prediction->succeeds || (last->exit_code == 0 && has_all))
        return true;
    status_fail(status, STATUS_BAD_INPUT, place_in(last->source, 0, 0),
                "job \"%s\" ended with exit code %" PRId32 " after %" PRId64 " of %" PRId64
                " steps, but is predicted to succeed",
                prediction->job, last->exit_code, done, steps);
    return status_hint(status, last->exit_code != 0
                                   ? "the output of the ranks is in the job's stdouterr, on the "
                                     "share"
                                   : "set fewer \"epochs\" in its program, so that it is predicted "
                                     "to end there");
}

/* Compares one job. Every attempt with timelines counts as a run. */
static bool job_compare(Arena *arena, const PredictedJob *prediction, const char *const *folders,
                        int32_t folder_count, CompareJob *job, Status *status)
{
    enum { RUNS_MAX = 1000 };
    MeasuredFiles *runs = ARENA_ARRAY(arena, MeasuredFiles, RUNS_MAX);
    int32_t count = 0, attempts = 0;
    int64_t lost = 0;
    for (int32_t i = 0; i < folder_count; i++) {
        RanJob ran;
        if (!ran_job_read(arena, folders[i], prediction->job, &ran, status))
            return false;
        for (int32_t a = 0; a < ran.attempt_count; a++) {
            if (!fits_prediction(arena, prediction, &ran.attempts[a], status))
                return false;
            if (ran.attempts[a].files != NULL && count < RUNS_MAX)
                runs[count++] = (MeasuredFiles){ran.attempts[a].files, ran.attempts[a].ranks};
        }
        if (!is_complete(prediction, &ran.attempts[ran.attempt_count - 1], status))
            return false;
        attempts = ran.attempt_count > attempts ? ran.attempt_count : attempts;
        const int64_t again = steps_lost(&ran);
        lost = again < 0 || lost < 0 ? -1 : lost + again;
    }
    if (!compare_job(arena, prediction, runs, count, job))
        return status_fail(status, STATUS_BAD_INPUT, place_in(folders[0], 0, 0),
                           "the timelines of job \"%s\" contain no complete step", prediction->job);
    job->recovery = (Recovery){.attempts = attempts, .steps_lost = lost};
    return true;
}

/* --- Writing --- */

static bool files_write(Arena *arena, const Comparison *comparison, const char *scenario,
                        const char *folder, const Json *json, Status *status)
{
    Status no_plots = {0};
    if (!folder_create(folder, status) ||
        !json_file_write(arena_printf(arena, "%s/compare.json", folder), json, status) ||
        !compare_timeline_write(comparison, arena_printf(arena, "%s/compare.timeline.json", folder),
                                status) ||
        !compare_page_write(arena, comparison, scenario, folder, &no_plots, status))
        return false;
    page_warn_of_plots(arena_printf(arena, "%s/compare.html", folder), &no_plots);
    return true;
}

static bool print_and_write(Arena *arena, const CompareArguments *arguments, const char *scenario,
                            const Comparison *comparison, Status *status)
{
    const Json *json = compare_json(arena, comparison);
    Text text = {0};
    if (arguments->is_json) {
        json_show(json);
    } else {
        compare_print(&text, arena, comparison);
        fputs(text_string(&text), stdout);
    }
    text_free(&text);
    return arguments->output_folder == NULL ||
           files_write(arena, comparison, scenario, arguments->output_folder, json, status);
}

/* --- A scenario --- */

static bool compare(Arena *arena, const char *path, const CompareArguments *arguments,
                    const PredictedJob *predictions, int32_t count, Comparison *comparison,
                    int *signal, Status *status)
{
    Tolerance tolerance = {0};
    const char *folders[REPEAT_MAX] = {NULL};
    int32_t folder_count;
    if (!tolerance_read(arguments, &tolerance, status))
        return false;
    const LoadReading before = load_read();
    if (arguments->measured_folder != NULL)
        folder_count = run_folders(arena, arguments->measured_folder, folders);
    else if (!run_all(arena, path, arguments, folders, &folder_count, signal, status))
        return false;
    const LoadReading after = load_read();
    CompareJob *jobs = ARENA_ARRAY(arena, CompareJob, count);
    for (int32_t i = 0; i < count; i++)
        if (!job_compare(arena, &predictions[i], folders, folder_count, &jobs[i], status))
            return false;
    *comparison = compare_sum_up(tolerance, jobs, count);
    if (arguments->measured_folder == NULL) {
        comparison->other_cores = load_others(before, after);
        comparison->cores = after.cores;
    }
    return print_and_write(arena, arguments, path, comparison, status);
}

/* Compares a scenario. Returns an exit code. */
static int predict_and_compare(Arena *arena, const char *path, CompareArguments *arguments)
{
    Problems problems = problems_create(arena);
    PredictedJob *predictions;
    KnownRun known;
    int32_t count;
    Comparison comparison;
    Status status = {0};
    if (arguments->output_folder == NULL && arguments->measured_folder == NULL) {
        status_fail(&status, STATUS_BAD_INPUT, place_in("trainyard: compare", 0, 0),
                    "a real run needs a folder for its files");
        status_hint(&status, "add -o DIR, or --measured DIR with the files of an earlier run");
        return report_status(&status);
    }
    if (!sets_complete(arena, arguments, &status) || !find_known(arena, arguments, &known, &status))
        return report_status(&status);
    if (!predict(arena, path, arguments, known.samples, &predictions, &count, &problems))
        return report_problems(&problems);
    const bool guesses = arguments->measured_folder != NULL && known.samples.train == 0;
    for (int32_t i = 0; i < count; i++)
        predictions[i].guesses_samples = guesses;
    if (!check_devices(arena, path, known.device, predictions, count, &status))
        return report_status(&status);
    warn_of_models(arguments, arena, path, predictions, count);
    int signal = 0;
    if (!compare(arena, path, arguments, predictions, count, &comparison, &signal, &status)) {
        const int exit_code = report_status(&status);
        return signal != 0 ? 128 + signal : exit_code;
    }
    if (guesses)
        warn_of_samples(arguments, arena);
    return comparison.is_inside ? EXIT_FINE : EXIT_NO;
}

/* --- A matrix --- */

/* Reads --catalog after azure-2018.json in the same folder, which has the networks. */
static const Catalog *catalog_of(Arena *arena, const CompareArguments *arguments,
                                 Problems *problems)
{
    const char *slash = strrchr(arguments->catalog, '/');
    const char *folder =
        slash ? arena_strndup(arena, arguments->catalog, (size_t)(slash - arguments->catalog) + 1)
              : "";
    const CatalogFile files[] = {
        {disk_files, arena_printf(arena, "%sazure-2018.json", folder)},
        {disk_files, arguments->catalog},
    };
    return catalog_files_read(arena, files, 2, problems);
}

/* The path of the plot of errors: "measured/validation-zen4.svg" for
 * "measured/validation-zen4.tsv". */
static const char *plot_of(Arena *arena, const char *matrix)
{
    const size_t length = strlen(matrix);
    const bool is_tsv = length > 4 && strcmp(matrix + length - 4, ".tsv") == 0;
    return arena_printf(arena, "%.*s.svg", (int)(is_tsv ? length - 4 : length), matrix);
}

static void matrix_print(Arena *arena, const CompareArguments *arguments,
                         const Validation *validation)
{
    if (arguments->is_json) {
        json_show(validation_json(arena, validation));
        return;
    }
    Text out = {0};
    if (arguments->is_markdown)
        validation_markdown(&out, arena, validation, plot_of(arena, arguments->matrix));
    else
        validation_print(&out, arena, validation);
    fputs(text_string(&out), stdout);
    text_free(&out);
}

static bool matrix_write(Arena *arena, const Validation *validation, const char *folder,
                         Status *status)
{
    Status no_plots = {0};
    if (!folder_create(folder, status) ||
        !validation_plots_write(arena, validation, folder, &no_plots, status))
        return false;
    page_warn_of_plots(folder, &no_plots);
    return true;
}

/* Compares the cells of --matrix. Returns an exit code. */
static int compare_matrix(Arena *arena, const CompareArguments *arguments)
{
    enum { TABLE_BYTES_MAX = 64 << 20 };
    Problems problems = problems_create(arena);
    ValidationTable table;
    Validation validation;
    Tolerance tolerance = {0};
    char *text;
    size_t length;
    Status status = {0};
    if (arguments->catalog == NULL) {
        status_fail(&status, STATUS_BAD_INPUT, place_in("--matrix", 0, 0),
                    "needs --catalog FILE, the catalogue of the measured machine");
        return report_status(&status);
    }
    const Catalog *catalog = catalog_of(arena, arguments, &problems);
    if (catalog == NULL)
        return report_problems(&problems);
    if (!tolerance_read(arguments, &tolerance, &status) ||
        !file_read(arena, arguments->matrix, TABLE_BYTES_MAX, &text, &length, &status) ||
        !validation_parse(arguments->matrix, text, length, arena, &table, &status) ||
        !validation_judge(arena, &table, catalog, tolerance, &validation, &status))
        return report_status(&status);
    matrix_print(arena, arguments, &validation);
    const char *folder = arguments->output_folder;
    if (folder != NULL && !matrix_write(arena, &validation, folder, &status))
        return report_status(&status);
    return validation.is_inside ? EXIT_FINE : EXIT_NO;
}

/* --- The verb --- */

static int report_wrong_operands(const Operands *operands)
{
    Status status = {0};
    status_fail(&status, STATUS_BAD_INPUT, place_in("trainyard: compare", 0, 0), "%s",
                operands->count == 0 ? "a scenario or --matrix FILE is missing"
                                     : "takes a scenario or --matrix FILE, not both");
    return report_status(&status);
}

static int run_compare(int argc, char **argv)
{
    Arena *arena = arena_create();
    CompareArguments arguments = {.tolerance = "12%", .mean = "5%", .repeat = 1};
    Operands operands;
    int exit_code;
    if (options_read(&compare_table, arena, argc, argv, &arguments, &operands, &exit_code)) {
        if ((operands.count == 0) == (arguments.matrix == NULL))
            exit_code = report_wrong_operands(&operands);
        else if (arguments.matrix != NULL)
            exit_code = compare_matrix(arena, &arguments);
        else
            exit_code = predict_and_compare(
                arena, scenario_operand(arena, operands.items[0], false), &arguments);
    }
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_compare = {.options = &compare_table, .run = run_compare};
