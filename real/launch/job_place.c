#include "real/launch/job_place.h"

#include <stdlib.h>
#include <string.h>

#include "sim/output/share/job_files.h"

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* All paths of a node that a job gets from the service are below /mnt/batch. */
static bool is_of_node(const char *path)
{
    return path && begins(path, "/mnt/batch/");
}

const char *job_place_variable(const World *world, const Job *job, const char *name, Arena *arena)
{
    for (int32_t i = 0; i < job->spec->environment_count; i++) {
        const EnvironmentVariable *variable = &job->spec->environment[i];
        if (strcmp(variable->name, name) == 0 && variable->value)
            return job_fill_in(world_scenario(world), job, variable->value, 0, arena);
        if (strcmp(variable->name, name) == 0 && variable->secret)
            return variable->secret;
    }
    return NULL;
}

char **job_place_environment(const World *world, const Job *job, const char *folder, int32_t more,
                             Arena *arena, int32_t *count)
{
    enum { OWN = 5 };
    char **list = ARENA_ARRAY(arena, char *, job->spec->environment_count + OWN + more);
    const char *path = getenv("PATH");
    *count = 0;
    list[(*count)++] = arena_printf(arena, "PATH=%s", path ? path : "/usr/local/bin:/usr/bin:/bin");
    list[(*count)++] = arena_strdup(arena, "LANG=C.UTF-8");
    list[(*count)++] = arena_printf(arena, "HOME=%s", folder);
    list[(*count)++] = arena_printf(arena, "TMPDIR=%s/tmp", folder);
    for (int32_t i = 0; i < job->spec->environment_count; i++) {
        const char *name = job->spec->environment[i].name;
        const char *value = job_place_variable(world, job, name, arena);
        if (value)
            list[(*count)++] =
                arena_printf(arena, "%s=%s%s", name, is_of_node(value) ? folder : "", value);
    }
    return list;
}

const char *job_place_next_folder(const World *world, const Job *job, int32_t *next, Arena *arena)
{
    while (*next < job->spec->environment_count) {
        const char *name = job->spec->environment[(*next)++].name;
        const char *value = job_place_variable(world, job, name, arena);
        if (begins(name, "AZ_BATCHAI_") && !begins(name, "AZ_BATCHAI_INPUT_") &&
            strcmp(name, "AZ_BATCHAI_MPI_HOST_FILE") != 0 && is_of_node(value))
            return value;
    }
    if ((*next)++ == job->spec->environment_count)
        return "/tmp";
    return NULL;
}

static const char *output_name(const World *world, const Job *job, uint32_t whose, const char *stem,
                               Arena *arena)
{
    int32_t count;
    if (whose > 0 && job->request.nodes > 1)
        return arena_printf(arena, "%s-job_prep-%s.txt", stem,
                            world_node(world, job->nodes[whose - 1])->name);
    if (whose > 0)
        return arena_printf(arena, "%s-job_prep.txt", stem);
    // The output of parameter servers is first in order of names, but they do not train.
    const FileEntry *entries = job_files_list(world, job, world_now_ns(world), arena, &count);
    for (int32_t i = 0; i < count; i++)
        if (begins(entries[i].name, stem) && !strstr(entries[i].name, "-job_prep") &&
            !strstr(entries[i].name, "-ps-"))
            return entries[i].name;
    return arena_printf(arena, "%s.txt", stem);
}

const char *job_place_output(const World *world, const Job *job, uint32_t whose, const char *stem,
                             Arena *arena)
{
    const char *folder = job_place_variable(world, job, "AZ_BATCHAI_STDOUTERR_DIR", arena);
    return arena_printf(arena, "%s/%s", folder ? folder : "/tmp",
                        output_name(world, job, whose, stem, arena));
}

const char *job_place_start(const World *world, const Job *job, const char *folder, Arena *arena)
{
    const char *inside = job_place_variable(world, job, "AZ_BATCHAI_JOB_TEMP", arena);
    return inside ? arena_printf(arena, "%s%s", folder, inside) : folder;
}

int64_t job_place_limit_ns(const Job *job, uint32_t whose)
{
    return job->spec->max_wall_clock_ns - (job_outside_since_ns(job, whose) - job->started_ns);
}
