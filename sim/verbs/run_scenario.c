#include "sim/verbs/run_scenario.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "reports/report.h"
#include "sim/cli/files.h"
#include "sim/output/fingerprint.h"
#include "sim/output/narrator.h"
#include "sim/output/share_tree.h"
#include "sim/output/summary.h"
#include "sim/output/timeline.h"
#include "sim/output/trace_fan.h"
#include "sim/output/trace_tsv.h"

enum { FILE_BYTES_MAX = 64 << 20 };

static bool disk_read(void *context, Arena *arena, const char *path, const char **text,
                      size_t *length, Status *status)
{
    (void)context;
    char *data;
    if (!file_read(arena, path, FILE_BYTES_MAX, &data, length, status))
        return false;
    *text = data;
    return true;
}

static bool disk_size(void *context, const char *path, int64_t *bytes, Status *status)
{
    (void)context;
    struct stat facts;
    if (stat(path, &facts) != 0)
        return status_fail(status, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_MACHINE,
                           place_in(path, 0, 0), "%s", strerror(errno));
    *bytes = (int64_t)facts.st_size;
    return true;
}

const FileSource disk_files = {.read = disk_read, .size = disk_size};

/* The files of a run that are written while it runs. */
typedef struct {
    FileWriter trace;
    FileWriter timeline;
    TraceTsvWriter *trace_writer;
    TimelineWriter *timeline_writer;
    ShareTree *shares;
} RunFiles;

static const char *in_folder(Arena *arena, const RunOptions *options, const char *name)
{
    return arena_printf(arena, "%s/%s", options->output_folder, name);
}

static bool files_open(Arena *arena, const RunOptions *options, const Scenario *scenario,
                       RunFiles *files, TraceFan *fan, Status *status)
{
    if (!folder_create(options->output_folder, status) ||
        !file_writer_open(&files->trace, in_folder(arena, options, "trace.tsv"), status))
        return false;
    if (!file_writer_open(&files->timeline, in_folder(arena, options, "timeline.json"), status)) {
        file_writer_abandon(&files->trace);
        return false;
    }
    TraceHeader header = {.level = options->level,
                          .scenario = scenario->name,
                          .seed = scenario->seed,
                          .start_unix_ms = scenario->start_unix_ms};
    files->trace_writer = trace_tsv_writer_create(arena, files->trace.stream, &header);
    files->timeline_writer = timeline_writer_create(arena, files->timeline.stream, options->level);
    files->shares = share_tree_create(arena);
    trace_fan_join(fan, trace_tsv_writer_listener(files->trace_writer));
    trace_fan_join(fan, timeline_writer_listener(files->timeline_writer));
    trace_fan_join(fan, share_tree_listener(files->shares));
    return true;
}

static bool files_finish(Arena *arena, const RunOptions *options, RunFiles *files,
                         const RunResult *result, Status *status)
{
    trace_tsv_writer_finish(files->trace_writer);
    timeline_writer_finish(files->timeline_writer);
    bool is_traced = file_writer_commit(&files->trace, status);
    if (!is_traced)
        file_writer_abandon(&files->timeline);
    else
        is_traced = file_writer_commit(&files->timeline, status);
    Text summary = {0};
    json_print(&summary, result->summary, JSON_INDENTED);
    bool is_written =
        is_traced &&
        file_write(in_folder(arena, options, "summary.json"), text_string(&summary), summary.length,
                   status) &&
        share_tree_write(files->shares, result->world, options->output_folder, status) &&
        report_write(options->output_folder, status);
    text_free(&summary);
    return is_written;
}

bool run_scenario(Arena *arena, const char *path, const RunOptions *options, RunResult *result,
                  Problems *problems)
{
    result->file = scenario_read(arena, disk_files, path, options->overrides, problems);
    if (!result->file)
        return false;
    const Scenario *scenario = &result->file->scenario;
    Status status = {0};
    RunFiles files = {0};
    TraceFan *fan = trace_fan_create(arena);
    if (options->output_folder && !files_open(arena, options, scenario, &files, fan, &status)) {
        problems_add_status(problems, &status);
        return false;
    }
    MetricsFold *metrics = metrics_fold_create(arena);
    Fingerprint fingerprint = fingerprint_start();
    // Percentiles of step times need every step, whatever the trace tells; and so the fingerprint
    // does not hang on its level.
    trace_fan_join(fan, metrics_fold_listener(metrics, TRACE_LEVEL_STEPS));
    trace_fan_join(fan, fingerprint_listener(&fingerprint, TRACE_LEVEL_STEPS));
    Narrator *narrator = NULL;
    if (options->narration) {
        narrator = narrator_create(arena, options->narration);
        trace_fan_join(fan, narrator_listener(narrator));
    }
    result->world = world_create(arena, scenario, trace_fan_sink(fan));
    trace_fan_watch(fan, result->world);
    if (narrator)
        narrator_watch(narrator, result->world);
    if (options->checks_always)
        world_check_always(result->world);
    world_run(result->world);

    Text hashes = {0};
    fingerprint_print(&hashes, &fingerprint);
    result->metrics = metrics_fold_result(metrics);
    RunFacts facts = run_facts_of_world(arena, result->world, TRAINYARD_VERSION);
    result->summary = summary_json(arena, &facts, result->metrics, text_string(&hashes));
    text_free(&hashes);
    if (narrator)
        narrator_conclude(narrator, result->summary);
    if (options->output_folder && !files_finish(arena, options, &files, result, &status)) {
        problems_add_status(problems, &status);
        return false;
    }
    return true;
}
