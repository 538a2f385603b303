#include "sim/output/trace/fan.h"

#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/cloud/job/listed.h"

enum {
    LISTENERS_MAX = 16
}; // the programs know how many listeners they join; no input changes the number

/* Paths composed once for each cluster or job; [id], NULL until first needed. */
typedef struct {
    const char **paths;
    uint32_t capacity;
} PathCache;

struct TraceFan {
    Arena *arena;
    const World *world;
    TraceListener listeners[LISTENERS_MAX];
    int32_t listener_count;
    PathCache clusters;
    PathCache jobs;
};

TraceFan *trace_fan_create(Arena *run)
{
    TraceFan *fan = ARENA_NEW(run, TraceFan);
    fan->arena = run;
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

static const char **cached_path(TraceFan *fan, PathCache *cache, uint32_t id)
{
    cache->paths =
        array_room(fan->arena, cache->paths, id + 1, &cache->capacity, sizeof *cache->paths);
    return &cache->paths[id];
}

static const char *cluster_path(TraceFan *fan, ClusterId id)
{
    const char **path = cached_path(fan, &fan->clusters, id.index);
    if (*path == NULL) {
        const ResourcePath parts = world_cluster(fan->world, id)->path;
        *path = arena_printf(fan->arena, "%s/%s", parts.workspace, parts.name);
    }
    return *path;
}

static const char *path_of_job(TraceFan *fan, JobId id)
{
    const char **path = cached_path(fan, &fan->jobs, id.index);
    if (*path == NULL) {
        const ResourcePath parts =
            job_path(world_scenario(fan->world), world_job(fan->world, id), fan->arena);
        *path = arena_printf(fan->arena, "%s/%s/%s", parts.workspace, parts.experiment, parts.name);
    }
    return *path;
}

static void pass_record(void *listener, const TraceRecord *record)
{
    TraceFan *fan = listener;
    invariant(fan->world != NULL);
    TraceRow row = {.record = *record};
    if (record->cluster.index != ID_NONE)
        row.cluster = cluster_path(fan, record->cluster);
    if (record->node.index != ID_NONE)
        row.node = world_node(fan->world, record->node)->name;
    if (record->job.index != ID_NONE)
        row.job = path_of_job(fan, record->job);
    if (record->share.index != ID_NONE)
        row.share = share_name(world_share(fan->world, record->share));
    const TraceLevel level = trace_kind_level(record->kind);
    for (int32_t i = 0; i < fan->listener_count; i++)
        if (level <= fan->listeners[i].level)
            fan->listeners[i].row(fan->listeners[i].listener, &row);
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
    }
    return (TraceSink){.listener = fan,
                       .level = level,
                       .record = pass_record,
                       .instant = wants_instants ? pass_instant : NULL};
}
