#include "sim/cloud/job/job_name.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/text.h"
#include "sim/cloud/job/tables.h"

enum { NO_ROW = -1 };

/* --- Jobs --- */

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

/* --- Files --- */

/* The format of API version 2018-05-01 (batchai-service notes, "Output paths"). */
const char *job_output_segment(const Scenario *scenario, const Job *job, Arena *arena)
{
    return arena_printf(arena, "%s/%s/workspaces/%s/experiments/%s/jobs/%s/%s",
                        scenario->subscription, job->path.group, job->path.workspace,
                        job->path.experiment, job_path(scenario, job, arena).name,
                        names_guid(scenario, job->address, 0, arena));
}

static const char epoch_mark[] = "{epoch}";

static bool has_mark(const char *pattern, const char *mark)
{
    while (*pattern && !begins_with(pattern, mark))
        pattern++;
    return *pattern != '\0';
}

/* Writes `pattern` with its marks filled in to `out`, unless that is NULL. Returns the number of
 * bytes, NUL included. */
static size_t fill(char *out, const char *pattern, const char *segment, const char *epoch)
{
    size_t length = 0;
    while (*pattern) {
        bool is_segment = begins_with(pattern, JOB_SEGMENT_MARK);
        bool is_epoch = begins_with(pattern, epoch_mark);
        const char *value = is_segment ? segment : is_epoch ? epoch : pattern;
        size_t value_length = is_segment || is_epoch ? strlen(value) : 1;
        if (out)
            memcpy(out + length, value, value_length);
        length += value_length;
        pattern += is_segment ? strlen(JOB_SEGMENT_MARK) : is_epoch ? strlen(epoch_mark) : 1;
    }
    if (out)
        out[length] = '\0';
    return length + 1;
}

/* As job_fill_in, for a point within an epoch, too. */
static const char *fill_marks(const Scenario *scenario, const Job *job, const char *pattern,
                              TrainingPoint point, Arena *arena)
{
    bool has_segment = has_mark(pattern, JOB_SEGMENT_MARK);
    if (!has_segment && !has_mark(pattern, epoch_mark))
        return pattern;
    Arena *scratch = arena_create();
    const char *segment = has_segment ? job_output_segment(scenario, job, scratch) : "";
    const char *epoch = arena_printf(scratch, "%lld", (long long)point.epochs);
    if (point.steps > 0)
        epoch = arena_printf(scratch, "%s-step-%lld", epoch, (long long)point.steps);
    char *filled = arena_alloc(arena, fill(NULL, pattern, segment, epoch));
    fill(filled, pattern, segment, epoch);
    arena_destroy(scratch);
    return filled;
}

const char *job_fill_in(const Scenario *scenario, const Job *job, const char *pattern,
                        int64_t epoch, Arena *arena)
{
    return fill_marks(scenario, job, pattern, (TrainingPoint){.epochs = epoch}, arena);
}

const char *job_checkpoint_path(const Scenario *scenario, const Job *job, const Program *program,
                                TrainingPoint point, Arena *arena)
{
    return fill_marks(scenario, job, program->checkpoint_path, point, arena);
}
