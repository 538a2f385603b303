#include "emu/jobs/run_folders.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/files.h"

static const char *attempt_folder(Arena *arena, const char *folder, JobId job, int32_t attempt)
{
    return arena_printf(arena, "%s/job%" PRIu32 "-%" PRId32, folder, job.index, attempt);
}

const char *run_folder(Arena *arena, const char *folder, JobId job, int32_t attempt, uint32_t node)
{
    return arena_printf(arena, "%s/node%" PRIu32, attempt_folder(arena, folder, job, attempt),
                        node);
}

static void remove_folder(const char *folder)
{
    Status status = {0};
    if (!folder_remove(folder, &status))
        fprintf(stderr, "warning: %s: %s\n", folder, status.message);
}

void run_folders_remove_job(const char *folder, const Job *job)
{
    Arena *arena = arena_create();
    for (int32_t attempt = 1; attempt <= job->starts; attempt++)
        remove_folder(attempt_folder(arena, folder, job->id, attempt));
    arena_destroy(arena);
}

static bool is_job_folder(const char *name)
{
    static const char digits[] = "0123456789";
    const size_t prefix = strlen("job");
    if (strncmp(name, "job", prefix) != 0)
        return false;
    const size_t job = strspn(name + prefix, digits);
    const char *dash = name + prefix + job;
    return job > 0 && dash[0] == '-' && dash[1] != '\0' &&
           dash[1 + strspn(dash + 1, digits)] == '\0';
}

void run_folders_remove_all(const char *folder)
{
    Arena *arena = arena_create();
    DIR *entries = opendir(folder);
    for (const struct dirent *one; entries && (one = readdir(entries)) != NULL;)
        if (is_job_folder(one->d_name))
            remove_folder(arena_printf(arena, "%s/%s", folder, one->d_name));
    if (entries)
        closedir(entries);
    (void)rmdir(folder);
    arena_destroy(arena);
}
