#include "real/launch/job_place.h"

#include <stdlib.h>
#include <string.h>

#include "sim/cloud/job/environment.h"
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

/* NULL: it is not known. */
static const char *value_of(const EnvironmentVariable *variable)
{
    return variable->value ? variable->value : variable->secret;
}

const char *job_place_variable(const World *world, const Job *job, const char *name, Arena *arena)
{
    int32_t count;
    const EnvironmentVariable *all = job_environment(world_scenario(world), job, arena, &count);
    for (int32_t i = 0; i < count; i++)
        if (strcmp(all[i].name, name) == 0 && value_of(&all[i]))
            return value_of(&all[i]);
    return NULL;
}

char **job_place_environment(const World *world, const Job *job, const char *folder, int32_t more,
                             Arena *arena, int32_t *count)
{
    enum { OWN = 5 };
    int32_t all_count;
    const EnvironmentVariable *all = job_environment(world_scenario(world), job, arena, &all_count);
    char **list = ARENA_ARRAY(arena, char *, all_count + OWN + more);
    const char *path = getenv("PATH");
    *count = 0;
    list[(*count)++] = arena_printf(arena, "PATH=%s", path ? path : "/usr/local/bin:/usr/bin:/bin");
    list[(*count)++] = arena_strdup(arena, "LANG=C.UTF-8");
    list[(*count)++] = arena_printf(arena, "HOME=%s", folder);
    list[(*count)++] = arena_printf(arena, "TMPDIR=%s/tmp", folder);
    for (int32_t i = 0; i < all_count; i++) {
        const char *value = value_of(&all[i]);
        if (value)
            list[(*count)++] =
                arena_printf(arena, "%s=%s%s", all[i].name, is_of_node(value) ? folder : "", value);
    }
    return list;
}

/* Whether the service creates the directory in this variable before it starts a command. */
static bool is_made(const EnvironmentVariable *variable)
{
    return begins(variable->name, "AZ_BATCHAI_") && !begins(variable->name, "AZ_BATCHAI_INPUT_") &&
           strcmp(variable->name, "AZ_BATCHAI_MPI_HOST_FILE") != 0 &&
           is_of_node(value_of(variable));
}

const char **job_place_folders(const World *world, const Job *job, Arena *arena, int32_t *count)
{
    int32_t all_count;
    const EnvironmentVariable *all = job_environment(world_scenario(world), job, arena, &all_count);
    const char **folders = ARENA_ARRAY(arena, const char *, all_count + 1);
    *count = 0;
    for (int32_t i = 0; i < all_count; i++)
        if (is_made(&all[i]))
            folders[(*count)++] = value_of(&all[i]);
    folders[(*count)++] = "/tmp";
    return folders;
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
