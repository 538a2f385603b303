#include "sim/cloud/policy/queue_share.h"

#include <stdlib.h>

#include "sim/base/wide.h"

bool queue_is_before(const QueueSpec *a, int64_t a_used, const QueueSpec *b, int64_t b_used)
{
    if ((a->guaranteed == 0) != (b->guaranteed == 0))
        return b->guaranteed == 0;
    if (a->guaranteed == 0)
        return a_used < b_used;
    return (Wide)a_used * b->guaranteed < (Wide)b_used * a->guaranteed;
}

/* The order in which guarantees cover jobs: queue by queue. */
static int covers_before(const void *left, const void *right)
{
    const SharingJob *a = left, *b = right;
    if (a->queue != b->queue)
        return a->queue < b->queue ? -1 : 1;
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    if (a->started_ns != b->started_ns)
        return a->started_ns < b->started_ns ? -1 : 1;
    return (a->job.index > b->job.index) - (a->job.index < b->job.index);
}

/* Moves the borrowers among the `count` jobs of one queue to `borrowers`. Returns their number. */
static int32_t keep_borrowers(const SharingJob *jobs, int32_t count, SharingJob *borrowers)
{
    int64_t used = 0;
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        const SharingJob job = jobs[i];
        if (queue_is_guaranteed(job.spec, used, job.slots))
            used += job.slots;
        else if (!job.spec->is_protected)
            borrowers[kept++] = job;
    }
    for (int32_t i = 0; i < kept; i++)
        borrowers[i].used = used += borrowers[i].slots;
    return kept;
}

/* The order in which borrowers are stopped. Each job of a queue leaves it less than the one before,
 * so the next queue to give is always the one that is asked last at that time. */
static int stops_before(const void *left, const void *right)
{
    const SharingJob *a = left, *b = right;
    if (queue_is_before(b->spec, b->used, a->spec, a->used))
        return -1;
    if (queue_is_before(a->spec, a->used, b->spec, b->used))
        return 1;
    if (a->queue != b->queue)
        return a->queue > b->queue ? -1 : 1;
    return -covers_before(a, b);
}

int32_t queue_borrowers(SharingJob *jobs, int32_t count)
{
    int32_t kept = 0;
    if (count == 0)
        return 0;
    qsort(jobs, (size_t)count, sizeof *jobs, covers_before);
    for (int32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && jobs[end].queue == jobs[begin].queue; end++)
            ;
        kept += keep_borrowers(&jobs[begin], end - begin, &jobs[kept]);
    }
    qsort(jobs, (size_t)kept, sizeof *jobs, stops_before);
    return kept;
}
