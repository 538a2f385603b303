#define _XOPEN_SOURCE 700 // realpath, st_mtim
#include "real/launch/real_node.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "real/launch/job_place.h"
#include "sim/cli/files.h"
#include "sim/cli/machine_clock.h"
#include "trainer/record/checkpoint_name.h"

const char *real_node_path(RealRun *run, const char *path)
{
    char *whole = realpath(path, NULL);
    const char *copy = whole ? arena_strdup(run->arena, whole) : path;
    free(whole);
    return copy;
}

bool real_node_make_above(RealRun *run, const char *path, Status *status)
{
    return folder_create(arena_strndup(run->arena, path, (size_t)(strrchr(path, '/') - path)),
                         status);
}

/* Makes a link at each mount path to the mounted folder. */
static bool link_mounts(RealRun *run, const Program *program, const char *node, Status *status)
{
    for (int32_t i = 0; i < program->mount_count; i++) {
        const ShellMount *mount = &program->mounts[i];
        const char *from = arena_printf(run->arena, "%s%s", node, mount->path);
        const char *to = arena_printf(run->arena, "%s/share/%s%s%s", run->folder, mount->share,
                                      mount->folder[0] ? "/" : "", mount->folder);
        if (!folder_create(to, status) || !real_node_make_above(run, from, status))
            return false;
        if (symlink(to, from) != 0)
            return file_failed(from, status);
    }
    return true;
}

static bool make_places(RealRun *run, const Job *job, const char *node, Status *status)
{
    int32_t count;
    const char **folders = job_place_folders(run->world, job, run->arena, &count);
    for (int32_t i = 0; i < count; i++)
        if (!folder_create(arena_printf(run->arena, "%s%s", node, folders[i]), status))
            return false;
    return true;
}

bool real_node_prepare(RealRun *run, const Job *job, const char *node, Status *status)
{
    return share_tree_write(run->tree, run->world, run->folder, status) &&
           folder_create(node, status) && link_mounts(run, job->spec->program, node, status) &&
           make_places(run, job, node, status);
}

bool real_node_remove_later_checkpoints(RealRun *run, const RealJob *real, Status *status)
{
    DIR *listing =
        real->is_lost && !real->is_killed && real->log_folder ? opendir(real->log_folder) : NULL;
    bool is_good = true;
    if (!listing)
        return true;
    for (const struct dirent *entry; is_good && (entry = readdir(listing));) {
        const char *path = arena_printf(run->arena, "%s/%s", real->log_folder, entry->d_name);
        struct stat facts;
        CheckpointPoint point;
        if (!checkpoint_point_of(entry->d_name, &point) || stat(path, &facts) != 0)
            continue;
        const int64_t written_ns = machine_time_ns(facts.st_mtim);
        if (written_ns > real->started_unix_ns + real->lost_after_ns && unlink(path) != 0)
            is_good = file_failed(path, status);
    }
    closedir(listing);
    return is_good;
}

static const char *link_of(RealRun *run, const RealShare *share)
{
    return arena_printf(run->arena, "%s/share/%s", run->folder, share->name);
}

bool real_node_check_shares(RealRun *run, Status *status)
{
    for (int32_t i = 0; run->settings.keeps_shares && i < run->settings.share_count; i++) {
        const RealShare *share = &run->settings.shares[i];
        const char *link = link_of(run, share);
        struct stat facts;
        if (lstat(link, &facts) != 0 || S_ISLNK(facts.st_mode))
            continue;
        status_fail(status, STATUS_BAD_INPUT, place_in(link, 0, 0),
                    "contains files of an earlier run, but %s is to be mounted instead",
                    share->folder);
        return status_hint(status, "continue without that mount, or move the files there");
    }
    return true;
}

bool real_node_link_shares(RealRun *run, Status *status)
{
    for (int32_t i = 0; i < run->settings.share_count; i++) {
        const RealShare *share = &run->settings.shares[i];
        const char *link = link_of(run, share);
        if (!real_node_make_above(run, link, status))
            return false;
        (void)unlink(link); // an earlier run, which this one continues, may have made it
        if (symlink(real_node_path(run, share->folder), link) != 0)
            return file_failed(link, status);
    }
    return true;
}
