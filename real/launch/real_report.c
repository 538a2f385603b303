#define _XOPEN_SOURCE 700 // st_mtim
#include "real/launch/real_report.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "real/launch/real_steps.h"
#include "sim/cli/machine_clock.h"
#include "trainer/record/checkpoint_name.h"
#include "trainer/record/timeline.h"

Json *real_report_entry(RealRun *run, CommandKind kind, const Job *job)
{
    Arena *arena = run->arena;
    Json *entry = json_object(arena);
    const char *const members[][2] = {{"do", command_name(kind)},
                                      {"name", job->path.name},
                                      {"resource_group", job->path.group},
                                      {"workspace", job->path.workspace},
                                      {"experiment", job->path.experiment}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_put_text(arena, entry, members[i][0], members[i][1]);
    return entry;
}

static void set_ns(RealRun *run, Json *entry, const char *key, int64_t ns)
{
    json_put_text(run->arena, entry, key, arena_printf(run->arena, "%" PRId64 "ns", ns));
}

bool real_report(RealRun *run, Json *entry, Status *status)
{
    Problems problems = problems_create(run->arena);
    int64_t at_ns = world_now_ns(run->world) + 1;
    while (world_next_event_ns(run->world) <= at_ns && world_run_instant(run->world))
        at_ns = world_now_ns(run->world) + 1;
    set_ns(run, entry, "at", at_ns);
    const Command *command = command_read(run->reader, run->arena, entry, &problems, NULL);
    if (!command) {
        *status = problems.items[0];
        return false;
    }
    if (!world_apply_at(run->world, command, at_ns, status))
        return false;
    json_add(run->result->ran, entry);
    return true;
}

bool real_report_ran(RealRun *run, const RealJob *real, const RanksEnd *end, int64_t took_ns,
                     const RealTraining *training, const char *reason, Status *status)
{
    Arena *arena = run->arena;
    Json *entry = real_report_entry(run, COMMAND_JOB_RAN, real_job_of(run, real));
    set_ns(run, entry, "took", took_ns);
    json_put_integer(arena, entry, "exit_code", end->exit_code);
    if (reason)
        json_put_text(arena, entry, "reason", reason);
    json_put_text(arena, entry, "ran_as",
                  hand_off_description(arena, real_job_of(run, real)->spec));
    hand_off_put_training(arena, entry, *training);
    return real_report(run, entry, status);
}

bool real_report_reached(RealRun *run, const RealJob *real, int64_t step, int64_t took_ns,
                         CheckpointPoint kept, Status *status)
{
    Json *entry = real_report_entry(run, COMMAND_JOB_REACHED, real_job_of(run, real));
    json_put_integer(run->arena, entry, "step", step);
    set_ns(run, entry, "took", took_ns);
    if (kept.epochs > 0)
        json_put_integer(run->arena, entry, "kept", kept.epochs);
    if (kept.steps > 0)
        json_put_integer(run->arena, entry, "kept_steps", kept.steps);
    return real_report(run, entry, status);
}

bool real_report_checkpoints(RealRun *run, const RealJob *real, Status *status)
{
    int32_t count;
    const CheckpointPoint *points = checkpoint_points(run->arena, real->log_folder, &count);
    bool is_good = true;
    if (!program_can_resume(real_job_of(run, real)->spec->program->training))
        return true;
    for (int32_t i = 0; is_good && i < count; i++) {
        struct stat facts;
        const char *path = checkpoint_path(run->arena, real->log_folder, points[i]);
        const int64_t step = points[i].epochs * real->steps_per_epoch + points[i].steps;
        if (stat(path, &facts) != 0)
            continue;
        const int64_t after_ns = machine_time_ns(facts.st_mtim) - real->started_unix_ns;
        if (after_ns > 0 && after_ns <= real->took_ns) // not from an earlier attempt
            is_good = real_report_reached(run, real, step, after_ns, points[i], status);
    }
    return is_good;
}

/* When a step, counted from 1 over all epochs, ended in the timeline of rank 0; -1: the timeline
 * does not have it. */
static int64_t step_end_ns(const TimelineFile *file, int64_t step)
{
    int64_t end_ns = -1;
    for (int64_t i = 0; i < file->count; i++) {
        const TimelineSpan *span = &file->spans[i];
        const bool is_of_step = span->phase != PHASE_EVALUATE && span->phase != PHASE_CHECKPOINT;
        if (is_of_step && span->step == step - 1 && span->end_ns > end_ns)
            end_ns = span->end_ns;
    }
    return end_ns;
}

static int64_t last_end_ns(const TimelineFile *file)
{
    int64_t end_ns = 0;
    for (int64_t i = 0; i < file->count; i++)
        end_ns = file->spans[i].end_ns > end_ns ? file->spans[i].end_ns : end_ns;
    return end_ns;
}

bool real_report_steps(RealRun *run, const RealJob *real, const char *folder, Status *status)
{
    const Job *job = real_job_of(run, real);
    TimelineFile timeline;
    Status none;
    const char *path = arena_printf(run->arena, "%s/timeline.rank0.tsv", folder);
    if (!timeline_read(path, run->arena, &timeline, &none))
        return true; // they ended before there was one
    const int64_t zero_ns = real->took_ns - last_end_ns(&timeline);
    for (int32_t i = 0; i < world_scenario(run->world)->command_count; i++) {
        const Command *command = real_step_awaited(run, job, i);
        const int64_t end_ns = command ? step_end_ns(&timeline, command->trigger.ordinal) : -1;
        if (end_ns >= 0 && !real_report_reached(run, real, command->trigger.ordinal,
                                                zero_ns + end_ns, (CheckpointPoint){0}, status))
            return false;
    }
    return true;
}
