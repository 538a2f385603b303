#include "sim/cloud/job/script.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/cloud/job/attempt.h"
#include "sim/cloud/job/environment.h"
#include "sim/cloud/job/real.h"
#include "sim/cloud/job/tables.h"

int32_t job_preparation_exit_code(const Job *job, int32_t node)
{
    const JobRan *ran = job_command_report(job, 1 + (uint32_t)node);
    if (ran)
        return ran->exit_code;
    const ShellRun *run = job->attempt->preparations ? job->attempt->preparations[node] : NULL;
    return run ? run->exit_code : job->spec->preparation_exit_code;
}

static const ShellScript *script_of(const Job *job, uint32_t task)
{
    return task == 0 ? job->spec->program->script : job->spec->preparation_script;
}

static ShellRun **run_of(const Job *job, uint32_t task)
{
    return task == 0 ? &job->attempt->shell : &job->attempt->preparations[task - 1];
}

/* The working directory of the job's commands. It is not documented. Assumption: the job's own
 * folder. */
static const char *directory_of(const ShellSettings *settings)
{
    const char *directory = "";
    for (int32_t i = 0; i < settings->variable_count; i++)
        if (strcmp(settings->variables[i].name, "AZ_BATCHAI_JOB_TEMP") == 0)
            directory = settings->variables[i].value;
    return directory;
}

/* The disk of a task; 0: an empty one. The program uses the disk of the preparation on node 0. */
static uint32_t disk_of(const Job *job, uint32_t task)
{
    const ShellRun *before =
        task == 0 && job->attempt->preparations ? job->attempt->preparations[0] : NULL;
    return before ? before->disk : 0;
}

static ShellRun *begin_run(Jobs *jobs, const Job *job, uint32_t task)
{
    const ShellScript *script = script_of(job, task);
    ShellSettings *settings = ARENA_NEW(jobs->arena, ShellSettings);
    uint32_t *volumes = ARENA_ARRAY(jobs->arena, uint32_t, script->mount_count);
    for (int32_t i = 0; i < script->mount_count; i++)
        volumes[i] = storage_find_share(jobs->storage, script->mounts[i].share).index;
    *settings = (ShellSettings){.arena = jobs->arena,
                                .script = script,
                                .files = storage_files(jobs->storage),
                                .volumes = volumes,
                                .disk = disk_of(job, task),
                                .job = job->id};
    settings->variables =
        job_environment(jobs->scenario, job, jobs->arena, &settings->variable_count);
    settings->directory = directory_of(settings);
    return shell_begin(settings);
}

void job_script_begins(Jobs *jobs, Job *job, uint32_t task, int64_t delay_ns)
{
    if (delay_ns > 0)
        job_push(jobs, job, delay_ns, EVENT_JOB_SCRIPT, task);
    else
        job_script_continues(jobs, job, task);
}

static void emit_changes(Jobs *jobs, const Job *job, const ShellRun *run, uint32_t task)
{
    for (int32_t i = 0; i < run->change_count; i++) {
        const ShellChange *change = &run->changes[i];
        const bool is_gone = change->file == FILE_NONE;
        TraceRecord *record =
            job_trace(jobs, is_gone ? TRACE_FILE_DELETED : TRACE_FILE_WRITTEN, job);
        record->node = job->nodes[task == 0 ? 0 : task - 1];
        record->share = (ShareId){change->volume};
        record->name = change->path;
        record->file = change->file;
        if (!is_gone) {
            record->bytes = storage_file(jobs->storage, change->file)->bytes;
            file_set_keep(storage_files(jobs->storage),
                          change->file); // a later reader of the record finds this file
        }
        recorder_emit(jobs->recorder);
    }
}

/* Whether a script with files hangs, because a share that it has mounted was deleted. */
static bool hangs(const Jobs *jobs, const ShellRun *run)
{
    const ShellScript *script = run->settings->script;
    for (int32_t i = 0; i < script->mount_count && script->uses_files; i++)
        if (storage_share_is_gone(jobs->storage, (ShareId){run->settings->volumes[i]}))
            return true;
    return false;
}

void job_script_continues(Jobs *jobs, Job *job, uint32_t task)
{
    ShellRun **at = run_of(job, task);
    if (!*at)
        *at = begin_run(jobs, job, task);
    ShellRun *run = *at;
    if (hangs(jobs, run))
        return;
    int64_t sleep_ns = shell_continue(run, jobs->engine->now_ns);
    emit_changes(jobs, job, run, task);
    if (!run->is_over)
        job_push(jobs, job, sleep_ns, EVENT_JOB_SCRIPT, task);
    else if (task == 0)
        job_push(jobs, job, 0, EVENT_JOB_PROGRAM_DONE, 0);
    else
        job_push(jobs, job, 0, EVENT_JOB_STAGE_DONE, task - 1);
}
