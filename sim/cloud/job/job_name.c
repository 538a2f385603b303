#include "sim/cloud/job/job_name.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/cloud/job/tables.h"

enum { NO_ROW = -1 };

const char *workload_job_name(const Workload *workload, int64_t row, Arena *arena)
{
    return arena_numbered(arena, workload->name, row + 1);
}

ResourcePath job_path(const Scenario *scenario, const Job *job, Arena *arena)
{
    ResourcePath path = job->path;
    if (path.name == NULL)
        path.name = workload_job_name(&scenario->workloads[job->workload], job->row, arena);
    return path;
}

void job_make_name(Jobs *jobs, Job *job)
{
    job->path = job_path(jobs->scenario, job, jobs->arena);
}

/* The row that a name states; NO_ROW: it is not a name of the workload's jobs. */
static int64_t row_of_name(const Workload *workload, const char *name)
{
    const size_t length = strlen(workload->name);
    int64_t number = 0;
    if (!ascii_same_start(name, workload->name, length) || name[length] != '-')
        return NO_ROW;
    const char *digit = name + length + 1;
    if (*digit == '0')
        return NO_ROW;
    for (; ascii_is_digit(*digit) && number <= INT32_MAX; digit++)
        number = 10 * number + (*digit - '0');
    return *digit == '\0' ? number - 1 : NO_ROW;
}

static bool is_inside(ResourcePath path, ResourcePath scope)
{
    return same_name(path.group, scope.group) && same_name(path.workspace, scope.workspace) &&
           same_name(path.experiment, scope.experiment);
}

static Job *job_of_row(Jobs *jobs, int32_t workload, int64_t row)
{
    if (row == NO_ROW)
        return NULL;
    for (uint32_t j = 0; (j = row_table_next(&jobs->rows, j)) < jobs->rows.count; j++) {
        Job *job = job_row(jobs, (JobId){j});
        if (job->workload == workload && job->row == row &&
            job->provisioning != PROVISIONING_DELETED)
            return job;
    }
    return NULL;
}

Job *workload_find_job(Jobs *jobs, ResourcePath path)
{
    for (int32_t i = 0; path.name != NULL && i < jobs->scenario->workload_count; i++) {
        const Workload *workload = &jobs->scenario->workloads[i];
        if (!is_inside(path, workload->path))
            continue;
        Job *job = job_of_row(jobs, i, row_of_name(workload, path.name));
        if (job != NULL) {
            job_make_name(jobs, job);
            return job;
        }
    }
    return NULL;
}
