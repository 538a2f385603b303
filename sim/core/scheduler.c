/* One queue per cluster, and the pass that starts what can start. */
#include "sim/base/invariant.h"
#include "sim/core/world_parts.h"

void job_queue_init(JobQueue *queue)
{
    for (int32_t p = 0; p < PRIORITY_COUNT; p++)
        queue->first[p] = queue->last[p] = (JobId){ID_NONE};
    queue->length = 0;
}

/* Submission order within a priority, and ids grow with submission: new jobs go to the end, one
 * that comes back after losing its nodes goes before those submitted later. */
void job_queue_add(World *world, Cluster *cluster, Job *job)
{
    JobQueue *queue = &cluster->queue;
    JobPriority priority = job->spec->priority;
    JobId before = queue->last[priority], after = {ID_NONE};
    if (before.index != ID_NONE && before.index > job->id.index) {
        // It was at the head once, so its place is near there.
        before = (JobId){ID_NONE};
        after = queue->first[priority];
        while (after.index < job->id.index) {
            before = after;
            after = world_job_row(world, after)->queue_next;
        }
    }
    job->queue_previous = before;
    job->queue_next = after;
    job->is_waiting = true;
    *(before.index != ID_NONE ? &world_job_row(world, before)->queue_next
                              : &queue->first[priority]) = job->id;
    *(after.index != ID_NONE ? &world_job_row(world, after)->queue_previous
                             : &queue->last[priority]) = job->id;
    queue->length++;
}

void job_queue_remove(World *world, Cluster *cluster, Job *job)
{
    JobQueue *queue = &cluster->queue;
    JobPriority priority = job->spec->priority;
    JobId before = job->queue_previous, after = job->queue_next;
    *(before.index != ID_NONE ? &world_job_row(world, before)->queue_next
                              : &queue->first[priority]) = after;
    *(after.index != ID_NONE ? &world_job_row(world, after)->queue_previous
                             : &queue->last[priority]) = before;
    job->queue_next = job->queue_previous = (JobId){ID_NONE};
    job->is_waiting = false;
    queue->length--;
    invariant(queue->length >= 0);
}

const Job *job_queue_head(const World *world, const Cluster *cluster)
{
    for (int32_t p = PRIORITY_COUNT - 1; p >= 0; p--)
        if (cluster->queue.first[p].index != ID_NONE)
            return world_job(world, cluster->queue.first[p]);
    return NULL;
}

void scheduler_wake(World *world, Cluster *cluster)
{
    if (cluster->is_pass_due || cluster->queue.length == 0)
        return;
    cluster->is_pass_due = true;
    world_push(world, 0, EVENT_SCHEDULE, cluster->id.index, 0, 0);
}

void scheduler_pass(World *world, Cluster *cluster)
{
    cluster->is_pass_due = false;
    if (cluster->provisioning >= PROVISIONING_DELETING)
        return;
    // The service's order: priority first, then submission, and a job starts when all its nodes are
    // idle at once. Whether a smaller job could pass a blocked larger one is not recorded; here it
    // may not, so nobody starves (assumption).
    for (const Job *head; (head = job_queue_head(world, cluster)) != NULL;) {
        if (head->spec->nodes > cluster->node_count[NODE_IDLE])
            return;
        Job *job = world_job_row(world, head->id);
        job_queue_remove(world, cluster, job);
        job_start(world, job);
    }
}
