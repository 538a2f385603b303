#include "sim/scenario/command/trace_read.h"

#include <inttypes.h>
#include <string.h>

#include "sim/scenario/command/check.h"
#include "sim/scenario/command/workload_read.h"
#include "sim/scenario/joblist/job_list_file.h"

typedef struct {
    const CommandBinder *binder;
    const ScenarioCommands *commands;
    const WorkloadText *text;
    Workload *workload;
    const ClusterConfig **clusters; /* [queue, or 0] on which the jobs run */
} Trace;

static Problems *problems_of(const Trace *trace)
{
    return trace->binder->context->problems;
}

/* --- Members --- */

/* Refuses members that describe jobs or arrivals of another kind of workload. */
static void check_members(const Trace *trace)
{
    const WorkloadText *text = trace->text;
    const struct {
        const char *key;
        const Json *node;
    } others[] = {{"config", text->config},
                  {"arrivals", text->arrivals.node},
                  {"rate", text->rate.node},
                  {"count", text->count.node},
                  {"within", text->within.node},
                  {"hours", text->hours},
                  {"burst", text->burst.node},
                  {"jobs", text->jobs.node},
                  {"end", text->end.node},
                  {"nodes", text->nodes},
                  {"gpus", text->gpus},
                  {"gpus_per_node", text->gpus_per_node.node},
                  {"expected", text->expected.node}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].node != NULL)
            status_hint(problems_add(problems_of(trace), STATUS_BAD_INPUT, json_at(others[i].node),
                                     "a workload has \"trace\" or \"%s\", not both", others[i].key),
                        "the trace says when jobs arrive and what they ask for");
}

/* --- Clusters --- */

static const ClusterConfig *cluster_called(const Trace *trace, const char *name, ResourcePath *path)
{
    *path = trace->workload->path;
    path->experiment = NULL;
    path->name = name;
    return workload_find_cluster(trace->binder, trace->commands, trace->text->cluster, *path);
}

/* Whether it is {"queue": "*"}; any other object is a problem. */
static bool is_by_queue(const Trace *trace)
{
    const Json *cluster = trace->text->cluster;
    const Json *queue = json_member(cluster, "queue");
    if (cluster->kind == JSON_OBJECT && cluster->count == 1 && queue != NULL &&
        queue->kind == JSON_STRING && strcmp(queue->text, "*") == 0)
        return true;
    status_hint(problems_add(problems_of(trace), STATUS_BAD_INPUT, json_at(cluster),
                             "this does not name a cluster"),
                "a name, or {\"queue\": \"*\"} for the cluster with the name of each job's queue");
    return false;
}

/* Each queue of the list runs on the cluster of its name. */
static void find_queue_clusters(Trace *trace)
{
    const JobList *list = trace->workload->list;
    Arena *arena = trace->binder->context->arena;
    const Json *at = trace->text->cluster;
    int64_t unknown = list->queue == NULL ? 0 : list->count;
    for (int64_t row = 0; list->queue != NULL && row < list->count && unknown == list->count; row++)
        unknown = list->queue[row] == JOB_LIST_UNKNOWN ? row : list->count;
    if (list->count > 0 && unknown < list->count) {
        problems_add(problems_of(trace), STATUS_BAD_INPUT, json_at(at),
                     "row %" PRId64 " of \"%s\" has no queue, and its cluster is not known",
                     unknown + 1, trace->text->trace.value);
        return;
    }
    ResourcePath *paths = ARENA_ARRAY(arena, ResourcePath, list->queues.count);
    trace->clusters = ARENA_ARRAY(arena, const ClusterConfig *, list->queues.count);
    for (int32_t q = 0; q < list->queues.count; q++)
        trace->clusters[q] = cluster_called(trace, list->queues.texts[q], &paths[q]);
    trace->workload->queue_clusters = paths;
}

static void find_clusters(Trace *trace)
{
    const Json *cluster = trace->text->cluster;
    if (cluster == NULL) {
        status_hint(problems_add(problems_of(trace), STATUS_BAD_INPUT, json_at(trace->text->node),
                                 "workload \"%s\" has no cluster to run on", trace->workload->name),
                    "add \"cluster\" to the workload");
    } else if (cluster->kind == JSON_STRING) {
        trace->clusters = ARENA_NEW(trace->binder->context->arena, const ClusterConfig *);
        trace->clusters[0] = cluster_called(trace, cluster->text, &trace->workload->cluster);
    } else if (is_by_queue(trace)) {
        find_queue_clusters(trace);
    }
}

/* Warns of jobs that need more than their cluster may ever have. */
static void warn_of_wide_jobs(const Trace *trace)
{
    const JobList *list = trace->workload->list;
    const bool is_refused = trace->binder->text->wide_jobs.value == WIDE_JOBS_REFUSED;
    int64_t count = 0, first = 0;
    for (int64_t row = 0; row < list->count; row++) {
        const bool is_by_name = trace->workload->queue_clusters != NULL;
        const ClusterConfig *cluster = trace->clusters[is_by_name ? list->queue[row] : 0];
        const VmSize *vm = cluster->spec.vm_size;
        if (vm == NULL || cluster->nodes_max == NODES_UNKNOWN ||
            request_is_possible(request_of_gpus(list->gpus[row], vm->gpus), cluster->nodes_max,
                                vm->gpus))
            continue;
        first = count++ == 0 ? row : first;
    }
    if (count == 0)
        return;
    status_hint(problems_add(config_warnings(trace->binder->context), STATUS_BAD_INPUT,
                             json_at(trace->text->trace.node),
                             "%" PRId64 " of %" PRId64 " jobs need more GPUs than their cluster "
                             "ever has: %s. The first one is in row %" PRId64 " and asks for "
                             "%" PRId32,
                             count, list->count,
                             is_refused ? "they are refused"
                                        : "they wait for ever, and may block their queue",
                             first + 1, list->gpus[first]),
                is_refused
                    ? "raise the cluster's targetNodeCount"
                    : "raise the cluster's targetNodeCount, or set \"wide_jobs\": \"refuse\"");
}

/* --- The shape that all rows have in common --- */

static void add_shape(const Trace *trace)
{
    const ConfigContext *context = trace->binder->context;
    Arena *arena = context->arena;
    Program *program = ARENA_NEW(arena, Program);
    *program = (Program){.kind = PROGRAM_FIXED, .name = trace->text->trace.value};
    JobSpec *spec = ARENA_NEW(arena, JobSpec);
    *spec = (JobSpec){.asks_for = REQUEST_GPUS,
                      .nodes = 1,
                      .processes = 1,
                      .priority = PRIORITY_NORMAL,
                      .tool = "custom",
                      .command = trace->text->trace.value,
                      .max_wall_clock_ns =
                          context->catalog != NULL
                              ? catalog_service(context->catalog)->default_max_wall_clock_ns
                              : INT64_MAX,
                      .program = program};
    const JobSpec **specs = ARENA_NEW(arena, const JobSpec *);
    int64_t *probability_ppm = ARENA_NEW(arena, int64_t);
    specs[0] = spec;
    probability_ppm[0] = PPM;
    trace->workload->spec_count = 1;
    trace->workload->specs = specs;
    trace->workload->probability_ppm = probability_ppm;
}

void trace_read(const CommandBinder *binder, const ScenarioCommands *commands,
                const WorkloadText *text, Workload *workload)
{
    Arena *arena = binder->context->arena;
    Trace trace = {.binder = binder, .commands = commands, .text = text, .workload = workload};
    JobList *list = ARENA_NEW(arena, JobList);
    workload->begin_ns = text->begin.value;
    workload->stops_at_requested = text->stop_at_requested.value != 0;
    check_members(&trace);
    add_shape(&trace);
    if (text->trace.is_refused)
        return;
    const char *path = path_beside(arena, binder->path, text->trace.value);
    if (!job_list_read(arena, binder->files, path, list, problems_of(&trace)))
        return;
    workload->list = list;
    find_clusters(&trace);
    if (trace.clusters != NULL)
        warn_of_wide_jobs(&trace);
}
