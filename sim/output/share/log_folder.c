#include "sim/output/share/log_folder.h"

#include "sim/output/share/setup_files.h"

LogFolder log_folder_of_job(JobId job)
{
    return (LogFolder){.job = job, .cluster = {ID_NONE}};
}

LogFolder log_folder_of_cluster(ClusterId cluster)
{
    return (LogFolder){.job = {ID_NONE}, .cluster = cluster};
}

/* NULL: the folder belongs to a cluster. */
static const Job *job_of(const World *world, LogFolder folder)
{
    return folder.job.index == ID_NONE ? NULL : world_job(world, folder.job);
}

static const Cluster *cluster_of(const World *world, LogFolder folder)
{
    return world_cluster(world, folder.cluster);
}

bool log_folder_is_forgotten(const World *world, LogFolder folder)
{
    return folder.job.index != ID_NONE ? world_job(world, folder.job) == NULL
                                       : world_cluster(world, folder.cluster) == NULL;
}

const char *log_folder_share(const World *world, LogFolder folder)
{
    const Job *job = job_of(world, folder);
    return job ? job->spec->std_out_err.share
               : cluster_of(world, folder)->spec->setup_std_out_err.share;
}

const char *log_folder_path(const World *world, LogFolder folder, Arena *arena)
{
    const Job *job = job_of(world, folder);
    return job ? job_files_directory(world, job, arena)
               : setup_files_directory(world, cluster_of(world, folder), arena);
}

static int64_t job_begun_ns(const World *world, const Job *job)
{
    if (!job->attempt)
        return INT64_MAX; // a job that was terminated in the queue shows a start too
    bool has_program = job->attempt->program_ns <= world_now_ns(world);
    return has_program ? job->attempt->program_ns : job->started_ns;
}

int64_t log_folder_begun_ns(const World *world, LogFolder folder)
{
    const Job *job = job_of(world, folder);
    return job ? job_begun_ns(world, job) : setup_files_begun_ns(world, cluster_of(world, folder));
}

int64_t log_folder_settled_ns(const World *world, LogFolder folder)
{
    const Job *job = job_of(world, folder);
    return job ? job->ended_ns : setup_files_settled_ns(world, cluster_of(world, folder));
}

FileEntry *log_folder_list(const World *world, LogFolder folder, int64_t now_ns, Arena *arena,
                           int32_t *count)
{
    const Job *job = job_of(world, folder);
    return job ? job_files_list(world, job, now_ns, arena, count)
               : setup_files_list(world, cluster_of(world, folder), now_ns, arena, count);
}

int64_t log_folder_since_ns(const World *world, LogFolder folder, const FileEntry *entry)
{
    const Job *job = job_of(world, folder);
    return job ? job->created_ns
               : entry->created_ns; // a task runs only once the shares are mounted
}

bool log_folder_write(const World *world, LogFolder folder, const char *name, int64_t now_ns,
                      ByteSink sink)
{
    const Job *job = job_of(world, folder);
    return job ? job_file_write(world, job, name, now_ns, sink)
               : setup_file_write(world, cluster_of(world, folder), name, now_ns, sink);
}
