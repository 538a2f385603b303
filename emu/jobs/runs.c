#define _XOPEN_SOURCE 700 // realpath
#include "emu/jobs/runs.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emu/jobs/run.h"
#include "emu/jobs/run_folders.h"
#include "emu/state/state_folder.h"
#include "sim/base/array.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cli/report.h"

/* Looked at so often: how late an end is noticed, and files are seen to grow. */
#define LOOK_NS (20 * NS_PER_MS)
#define TAKE_NS (200 * NS_PER_MS)
/* For each file there is, so that looking through many takes a small part of the time. */
#define TAKE_EACH_NS (20 * NS_PER_US)
enum { AT_ONCE_MAX = 64 };
_Static_assert((int)AT_ONCE_MAX <= (int)CHILD_GUARD_MAX, "the guard knows every run");

/* The trainer takes other signals for a notice, too, but mpirun passes only this one on to ranks.
 */
#define NOTICE_SIGNAL SIGUSR1

/* A job whose commands may begin. */
typedef struct {
    JobId job;
    bool has_folder;
} RealJob;

struct Runs {
    RunsHost host;
    Arena *arena;
    const char *folder; /* absolute; of all their directories */
    Run *first;
    RealJob *jobs;
    uint32_t job_count, job_capacity, jobs_seen;
    ChildGuard guard;
    bool has_guard;
    DataSetCounted counted; // a job must not keep the server from answering for long
};

/* --- Which there are --- */

static Run *find_run(const Runs *runs, const Job *job, uint32_t whose)
{
    Run *run = runs->first;
    while (run && (run->job.index != job->id.index || run->whose != whose ||
                   run->attempt != job->starts || !run->is_wanted))
        run = run->next;
    return run;
}

static void add_run(Runs *runs, const Job *job, uint32_t whose)
{
    Arena *arena = arena_create();
    Run *run = ARENA_NEW(arena, Run), **end = &runs->first;
    // The preparation and the program of the first node have one folder.
    *run = (Run){.arena = arena,
                 .host = &runs->host,
                 .folder =
                     run_folder(arena, runs->folder, job->id, job->starts, whose > 0 ? whose : 1),
                 .job = job->id,
                 .attempt = job->starts,
                 .whose = whose,
                 .since_ns = job_outside_since_ns(job, whose),
                 .is_wanted = true,
                 .exit_code = -1};
    while (*end)
        end = &(*end)->next;
    *end = run;
}

static void forget_run(Run *run)
{
    run_files_close(run->files);
    arena_destroy(run->arena);
}

static bool has_run(const Runs *runs, JobId job)
{
    for (const Run *run = runs->first; run; run = run->next)
        if (run->job.index == job.index)
            return true;
    return false;
}

static void catch_up(Runs *runs, const World *world)
{
    for (; runs->jobs_seen < world_job_count(world); runs->jobs_seen++) {
        const Job *job = world_job(world, (JobId){runs->jobs_seen});
        if (job == NULL || job->spec->program->kind != PROGRAM_REAL || job->ended_ns != INT64_MAX)
            continue;
        runs->jobs = array_room(runs->arena, runs->jobs, runs->job_count + 1, &runs->job_capacity,
                                sizeof *runs->jobs);
        runs->jobs[runs->job_count++] = (RealJob){.job = job->id};
    }
}

void runs_look(Runs *runs)
{
    const World *world = session_world(runs->host.session);
    uint32_t kept = 0;
    catch_up(runs, world);
    for (uint32_t i = 0; i < runs->job_count; i++) {
        const Job *job = world_job(world, runs->jobs[i].job);
        for (uint32_t whose = 0;
             job->ended_ns == INT64_MAX && whose <= (uint32_t)job->request.nodes; whose++)
            if (job_runs_outside(job, whose) && !find_run(runs, job, whose)) {
                add_run(runs, job, whose);
                runs->jobs[i].has_folder = true;
            }
        if (job->ended_ns == INT64_MAX || has_run(runs, job->id))
            runs->jobs[kept++] = runs->jobs[i];
        else if (runs->jobs[i].has_folder)
            run_folders_remove_job(runs->folder, job);
    }
    runs->job_count = kept;
}

bool runs_are_expected(const Runs *runs)
{
    return runs->job_count > 0;
}

/* --- Time --- */

int64_t runs_reach_ns(const Runs *runs)
{
    int64_t reach_ns = INT64_MAX;
    for (const Run *run = runs->first; run; run = run->next) {
        int64_t at_ns = run->since_ns;
        if (!run->is_wanted || run->phase == RUN_SAVED)
            continue;
        if (run->phase == RUN_WORKS)
            at_ns += runs->host.pace->machine_ns - run->started_ns;
        if (run->phase > RUN_WORKS)
            at_ns += run->took_ns;
        reach_ns = at_ns < reach_ns ? at_ns : reach_ns;
    }
    return reach_ns;
}

int64_t runs_next_ns(const Runs *runs)
{
    return runs->first ? runs->host.pace->machine_ns + LOOK_NS : INT64_MAX;
}

/* --- Starting --- */

/* The run ends without an exit code. */
static void fail(Run *run, const char *reason)
{
    run->reason = run->reason ? run->reason : arena_strdup(run->arena, reason);
    run->exit_code = -1;
    run->phase = RUN_TELLS;
}

static void fail_with(Run *run, const Status *status)
{
    fail(run, arena_printf(run->arena, "The job could not be run: %s: %s",
                           status->at.source ? status->at.source : "trainyard", status->message));
}

static int32_t count_at_work(const Runs *runs)
{
    int32_t count = 0;
    for (const Run *run = runs->first; run; run = run->next)
        count += run->phase > RUN_WAITS && run->phase < RUN_TELLS;
    return count;
}

static void wait_for_start(Runs *runs, Run *run)
{
    Status status = {0};
    if (run_is_handed_off(run) && !runs->host.settings->hands_off)
        fail(run, "The job was submitted to `trainyard serve --real`, and this is one without");
    else if (!run_is_handed_off(run) && !runs->host.settings->runs_jobs)
        fail(run, "The job was submitted to `trainyard serve --run-jobs`, and this is one without");
    else if (count_at_work(runs) >= AT_ONCE_MAX)
        return;
    else if (run_prepare(run, &status))
        run->phase = RUN_LAYS;
    else
        fail_with(run, &status);
}

static void lay_out(Runs *runs, Run *run)
{
    Status status = {0};
    const RunFilesStep step = run_files_lay(run->files, &status);
    if (step == RUN_FILES_FAILED)
        fail_with(run, &status);
    else if (step == RUN_FILES_DONE && session_note_time(runs->host.session, &status))
        run->phase = RUN_IS_LAID; // where that failed it is tried again
}

static bool start(Runs *runs, Run *run, Status *status)
{
    if (!runs->has_guard && !child_guard_open(&runs->guard, status))
        return false;
    runs->has_guard = true;
    if (!run_start(run, &runs->counted, status))
        return false;
    child_guard_add(&runs->guard, &run->child);
    run->started_ns = runs->host.pace->machine_ns;
    run->phase = RUN_WORKS;
    run_say(run, "pid=%" PRIdMAX " folder=%s", (intmax_t)run->child.process, run->folder);
    return true;
}

/* After a crash from here on the session knows that the command has begun, and does not start it
 * again: the recorded time is committed, as by the server after each round. */
static void start_when_known(Runs *runs, Run *run)
{
    Status status = {0};
    if (!store_is_dirty(runs->host.store) && !start(runs, run, &status))
        fail_with(run, &status);
}

/* --- At work --- */

/* Kills the run; its reason is reported once it has ended. */
static void stop(Run *run, const char *reason)
{
    if (!run->reason)
        run->reason = reason;
    child_signal(&run->child, SIGKILL);
}

static void note_end(Runs *runs, Run *run, pid_t process)
{
    child_guard_remove(&runs->guard, process);
    run->took_ns = runs->host.pace->machine_ns - run->started_ns;
    run->phase = RUN_TAKES;
    if (run->reason)
        run->exit_code = -1; // not its own
    run_say(run, "took_ms=%" PRId64 " exit=%d", run->took_ns / NS_PER_MS, run->exit_code);
}

static const char *not_kept(const Run *run, const Status *status)
{
    return arena_printf(run->arena, "What the job wrote could not be kept: %s: %s",
                        status->at.source, status->message);
}

static void take_files(Runs *runs, Run *run)
{
    Status status = {0};
    const RunFilesStep step = run_files_take(run->files, false, &status);
    if (step == RUN_FILES_FAILED)
        stop(run, not_kept(run, &status));
    else if (step == RUN_FILES_DONE)
        run->taken_ns = runs->host.pace->machine_ns;
}

/* Gives the ranks of a training that saves on notice the notice of a node: they write a checkpoint
 * and end (trainer/run/signals.h). */
static void give_notice(Run *run)
{
    const Job *job = run_job(run);
    if (run->is_noticed || !run->hand_off || !job->spec->program->training->saves_on_notice ||
        job->attempt->warned_by != CAUSE_PREEMPTION)
        return;
    run->is_noticed = true;
    child_signal(&run->child, NOTICE_SIGNAL);
    run_say(run, "notice=preemption");
}

static void look_after(Runs *runs, Run *run)
{
    const int64_t limit_bytes = runs->host.settings->output_limit_bytes;
    const pid_t process = run->child.process;
    if (child_has_ended(&run->child, &run->exit_code)) {
        note_end(runs, run, process);
        return;
    }
    if (!run->is_wanted) {
        stop(run, "The job was ended"); // this reason is not reported
        return;
    }
    give_notice(run);
    if (runs->host.pace->machine_ns - run->started_ns >= run->limit_ns)
        stop(run, run->limit_reason);
    if (runs->host.pace->machine_ns - run->taken_ns >=
        TAKE_NS + run_files_count(run->files) * TAKE_EACH_NS)
        take_files(runs, run);
    if (run_files_bytes(run->files) > limit_bytes) {
        Text text = {0};
        bytes_print(&text, limit_bytes);
        stop(run,
             arena_printf(run->arena, "The job wrote more than %s, which --job-output-limit allows",
                          text_string(&text)));
        text_free(&text);
    }
}

/* --- Over --- */

static void take_last_files(Runs *runs, Run *run)
{
    (void)runs; // the others of the table of phases need it
    Status status = {0};
    const RunFilesStep step = run_files_take(run->files, true, &status);
    const char *left_out;
    if (step == RUN_FILES_MORE)
        return;
    run->phase = run->is_noticed && run->exit_code == 128 + NOTICE_SIGNAL ? RUN_SAVED : RUN_TELLS;
    if (step == RUN_FILES_FAILED && !run->reason)
        fail(run, not_kept(run, &status));
    left_out = run_files_left_out(run->files, run->arena);
    if (left_out)
        run_say(run, "left_out=%s", left_out);
}

static void report_training(const Run *run, Json *news)
{
    RealTraining training;
    Status status;
    Text why = {0};
    if (!hand_off_read_training(run->arena, run->hand_off, &training, &status)) {
        status_print(&status, false, &why);
        run_say(run, "no_figures=%.*s", (int)strcspn(why.data, "\n"), why.data);
        text_free(&why);
    }
    hand_off_put_training(run->arena, news, training);
}

static Json *news_of(const Run *run)
{
    Arena *arena = run->arena;
    Json *news = session_command_about(arena, COMMAND_JOB_RAN, run_job(run)->path);
    json_put_text(arena, news, "took", arena_printf(arena, "%" PRId64 "ns", run->took_ns));
    if (run->reason)
        json_put_text(arena, news, "reason", run->reason);
    if (run->whose > 0)
        json_put_integer(arena, news, "node", run->whose);
    if (run->exit_code >= 0)
        json_put_integer(arena, news, "exit_code", run->exit_code);
    if (run->hand_off)
        report_training(run, news);
    return news;
}

/* After a full disk the report is repeated. Any other error means that the job has already ended.
 */
static void report_to_world(Runs *runs, Run *run)
{
    Problems problems = problems_create(run->arena);
    const int64_t now_ns = session_now_ns(runs->host.session);
    if (run->since_ns + run->took_ns < now_ns)
        run->took_ns = now_ns - run->since_ns; // it lasted until it was looked at
    const bool is_told = session_command(runs->host.session, news_of(run), NULL, &problems);
    if (!is_told)
        run_say(run, "untold=%s", problems.items[0].message);
    if (is_told || problems.items[0].code != STATUS_MACHINE)
        run->phase = RUN_IS_OVER;
    if (is_told && run->reason)
        run_say(run, "failed=%s", run->reason);
}

/* --- All of them --- */

static bool is_wanted(const Run *run)
{
    const Job *job = run_job(run);
    return job->starts == run->attempt && job_runs_outside(job, run->whose);
}

static void work(Runs *runs, Run *run)
{
    static void (*const steps[])(Runs * runs, Run * run) = {
        [RUN_WAITS] = wait_for_start,
        [RUN_LAYS] = lay_out,
        [RUN_IS_LAID] = start_when_known,
        [RUN_WORKS] = look_after,
        [RUN_TAKES] = take_last_files,
        [RUN_TELLS] = report_to_world,
        [RUN_SAVED] = NULL, // the world is going to end the attempt
        [RUN_IS_OVER] = NULL,
    };
    const bool has_process = run->phase == RUN_WORKS || run->phase == RUN_TAKES;
    run->is_wanted = run->is_wanted && is_wanted(run);
    if (!run->is_wanted && !has_process)
        run->phase = RUN_IS_OVER;
    if (steps[run->phase] != NULL)
        steps[run->phase](runs, run);
}

void runs_work(Runs *runs)
{
    if (!runs->first && !runs_are_expected(runs) &&
        runs->jobs_seen == world_job_count(session_world(runs->host.session)))
        return;
    runs_look(runs);
    file_store_at(runs->host.files, session_unix_ms(runs->host.session),
                  session_now_ns(runs->host.session));
    for (Run **at = &runs->first; *at;) {
        Run *run = *at;
        work(runs, run);
        if (run->phase == RUN_IS_OVER) {
            *at = run->next;
            forget_run(run);
        } else {
            at = &run->next;
        }
    }
}

/* --- Life --- */

static const char was_ended[] = "The emulator was ended while the job's command ran";

JobExecution runs_execution(const RunsSettings *settings)
{
    if (settings->runs_jobs)
        return settings->hands_off ? EXECUTION_REAL : EXECUTION_COMMAND;
    return settings->hands_off ? EXECUTION_TRAINING : EXECUTION_EMULATED;
}

Runs *runs_open(Arena *arena, RunsHost host)
{
    Runs *runs = ARENA_NEW(arena, Runs);
    const char *folder = store_folder(host.store);
    char *whole = realpath(folder, NULL);
    *runs = (Runs){.host = host, .arena = arena, .guard = {.channel = -1}};
    runs->folder = state_path(arena, whole ? whole : folder, STATE_RUNS);
    free(whole);
    run_folders_remove_all(runs->folder); // left by an emulator that was killed
    runs_look(runs);
    for (Run *run = runs->first; run; run = run->next)
        fail(run, was_ended);
    return runs;
}

/* Kills the process, waits for its end, and copies its files back. */
static void end_now(Runs *runs, Run *run)
{
    enum { PATIENCE_MS = 2000 };
    const struct timespec pause = {.tv_nsec = NS_PER_MS};
    Status status = {0};
    const pid_t process = run->child.process;
    run->took_ns = runs->host.pace->machine_ns - run->started_ns;
    child_signal(&run->child, SIGKILL);
    for (int i = 0; i < PATIENCE_MS && !child_has_ended(&run->child, &run->exit_code); i++)
        nanosleep(&pause, NULL);
    child_guard_remove(&runs->guard, process);
    while (run_files_take(run->files, true, &status) == RUN_FILES_MORE)
        continue;
}

void runs_end(Runs *runs)
{
    file_store_at(runs->host.files, session_unix_ms(runs->host.session),
                  session_now_ns(runs->host.session));
    for (Run *run = runs->first; run; run = run->next) {
        if (run->phase == RUN_WORKS)
            end_now(runs, run);
        while (run->phase == RUN_TAKES)
            take_last_files(runs, run);
        if (run->phase < RUN_TAKES || (run->phase == RUN_SAVED && run->is_wanted))
            fail(run, was_ended);
    }
    runs_work(runs); // reports to the world; all files were copied back
}

void runs_close(Runs *runs)
{
    if (!runs)
        return;
    for (Run *run = runs->first; run;) {
        Run *next = run->next;
        child_signal(&run->child, SIGKILL);
        forget_run(run);
        run = next;
    }
    child_guard_close(&runs->guard);
    run_folders_remove_all(runs->folder);
}
