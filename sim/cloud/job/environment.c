#include "sim/cloud/job/environment.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/cloud/job/job_name.h"

const char *job_mount_root(Arena *arena, ResourcePath path)
{
    return arena_printf(arena, JOB_ROOT "/%s/%s/%s/mounts", path.workspace, path.experiment,
                        path.name);
}

void job_folders(Arena *arena, ResourcePath path, EnvironmentVariable folders[JOB_FOLDERS])
{
    const char *temp = arena_printf(arena, JOB_ROOT "/%s", path.name);
    const EnvironmentVariable all[JOB_FOLDERS] = {
        {.name = "AZ_BATCHAI_MOUNT_ROOT", .value = CLUSTER_MOUNT_ROOT},
        {.name = "AZ_BATCHAI_JOB_MOUNT_ROOT", .value = job_mount_root(arena, path)},
        {.name = "AZ_BATCHAI_JOB_TEMP_DIR", .value = JOB_ROOT "/"},
        {.name = "AZ_BATCHAI_JOB_TEMP", .value = temp},
        {.name = "AZ_BATCHAI_SHARED_JOB_TEMP", .value = arena_printf(arena, "%s/shared", temp)},
        {.name = "AZ_BATCHAI_MPI_HOST_FILE", .value = arena_printf(arena, "%s/hostfile", temp)},
    };
    memcpy(folders, all, sizeof all);
}

void job_spec_leave_folders_out(Arena *arena, JobSpec *spec)
{
    const int32_t rest = spec->environment_count - JOB_FOLDERS;
    EnvironmentVariable *others = ARENA_ARRAY(arena, EnvironmentVariable, rest);
    invariant(rest >= 0 && !spec->lacks_folders);
    for (int32_t i = 0; i < rest; i++)
        others[i] = spec->environment[JOB_FOLDERS + i];
    spec->environment = others;
    spec->environment_count = rest;
    spec->lacks_folders = true;
}

const EnvironmentVariable *job_environment(const Scenario *scenario, const Job *job, Arena *arena,
                                           int32_t *count)
{
    const JobSpec *spec = job->spec;
    const int32_t first = spec->lacks_folders ? JOB_FOLDERS : 0;
    *count = first + spec->environment_count;
    EnvironmentVariable *all = ARENA_ARRAY(arena, EnvironmentVariable, *count);
    if (spec->lacks_folders)
        job_folders(arena, job->path, all);
    for (int32_t i = first; i < *count; i++) {
        all[i] = spec->environment[i - first];
        if (all[i].value)
            all[i].value = job_fill_in(scenario, job, all[i].value, 0, arena);
    }
    return all;
}
