#include "sim/output/trace/fan.h"

#include "sim/base/invariant.h"
#include "sim/base/row_table.h"
#include "sim/cloud/job/job_name.h"

enum {
    LISTENERS_MAX = 16
}; // the programs know how many listeners they join; no input changes the number

struct TraceFan {
    Arena *arena;
    const World *world;
    TraceListener listeners[LISTENERS_MAX];
    int32_t listener_count;
    /* Paths composed once for each cluster or job; by id, NULL until first needed. */
    RowTable clusters;
    RowTable jobs;
    RowTable workloads;       /* by workload: the common path of its jobs */
    bool uses_workload_names; /* a listener does */
    TraceRow row;             /* its record is the slot of the sink */
    struct {
        ClusterId cluster;
        NodeId node;
        JobId job;
        ShareId share;
    } named; /* whose names the row has */
};

TraceFan *trace_fan_create(Arena *run)
{
    TraceFan *fan = ARENA_NEW(run, TraceFan);
    fan->arena = run;
    fan->named.cluster.index = fan->named.node.index = ID_NONE;
    fan->named.job.index = fan->named.share.index = ID_NONE;
    return fan;
}

void trace_fan_join(TraceFan *fan, TraceListener listener)
{
    invariant(fan->listener_count < LISTENERS_MAX);
    fan->listeners[fan->listener_count++] = listener;
}

void trace_fan_watch(TraceFan *fan, const World *world)
{
    fan->world = world;
}

static inline const char *cached_path(const RowTable *paths, uint32_t id)
{
    return id < paths->count ? row_table_at(paths, id) : NULL;
}

static const char *keep_path(TraceFan *fan, RowTable *paths, uint32_t id, char *path)
{
    row_table_put(fan->arena, paths, id, path);
    return path;
}

/* Not inlined, like path_of_job, so that the code for most records stays short. */
static __attribute__((noinline)) const char *cluster_path(TraceFan *fan, ClusterId id)
{
    const char *path = cached_path(&fan->clusters, id.index);
    if (path != NULL)
        return path;
    const ResourcePath parts = world_cluster(fan->world, id)->path;
    return keep_path(
        fan, &fan->clusters, id.index,
        arena_join(fan->arena, (const char *const[]){parts.workspace, parts.name}, 2, '/'));
}

/* The path that all jobs of a workload have for listeners that ignore their names. */
static const char *path_of_workload(TraceFan *fan, const Job *job)
{
    const uint32_t workload = (uint32_t)job->workload;
    const char *path = cached_path(&fan->workloads, workload);
    if (path != NULL)
        return path;
    return keep_path(fan, &fan->workloads, workload,
                     arena_printf(fan->arena, "%s/%s/%s-*", job->path.workspace,
                                  job->path.experiment,
                                  world_scenario(fan->world)->workloads[workload].name));
}

static __attribute__((noinline)) const char *path_of_job(TraceFan *fan, JobId id)
{
    const Job *job = world_job(fan->world, id);
    if (!fan->uses_workload_names && job->workload >= 0)
        return path_of_workload(fan, job);
    const char *path = cached_path(&fan->jobs, id.index);
    if (path != NULL)
        return path;
    const ResourcePath parts = job_path(world_scenario(fan->world), job, fan->arena);
    return keep_path(
        fan, &fan->jobs, id.index,
        arena_join(fan->arena, (const char *const[]){parts.workspace, parts.experiment, parts.name},
                   3, '/'));
}

void trace_fan_forget(TraceFan *fan)
{
    for (uint32_t j = 0; (j = row_table_next(&fan->jobs, j)) < fan->jobs.count; j++)
        if (world_job(fan->world, (JobId){j}) == NULL)
            row_table_clear(&fan->jobs, j);
    for (uint32_t c = 0; (c = row_table_next(&fan->clusters, c)) < fan->clusters.count; c++)
        if (world_cluster(fan->world, (ClusterId){c}) == NULL)
            row_table_clear(&fan->clusters, c);
    fan->named.cluster.index = fan->named.job.index = fan->named.share.index = ID_NONE;
    fan->row.cluster = fan->row.job = fan->row.share = NULL;
}

/* The names of the row's record. Those of the record before it are kept where the ids are the same:
 * most records are about the subject of an earlier one. */
static void add_names(TraceFan *fan)
{
    TraceRow *row = &fan->row;
    const TraceRecord *record = &row->record;
    if (record->cluster.index != fan->named.cluster.index) {
        fan->named.cluster = record->cluster;
        row->cluster = record->cluster.index != ID_NONE ? cluster_path(fan, record->cluster) : NULL;
    }
    if (record->node.index != fan->named.node.index) {
        fan->named.node = record->node;
        row->node =
            record->node.index != ID_NONE ? world_node(fan->world, record->node)->name : NULL;
    }
    if (record->job.index != fan->named.job.index) {
        fan->named.job = record->job;
        row->job = record->job.index != ID_NONE ? path_of_job(fan, record->job) : NULL;
    }
    if (record->share.index != fan->named.share.index) {
        fan->named.share = record->share;
        row->share = record->share.index != ID_NONE
                         ? share_name(world_share(fan->world, record->share))
                         : NULL;
    }
}

static void pass_record(void *listener, const TraceRecord *record)
{
    TraceFan *fan = listener;
    invariant(fan->world != NULL);
    if (record != &fan->row.record) // of a caller between the world and the fan
        fan->row.record = *record;
    add_names(fan);
    const TraceLevel level = trace_kind_level(record->kind);
    for (int32_t i = 0; i < fan->listener_count; i++)
        if (level <= fan->listeners[i].level)
            fan->listeners[i].row(fan->listeners[i].listener, &fan->row);
}

static void pass_instant(void *listener, int64_t at_ns)
{
    TraceFan *fan = listener;
    for (int32_t i = 0; i < fan->listener_count; i++)
        if (fan->listeners[i].instant != NULL)
            fan->listeners[i].instant(fan->listeners[i].listener, at_ns);
}

TraceSink trace_fan_sink(TraceFan *fan)
{
    TraceLevel level = TRACE_LEVEL_JOBS;
    bool wants_instants = false;
    for (int32_t i = 0; i < fan->listener_count; i++) {
        if (fan->listeners[i].level > level)
            level = fan->listeners[i].level;
        wants_instants |= fan->listeners[i].instant != NULL;
        fan->uses_workload_names |= !fan->listeners[i].ignores_workload_names;
    }
    return (TraceSink){.listener = fan,
                       .level = level,
                       .record = pass_record,
                       .instant = wants_instants ? pass_instant : NULL,
                       .slot = &fan->row.record};
}
