/* trainyard compare: predicts a scenario, runs it for real, and compares both. */
#include <errno.h>
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
#include "real/compare/real_runs.h"
#include "real/compare/trace_pair.h"
#include "real/compare/validation.h"
#include "real/compare/validation_print.h"
#include "real/launch/data_set.h"
#include "reports/page/page.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/files.h"
#include "sim/cli/json_file.h"
#include "sim/scenario/catalog/files.h"
#include "tools/trainyard/compare_runs.h"
#include "tools/trainyard/run_scenario.h"
#include "tools/trainyard/verbs.h"

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
    OPTION_INTEGER(0, "repeat", repeat, "N", 1, COMPARE_RUNS_MAX, "run for real N times (1)"),
    OPTION_FOLDER(0, "data", data_folder, "DIR", "train on the CIFAR-10 set in DIR"),
    OPTION_FILE(0, "matrix", matrix, "FILE",
                "compare the measured cells of FILE (tools/validate.sh) instead of a scenario"),
    OPTION_FLAG(
        0, "json", is_json,
        "print JSON instead of tables (trainyard schema compare-answer, compare-table-answer)"),
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

/* --- What is known before, and warnings --- */

/* Facts about the real run that are known before it is compared. */
typedef struct {
    DataSamples samples; /* that it finds; both 0: it did not record them */
    Device device;       /* DEVICE_UNKNOWN: it did not record its backend */
} KnownRun;

static bool find_known(Arena *arena, const CompareArguments *arguments, KnownRun *known,
                       Status *status)
{
    const char *folders[COMPARE_RUNS_MAX];
    RanCommon common;
    *known = (KnownRun){.device = device_of_backend(real_words[arguments->real])};
    if (arguments->measured_folder == NULL)
        return data_set_count(arena, arguments->data_folder, NULL, &known->samples, status);
    compare_runs_find(arena, arguments->measured_folder, folders);
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

static bool make_runs(Arena *arena, const char *path, const CompareArguments *arguments,
                      const char **folders, int32_t *count, int *signal, Status *status)
{
    const CompareRuns runs = {.scenario = path,
                              .changes = &arguments->changes,
                              .device = real_words[arguments->real],
                              .data_folder = arguments->data_folder,
                              .folder = arguments->output_folder,
                              .repeat = (int32_t)arguments->repeat};
    return compare_runs_make(arena, &runs, folders, count, signal, status);
}

static bool compare(Arena *arena, const char *path, const CompareArguments *arguments,
                    const PredictedJob *predictions, int32_t count, Comparison *comparison,
                    int *signal, Status *status)
{
    Tolerance tolerance = {0};
    const char *folders[COMPARE_RUNS_MAX] = {NULL};
    int32_t folder_count;
    if (!tolerance_read(arguments, &tolerance, status))
        return false;
    const LoadReading before = load_read();
    if (arguments->measured_folder != NULL)
        folder_count = compare_runs_find(arena, arguments->measured_folder, folders);
    else if (!make_runs(arena, path, arguments, folders, &folder_count, signal, status))
        return false;
    const LoadReading after = load_read();
    CompareJob *jobs = ARENA_ARRAY(arena, CompareJob, count);
    for (int32_t i = 0; i < count; i++)
        if (!real_runs_compare(arena, &predictions[i], folders, folder_count, &jobs[i], status))
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
