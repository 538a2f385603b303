#include "sim/output/explain/why_view.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/output/summary/names.h"

bool record_is_named(const TraceRecord *record, const char *name)
{
    return strcmp(record->name, name) == 0;
}

const char *why_keep_text(const Why *why, Text *text)
{
    const char *copy = arena_strdup(why->arena, text_string(text));
    text_free(text);
    return copy;
}

void why_add_row(WhyRow *const rows[TRACE_KIND_COUNT], Why *why, Story *story, const TraceRow *row)
{
    if (rows[row->record.kind] != NULL)
        rows[row->record.kind](why, story, row);
}

/* --- Clusters and jobs --- */

ClusterView *why_cluster(Why *why, uint32_t id)
{
    why->clusters = array_room(why->arena, why->clusters, id + 1, &why->cluster_capacity,
                               sizeof *why->clusters);
    return &why->clusters[id];
}

static bool is_wanted(const Why *why, const char *path)
{
    return path != NULL &&
           (strcmp(path, why->wanted) == 0 || strcmp(summary_short_name(path), why->wanted) == 0);
}

static void story_begin(Why *why, const TraceRow *row)
{
    Story *story = ARENA_NEW(why->arena, Story);
    *story = (Story){.job = row->record.job.index,
                     .path = row->job,
                     .cluster = row->record.cluster.index,
                     .wait = {.since_ns = INT64_MAX},
                     .started_ns = INT64_MAX};
    why->stories = array_room(why->arena, why->stories, why->story_count + 1, &why->story_capacity,
                              sizeof(Story *));
    why->stories[why->story_count++] = story;
}

JobView *why_job(Why *why, const TraceRow *row)
{
    const uint32_t id = row->record.job.index;
    why->jobs = array_room(why->arena, why->jobs, id + 1, &why->job_capacity, sizeof *why->jobs);
    if (id >= why->job_count)
        why->job_count = id + 1;
    if (why->jobs[id].path == NULL) {
        why->jobs[id].path = row->job;
        if (is_wanted(why, row->job))
            story_begin(why, row);
    }
    return &why->jobs[id];
}

const JobSpec *why_job_spec(const Why *why, uint32_t job)
{
    return why->world != NULL ? world_job(why->world, (JobId){job})->spec : NULL;
}

JobRequest why_job_request(const Why *why, uint32_t job)
{
    return why->world != NULL ? world_job(why->world, (JobId){job})->request : (JobRequest){0};
}

OtherJob why_other_job(const Why *why, uint32_t job, int64_t at_ns)
{
    return (OtherJob){.id = job,
                      .name = summary_short_name(why->jobs[job].path),
                      .nodes = why_job_request(why, job).nodes,
                      .at_ns = at_ns};
}

/* --- The order of the queue --- */

/* Whether the queue is in the service's order. Other policies decide the order only when they
 * choose. */
static bool keeps_service_order(PolicyKind policy)
{
    return policy == POLICY_SERVICE || policy == POLICY_BACKFILL || policy == POLICY_CONSERVATIVE ||
           policy == POLICY_PRIORITY_PREEMPTIVE;
}

bool why_is_ahead(const Why *why, const Story *story, uint32_t job)
{
    if (why->world == NULL)
        return job < story->job;
    const PolicyKind policy = world_policy(why->world);
    if (world_job(why->world, (JobId){job})->queue !=
        world_job(why->world, (JobId){story->job})->queue)
        return false;
    const JobSpec *theirs = why_job_spec(why, job), *own = why_job_spec(why, story->job);
    if (!keeps_service_order(policy))
        return false;
    return theirs->priority != own->priority ? theirs->priority > own->priority : job < story->job;
}

/* --- Counts --- */

static void count_node(Why *why, const TraceRow *row)
{
    ClusterView *cluster = why_cluster(why, row->record.cluster.index);
    const int64_t was = row->record.node_state.was;
    int state = 0;
    while (state < NODE_STATE_COUNT &&
           !record_is_named(&row->record, node_state_name((NodeState)state)))
        state++;
    if (was >= 0 && was < NODE_STATE_COUNT)
        cluster->nodes[was]--;
    cluster->nodes[state]++;
}

static void count_job(Why *why, const TraceRow *row)
{
    JobView *job = why_job(why, row);
    const bool is_queued = record_is_named(&row->record, job_state_name(JOB_QUEUED));
    why_cluster(why, row->record.cluster.index)->queued += (int32_t)is_queued - job->is_queued;
    job->is_queued = is_queued;
    job->is_running =
        record_is_named(&row->record, job_state_name(JOB_RUNNING)) ||
        (job->is_running && record_is_named(&row->record, job_state_name(JOB_TERMINATING)));
    job->cluster = row->record.cluster.index;
}

static void keep_allocation(Why *why, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    ClusterView *cluster = why_cluster(why, record->cluster.index);
    cluster->allocation = *record;
    cluster->has_allocation = true;
    if (record->cluster_allocation.current >= record->cluster_allocation.target)
        cluster->error = NULL;
}

static void keep_error(Why *why, const TraceRow *row)
{
    ClusterView *cluster = why_cluster(why, row->record.cluster.index);
    cluster->error = row->record.name;
    cluster->error_ns = row->record.at_ns;
}

static void keep_scaling(Why *why, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    why_cluster(why, record->cluster.index)->maximum =
        record_is_named(record, "automatic") ? record->cluster_scaling.maximum : 0;
}

static void keep_reclaim(Why *why, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    why_cluster(why, record->cluster.index)->reclaim =
        (ReclaimView){record->name, summary_short_name(row->job), record->at_ns - record->since_ns};
}

static void (*const counts[TRACE_KIND_COUNT])(Why *why, const TraceRow *row) = {
    [TRACE_NODE_STATE] = count_node,
    [TRACE_JOB_STATE] = count_job,
    [TRACE_CLUSTER_ALLOCATION] = keep_allocation,
    [TRACE_CLUSTER_ERROR] = keep_error,
    [TRACE_CLUSTER_SCALING] = keep_scaling,
    [TRACE_QUEUE_RECLAIMS] = keep_reclaim,
};

void why_view_add_row(Why *why, const TraceRow *row)
{
    gpu_rooms_add_row(why->rooms, row);
    if (counts[row->record.kind] != NULL)
        counts[row->record.kind](why, row);
}
