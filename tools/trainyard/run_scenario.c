#include "tools/trainyard/run_scenario.h"

#include <signal.h>

#include "real/launch/real_run_check.h"
#include "reports/page/page.h"
#include "reports/run/report.h"
#include "sim/base/units.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/files.h"
#include "sim/cli/json_file.h"
#include "sim/cli/progress.h"
#include "sim/cli/report.h"
#include "sim/formats/keras_network.h"
#include "sim/output/explain/narrator.h"
#include "sim/output/explain/why.h"
#include "sim/output/share/share_tree.h"
#include "sim/output/summary/summary.h"
#include "sim/output/trace/fan.h"
#include "sim/output/trace/fingerprint.h"
#include "sim/output/trace/timeline.h"
#include "sim/output/trace/tsv.h"
#include "tools/trainyard/policy/policy_file.h"

/* --- The summary --- */

/* The input of a summary, and the summary itself after its first use. */
struct RunSummary {
    Arena *arena;
    RunFacts facts;
    const RunMetrics *metrics;
    const char *fingerprint;
    Summary *folded;  /* NULL: not used yet */
    const Json *json; /* NULL: not used yet */
};

static Summary *folded_summary(const RunResult *result)
{
    struct RunSummary *summary = result->summary;
    if (summary->folded == NULL)
        summary->folded =
            summary_of_run(summary->arena, &summary->facts, summary->metrics, summary->fingerprint);
    return summary->folded;
}

const Summary *run_summary(const RunResult *result)
{
    return folded_summary(result);
}

const Json *run_summary_json(const RunResult *result)
{
    struct RunSummary *summary = result->summary;
    if (summary->json == NULL)
        summary->json = summary_json(summary->arena, run_summary(result));
    return summary->json;
}

/* --- Files --- */

/* The files that are written during the run, and the rows for its report. */
typedef struct {
    FileWriter trace;
    FileWriter timeline;
    TraceTsvWriter *trace_writer;
    TimelineWriter *timeline_writer;
    ShareTree *shares;
    TraceHeader header;
    ReportRows rows;
} RunFiles;

static const char *in_folder(Arena *arena, const RunOptions *options, const char *name)
{
    return arena_printf(arena, "%s/%s", options->output_folder, name);
}

/* A run replaces the files of an earlier run in its folder, and no other files. */
static const char *const replaced_names[] = {"trace.tsv", "timeline.json", "summary.json",
                                             "ran.json",  "report.html",   "share",
                                             "real",      "plots",         NULL};
const FolderMark run_mark = {.maker = "run of trainyard",
                             .option = "-o",
                             .mark = "trace.tsv",
                             .beginning = "#trainyard-trace",
                             .replaced = replaced_names};

static bool timeline_open(Arena *arena, const RunOptions *options, RunFiles *files, TraceFan *fan,
                          Status *status)
{
    const char *path = in_folder(arena, options, "timeline.json");
    if (options->has_no_timeline)
        return folder_remove(path, status); // the file of an earlier run
    if (!file_writer_open(&files->timeline, path, status))
        return false;
    files->timeline_writer = timeline_writer_create(arena, files->timeline.stream, options->level);
    trace_fan_join(fan, timeline_writer_listener(files->timeline_writer));
    return true;
}

static bool files_open(Arena *arena, const RunOptions *options, const Scenario *scenario,
                       RunFiles *files, TraceFan *fan, Status *status)
{
    if (!folder_is_ours(options->output_folder, &run_mark, status) ||
        !folder_create(options->output_folder, status) ||
        !file_writer_open(&files->trace, in_folder(arena, options, "trace.tsv"), status))
        return false;
    if (!timeline_open(arena, options, files, fan, status)) {
        file_writer_abandon(&files->trace);
        return false;
    }
    files->header = (TraceHeader){.level = options->level,
                                  .is_empty = options->has_no_trace,
                                  .scenario = scenario->name,
                                  .seed = scenario->seed,
                                  .start_unix_ms = scenario->start_unix_ms};
    files->header.given = given_lines(arena, &scenario->given, &files->header.given_count);
    files->rows.arena = arena;
    files->trace_writer = trace_tsv_writer_create(arena, files->trace.stream, &files->header);
    if (!options->has_no_trace)
        trace_fan_join(fan, trace_tsv_writer_listener(files->trace_writer));
    trace_fan_join(fan, report_rows_listener(&files->rows, options->level));
    return true;
}

static bool timeline_commit(RunFiles *files, Status *status)
{
    if (files->timeline_writer == NULL)
        return true;
    timeline_writer_finish(files->timeline_writer);
    return file_writer_commit(&files->timeline, status);
}

static void timeline_abandon(RunFiles *files)
{
    if (files->timeline_writer == NULL)
        return;
    timeline_writer_finish(files->timeline_writer);
    file_writer_abandon(&files->timeline);
}

static bool streams_commit(RunFiles *files, Status *status)
{
    trace_tsv_writer_finish(files->trace_writer);
    if (file_writer_commit(&files->trace, status))
        return timeline_commit(files, status);
    timeline_abandon(files);
    return false;
}

static void files_abandon(RunFiles *files)
{
    trace_tsv_writer_finish(files->trace_writer);
    file_writer_abandon(&files->trace);
    timeline_abandon(files);
}

/* Removes the share files of an earlier run. Jobs that ran for real have written share/ themselves:
 * then it is kept, and ran.json is written. */
static bool share_begin(Arena *arena, const RunOptions *options, const Json *ran, Status *status)
{
    return ran != NULL ? json_file_write(in_folder(arena, options, "ran.json"), ran, status)
                       : folder_remove(in_folder(arena, options, "share"), status);
}

/* SIGINT, SIGTERM and SIGHUP wait until the files of the run are all in place: between two of them
 * the folder has files of this run next to those of an earlier one. */
static void hold_signals(sigset_t *before)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, before);
}

static bool files_put(Arena *arena, const RunOptions *options, RunFiles *files,
                      const RunResult *result, const Json *ran, Status *no_plots, Status *status)
{
    return streams_commit(files, status) &&
           json_file_write(in_folder(arena, options, "summary.json"), run_summary_json(result),
                           status) &&
           share_begin(arena, options, ran, status) &&
           (options->has_no_share ||
            share_tree_write(files->shares, result->world, options->output_folder, status)) &&
           report_write_run(arena, options->output_folder, run_summary(result), &files->rows,
                            &files->header, no_plots, status);
}

/* `ran` is NULL when no job ran for real. */
static bool files_finish(Arena *arena, const RunOptions *options, RunFiles *files,
                         const RunResult *result, const Json *ran, Status *status)
{
    Status no_plots = {0};
    sigset_t before;
    hold_signals(&before);
    const bool is_written = files_put(arena, options, files, result, ran, &no_plots, status);
    sigprocmask(SIG_SETMASK, &before, NULL); // a signal that came meanwhile ends the program here
    if (is_written)
        page_warn_of_plots(in_folder(arena, options, "report.html"), &no_plots);
    return is_written;
}

/* --- The run --- */

/* The listeners of every run, whether or not files are written. */
typedef struct {
    MetricsFold *metrics;
    WaitingFold *waiting;
    Fingerprint fingerprint;
    Narrator *narrator; /* NULL without RunOptions.narration */
    Why *why;           /* NULL without RunOptions.why_job */
} Listeners;

static void listeners_join(Arena *arena, const RunOptions *options, const Scenario *scenario,
                           Listeners *listeners, TraceFan *fan)
{
    // Percentiles of step times need every step, at any trace level. With every step, the
    // fingerprint does not depend on the level either.
    listeners->metrics = metrics_fold_create(arena);
    metrics_fold_measure(listeners->metrics, scenario);
    listeners->waiting = waiting_fold_create(arena);
    trace_fan_join(fan, waiting_fold_listener(listeners->waiting));
    listeners->fingerprint = fingerprint_start();
    trace_fan_join(fan, metrics_fold_listener(listeners->metrics, TRACE_LEVEL_STEPS));
    trace_fan_join(fan, fingerprint_listener(&listeners->fingerprint, TRACE_LEVEL_STEPS));
    listeners->narrator = NULL;
    listeners->why = NULL;
    if (options->why_job != NULL) {
        listeners->why = why_create(arena, options->why_job);
        trace_fan_join(fan, why_listener(listeners->why));
    }
    if (options->narration == NULL)
        return;
    listeners->narrator = narrator_create(arena, options->narration);
    trace_fan_join(fan, narrator_listener(listeners->narrator));
}

/* Shows the progress of a long run. */
typedef struct {
    Progress progress;
    int64_t rows;
} Ticker;

enum { ROWS_BETWEEN_UPDATES = 4096 };

static void tick(void *listener, const TraceRow *row)
{
    Ticker *ticker = listener;
    if (++ticker->rows % ROWS_BETWEEN_UPDATES == 0)
        progress_update(&ticker->progress, row->record.at_ns / NS_PER_S);
}

/* Without `until` the length of the run is not known: then only the simulated time is shown. */
static Ticker ticker_start(const Scenario *scenario, const RunOptions *options)
{
    const int64_t total_s = scenario->until_ns != INT64_MAX ? scenario->until_ns / NS_PER_S : 0;
    return (Ticker){.progress = progress_start("run", total_s, !options->shows_warnings)};
}

static World *world_before_run(Arena *arena, const Scenario *scenario, const RunOptions *options,
                               TraceFan *fan, const Listeners *listeners, RunWatch *watch)
{
    World *world = world_create(arena, scenario, trace_fan_sink(fan));
    trace_fan_watch(fan, world);
    waiting_fold_watch(listeners->waiting, world);
    if (listeners->narrator != NULL)
        narrator_watch(listeners->narrator, world);
    if (listeners->why != NULL)
        why_watch(listeners->why, world);
    if (watch != NULL)
        run_watch_begin(watch, world);
    if (options->checks_always)
        world_check_always(world);
    return world;
}

/* Whether jobs run on this machine. A scenario with a session (its own, or from --ran) records what
 * its jobs did, so they do not run again. */
static bool runs_for_real(const RunOptions *options, const ScenarioFile *file)
{
    return options->real != NULL && json_member(file->root, "session") == NULL &&
           real_run_is_needed(&file->scenario);
}

/* Runs the world to its end. `*ran` is the record of the jobs that ran for real; NULL: none did. */
static bool run_world(Arena *arena, const RunOptions *options, const RunFiles *files,
                      RunResult *result, Json **ran, Status *status)
{
    const ScenarioFile *file = result->file;
    const char *ran_path = options->overrides.ran_path;
    *ran = NULL;
    if (ran_path != NULL && !real_run_replay(arena, ran_path, result->world, status))
        return false;
    if (runs_for_real(options, file)) {
        RealRunResult real;
        RealRunSettings settings = *options->real;
        settings.folder = options->output_folder;
        if (settings.folder == NULL) // the files are not kept
            settings.folder = folder_create_temporary(arena, "trainyard", status);
        bool has_run =
            settings.folder != NULL &&
            real_run(arena, &settings, result->world, file->reader, files->shares, &real, status);
        if (options->output_folder == NULL && settings.folder != NULL)
            has_run &= folder_remove(settings.folder, has_run ? status : &(Status){0});
        if (!has_run)
            return false;
        *ran = real.ran;
        result->real_signal = real.signal;
    }
    world_run(result->world);
    return options->policy == NULL || policy_file_check(options->policy, status);
}

static struct RunSummary *prepare_summary(Arena *arena, const RunResult *result,
                                          const Listeners *listeners)
{
    Text hashes = {0};
    struct RunSummary *summary = ARENA_NEW(arena, struct RunSummary);
    fingerprint_print(&hashes, &listeners->fingerprint);
    *summary = (struct RunSummary){
        .arena = arena,
        .facts = run_facts_of_world(arena, result->world, listeners->waiting, TRAINYARD_VERSION),
        .metrics = result->metrics,
        .fingerprint = arena_strdup(arena, text_string(&hashes))};
    text_free(&hashes);
    return summary;
}

static void prepare_story(Arena *arena, const Listeners *listeners, RunResult *result)
{
    result->story = NULL;
    result->story_status = (Status){0};
    if (listeners->why == NULL)
        return;
    Text story = {0};
    if (why_print(&story, listeners->why, &result->story_status))
        result->story = arena_strdup(arena, text_string(&story));
    text_free(&story);
}

static bool run_and_write(Arena *arena, const RunOptions *options, RunResult *result,
                          Status *status)
{
    const Scenario *scenario = &result->file->scenario;
    const bool has_files = options->output_folder != NULL;
    TraceFan *fan = trace_fan_create(arena);
    RunFiles files = {0};
    if (has_files && !files_open(arena, options, scenario, &files, fan, status))
        return false;
    if ((has_files && !options->has_no_share) || runs_for_real(options, result->file)) {
        files.shares = share_tree_create(arena);
        trace_fan_join(fan, share_tree_listener(files.shares));
    }
    Listeners listeners;
    listeners_join(arena, options, scenario, &listeners, fan);
    Ticker ticker = ticker_start(scenario, options);
    trace_fan_join(fan,
                   (TraceListener){.listener = &ticker, .level = TRACE_LEVEL_STEPS, .row = tick});
    if (options->row_watch != NULL)
        trace_fan_join(fan, row_watch_listener(options->row_watch));
    if (options->listener.row != NULL)
        trace_fan_join(fan, options->listener);
    result->answers = NULL;
    result->watched = (WatchedExpectations){0};
    if (options->watches) {
        result->watched = expectations_watch(arena, result->file);
        trace_fan_join(fan, run_watch_listener(result->watched.watch));
    }
    result->world =
        world_before_run(arena, scenario, options, fan, &listeners, result->watched.watch);
    Json *ran;
    const bool has_run = run_world(arena, options, &files, result, &ran, status);
    progress_end(&ticker.progress);
    if (!has_run) {
        if (has_files)
            files_abandon(&files);
        return false;
    }
    result->metrics = metrics_fold_result(listeners.metrics);
    result->summary = prepare_summary(arena, result, &listeners);
    if (options->watches) {
        const WatchedRun watched = {.file = result->file,
                                    .expected = result->expected,
                                    .watched = result->watched,
                                    .world = result->world,
                                    .metrics = result->metrics,
                                    .summary = folded_summary(result)};
        result->answers = expectations_answers(arena, &watched);
        expectations_summarise(arena, result->file, result->answers, folded_summary(result));
    }
    prepare_story(arena, &listeners, result);
    if (listeners.narrator != NULL)
        narrator_conclude(listeners.narrator, run_summary_json(result));
    return !has_files || files_finish(arena, options, &files, result, ran, status);
}

static const char *known_networks(Arena *arena)
{
    const char *names = "";
    for (int32_t i = 0; i < keras_network_count(); i++)
        names = arena_printf(arena, "%s%s%s", names, i > 0 ? ", " : "", keras_network_at(i)->name);
    return names;
}

bool run_scenario(Arena *arena, const char *path, const RunOptions *options, RunResult *result,
                  Problems *problems)
{
    ScenarioFile *file = scenario_read(arena, disk_files, path, options->overrides, problems);
    if (file == NULL)
        return false;
    file->scenario.shuffle_seed = options->shuffle_seed;
    if (options->policy != NULL)
        policy_file_give(arena, options->policy, &file->scenario);
    result->file = file;
    result->real_signal = 0;
    const char *ran_path = options->overrides.ran_path;
    if (ran_path != NULL)
        real_run_compare(arena, file, &file->warnings);
    if (options->shows_warnings)
        report_warnings(&result->file->warnings);
    const Json *session = json_member(file->root, "session");
    const int32_t problems_before = problems->count;
    result->expected = expectations_metrics(arena, file, problems);
    if (session == NULL || ran_path != NULL)
        real_run_check(&file->scenario, options->real != NULL || ran_path != NULL, problems);
    if (options->overrides.trains_for_real && session != NULL)
        problems_add(problems, STATUS_BAD_INPUT, session->key_at,
                     "a scenario with a \"session\" replays its recorded jobs; none can run for "
                     "real");
    else if (options->overrides.trains_for_real && !runs_for_real(options, file))
        status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in(path, 0, 0),
                                 "no job of the scenario trains a network that the trainer knows"),
                    "it knows %s; jobs of workloads are not trained", known_networks(arena));
    if (problems->count > problems_before)
        return false;
    Status status = {0};
    if (run_and_write(arena, options, result, &status))
        return true;
    problems_add_status(problems, &status);
    return false;
}
