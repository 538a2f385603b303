#include "sim/scenario/command/trace_read.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/command/check.h"
#include "sim/scenario/command/trace_speeds.h"
#include "sim/scenario/command/workload_read.h"
#include "sim/scenario/config/checkpoint_config.h"
#include "sim/scenario/config/kind_config.h"
#include "sim/scenario/config/queue_config.h"
#include "sim/scenario/joblist/job_list_file.h"

typedef struct {
    const CommandBinder *binder;
    const WorkloadText *text;
    Workload *workload;
    const ClusterConfig **clusters; /* [word of the column, or 0] on which the jobs run ... */
    int32_t *queues; /* ... and [that * (queues + 1) + 1 + queue of the list] the index of the queue
                        there; QUEUE_UNKNOWN */
    bool has_queues; /* a cluster has */
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
                  {"weekdays", text->weekdays},
                  {"burst", text->burst.node},
                  {"jobs", text->jobs.node},
                  {"end", text->end.node},
                  {"nodes", text->nodes},
                  {"gpus", text->gpus},
                  {"gpus_per_node", text->gpus_per_node.node},
                  {"cpus", text->cpus.node},
                  {"memory", text->memory.node},
                  {"expected", text->expected.node}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].node != NULL)
            status_hint(problems_add(problems_of(trace), STATUS_BAD_INPUT, json_at(others[i].node),
                                     "a workload has \"trace\" or \"%s\", not both", others[i].key),
                        "the trace says when jobs arrive and what they ask for");
}

/* --- Clusters --- */

static const ClusterConfig *cluster_called(const Trace *trace, const Json *at, const char *name,
                                           ResourcePath *path)
{
    *path = trace->workload->path;
    path->experiment = NULL;
    path->name = name;
    return cluster_known(trace->binder, *path, json_at(at));
}

/* The columns by whose words jobs may have their clusters. */
typedef struct {
    const char *key; /* of the workload's "cluster", and in the header of the list */
    const char *what;
    size_t column, words; /* offsets in JobList */
} Division;

static const Division divisions[] = {
    {"queue", "queue", offsetof(JobList, queue), offsetof(JobList, queues)},
    {"gpu_type", "kind of GPU", offsetof(JobList, gpu_type), offsetof(JobList, gpu_types)},
};
enum { DIVISIONS = sizeof divisions / sizeof divisions[0] };

/* The column of {"queue": "*"}; NULL with a problem: it is another object. */
static const Division *find_division(const Trace *trace)
{
    const Json *cluster = trace->text->cluster;
    for (int32_t i = 0; i < DIVISIONS && cluster->kind == JSON_OBJECT; i++) {
        const Json *word = json_member(cluster, divisions[i].key);
        if (cluster->count == 1 && word != NULL && word->kind == JSON_STRING &&
            strcmp(word->text, "*") == 0)
            return &divisions[i];
    }
    status_hint(problems_add(problems_of(trace), STATUS_BAD_INPUT, json_at(cluster),
                             "this does not name a cluster"),
                "a name, or {\"queue\": \"*\"} or {\"gpu_type\": \"*\"} for the cluster with the "
                "name of each job's queue or kind of GPU");
    return NULL;
}

static const int32_t *column_of(const JobList *list, const Division *division)
{
    const int32_t *column;
    memcpy(&column, (const char *)list + division->column, sizeof column);
    return column;
}

/* The first row without a word; the number of rows: all have one. */
static int64_t first_unknown(const JobList *list, const int32_t *column)
{
    int64_t row = 0;
    while (column != NULL && row < list->count && column[row] != JOB_LIST_UNKNOWN)
        row++;
    return row;
}

/* Each word of the column is the name of the cluster of its jobs. */
static void find_named_clusters(Trace *trace, const Division *division)
{
    const JobList *list = trace->workload->list;
    Arena *arena = trace->binder->context->arena;
    const Json *at = json_member(trace->text->cluster, division->key);
    const int32_t *column = column_of(list, division);
    const int64_t unknown = first_unknown(list, column);
    JobListWords words;
    memcpy(&words, (const char *)list + division->words, sizeof words);
    if (unknown < list->count) {
        problems_add(problems_of(trace), STATUS_BAD_INPUT, json_at(at),
                     "row %" PRId64 " of \"%s\" has no %s, and its cluster is not known",
                     unknown + 1, trace->text->trace.value, division->what);
        return;
    }
    ResourcePath *paths = ARENA_ARRAY(arena, ResourcePath, words.count);
    trace->clusters = ARENA_ARRAY(arena, const ClusterConfig *, words.count);
    for (int32_t w = 0; w < words.count; w++)
        trace->clusters[w] = cluster_called(trace, at, words.texts[w], &paths[w]);
    trace->workload->cluster_of_row = column;
    trace->workload->clusters = paths;
    trace->workload->cluster_count = words.count;
}

static void find_clusters(Trace *trace)
{
    const Json *cluster = trace->text->cluster;
    const Division *division;
    if (cluster == NULL) {
        status_hint(problems_add(problems_of(trace), STATUS_BAD_INPUT, json_at(trace->text->node),
                                 "workload \"%s\" has no cluster to run on", trace->workload->name),
                    "add \"cluster\" to the workload");
    } else if (cluster->kind == JSON_STRING) {
        trace->clusters = ARENA_NEW(trace->binder->context->arena, const ClusterConfig *);
        trace->clusters[0] =
            cluster_called(trace, cluster, cluster->text, &trace->workload->cluster);
    } else if ((division = find_division(trace)) != NULL) {
        find_named_clusters(trace, division);
    }
}

static const ClusterConfig *cluster_of_row(const Trace *trace, int64_t row)
{
    const int32_t *column = trace->workload->cluster_of_row;
    return trace->clusters[column != NULL ? column[row] : 0];
}

/* --- Queues --- */

static int32_t cluster_count(const Trace *trace)
{
    return trace->workload->cluster_of_row != NULL ? trace->workload->cluster_count : 1;
}

/* The name of the queue in which jobs of the list's `queue` wait; NULL: none is known. */
static const char *queue_name(const Trace *trace, int32_t queue)
{
    if (trace->text->queue.value != NULL || queue == JOB_LIST_UNKNOWN)
        return trace->text->queue.value;
    return trace->workload->list->queues.texts[queue];
}

/* The word of the row; JOB_LIST_UNKNOWN. */
static int32_t queue_word(const JobList *list, int64_t row)
{
    return list->queue != NULL ? list->queue[row] : JOB_LIST_UNKNOWN;
}

/* The index of the row's queue in its cluster; QUEUE_UNKNOWN. */
static int32_t queue_of_row(const Trace *trace, int64_t row)
{
    const JobList *list = trace->workload->list;
    const int32_t *column = trace->workload->cluster_of_row;
    const int32_t cluster = column != NULL ? column[row] : 0;
    return trace->queues[cluster * (list->queues.count + 1) + 1 + queue_word(list, row)];
}

static void find_queues(Trace *trace)
{
    const JobList *list = trace->workload->list;
    const int32_t width = list->queues.count + 1;
    trace->queues =
        ARENA_ARRAY(trace->binder->context->arena, int32_t, (int64_t)cluster_count(trace) * width);
    for (int32_t c = 0; c < cluster_count(trace); c++) {
        const ClusterSpec *spec = &trace->clusters[c]->spec;
        trace->has_queues |= spec->queue_count > 0;
        for (int32_t q = JOB_LIST_UNKNOWN; q < list->queues.count; q++)
            trace->queues[c * width + 1 + q] = cluster_spec_queue(spec, queue_name(trace, q));
    }
}

/* Refuses the first row whose cluster does not have its queue. */
static void check_queues(const Trace *trace)
{
    const JobList *list = trace->workload->list;
    const WorkloadText *text = trace->text;
    for (int64_t row = 0; trace->has_queues && row < list->count; row++) {
        if (queue_of_row(trace, row) != QUEUE_UNKNOWN)
            continue;
        const ClusterConfig *cluster = cluster_of_row(trace, row);
        const int32_t word = queue_word(list, row);
        if (text->queue.node == NULL && word == JOB_LIST_UNKNOWN)
            status_hint(
                problems_add(problems_of(trace), STATUS_BAD_INPUT, json_at(text->trace.node),
                             "row %" PRId64 " of \"%s\" has no queue, and cluster \"%s\" has "
                             "queues",
                             row + 1, text->trace.value, cluster->name),
                "\"queue\" of the workload states one for all jobs");
        else
            (void)queue_check(
                trace->binder->context, cluster, queue_name(trace, word),
                json_at(text->queue.node != NULL ? text->queue.node : text->trace.node));
        return;
    }
}

/* --- Kinds of nodes --- */

/* The kinds of the cluster that "A|B" names; 0: none. */
static KindSet kinds_of_words(const Trace *trace, const ClusterSpec *spec, const char *words)
{
    KindSet kinds = 0;
    for (const char *word = words; word != NULL;) {
        const char *bar = strchr(word, '|');
        const size_t length = bar != NULL ? (size_t)(bar - word) : strlen(word);
        kinds |= kinds_called(spec, arena_strndup(trace->binder->context->arena, word, length));
        word = bar != NULL ? bar + 1 : NULL;
    }
    return kinds;
}

/* The kinds of a cluster that rows with that kind of GPU allow. */
static KindSet kinds_of_type(const Trace *trace, const ClusterConfig *cluster, int32_t type)
{
    const ClusterSpec *spec = &cluster->spec;
    const char *words = trace->workload->list->gpu_types.texts[type];
    const KindSet kinds = kinds_of_words(trace, spec, words);
    const char *names[NODE_KINDS_MAX];
    if (kinds != 0)
        return kinds;
    for (int32_t k = 0; k < spec->kind_count; k++)
        names[k] = spec->kinds[k].name;
    status_hint_names(problems_add(problems_of(trace), STATUS_BAD_INPUT,
                                   json_at(trace->text->gpu_type.node),
                                   "jobs of \"%s\" ask for \"%s\", which names no kind of nodes "
                                   "of cluster \"%s\"",
                                   trace->text->trace.value, words, cluster->name),
                      words, names, spec->kind_count);
    return 0;
}

/* Fills in the kinds that rows allow: those of "node_kind", or of their kind of GPU. */
static void find_kinds(const Trace *trace)
{
    const JobList *list = trace->workload->list;
    const WorkloadText *text = trace->text;
    const bool binds = text->gpu_type.value == CORES_BIND && list->gpu_type != NULL;
    const int32_t width = list->gpu_types.count + 1;
    KindSet *kinds =
        ARENA_ARRAY(trace->binder->context->arena, KindSet, (int64_t)cluster_count(trace) * width);
    if (!binds && text->node_kind == NULL)
        return;
    if (text->gpu_type.value == CORES_BIND && text->node_kind != NULL)
        problems_add(problems_of(trace), STATUS_BAD_INPUT, json_at(text->node_kind),
                     "a workload has \"node_kind\" or \"gpu_type\": \"bind\", not both");
    for (int32_t c = 0; c < cluster_count(trace); c++) {
        const ClusterConfig *cluster = trace->clusters[c];
        const KindSet all = cluster_spec_all_kinds(&cluster->spec);
        const KindSet stated = kinds_of_job(trace->binder->context, cluster, text->node_kind);
        for (int32_t type = JOB_LIST_UNKNOWN; type < list->gpu_types.count; type++)
            kinds[c * width + 1 + type] = all == 0 || (!binds && stated == 0) ? all
                                          : !binds                            ? stated
                                          : type == JOB_LIST_UNKNOWN
                                              ? all
                                              : kinds_of_type(trace, cluster, type);
    }
    trace->workload->kinds_of_gpu_type = kinds;
}

/* Whether the job may ever start. */
static bool is_possible(const Trace *trace, int64_t row)
{
    const ClusterConfig *cluster = cluster_of_row(trace, row);
    const VmSize *vm = cluster->spec.vm_size;
    if (vm == NULL)
        return true;
    JobRequest request = workload_request(trace->workload, row, vm->gpus);
    request.kinds =
        workload_kinds(trace->workload, row, cluster_spec_all_kinds(&cluster->spec)) & KIND_SET_ALL;
    if (request.kinds != 0)
        return kinds_may_run(cluster, request, queue_most(cluster, queue_of_row(trace, row)));
    return request_is_possible(request, cluster->nodes_max, vm_size_share(vm)) &&
           request_slots(request, vm->gpus) <= queue_most(cluster, queue_of_row(trace, row));
}

/* Warns of jobs that need more than their cluster or queue may ever have. */
static void warn_of_wide_jobs(const Trace *trace)
{
    const JobList *list = trace->workload->list;
    const bool is_refused = trace->binder->text->wide_jobs.value == WIDE_JOBS_REFUSED;
    int64_t count = 0, first = 0;
    for (int64_t row = 0; row < list->count; row++) {
        if (is_possible(trace, row))
            continue;
        first = count++ == 0 ? row : first;
    }
    if (count == 0)
        return;
    status_hint(problems_add(config_warnings(trace->binder->context), STATUS_BAD_INPUT,
                             json_at(trace->text->trace.node),
                             "%" PRId64 " of %" PRId64 " jobs need more %s than their cluster%s "
                             "ever has: %s. The first one is in row %" PRId64 " and asks for "
                             "%" PRId32,
                             count, list->count,
                             trace->workload->asks_for_cores ? "GPUs, cores or memory" : "GPUs",
                             trace->has_queues ? " or queue" : "",
                             is_refused ? "they are refused"
                                        : "they wait for ever, and may block their queue",
                             first + 1, list->gpus[first]),
                "raise the cluster's targetNodeCount%s%s",
                trace->workload->asks_for_cores ? ", choose a larger vmSize" : "",
                is_refused ? "" : ", or set \"wide_jobs\": \"refuse\"");
}

/* --- Other jobs for each seed --- */

static int64_t load_ppm(const Trace *trace)
{
    enum { LEAST_PPM = RESAMPLE_PPM / 100 };
    const Json *load = trace->text->load;
    int64_t ppm = RESAMPLE_PPM;
    if (load == NULL || (json_scaled(load, 6, &ppm) && ppm >= LEAST_PPM &&
                         ppm <= (int64_t)RESAMPLE_LOAD_MOST * RESAMPLE_PPM))
        return ppm;
    problems_add(problems_of(trace), STATUS_BAD_INPUT, json_at(load),
                 "load is not a number from 0.01 to %d with at most six decimals",
                 RESAMPLE_LOAD_MOST);
    return RESAMPLE_PPM;
}

static void read_resample(const Trace *trace)
{
    const WorkloadText *text = trace->text;
    const JobList *list = trace->workload->list;
    const Resample resample = {.piece_ns = text->resample.value, .load_ppm = load_ppm(trace)};
    if (resample.piece_ns == 0 && resample.load_ppm != RESAMPLE_PPM)
        status_hint(
            problems_add(problems_of(trace), STATUS_BAD_INPUT, json_at(text->load),
                         "\"load\" needs \"resample\""),
            "state the length of its pieces, as in \"resample\": \"7d\": a list that is replayed "
            "has its own jobs only");
    else if (resample.piece_ns > 0 && !resample_is_possible(list, resample.piece_ns))
        status_hint(problems_add(problems_of(trace), STATUS_BAD_INPUT, json_at(text->resample.node),
                                 "the number of pieces of this length in the list is %" PRId64
                                 ", expected %d to %d",
                                 resample_pieces(list, resample.piece_ns), RESAMPLE_PIECES_LEAST,
                                 RESAMPLE_PIECES_MOST),
                    "its last job is submitted %" PRId64 " s after its begin",
                    list->count > 0 ? list->submit_ns[list->count - 1] / NS_PER_S : 0);
    else if (resample.piece_ns > 0 && resample_rows_most(list, resample) > INT32_MAX)
        status_hint(problems_add(problems_of(trace), STATUS_BAD_INPUT, json_at(text->trace.node),
                                 "the list is too long for this \"load\": a run may have more "
                                 "than %" PRId32 " jobs",
                                 INT32_MAX),
                    "use a lower \"load\", or a part of the list");
    else
        trace->workload->resample = resample;
}

/* --- The shape that all rows have in common --- */

static void add_shape(const Trace *trace)
{
    const ConfigContext *context = trace->binder->context;
    Arena *arena = context->arena;
    Program *program = ARENA_NEW(arena, Program);
    *program = (Program){.kind = PROGRAM_FIXED, .name = trace->text->trace.value};
    checkpoint_read_work(context->problems, trace->text->checkpoint, program);
    JobSpec *spec = ARENA_NEW(arena, JobSpec);
    *spec = (JobSpec){.asks_for = REQUEST_GPUS,
                      .nodes = 1,
                      .processes = 1,
                      .priority = PRIORITY_NORMAL,
                      .tool = "custom",
                      .command = trace->text->trace.value,
                      .queue = trace->text->queue.value,
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

void trace_read(const CommandBinder *binder, const WorkloadText *text, Workload *workload)
{
    Arena *arena = binder->context->arena;
    Trace trace = {.binder = binder, .text = text, .workload = workload};
    JobList *list = ARENA_NEW(arena, JobList);
    workload->begin_ns = text->begin.value;
    workload->stops_at_requested = text->stop_at_requested.value != 0;
    workload->asks_for_cores = text->cores_and_memory.value == CORES_BIND;
    check_members(&trace);
    add_shape(&trace);
    if (text->trace.is_refused)
        return;
    const char *path = path_beside(arena, binder->path, text->trace.value);
    if (!job_list_read(arena, binder->files, path, list, problems_of(&trace)))
        return;
    workload->list = list;
    find_clusters(&trace);
    if (trace.clusters == NULL)
        return;
    find_queues(&trace);
    check_queues(&trace);
    find_kinds(&trace);
    trace_speeds_read(binder->context, text, trace.clusters, cluster_count(&trace), workload);
    warn_of_wide_jobs(&trace);
    read_resample(&trace);
}

/* --- What has no effect --- */

void trace_warn_of_unused(const Workload *workload, const Json *trace, Problems *warnings)
{
    const JobList *list = workload->list;
    const bool has_both = list->cpus != NULL && list->memory_bytes != NULL;
    if (!workload->asks_for_cores && (list->cpus != NULL || list->memory_bytes != NULL))
        status_hint(problems_add(warnings, STATUS_BAD_INPUT, json_at(trace),
                                 "\"%s\" states %s, which have no effect", trace->text,
                                 has_both             ? "cpus and memory_bytes"
                                 : list->cpus != NULL ? "cpus"
                                                      : "memory_bytes"),
                    "\"cores_and_memory\": \"bind\" of the workload lets its jobs ask for them");
    if (list->gpu_type != NULL && list->gpu_types.count > 1 &&
        workload->cluster_of_row != list->gpu_type && workload->kinds_of_gpu_type == NULL)
        status_hint(
            problems_add(warnings, STATUS_BAD_INPUT, json_at(trace),
                         "\"%s\" states %" PRId32 " kinds of GPUs, which have no effect",
                         trace->text, list->gpu_types.count),
            "\"cluster\": {\"gpu_type\": \"*\"} runs each kind on the cluster of its name, and "
            "\"gpu_type\": \"bind\" on the \"node_kinds\" of its name");
}
