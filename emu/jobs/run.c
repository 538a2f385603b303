#include "emu/jobs/run.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "real/launch/job_place.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cli/files.h"

static const World *world_of(const Run *run)
{
    return session_world(run->host->session);
}

const Job *run_job(const Run *run)
{
    return world_job(world_of(run), run->job);
}

bool run_is_handed_off(const Run *run)
{
    return hand_off_takes(run_job(run));
}

void run_say(const Run *run, const char *format, ...)
{
    Text line = {0};
    char rest[512];
    va_list values;
    va_start(values, format);
    vsnprintf(rest, sizeof rest, format, values);
    va_end(values);
    text_printf(&line, "info job=%s run=%s", run_job(run)->path.name,
                run->whose == 0 ? "program" : "preparation");
    if (run->whose > 0)
        text_printf(&line, " node=%" PRIu32, run->whose);
    text_printf(&line, " %s\n", rest);
    fputs(text_string(&line), stderr);
    text_free(&line);
}

bool run_prepare(Run *run, Status *status)
{
    const Program *program = run_job(run)->spec->program;
    if (!folder_create(run->folder, status))
        return false;
    run->files = run_files_open(run->host->files, run->folder, program->mounts,
                                program->mount_count, status);
    return run->files != NULL;
}

/* Makes the directories that the service made before it started a command. */
static bool make_places(Run *run, Status *status)
{
    int32_t count;
    const char **folders = job_place_folders(world_of(run), run_job(run), run->arena, &count);
    for (int32_t i = 0; i < count; i++)
        if (!run_files_make_folder(run->files, folders[i], status))
            return false;
    return true;
}

static int open_output(Run *run, const char *stem, Status *status)
{
    return run_files_create(
        run->files, job_place_output(world_of(run), run_job(run), run->whose, stem, run->arena),
        status);
}

/* Both descriptors, or none. */
static bool open_outputs(Run *run, int *out, int *error, Status *status)
{
    *out = open_output(run, "stdout", status);
    *error = *out < 0 ? -1 : open_output(run, "stderr", status);
    if (*error >= 0)
        return true;
    if (*out >= 0)
        close(*out);
    return false;
}

static bool start_shell(Run *run, Status *status)
{
    const World *world = world_of(run);
    const Job *job = run_job(run);
    char shell[] = "/bin/sh", option[] = "-c";
    char *const arguments[] = {shell, option,
                               arena_strdup(run->arena, run->whose == 0
                                                            ? job->spec->command
                                                            : job->spec->preparation_command),
                               NULL};
    int32_t count;
    ChildPlan plan = {.arguments = arguments,
                      .environment =
                          job_place_environment(world, job, run->folder, 0, run->arena, &count),
                      .directory = job_place_start(world, job, run->folder, run->arena),
                      .is_supervised = true};
    if (!open_outputs(run, &plan.out, &plan.error, status))
        return false;
    const bool is_started = child_start(&plan, &run->child, status);
    close(plan.out);
    close(plan.error);
    return is_started;
}

static bool start_ranks(Run *run, DataSetCounted *counted, Status *status)
{
    const RunsSettings *runs = run->host->settings;
    const RanksMachine machine = ranks_machine(run->arena);
    const HandOffSettings settings = {.trainer = runs->trainer,
                                      .backend = runs->backend,
                                      .data_folder = runs->data_folder,
                                      .counted = counted,
                                      .node_folder = run->folder};
    HandOff *plan = ARENA_NEW(run->arena, HandOff);
    RanksPlan *ranks = &plan->ranks;
    const char *warning = NULL;
    if (!hand_off_plan(run->arena, world_of(run), run_job(run), &settings, plan, status) ||
        !open_outputs(run, &ranks->out, &ranks->error, status))
        return false;
    const bool is_started = ranks_start(run->arena, &machine, ranks, &run->child, &warning, status);
    close(ranks->out);
    close(ranks->error);
    run->hand_off = plan;
    if (is_started)
        run_say(run, "ranks=%" PRId32 "%s%s", ranks->ranks, warning ? " warning=" : "",
                warning ? warning : "");
    return is_started;
}

/* Sets the longest duration, and the reason that is reported when it is exceeded. */
static void set_limit(Run *run)
{
    const int64_t own_ns = job_place_limit_ns(run_job(run), run->whose);
    Text text = {0};
    run->limit_ns = run->host->settings->time_limit_ns;
    duration_print(&text, run->limit_ns);
    run->limit_reason =
        arena_printf(run->arena, "The job ran longer than %s, which --job-time-limit allows",
                     text_string(&text));
    if (own_ns < run->limit_ns) {
        run->limit_ns = own_ns;
        run->limit_reason = "The specified job ran longer than its maxWallClockTime";
    }
    text_free(&text);
}

bool run_start(Run *run, DataSetCounted *counted, Status *status)
{
    if (!make_places(run, status) ||
        !(run_is_handed_off(run) ? start_ranks(run, counted, status) : start_shell(run, status)))
        return false;
    set_limit(run);
    return true;
}
