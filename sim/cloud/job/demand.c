#include "sim/cloud/job/demand.h"

#include "sim/base/array.h"
#include "sim/cloud/cluster/autoscale.h"
#include "sim/cloud/job/queue_plan.h"

bool demand_is_limited(const JobQueue *queue)
{
    return queue->spec != NULL && queue->spec->most < INT64_MAX;
}

static void demand_changes(Jobs *jobs, const Job *job, int32_t change)
{
    Cluster *cluster = job_cluster(jobs, job);
    if (cluster_counts_demand(cluster))
        cluster_demand_changes(jobs->clusters, cluster, job_asked(jobs, job), change);
}

bool demand_lasts(const Jobs *jobs, const Job *job)
{
    return cluster_demand_lasts(cluster_by_id(jobs->clusters, job->cluster), job->request);
}

static void hold(Jobs *jobs, Job *job)
{
    if (!job->is_held)
        demand_changes(jobs, job, -1);
    job->is_held = true;
}

static void let_go(Jobs *jobs, Job *job)
{
    if (job->is_held)
        demand_changes(jobs, job, 1);
    job->is_held = false;
}

void demand_begins(Jobs *jobs, Job *job)
{
    job->is_held = demand_is_limited(&scheduler_queues(jobs, job->cluster)->items[job->queue]);
    if (!job->is_held)
        demand_changes(jobs, job, 1);
}

void demand_returns(Jobs *jobs, Job *job)
{
    if (!demand_lasts(jobs, job))
        demand_begins(jobs, job);
    else if (demand_is_limited(&scheduler_queues(jobs, job->cluster)->items[job->queue]))
        hold(jobs, job);
}

void demand_is_met(Jobs *jobs, Job *job)
{
    if (!demand_lasts(jobs, job))
        demand_ends(jobs, job);
    else
        let_go(jobs, job);
}

void demand_ends(Jobs *jobs, Job *job)
{
    if (!job->is_held)
        demand_changes(jobs, job, -1);
    job->is_held = false;
}

/* The next waiting job in the order in which the policy of the cluster looks at them; NULL: none.
 */
static Job *next_waiting(Jobs *jobs, ClusterQueues *queues, const JobQueue *queue, int32_t index)
{
    JobId id;
    if (queue->plan != NULL) {
        const PolicyView view = job_queue_view(jobs, queue, NULL);
        id = index < view.waiting_count ? view.waiting[index].job : (JobId){ID_NONE};
    } else {
        if (index == 0)
            job_heap_walk(jobs->arena, &queues->walk, &queue->waiting);
        id = job_heap_walk_next(jobs->arena, &queues->walk);
    }
    return id.index != ID_NONE ? job_row(jobs, id) : NULL;
}

/* Lists the waiting jobs that could start together within the limit of their queue. A policy that
 * sees the queue may pass over a job that is too large; in the service's order none may. */
static uint32_t list_within(Jobs *jobs, const Cluster *cluster, ClusterQueues *queues,
                            JobQueue *queue)
{
    int64_t left = job_queue_limit(queue).left;
    uint32_t count = 0;
    Job *job;
    for (int32_t i = 0; (job = next_waiting(jobs, queues, queue, i)) != NULL; i++) {
        const int64_t slots = request_least_slots(job->request, cluster_room(cluster));
        if (slots > left && queue->plan == NULL)
            break;
        if (slots > left || job_is_stopping(job))
            continue;
        left -= slots;
        job->is_within = true;
        queue->next_within = array_room(jobs->arena, queue->next_within, count + 1,
                                        &queue->next_capacity, sizeof *queue->next_within);
        queue->next_within[count++] = job->id;
    }
    return count;
}

void demand_update(Jobs *jobs, const Cluster *cluster, ClusterQueues *queues, JobQueue *queue)
{
    if (!demand_is_limited(queue))
        return;
    const uint32_t count = list_within(jobs, cluster, queues, queue);
    for (uint32_t i = 0; i < queue->within_count; i++) {
        Job *job = job_row(jobs, queue->within[i]);
        if (job != NULL && job->is_waiting && !job->is_within)
            hold(jobs, job);
    }
    for (uint32_t i = 0; i < count; i++) {
        Job *job = job_row(jobs, queue->next_within[i]);
        job->is_within = false;
        let_go(jobs, job);
    }
    JobId *const last = queue->within;
    const uint32_t capacity = queue->within_capacity;
    queue->within = queue->next_within;
    queue->within_capacity = queue->next_capacity;
    queue->within_count = count;
    queue->next_within = last;
    queue->next_capacity = capacity;
}

void demand_limit_begins(Jobs *jobs, ClusterId cluster, int32_t index)
{
    for (uint32_t j = 0; (j = row_table_next(&jobs->rows, j)) < jobs->rows.count; j++) {
        Job *job = job_row(jobs, (JobId){j});
        if (job->cluster.index == cluster.index && job->queue == index && job->state == JOB_QUEUED)
            hold(jobs, job);
    }
}
