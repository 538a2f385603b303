#include "sim/study/sweep.h"

#include <inttypes.h>

#include "sim/cli/files.h"
#include "sim/cli/json_file.h"
#include "sim/cli/machine_clock.h"
#include "sim/study/jobs_table.h"
#include "sim/study/study_json.h"
#include "sim/study/sweep_progress.h"

/* --- Files --- */

static const char *in_folder(Arena *arena, const SweepOptions *options, const char *name)
{
    return arena_printf(arena, "%s/%s", options->folder, name);
}

static void write_bytes(void *to, const char *bytes, size_t length)
{
    fwrite(bytes, 1, length, to);
}

static bool write_table(Arena *arena, const SweepOptions *options, const StudyFindings *findings,
                        const char *name, void (*table)(const StudyFindings *, ByteSink),
                        Status *status)
{
    FileWriter writer;
    if (!file_writer_open(&writer, in_folder(arena, options, name), status))
        return false;
    table(findings, (ByteSink){.to = writer.stream, .write = write_bytes});
    return file_writer_commit(&writer, status);
}

static bool write_tables(Arena *arena, const SweepOptions *options, const StudyFindings *findings,
                         Status *status)
{
    return write_table(arena, options, findings, "results.csv", results_table, status) &&
           write_table(arena, options, findings, "points.csv", points_table, status) &&
           write_table(arena, options, findings, "timing.csv", timing_table, status);
}

static bool has_signal(void *context)
{
    Sweep *sweep = context;
    sweep->signal = signal_wait_next(sweep->signals, 0);
    const bool ends = sweep->signal == SIGINT || sweep->signal == SIGTERM;
    if (ends)
        sweep->end = RUNNER_SIGNALLED;
    return ends;
}

/* jobs.csv, unless a signal ends the repetition of the runs. */
static bool write_jobs(Arena *arena, const SweepOptions *options, FileSource files, Sweep *sweep,
                       Problems *problems)
{
    FileWriter writer;
    Status status = {0};
    if (!file_writer_open(&writer, in_folder(arena, options, "jobs.csv"), &status)) {
        problems_add_status(problems, &status);
        return false;
    }
    const ByteSink out = {.to = writer.stream, .write = write_bytes};
    if (!jobs_table(&sweep->findings, NULL, files, options->version, out, has_signal, sweep,
                    problems)) {
        file_writer_abandon(&writer);
        return sweep->end == RUNNER_SIGNALLED;
    }
    if (file_writer_commit(&writer, &status))
        return true;
    problems_add_status(problems, &status);
    return false;
}

/* A sweep replaces its own files only. */
static const char *const replaced_names[] = {
    "results.csv", "points.csv", "jobs.csv",    "timing.csv", "plan.json",
    "plan.csv",    "fresh.csv",  "report.html", "plots",      NULL};
static const FolderMark sweep_mark = {.maker = "sweep of trainyard",
                                      .option = "-o",
                                      .mark = "study.json",
                                      .beginning = "{\n  \"trainyard_study_expanded\"",
                                      .replaced = replaced_names};

/* --- Runs of earlier sweeps --- */

static bool resume(const SweepOptions *options, const JournalIdentity *identity, Sweep *sweep,
                   Results *results, Problems *problems)
{
    return options->folder == NULL ||
           results_load(results, options->folder, identity, &sweep->resumed_count, problems);
}

StudyOutcome sweep_outcome(const Sweep *sweep)
{
    const int64_t done =
        sweep->waves != NULL ? waves_done_count(sweep->waves) : sweep->findings.results->run_count;
    return (StudyOutcome){.findings = sweep->findings,
                          .identity = sweep->identity,
                          .idle_count = sweep->idle_count,
                          .idle = sweep->idle,
                          .done_count = done,
                          .run_count = done + sweep->work.runs_left(sweep->work.work)};
}

/* --- The whole --- */

static bool write_study(Arena *arena, const SweepOptions *options, const Sweep *sweep,
                        Status *status)
{
    return json_file_write(
        in_folder(arena, options, "study.json"),
        study_json(arena, sweep->study, options->version, sweep->idle, sweep->idle_count), status);
}

static bool prepare_folder(Arena *arena, const SweepOptions *options, const Sweep *sweep,
                           Status *status)
{
    return folder_is_ours(options->folder, &sweep_mark, status) &&
           folder_create(options->folder, status) && write_study(arena, options, sweep, status);
}

static bool fail(Problems *problems, const Status *status)
{
    problems_add_status(problems, status);
    return false;
}

static bool append(void *to, const RunRecord *record, Status *status)
{
    return journal_append(to, record, status);
}

RunnerEnd sweep_on_threads(void *runner, const RunnerPlan *plan, int *signal, Problems *problems)
{
    (void)runner;
    return runner_run(plan, signal, problems);
}

static bool run_units(const SweepOptions *options, FileSource files, const SignalWait *signals,
                      Results *results, Journal *journal, Sweep *sweep, Problems *problems)
{
    SweepProgress progress = sweep_progress_start(results, sweep->work, options->is_quiet);
    const RunnerPlan plan = {.study = sweep->study,
                             .files = files,
                             .version = options->version,
                             .results = results,
                             .sink = {.to = journal, .append = journal ? append : NULL},
                             .source = sweep->work.units,
                             .thread_count = options->thread_count,
                             .repeats = options->repeats,
                             .signals = signals,
                             .time_limit_ns = options->time_limit_ns,
                             .watch = sweep_progress_watch,
                             .watcher = &progress};
    const int64_t began_ns = machine_clock_ns();
    sweep->end = options->run(options->runner, &plan, &sweep->signal, problems);
    sweep->took_ns = machine_clock_ns() - began_ns;
    sweep_progress_end(&progress);
    return sweep->end != RUNNER_FAILED;
}

static void begin_work(Arena *arena, const SweepOptions *options, const Results *results,
                       Sweep *sweep)
{
    if (options->decider != NULL) {
        sweep->work = options->decider->begin(options->decider->decider, arena, results);
        return;
    }
    sweep->waves = waves_create(arena, sweep->study, results, options->shard);
    sweep->work = waves_work(sweep->waves, options->is_forecast);
}

static const int32_t *used_of(Arena *arena, const SweepOptions *options, const Sweep *sweep)
{
    return options->decider != NULL ? options->decider->used(options->decider->decider, arena)
                                    : waves_all_used(arena, sweep->waves);
}

static bool sweep_with_signals(Arena *arena, const Study *study, FileSource files,
                               const SweepOptions *options, const SignalWait *signals, Sweep *sweep,
                               Problems *problems)
{
    const bool has_files = options->folder != NULL && !options->is_forecast;
    const JournalIdentity identity = study_identity(arena, study, options->version);
    Results *results = results_create(arena, study);
    Status status = {0};
    *sweep = (Sweep){.study = study,
                     .findings = {.study = study, .results = results},
                     .identity = identity,
                     .thread_count = options->thread_count,
                     .shard = options->shard,
                     .signals = signals};
    if (!resume(options, &identity, sweep, results, problems))
        return false;
    begin_work(arena, options, results, sweep);
    Journal *journal = NULL;
    if (has_files && (!prepare_folder(arena, options, sweep, &status) ||
                      (journal = journal_open(arena, options->folder, &identity,
                                              options->shard.index, 0, &status)) == NULL))
        return fail(problems, &status);
    bool is_sound = run_units(options, files, signals, results, journal, sweep, problems);
    if (journal != NULL && !journal_close(journal, &status))
        is_sound = fail(problems, &status);
    sweep->findings.used = used_of(arena, options, sweep);
    if (is_sound && sweep->end == RUNNER_FINISHED && !options->is_forecast &&
        options->shard.count == 1)
        sweep->idle_count =
            idle_levels_find(arena, &sweep->findings, files, options->version, &sweep->idle);
    if (has_files && options->shard.count == 1 &&
        !(write_tables(arena, options, &sweep->findings, &status) &&
          (sweep->idle_count == 0 || write_study(arena, options, sweep, &status))))
        is_sound = fail(problems, &status);
    if (has_files && is_sound && options->writes_jobs && sweep->end == RUNNER_FINISHED &&
        options->shard.count == 1)
        is_sound = write_jobs(arena, options, files, sweep, problems);
    return is_sound;
}

bool sweep_run(Arena *arena, const Study *study, FileSource files, const SweepOptions *options,
               Sweep *sweep, Problems *problems)
{
    // A signal does not end the program between the first record and the tables.
    const SignalWait signals = signal_wait_begin();
    const bool is_sound =
        sweep_with_signals(arena, study, files, options, &signals, sweep, problems);
    signal_wait_end(&signals);
    return is_sound;
}
