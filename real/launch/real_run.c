#include "real/launch/real_run.h"

#include <inttypes.h>

#include "real/launch/real_attempt.h"
#include "real/launch/real_node.h"
#include "real/launch/real_report.h"
#include "real/launch/real_run_check.h"
#include "real/launch/real_steps.h"
#include "sim/base/array.h"
#include "sim/base/ascii.h"
#include "sim/cli/files.h"

static void add_new_jobs(RealRun *run)
{
    for (; run->jobs_seen < world_job_count(run->world); run->jobs_seen++) {
        const Job *job = world_job(run->world, (JobId){run->jobs_seen});
        if (!hand_off_takes(job) ||
            (!run->ran_path && real_run_is_reported(world_scenario(run->world), job->path.name)))
            continue;
        run->jobs = array_room(run->arena, run->jobs, run->job_count + 1, &run->job_capacity,
                               sizeof *run->jobs);
        run->jobs[run->job_count++] = (RealJob){.job = job->id, .terminate_at_ns = INT64_MAX};
    }
}

/* Records that the world lost an attempt whose ranks ran longer. */
static void record_loss(const RealRun *run, RealJob *real)
{
    const Job *job = real_job_of(run, real);
    const int64_t after_ns = world_now_ns(run->world) - real->since_ns;
    const bool is_gone =
        job->starts != real->attempt || job->state == JOB_QUEUED || job_is_stalled(job);
    if (real->attempt == 0 || real->is_lost || !is_gone || after_ns >= real->took_ns)
        return;
    real->is_lost = true;
    real->lost_after_ns = after_ns;
}

/* Reports the end of ranks that were killed for a fault which did not happen in the world. */
static bool report_killed(RealRun *run, const RealJob *real, Status *status)
{
    const RanksEnd end = {.exit_code = KILLED_EXIT};
    const RealTraining unknown = real_training_unknown();
    return real_report_ran(run, real, &end, real->took_ns, &unknown, NULL, status);
}

/* Whether `reached` reports a step of the job at which a command ends its attempt. */
static bool is_killed_at(const RealRun *run, const Job *job, const Command *reached)
{
    if (reached->kind != COMMAND_JOB_REACHED || !ascii_same(reached->path.name, job->path.name))
        return false;
    for (int32_t i = 0; i < world_scenario(run->world)->command_count; i++) {
        const Command *command = real_step_awaited(run, job, i);
        if (command && (real_step_kills(command, job) || real_step_gives_notice(command, job)) &&
            command->trigger.ordinal <= reached->as.job_reached.step)
            return true;
    }
    return false;
}

/* Whether a pending command of the scenario ends the job's attempt. */
static bool end_is_pending(const RealRun *run, const Job *job)
{
    const Scenario *scenario = world_scenario(run->world);
    for (int32_t i = 0; i < scenario->command_count; i++) {
        const Command *command = &scenario->commands[i];
        if (!world_has_applied(run->world, i) &&
            (real_run_is_end(command, job->path.name) || is_killed_at(run, job, command)))
            return true;
    }
    return false;
}

/* Checks, when the program of an attempt begins in a replay, that the session reports its end. */
static bool check_reported(const RealRun *run, RealJob *real, Status *status)
{
    const Job *job = real_job_of(run, real);
    if (real->attempt == job->starts || !job_runs_outside(job, 0))
        return true;
    real->attempt = job->starts;
    if (end_is_pending(run, job))
        return true;
    status_fail(status, STATUS_BAD_INPUT, place_in(run->ran_path, 0, 0),
                "does not report how attempt %" PRId32 " of job \"%s\" ended", job->starts,
                job->path.name);
    return status_hint(
        status, "pass the scenario and the --set options of that run, or use --real to run it");
}

static bool update_job(RealRun *run, RealJob *real, Status *status)
{
    const Job *job = real_job_of(run, real);
    const int64_t now_ns = world_now_ns(run->world);
    if (run->ran_path)
        return check_reported(run, real, status);
    record_loss(run, real);
    const bool is_due = now_ns >= real->terminate_at_ns;
    if (is_due)
        real->terminate_at_ns = INT64_MAX;
    if (!job_runs_outside(job, 0))
        return true;
    if (is_due)
        return real_report(run, real_report_entry(run, COMMAND_JOB_TERMINATE, job), status);
    if (real->attempt == job->starts)
        return !real->is_killed || now_ns < real->since_ns + real->took_ns ||
               report_killed(run, real, status);
    if (run->result->signal == 0)
        return real_attempt_run(run, real, status);
    real->attempt = job->starts;
    return real_report(run, real_report_entry(run, COMMAND_JOB_TERMINATE, job), status);
}

/* Jobs that have ended are removed from the list. */
static bool update_jobs(RealRun *run, Status *status)
{
    uint32_t kept = 0;
    add_new_jobs(run);
    for (uint32_t i = 0; i < run->job_count; i++) {
        if (!update_job(run, &run->jobs[i], status))
            return false;
        if (real_job_of(run, &run->jobs[i])->ended_ns == INT64_MAX)
            run->jobs[kept++] = run->jobs[i];
    }
    run->job_count = kept;
    return true;
}

/* The next time at which a job must be terminated. The world has no event for it. */
static int64_t next_own_ns(const RealRun *run)
{
    int64_t next_ns = INT64_MAX;
    for (uint32_t i = 0; i < run->job_count; i++)
        if (run->jobs[i].terminate_at_ns < next_ns)
            next_ns = run->jobs[i].terminate_at_ns;
    return next_ns;
}

/* Runs the next instant of the world, or advances it to our next termination if that is earlier. */
static bool run_next(RealRun *run)
{
    const int64_t own_ns = next_own_ns(run);
    if (own_ns < world_next_event_ns(run->world)) {
        if (own_ns > world_now_ns(run->world))
            world_advance(run->world, own_ns);
        return true;
    }
    return world_run_instant(run->world);
}

/* Removes the files that a run makes in its folder. */
static bool remove_files(RealRun *run, Status *status)
{
    return folder_remove(arena_printf(run->arena, "%s/real", run->folder), status) &&
           (run->settings.keeps_shares ||
            folder_remove(arena_printf(run->arena, "%s/share", run->folder), status));
}

/* A run that failed leaves no files, like every other run. */
static bool clean_up(RealRun *run)
{
    Status ignored; // the first error is the one to report
    (void)!remove_files(run, &ignored);
    return false;
}

bool real_run(Arena *arena, const RealRunSettings *settings, World *world, CommandReader *reader,
              const ShareTree *tree, RealRunResult *result, Status *status)
{
    Text program_folder = {0};
    folder_of_program(&program_folder);
    *result = (RealRunResult){.ran = json_array(arena)};
    RealRun run = {.arena = arena,
                   .settings = *settings,
                   .trainer =
                       arena_printf(arena, "%strainyard-train", text_string(&program_folder)),
                   .world = world,
                   .reader = reader,
                   .tree = tree,
                   .machine = ranks_machine(arena),
                   .result = result};
    text_free(&program_folder);
    run.folder = real_node_path(&run, settings->folder);
    if (settings->data_folder)
        run.settings.data_folder = real_node_path(&run, settings->data_folder);
    if (!real_node_check_shares(&run, status))
        return false;
    bool is_good = remove_files(&run, status) && real_node_link_shares(&run, status);
    while (is_good && run_next(&run))
        is_good = update_jobs(&run, status);
    return is_good || clean_up(&run);
}

bool real_run_replay(Arena *arena, const char *ran_path, World *world, Status *status)
{
    RealRun run = {.arena = arena, .world = world, .ran_path = ran_path};
    while (run_next(&run))
        if (!update_jobs(&run, status))
            return false;
    return true;
}
