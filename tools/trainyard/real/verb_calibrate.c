/* trainyard calibrate: measures this machine and writes its catalogue. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "real/calibrate/calibration.h"
#include "real/calibrate/calibration_compare.h"
#include "real/calibrate/measuring.h"
#include "sim/cli/files.h"
#include "sim/cli/json_file.h"
#include "sim/cli/program.h"
#include "sim/cli/report.h"
#include "tools/trainyard/real/calibrate_options.h"
#include "trainer/compute/backend_words.h"

/* --- Files --- */

static const size_t file_bytes_max = (size_t)1 << 28;

static Json *json_load(Arena *arena, const char *path, Status *status)
{
    char *text;
    size_t length;
    Problems problems = problems_create(arena);
    if (!file_read(arena, path, file_bytes_max, &text, &length, status))
        return NULL;
    Json *root = json_parse(arena, path, text, length, JSON_WITH_COMMENTS, &problems);
    if (!root)
        *status = problems.items[0];
    return root;
}

static const char *default_output(Arena *arena, const Json *measurements)
{
    static const char *const catalogues = "scenarios/catalog";
    const Json *host = json_member(measurements, "host");
    const char *name = host && host->kind == JSON_STRING ? host->text : "machine";
    name = arena_printf(arena, "local-%s.json", strchr(name, '/') ? "machine" : name);
    return folder_exists(catalogues) ? arena_printf(arena, "%s/%s", catalogues, name) : name;
}

/* "local.measurements.json" for "local.json". */
static const char *measurements_path(Arena *arena, const char *path)
{
    static const char ending[] = ".json";
    const size_t length = strlen(path), cut = strlen(ending);
    const bool has_ending = length > cut && strcmp(path + length - cut, ending) == 0;
    return arena_printf(arena, "%.*s.measurements.json", (int)(has_ending ? length - cut : length),
                        path);
}

static const char *folder_of(Arena *arena, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? arena_strndup(arena, path, (size_t)(slash - path) + 1) : ".";
}

/* --- Calibrating --- */

static Json *measure(Arena *arena, const CalibrateOptions *options, int *signal, Status *status)
{
    const Json *earlier = options->more ? json_load(arena, options->more, status) : NULL;
    if (options->more && !earlier)
        return NULL;
    Text folder = {0};
    folder_of_program(&folder);
    const MeasuringPlan plan = {.is_quick = options->is_quick,
                                .rounds = (int32_t)options->rounds,
                                .name = options->name,
                                .earlier = earlier,
                                .ranks = (int32_t)options->ranks,
                                .backend = backend_words[options->backend],
                                .programs = arena_strdup(arena, text_string(&folder)),
                                .folder = folder_of(arena, options->output)};
    text_free(&folder);
    Problems warnings = problems_create(arena);
    Json *measurements = measure_machine(arena, &plan, signal, &warnings, status);
    report_warnings(&warnings);
    return measurements;
}

/* The error of most times is six times the spread, and steps should be predicted within 5 %. */
#define SPREAD_MAX 0.01

static bool warn_when_busy(Arena *arena, const Json *measurements, Status *status)
{
    double spread;
    Problems warnings = problems_create(arena);
    if (!calibration_spread(arena, measurements, &spread, status))
        return false;
    if (spread > SPREAD_MAX)
        status_hint(problems_add(&warnings, STATUS_MACHINE, place_in("trainyard", 0, 0),
                                 "the machine was busy: the measurements have a standard error of "
                                 "%.1f %%",
                                 100 * spread),
                    "calibrate again when nothing else runs");
    report_warnings(&warnings);
    return true;
}

static void print_moves(const CalibrationMove *moves, int32_t count, int32_t *too_far)
{
    *too_far = 0;
    for (int32_t i = 0; i < count; i++) {
        if (moves[i].moved <= moves[i].error)
            continue;
        printf("%s has moved by %.1f %%, more than %.1f %%\n", moves[i].path, 100 * moves[i].moved,
               100 * moves[i].error);
        ++*too_far;
    }
    if (*too_far == 0)
        printf("%d value%s, none of which has moved by more than its error\n", (int)count,
               plural(count));
    else
        printf("%d of %d values have moved by more than their errors\n", (int)*too_far, (int)count);
}

/* Reads the catalogue for --check before the minutes of measuring. Comparing it with itself proves
 * that it is the catalogue of a calibration. NULL with `status` on failure. */
static const Json *load_old(Arena *arena, const char *path, Status *status)
{
    int32_t count;
    const Json *old = json_load(arena, path, status);
    return old && calibration_compare(arena, old, old, &count, status) ? old : NULL;
}

static bool check(Arena *arena, const Json *old, const Json *catalogue, int *exit_code,
                  Status *status)
{
    int32_t count, too_far;
    const CalibrationMove *moves = calibration_compare(arena, old, catalogue, &count, status);
    if (!moves)
        return false;
    print_moves(moves, count, &too_far);
    *exit_code = too_far > 0 ? EXIT_NO : EXIT_FINE;
    return true;
}

static bool store(Arena *arena, const CalibrateOptions *options, const Json *measurements,
                  const Json *catalogue, Status *status)
{
    const char *path = options->output ? options->output : default_output(arena, measurements);
    const char *kept = measurements_path(arena, path);
    if (!options->from && !json_file_write(kept, measurements, status))
        return false;
    if (!json_file_write(path, catalogue, status))
        return false;
    printf("wrote %s%s%s\n", path, options->from ? "" : " and ", options->from ? "" : kept);
    return true;
}

/* After a signal: what the catalogue is fitted to, and how to add the other rounds. */
static void warn_of_signal(Arena *arena, const CalibrateOptions *options, const Json *measurements)
{
    Problems warnings = problems_create(arena);
    const char *path = options->output ? options->output : default_output(arena, measurements);
    const int64_t rounds = json_member(measurements, "rounds")->integer;
    status_hint(problems_add(&warnings, STATUS_MACHINE, place_in("trainyard: calibrate", 0, 0),
                             "a signal ended it: the measurements have %" PRId64 " whole round%s",
                             rounds, plural(rounds)),
                "`--rounds 1 --more %s` adds a round", measurements_path(arena, path));
    report_warnings(&warnings);
}

enum { SIGNAL_EXIT = 128 }; /* plus the signal's number: as in a shell */

static int calibrate(Arena *arena, const CalibrateOptions *options)
{
    Status status = {0};
    int exit_code = EXIT_FINE, signal = 0;
    if (options->from && options->more) {
        status_fail(&status, STATUS_BAD_INPUT, place_in("--more", 0, 0),
                    "does not go with --from, which measures nothing");
        return report_status(&status);
    }
    const Json *old = options->check ? load_old(arena, options->check, &status) : NULL;
    if (options->check && !old)
        return report_status(&status);
    const Json *measurements = options->from ? json_load(arena, options->from, &status)
                                             : measure(arena, options, &signal, &status);
    if (signal != 0 && !measurements) {
        report_status(&status);
        return SIGNAL_EXIT + signal;
    }
    const Json *catalogue = measurements ? calibration_fit(arena, measurements, &status) : NULL;
    if (!catalogue || (!options->from && !warn_when_busy(arena, measurements, &status)) ||
        (old && signal == 0 && !check(arena, old, catalogue, &exit_code, &status)))
        return report_status(&status);
    // With --check alone, the old catalogue must stay unchanged.
    if ((!options->check || options->output) &&
        !store(arena, options, measurements, catalogue, &status))
        return report_status(&status);
    if (signal == 0)
        return exit_code;
    warn_of_signal(arena, options, measurements);
    return SIGNAL_EXIT + signal;
}

int program_run(int argc, char **argv)
{
    Arena *arena = arena_create();
    CalibrateOptions options = {0};
    Operands operands;
    int exit_code;
    if (options_read(&calibrate_option_table, arena, argc, argv, &options, &operands, &exit_code))
        exit_code = calibrate(arena, &options);
    arena_destroy(arena);
    return exit_code;
}
