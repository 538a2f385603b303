#include "reports/run/facts/facts.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/base/capped.h"
#include "sim/base/name_table.h"
#include "sim/cli/files.h"
#include "sim/cloud/job/job.h"
#include "sim/json/json.h"

enum { MANY_JOBS = 12 }; /* of workloads: fewer are seen one by one */

/* A trace at step level has a line of about 150 bytes for each step of each rank. */
static const size_t file_bytes_max = (size_t)1 << 33;

/* --- The trace, folded row by row --- */

/* The state of a job while its rows are read. */
typedef struct {
    bool is_open, is_wait;
    int64_t since_ns;
    int32_t nodes;
    uint32_t gpu_span; /* first of those that it has now ... */
    uint32_t gpu_span_count;
} OpenJob;

typedef struct {
    Arena *arena;
    Facts *facts;
    uint32_t node_capacity;
    uint32_t span_capacity;
    uint32_t open_capacity;
    int32_t *node_numbers; /* [cluster], the last given */
    NodeSpan *open;        /* by node: the state that it is in; NODE_STATE_COUNT before and after */
    NameTable *cluster_paths; /* to indexes in Summary.clusters */
    NameTable *job_paths;
    uint32_t job_capacity, job_span_capacity, open_job_capacity, gpu_span_capacity;
    OpenJob *open_jobs; /* by job */
} TraceFold;

/* The index of the cluster or job called `path`. Two with one name, of which the first was deleted
 * before the second was created, differ in `id`: both files number clusters and jobs in order of
 * creation. */
static uint32_t index_of(const NameTable *paths, const char *path, uint32_t id, uint32_t count,
                         const char *path_of_id)
{
    uint32_t index = ID_NONE;
    if (path == NULL || (id < count && strcmp(path, path_of_id) == 0))
        return path != NULL ? id : ID_NONE;
    (void)name_table_find(paths, path, &index);
    return index;
}

/* Turns the row's ids into indexes in the summary. */
static void row_join(const TraceFold *fold, TraceRow *row)
{
    const Summary *run = fold->facts->run;
    const uint32_t cluster = row->record.cluster.index, job = row->record.job.index;
    const bool has_cluster = cluster < run->cluster_count, has_job = job < run->job_count;
    row->record.cluster.index =
        index_of(fold->cluster_paths, row->cluster, cluster, run->cluster_count,
                 has_cluster ? run->clusters[cluster].path : NULL);
    row->record.job.index = index_of(fold->job_paths, row->job, job, run->job_count,
                                     has_job ? run->jobs[job].path : NULL);
}

static void row_count(Facts *facts, const TraceRow *row)
{
    if (row->record.job.index >= facts->run->job_count)
        return;
    JobRows *job = &facts->job_rows[row->record.job.index];
    job->epochs += row->record.kind == TRACE_EPOCH;
    job->evaluations += row->record.kind == TRACE_EVALUATION;
}

/* Nodes whose cluster is unknown are counted together, in the last place. */
static int32_t node_number_next(const TraceFold *fold, uint32_t cluster)
{
    const uint32_t count = fold->facts->run->cluster_count;
    return ++fold->node_numbers[cluster < count ? cluster : count];
}

static const ReportNode unknown_node = {
    .cluster = ID_NONE, .allocated_ns = ABSENT, .released_ns = ABSENT, .billed_ns = ABSENT};

/* Makes room for the row's node and those of lower ids, which the rows left out may have had. */
static void node_meet(TraceFold *fold, const TraceRow *row)
{
    Facts *facts = fold->facts;
    const uint32_t node = row->record.node.index;
    facts->nodes =
        array_room(fold->arena, facts->nodes, node + 1, &fold->node_capacity, sizeof(ReportNode));
    fold->open =
        array_room(fold->arena, fold->open, node + 1, &fold->open_capacity, sizeof(NodeSpan));
    for (; facts->node_count <= node; facts->node_count++) {
        facts->nodes[facts->node_count] = unknown_node;
        fold->open[facts->node_count] = (NodeSpan){.node = facts->node_count,
                                                   .state = NODE_STATE_COUNT,
                                                   .job = ID_NONE,
                                                   .worker = ID_NONE};
    }
    if (facts->nodes[node].name == NULL) {
        const uint32_t cluster = row->record.cluster.index;
        facts->nodes[node].name = row->node;
        facts->nodes[node].number = node_number_next(fold, cluster);
        facts->nodes[node].cluster = cluster;
    }
}

/* --- Jobs --- */

/* The workload that made a job called "NAME-7"; ID_NONE: none did. */
static uint32_t workload_of(const Summary *run, const char *name)
{
    const char *dash = strrchr(name, '-');
    for (uint32_t i = 0; dash != NULL && i < run->workload_count; i++) {
        const char *workload = run->workloads[i].name;
        const size_t length = strlen(workload);
        if (length == (size_t)(dash - name) && memcmp(workload, name, length) == 0)
            return i;
    }
    return ID_NONE;
}

/* Makes room for the row's job, before its id becomes an index in the summary. */
static uint32_t job_meet(TraceFold *fold, const TraceRow *row)
{
    Facts *facts = fold->facts;
    const uint32_t id = row->record.job.index;
    if (row->job == NULL)
        return ID_NONE;
    facts->jobs =
        array_room(fold->arena, facts->jobs, id + 1, &fold->job_capacity, sizeof(ReportJob));
    fold->open_jobs =
        array_room(fold->arena, fold->open_jobs, id + 1, &fold->open_job_capacity, sizeof(OpenJob));
    if (facts->job_count <= id)
        facts->job_count = id + 1;
    ReportJob *job = &facts->jobs[id];
    if (job->name == NULL) {
        const char *slash = strrchr(row->job, '/');
        job->name = slash != NULL ? slash + 1 : row->job;
        job->listed = ID_NONE;
        job->workload = workload_of(facts->run, job->name);
        job->submitted_ns = row->record.at_ns;
    }
    return id;
}

static void job_span_close(TraceFold *fold, uint32_t id, int64_t at_ns)
{
    Facts *facts = fold->facts;
    OpenJob *open = &fold->open_jobs[id];
    if (!open->is_open)
        return;
    open->is_open = false;
    facts->jobs[id].wait_ns += open->is_wait ? at_ns - open->since_ns : 0;
    if (at_ns <= open->since_ns)
        return;
    facts->job_spans = array_room(fold->arena, facts->job_spans, facts->job_span_count + 1,
                                  &fold->job_span_capacity, sizeof(JobSpan));
    facts->job_spans[facts->job_span_count++] =
        (JobSpan){.job = id, .is_wait = open->is_wait, .begin_ns = open->since_ns, .end_ns = at_ns};
}

static bool is_state(const char *name, JobState state)
{
    return name != NULL && strcmp(name, job_state_name(state)) == 0;
}

static void job_state_told(TraceFold *fold, uint32_t id, const TraceRow *row)
{
    ReportJob *job = &fold->facts->jobs[id];
    job_span_close(fold, id, row->record.at_ns);
    job->is_waiting = is_state(row->record.name, JOB_QUEUED);
    job->has_ended =
        is_state(row->record.name, JOB_SUCCEEDED) || is_state(row->record.name, JOB_FAILED);
    job->is_rejected = job->has_ended && row->record.cause == CAUSE_FULL_QUEUE;
    if (!job->has_ended)
        fold->open_jobs[id] = (OpenJob){.is_open = true,
                                        .is_wait = job->is_waiting,
                                        .since_ns = row->record.at_ns,
                                        .nodes = fold->open_jobs[id].nodes,
                                        .gpu_span = fold->open_jobs[id].gpu_span,
                                        .gpu_span_count = fold->open_jobs[id].gpu_span_count};
}

/* The job takes GPUs of a node. All nodes of a job are recorded one after another. */
static void job_placed_told(TraceFold *fold, uint32_t id, const TraceRow *row)
{
    Facts *facts = fold->facts;
    OpenJob *open = &fold->open_jobs[id];
    const int32_t gpus = (int32_t)row->record.job_placed.gpus;
    const uint32_t span = facts->gpu_span_count++;
    facts->gpu_spans = array_room(fold->arena, facts->gpu_spans, facts->gpu_span_count,
                                  &fold->gpu_span_capacity, sizeof(GpuSpan));
    facts->gpu_spans[span] = (GpuSpan){.node = row->record.node.index,
                                       .job = id,
                                       .gpus = gpus,
                                       .begin_ns = row->record.at_ns,
                                       .end_ns = facts->run->end_ns};
    if (open->gpu_span_count == 0) {
        open->gpu_span = span;
        facts->jobs[id].size = 0;
    }
    open->gpu_span_count++;
    facts->jobs[id].is_of_gpus = true;
    facts->jobs[id].size += gpus;
    if (row->record.cluster.index < facts->run->cluster_count)
        facts->gpus_per_node[row->record.cluster.index] =
            (int32_t)row->record.job_placed.gpus_per_node;
}

enum { GPUS_MOST = 1 << 16 }; /* a forged trace may have any number */

int32_t facts_gpus_of_node(const Facts *facts, uint32_t node)
{
    const ReportNode *of = &facts->nodes[node];
    const bool has_cluster = of->cluster < facts->run->cluster_count;
    const int32_t gpus = has_cluster ? facts->gpus_per_node[of->cluster] : 0;
    return gpus > 0 && of->gpus > 0 ? of->gpus : gpus;
}

static void job_leaves_gpus(TraceFold *fold, uint32_t id, int64_t at_ns)
{
    OpenJob *open = &fold->open_jobs[id];
    for (uint32_t i = 0; i < open->gpu_span_count; i++)
        if (fold->facts->gpu_spans[open->gpu_span + i].job == id)
            fold->facts->gpu_spans[open->gpu_span + i].end_ns = at_ns;
    open->gpu_span_count = 0;
}

static void job_node_counted(TraceFold *fold, uint32_t id, int32_t change)
{
    if (id == ID_NONE)
        return;
    fold->open_jobs[id].nodes += change;
    ReportJob *job = &fold->facts->jobs[id];
    if (!job->is_of_gpus && fold->open_jobs[id].nodes > job->size)
        job->size = fold->open_jobs[id].nodes;
}

/* --- Nodes --- */

static void span_close(TraceFold *fold, uint32_t node, int64_t end_ns)
{
    Facts *facts = fold->facts;
    NodeSpan span = fold->open[node];
    if (span.state == NODE_STATE_COUNT || span.begin_ns >= end_ns)
        return;
    span.end_ns = end_ns;
    facts->spans = array_room(fold->arena, facts->spans, facts->span_count + 1,
                              &fold->span_capacity, sizeof(NodeSpan));
    facts->spans[facts->span_count++] = span;
}

static NodeState node_state_of(const char *name)
{
    int state = 0;
    while (state < NODE_STATE_COUNT &&
           (name == NULL || strcmp(name, node_state_name((NodeState)state)) != 0))
        state++;
    return (NodeState)state;
}

static void node_state_told(TraceFold *fold, const TraceRow *row, uint32_t worker)
{
    const uint32_t node = row->record.node.index;
    const int64_t at_ns = row->record.at_ns;
    span_close(fold, node, at_ns);
    NodeSpan *open = &fold->open[node];
    const NodeState state = node_state_of(row->record.name);
    job_node_counted(fold, open->worker, -1);
    if (open->state == NODE_STATE_COUNT)
        fold->facts->nodes[node].allocated_ns = at_ns;
    *open = (NodeSpan){.node = node,
                       .state = state,
                       .job = row->record.job.index,
                       .worker = state == NODE_RUNNING ? worker : ID_NONE,
                       .begin_ns = at_ns};
    job_node_counted(fold, open->worker, 1);
    if (open->state == NODE_STATE_COUNT)
        fold->facts->nodes[node].released_ns = at_ns;
}

static void node_billed_told(TraceFold *fold, const TraceRow *row)
{
    ReportNode *node = &fold->facts->nodes[row->record.node.index];
    node->billed_ns = row->record.node_billed.billed_ns;
    node->micro_usd_per_hour = row->record.node_billed.micro_usd_per_hour;
    node->allocated_ns = row->record.since_ns;
}

static void row_fold(TraceFold *fold, TraceRow *row)
{
    const uint32_t worker = job_meet(fold, row);
    row_join(fold, row);
    if (worker != ID_NONE) {
        fold->facts->jobs[worker].listed = row->record.job.index;
        fold->facts->jobs[worker].cluster = row->record.cluster.index;
        if (row->record.kind == TRACE_JOB_STATE)
            job_state_told(fold, worker, row);
        if (row->record.kind == TRACE_JOB_PLACED)
            job_placed_told(fold, worker, row);
        if (row->record.kind == TRACE_JOB_ATTEMPT)
            job_leaves_gpus(fold, worker, row->record.at_ns);
    }
    row_count(fold->facts, row);
    if (row->node == NULL)
        return;
    node_meet(fold, row);
    if (row->record.kind == TRACE_NODE_KIND && row->record.node_kind.gpus < GPUS_MOST)
        fold->facts->nodes[row->record.node.index].gpus = (int32_t)row->record.node_kind.gpus;
    if (row->record.kind == TRACE_NODE_STATE)
        node_state_told(fold, row, worker);
    if (row->record.kind == TRACE_NODE_BILLED)
        node_billed_told(fold, row);
    if (row->record.kind == TRACE_JOB_STAGE) // the job on the node, where its state does not say it
        fold->open[row->record.node.index].job = row->record.job.index;
}

static TraceFold fold_start(Arena *arena, Facts *facts)
{
    TraceFold fold = {.arena = arena,
                      .facts = facts,
                      .node_numbers = ARENA_ARRAY(arena, int32_t, facts->run->cluster_count + 1),
                      .cluster_paths = name_table_create(arena),
                      .job_paths = name_table_create(arena)};
    for (uint32_t i = 0; i < facts->run->cluster_count; i++)
        name_table_set(fold.cluster_paths, facts->run->clusters[i].path, i);
    for (uint32_t i = 0; i < facts->run->job_count; i++)
        name_table_set(fold.job_paths, facts->run->jobs[i].path, i);
    return fold;
}

static void row_keep(void *listener, const TraceRow *row)
{
    ReportRows *rows = listener;
    if (row->record.kind == TRACE_STEP || row->record.kind == TRACE_TRANSFER)
        return;
    rows->items =
        array_room(rows->arena, rows->items, rows->count + 1, &rows->capacity, sizeof(TraceRow));
    rows->items[rows->count++] = *row;
}

TraceListener report_rows_listener(ReportRows *rows, TraceLevel level)
{
    const TraceLevel most = TRACE_LEVEL_EPOCHS;
    return (TraceListener){.listener = rows, .level = level < most ? level : most, .row = row_keep};
}

/* A job with whole nodes has all GPUs of them, once any job of its cluster asks for GPUs. */
static void sizes_in_gpus(const Facts *facts)
{
    for (uint32_t i = 0; i < facts->span_count; i++) {
        const NodeSpan *span = &facts->spans[i];
        const int32_t gpus = facts_gpus_of_node(facts, span->node);
        ReportJob *job = span->worker != ID_NONE ? &facts->jobs[span->worker] : NULL;
        if (job == NULL || job->is_of_gpus || gpus == 0)
            continue;
        job->size = job->size <= INT32_MAX / gpus ? job->size * gpus : INT32_MAX;
        job->is_of_gpus = true;
    }
}

const Facts *facts_join(const Summary *summary, ReportRows *rows, const TraceHeader *header)
{
    Arena *arena = rows->arena;
    Facts *facts = ARENA_NEW(arena, Facts);
    const bool has_target = summary->wait_target_ns != ABSENT;
    *facts =
        (Facts){.run = summary,
                .wait_target_ns = has_target ? summary->wait_target_ns : WAIT_TARGET_DEFAULT_NS,
                .gpus_per_node = ARENA_ARRAY(arena, int32_t, summary->cluster_count),
                .job_rows = ARENA_ARRAY(arena, JobRows, summary->job_count),
                .level = header->level,
                .start_unix_ms = header->start_unix_ms,
                .has_no_rows = header->is_empty && rows->count == 0,
                .rows = rows->items,
                .row_count = rows->count};
    TraceFold fold = fold_start(arena, facts);
    for (uint32_t i = 0; i < facts->row_count; i++)
        row_fold(&fold, &facts->rows[i]);
    for (uint32_t node = 0; node < facts->node_count; node++)
        span_close(&fold, node, summary->end_ns);
    for (uint32_t job = 0; job < facts->job_count; job++)
        if (facts->jobs[job].name != NULL)
            job_span_close(&fold, job, summary->end_ns);
    sizes_in_gpus(facts);
    return facts;
}

/* --- The two files --- */

static char *path_in(Arena *arena, const char *directory, const char *name)
{
    const size_t length = strlen(directory);
    const bool has_slash = length > 0 && directory[length - 1] == '/';
    return arena_printf(arena, "%s%s%s", directory, has_slash ? "" : "/", name);
}

static bool first_problem(const Problems *problems, Status *status)
{
    if (problems->count == 0)
        return true;
    *status = problems->items[0];
    return false;
}

/* The text of a file that a run wrote. */
static bool run_file_read(Arena *arena, const char *path, char **text, size_t *length,
                          Status *status)
{
    return file_read(arena, path, file_bytes_max, text, length, status) ||
           status_hint(status, "a run's folder is written by `trainyard run SCENARIO -o DIR`");
}

static bool summary_file_read(Arena *arena, const char *path, Summary *summary, Status *status)
{
    char *text = NULL;
    size_t length = 0;
    if (!run_file_read(arena, path, &text, &length, status))
        return false;
    Problems problems = problems_create(arena);
    const Json *root = json_parse(arena, path, text, length, JSON_STRICT, &problems);
    if (root != NULL)
        summary_read(arena, root, summary, &problems);
    return first_problem(&problems, status);
}

static bool trace_file_read(Arena *arena, const char *path, ReportRows *rows, TraceHeader *header,
                            Status *status)
{
    char *text = NULL;
    size_t length = 0;
    if (!run_file_read(arena, path, &text, &length, status))
        return false;
    Problems problems = problems_create(arena);
    return trace_tsv_read(arena, path, text, length, header,
                          report_rows_listener(rows, TRACE_LEVEL_EPOCHS), &problems) ||
           first_problem(&problems, status);
}

const Facts *facts_read(Arena *arena, const char *run_directory, Status *status)
{
    Summary *summary = ARENA_NEW(arena, Summary);
    ReportRows rows = {.arena = arena};
    TraceHeader header = {0};
    const bool is_read =
        summary_file_read(arena, path_in(arena, run_directory, "summary.json"), summary, status) &&
        trace_file_read(arena, path_in(arena, run_directory, "trace.tsv"), &rows, &header, status);
    return is_read ? facts_join(summary, &rows, &header) : NULL;
}

int64_t job_turnaround_ns(const SummaryJob *job)
{
    if (job->submitted_ns == ABSENT || job->ended_ns == ABSENT || job->ended_ns < job->submitted_ns)
        return ABSENT;
    return job->ended_ns - job->submitted_ns;
}

bool facts_are_of_many(const Facts *facts)
{
    int64_t jobs = 0;
    for (uint32_t i = 0; i < facts->run->workload_count; i++)
        jobs = capped_sum(jobs, facts->run->workloads[i].all.jobs);
    return jobs >= MANY_JOBS;
}

bool facts_have_training(const Facts *facts)
{
    for (uint32_t i = 0; i < facts->run->job_count; i++)
        if (facts->run->jobs[i].trains)
            return true;
    return false;
}

bool job_is_transformer(const SummaryJob *job)
{
    return job->tokens != ABSENT;
}

bool facts_have_learning(const Facts *facts)
{
    for (uint32_t i = 0; i < facts->run->job_count; i++)
        if (facts->run->jobs[i].trains && !job_is_transformer(&facts->run->jobs[i]))
            return true;
    return false;
}

bool facts_has(const Facts *facts, TraceKind kind)
{
    for (uint32_t i = 0; i < facts->row_count; i++)
        if (facts->rows[i].record.kind == kind)
            return true;
    return false;
}

const char *facts_no_rows(const Facts *facts)
{
    return facts->has_no_rows
               ? "Not drawn: the trace has no records, because the run was made with --trace none."
               : "This run had no jobs and no nodes, so there is nothing to draw.";
}

const char *facts_no_bill(const Facts *facts)
{
    return facts->run->cost_micro_usd == ABSENT
               ? "Not drawn: no price is known for some of the nodes or file servers."
               : "Not drawn: no node was billed in this run.";
}

const char *facts_no_epochs(const Facts *facts)
{
    if (facts->level < TRACE_LEVEL_EPOCHS)
        return "Not drawn: the trace was written at level jobs and has no epochs. "
               "`trainyard run --trace epochs` writes them.";
    return "Not drawn: no job finished an epoch.";
}
