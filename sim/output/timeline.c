#include "sim/output/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/cluster.h"
#include "sim/core/job.h"
#include "sim/json/json.h"
#include "sim/output/array.h"

enum {
    PIECE_BYTES = 1 << 16,
    RANKS_MAX = 1 << 16, // a forged trace may name any rank; no service has had as many
};

/* How deep a slice lies on a node's thread: of two with the same extent the lower number is the
 * outer one. */
typedef enum { DEPTH_STATE, DEPTH_JOB, DEPTH_PHASE, DEPTH_EPOCH } Depth;

typedef struct {
    int64_t begin_ns, end_ns;
    Depth depth;
    const char *name;
    const char *detail; /* the inside of "args"; NULL */
    uint32_t order;     /* among those kept for a node */
} Slice;

/* Where a slice is drawn. Numbers start at 1; 0: not named yet. */
typedef struct {
    int32_t process, thread;
} Track;

typedef struct {
    Track track;
    const char *state; /* NULL before and after its life */
    int64_t since_ns;
    const char *job; /* running here; NULL */
    uint32_t job_index;
    Slice *slices; /* kept since the node's last transition */
    uint32_t slice_count, slice_capacity;
} NodeLine;

typedef struct {
    Track track;            /* of the thread "allocation" */
    const char *allocation; /* NULL before and after its life */
    int64_t since_ns;
    int32_t node_count[NODE_STATE_COUNT];
    bool count_changed; /* since the last counter was written */
} ClusterLine;

typedef struct {
    Track track;
    const char *state; /* NULL before it is queued and after its end */
    int64_t since_ns;
    uint32_t *nodes; /* running it now, in the order in which they began */
    uint32_t node_count, node_capacity;
    Track *ranks; /* [rank] */
    uint32_t rank_capacity;
} JobLine;

/* Transfers of one share that do not overlap. */
typedef struct {
    Track track;
    int64_t free_ns; /* its last transfer ended */
} Lane;

typedef struct {
    int32_t process;
    Lane *lanes;
    uint32_t lane_count, lane_capacity;
} ShareLine;

struct TimelineWriter {
    Arena *arena;
    FILE *stream;
    TraceLevel level;
    Text piece; /* not yet given to the stream */
    bool has_events;
    int64_t now_ns;
    int32_t process_count, thread_count;
    Track commands;
    int32_t jobs_process;
    bool counters_changed;
    ClusterLine *clusters; /* [ClusterId.index], and so on; room for `capacity`, unused ones zero */
    NodeLine *nodes;
    JobLine *jobs;
    ShareLine *shares;
    uint32_t cluster_capacity, node_capacity, job_capacity, share_capacity;
};

/* --- JSON --------------------------------------------------------------------------------------
 */

static void begin_event(TimelineWriter *timeline, const char *phase, const char *name)
{
    Text *out = &timeline->piece;
    if (out->length >= PIECE_BYTES) {
        // A short write sets the stream's error flag, which its owner asks about once, at the end.
        (void)fwrite(out->data, 1, out->length, timeline->stream);
        text_clear(out);
    }
    text_printf(out, "%s{\"ph\":\"%s\",\"name\":", timeline->has_events ? ",\n" : "", phase);
    json_print_string(out, name);
    timeline->has_events = true;
}

static void add_track(TimelineWriter *timeline, Track track)
{
    text_printf(&timeline->piece, ",\"pid\":%" PRId32 ",\"tid\":%" PRId32, track.process,
                track.thread);
}

static void add_us(TimelineWriter *timeline, const char *key, int64_t ns)
{
    text_printf(&timeline->piece, ",\"%s\":%" PRId64 ".%03" PRId64, key, ns / 1000, ns % 1000);
}

/* `what` is process_name or thread_name. */
static void write_name(TimelineWriter *timeline, const char *what, Track track, const char *name)
{
    begin_event(timeline, "M", what);
    add_track(timeline, track);
    text_add(&timeline->piece, ",\"args\":{\"name\":");
    json_print_string(&timeline->piece, name);
    text_add(&timeline->piece, "}}");
}

static void write_slice(TimelineWriter *timeline, Track track, const Slice *slice)
{
    begin_event(timeline, "X", slice->name);
    add_track(timeline, track);
    add_us(timeline, "ts", slice->begin_ns);
    add_us(timeline, "dur", slice->end_ns - slice->begin_ns);
    if (slice->detail != NULL)
        text_printf(&timeline->piece, ",\"args\":{%s}", slice->detail);
    text_add(&timeline->piece, "}");
}

/* --- Processes and threads ---------------------------------------------------------------------
 */

static int32_t new_process(TimelineWriter *timeline, const char *kind, const char *name)
{
    const Track track = {.process = ++timeline->process_count};
    char title[256];
    snprintf(title, sizeof title, "%s%s%s", kind, *name != '\0' ? " " : "", name);
    write_name(timeline, "process_name", track, title);
    return track.process;
}

static Track new_thread(TimelineWriter *timeline, int32_t process, const char *name)
{
    const Track track = {.process = process, .thread = ++timeline->thread_count};
    write_name(timeline, "thread_name", track, name);
    return track;
}

/* New items of array_room are zeroed: not named yet, no state. */
static ClusterLine *cluster_line(TimelineWriter *timeline, const TraceRow *row)
{
    const uint32_t id = row->record.cluster.index;
    timeline->clusters = array_room(timeline->arena, timeline->clusters, id + 1,
                                    &timeline->cluster_capacity, sizeof *timeline->clusters);
    ClusterLine *cluster = &timeline->clusters[id];
    if (cluster->track.process == 0) {
        const int32_t process = new_process(timeline, "cluster", row->cluster);
        cluster->track = new_thread(timeline, process, "allocation");
    }
    return cluster;
}

static NodeLine *node_line(TimelineWriter *timeline, const TraceRow *row)
{
    const uint32_t id = row->record.node.index;
    timeline->nodes = array_room(timeline->arena, timeline->nodes, id + 1, &timeline->node_capacity,
                                 sizeof *timeline->nodes);
    NodeLine *node = &timeline->nodes[id];
    if (node->track.process == 0)
        node->track = new_thread(timeline, cluster_line(timeline, row)->track.process, row->node);
    return node;
}

static JobLine *job_line(TimelineWriter *timeline, const TraceRow *row)
{
    const uint32_t id = row->record.job.index;
    timeline->jobs = array_room(timeline->arena, timeline->jobs, id + 1, &timeline->job_capacity,
                                sizeof *timeline->jobs);
    JobLine *job = &timeline->jobs[id];
    if (timeline->jobs_process == 0)
        timeline->jobs_process = new_process(timeline, "jobs", "");
    if (job->track.process == 0)
        job->track = new_thread(timeline, timeline->jobs_process, row->job);
    return job;
}

static ShareLine *share_line(TimelineWriter *timeline, const TraceRow *row)
{
    const uint32_t id = row->record.share.index;
    timeline->shares = array_room(timeline->arena, timeline->shares, id + 1,
                                  &timeline->share_capacity, sizeof *timeline->shares);
    ShareLine *share = &timeline->shares[id];
    if (share->process == 0)
        share->process = new_process(timeline, "share", row->share);
    return share;
}

/* --- Nodes -------------------------------------------------------------------------------------
 */

static int outer_first(const void *left, const void *right)
{
    const Slice *a = left, *b = right;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    if (a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static void node_keep(TimelineWriter *timeline, NodeLine *node, Slice slice)
{
    node->slices = array_room(timeline->arena, node->slices, node->slice_count + 1,
                              &node->slice_capacity, sizeof *node->slices);
    slice.order = node->slice_count;
    node->slices[node->slice_count++] = slice;
}

/* Writes the node's present state up to `at_ns` with all that happened in it. */
static void node_write(TimelineWriter *timeline, NodeLine *node, int64_t at_ns)
{
    if (node->state == NULL)
        return;
    const int64_t since_ns = node->since_ns;
    node_keep(timeline, node, (Slice){since_ns, at_ns, DEPTH_STATE, node->state, NULL, 0});
    if (node->job != NULL)
        node_keep(timeline, node, (Slice){since_ns, at_ns, DEPTH_JOB, node->job, NULL, 0});
    qsort(node->slices, node->slice_count, sizeof *node->slices, outer_first);
    for (uint32_t i = 0; i < node->slice_count; i++)
        write_slice(timeline, node->track, &node->slices[i]);
    node->slice_count = 0;
    node->since_ns = at_ns;
}

/* Something that `row` says happened on `node` while it ran the row's job. */
static void node_did(TimelineWriter *timeline, const TraceRow *row, NodeLine *node, Depth depth,
                     const char *name, const char *detail)
{
    if (node->job == NULL)
        return; // outside a running span it would not nest; a world tells before it frees the node
    const int64_t since_ns = row->record.since_ns;
    node_keep(timeline, node,
              (Slice){since_ns > node->since_ns ? since_ns : node->since_ns, row->record.at_ns,
                      depth, name, detail, 0});
}

/* Something that all nodes of the row's job did together. */
static void job_did(TimelineWriter *timeline, const TraceRow *row, Depth depth, const char *name,
                    const char *detail)
{
    const JobLine *job = job_line(timeline, row);
    for (uint32_t i = 0; i < job->node_count; i++)
        node_did(timeline, row, &timeline->nodes[job->nodes[i]], depth, name, detail);
}

static void job_gains_node(TimelineWriter *timeline, JobLine *job, uint32_t node)
{
    job->nodes = array_room(timeline->arena, job->nodes, job->node_count + 1, &job->node_capacity,
                            sizeof *job->nodes);
    job->nodes[job->node_count++] = node;
}

static void job_loses_node(JobLine *job, uint32_t node)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < job->node_count; i++)
        if (job->nodes[i] != node)
            job->nodes[kept++] = job->nodes[i];
    job->node_count = kept;
}

static void count_node(ClusterLine *cluster, const char *state, int32_t change)
{
    for (int i = 0; i < NODE_STATE_COUNT; i++)
        if (strcmp(state, node_state_name((NodeState)i)) == 0)
            cluster->node_count[i] += change;
    cluster->count_changed = true;
}

static void node_state(TimelineWriter *timeline, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    ClusterLine *cluster = cluster_line(timeline, row);
    NodeLine *node = node_line(timeline, row);
    node_write(timeline, node, record->at_ns);
    if (node->state != NULL)
        count_node(cluster, node->state, -1);
    if (node->job != NULL)
        job_loses_node(&timeline->jobs[node->job_index], record->node.index);
    const bool is_gone = strcmp(record->name, node_state_name(NODE_STATE_COUNT)) == 0;
    const bool is_running = strcmp(record->name, node_state_name(NODE_RUNNING)) == 0;
    node->state = is_gone ? NULL : record->name;
    node->since_ns = record->at_ns;
    node->job = is_running ? row->job : NULL;
    count_node(cluster, record->name, 1);
    timeline->counters_changed = true;
    if (node->job != NULL) {
        node->job_index = record->job.index;
        job_gains_node(timeline, job_line(timeline, row), record->node.index);
    }
}

/* --- Training ----------------------------------------------------------------------------------
 */

static const char *numbered(TimelineWriter *timeline, const char *what, int64_t number)
{
    return arena_printf(timeline->arena, "%s %" PRId64, what, number);
}

/* The parts of a step or epoch, in microseconds. */
static void add_parts(Text *out, const int64_t *parts_ns)
{
    static const char *const names[] = {"input", "compute", "wait", "exchange", "update"};
    for (int i = 0; i < 5; i++)
        text_printf(out, "%s\"%s_us\":%" PRId64 ".%03" PRId64, i > 0 ? "," : "", names[i],
                    parts_ns[i] / 1000, parts_ns[i] % 1000);
}

static void epoch(TimelineWriter *timeline, const TraceRow *row)
{
    const int64_t *value = row->record.value;
    Text detail = {0};
    add_parts(&detail, &value[2]);
    text_printf(&detail, ",\"accuracy_ppm\":%" PRId64 ",\"loss_micro\":%" PRId64, value[7],
                value[8]);
    job_did(timeline, row, DEPTH_EPOCH, numbered(timeline, "epoch", value[0]),
            arena_strdup(timeline->arena, text_string(&detail)));
    text_free(&detail);
}

static void evaluation(TimelineWriter *timeline, const TraceRow *row)
{
    const int64_t *value = row->record.value;
    job_did(timeline, row, DEPTH_EPOCH, "evaluation",
            arena_printf(timeline->arena, "\"accuracy_ppm\":%" PRId64 ",\"loss_micro\":%" PRId64,
                         value[1], value[2]));
}

static Track rank_track(TimelineWriter *timeline, const TraceRow *row, uint32_t rank)
{
    const int32_t process = cluster_line(timeline, row)->track.process;
    JobLine *job = job_line(timeline, row);
    job->ranks =
        array_room(timeline->arena, job->ranks, rank + 1, &job->rank_capacity, sizeof *job->ranks);
    Track *track = &job->ranks[rank];
    if (track->process == 0) {
        char title[256];
        snprintf(title, sizeof title, "%s rank %" PRIu32, row->job, rank);
        *track = new_thread(timeline, process, title);
    }
    return *track;
}

/* Written at once: a step has nothing inside, and 10^5 of them would be too many to keep. */
static void step(TimelineWriter *timeline, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    const int64_t rank = record->value[2];
    if (rank < 0 || rank >= RANKS_MAX)
        return;
    const Track track = rank_track(timeline, row, (uint32_t)rank);
    Text detail = {0};
    text_printf(&detail, "\"epoch\":%" PRId64 ",\"step\":%" PRId64 ",", record->value[0],
                record->value[1]);
    add_parts(&detail, &record->value[3]);
    const Slice slice = {record->since_ns, record->at_ns,        DEPTH_EPOCH,
                         "step",           text_string(&detail), 0};
    write_slice(timeline, track, &slice);
    text_free(&detail);
}

/* --- Jobs, allocation, shares, commands --------------------------------------------------------
 */

static void job_state_write(TimelineWriter *timeline, JobLine *job, int64_t at_ns)
{
    if (job->state == NULL)
        return;
    const Slice slice = {job->since_ns, at_ns, DEPTH_STATE, job->state, NULL, 0};
    write_slice(timeline, job->track, &slice);
}

static void job_state(TimelineWriter *timeline, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    JobLine *job = job_line(timeline, row);
    job_state_write(timeline, job, record->at_ns);
    const bool is_over = strcmp(record->name, job_state_name(JOB_SUCCEEDED)) == 0 ||
                         strcmp(record->name, job_state_name(JOB_FAILED)) == 0;
    job->state = is_over ? NULL : record->name;
    job->since_ns = record->at_ns;
}

static void allocation_write(TimelineWriter *timeline, ClusterLine *cluster, int64_t at_ns)
{
    if (cluster->allocation == NULL)
        return;
    const Slice slice = {cluster->since_ns, at_ns, DEPTH_STATE, cluster->allocation, NULL, 0};
    write_slice(timeline, cluster->track, &slice);
}

static void cluster_allocation(TimelineWriter *timeline, const TraceRow *row)
{
    ClusterLine *cluster = cluster_line(timeline, row);
    allocation_write(timeline, cluster, row->record.at_ns);
    cluster->allocation = row->record.name;
    cluster->since_ns = row->record.at_ns;
}

static void cluster_provisioning(TimelineWriter *timeline, const TraceRow *row)
{
    if (strcmp(row->record.name, provisioning_state_name(PROVISIONING_DELETED)) != 0)
        return;
    ClusterLine *cluster = cluster_line(timeline, row);
    allocation_write(timeline, cluster, row->record.at_ns);
    cluster->allocation = NULL;
}

/* Transfers come in order of their ends, so a lane is free for one that began after the lane's last
 * end. */
static Track share_lane(TimelineWriter *timeline, ShareLine *share, int64_t since_ns, int64_t at_ns)
{
    uint32_t i = 0;
    while (i < share->lane_count && share->lanes[i].free_ns > since_ns)
        i++;
    if (i == share->lane_count) {
        share->lanes = array_room(timeline->arena, share->lanes, ++share->lane_count,
                                  &share->lane_capacity, sizeof *share->lanes);
        share->lanes[i].track =
            new_thread(timeline, share->process, numbered(timeline, "transfer", i + 1));
    }
    share->lanes[i].free_ns = at_ns;
    return share->lanes[i].track;
}

static void transfer(TimelineWriter *timeline, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    const Track track =
        share_lane(timeline, share_line(timeline, row), record->since_ns, record->at_ns);
    Text detail = {0};
    text_add(&detail, "\"job\":");
    json_print_string(&detail, row->job);
    text_add(&detail, ",\"node\":");
    json_print_string(&detail, row->node);
    text_printf(&detail, ",\"bytes\":%" PRId64, record->bytes);
    const Slice slice = {record->since_ns, record->at_ns,        DEPTH_STATE,
                         record->name,     text_string(&detail), 0};
    write_slice(timeline, track, &slice);
    text_free(&detail);
}

static void command(TimelineWriter *timeline, const TraceRow *row)
{
    if (timeline->commands.process == 0)
        timeline->commands =
            new_thread(timeline, new_process(timeline, "commands", ""), "commands");
    begin_event(timeline, "i", row->record.name);
    add_track(timeline, timeline->commands);
    add_us(timeline, "ts", row->record.at_ns);
    text_printf(&timeline->piece, ",\"s\":\"t\",\"args\":{\"record\":\"%s\"}}",
                trace_kind_name(row->record.kind));
}

/* --- Counters ----------------------------------------------------------------------------------
 */

static void write_counter(TimelineWriter *timeline, ClusterLine *cluster, int64_t at_ns)
{
    begin_event(timeline, "C", "nodes");
    add_track(timeline, (Track){.process = cluster->track.process});
    add_us(timeline, "ts", at_ns);
    text_add(&timeline->piece, ",\"args\":{");
    for (int i = 0; i < NODE_STATE_COUNT; i++)
        text_printf(&timeline->piece, "%s\"%s\":%" PRId32, i > 0 ? "," : "",
                    node_state_name((NodeState)i), cluster->node_count[i]);
    text_add(&timeline->piece, "}}");
    cluster->count_changed = false;
}

/* One value for each moment: written when time goes on, after all that changed at that moment. */
static void write_counters(TimelineWriter *timeline)
{
    if (!timeline->counters_changed)
        return;
    for (uint32_t i = 0; i < timeline->cluster_capacity; i++)
        if (timeline->clusters[i].count_changed)
            write_counter(timeline, &timeline->clusters[i], timeline->now_ns);
    timeline->counters_changed = false;
}

/* --- The run -----------------------------------------------------------------------------------
 */

static void fold_row(void *listener, const TraceRow *row)
{
    TimelineWriter *timeline = listener;
    if (row->record.at_ns > timeline->now_ns)
        write_counters(timeline);
    timeline->now_ns = row->record.at_ns;
    switch (row->record.kind) {
    case TRACE_COMMAND_APPLIED:
    case TRACE_COMMAND_SKIPPED:
    case TRACE_COMMAND_REFUSED:
        command(timeline, row);
        return;
    case TRACE_CLUSTER_PROVISIONING:
        cluster_provisioning(timeline, row);
        return;
    case TRACE_CLUSTER_ALLOCATION:
        cluster_allocation(timeline, row);
        return;
    case TRACE_NODE_STATE:
        node_state(timeline, row);
        return;
    case TRACE_JOB_STATE:
        job_state(timeline, row);
        return;
    case TRACE_JOB_STAGE:
        node_did(timeline, row, node_line(timeline, row), DEPTH_PHASE, row->record.name, NULL);
        return;
    case TRACE_JOB_TRAINED:
        job_did(timeline, row, DEPTH_PHASE, "training", NULL);
        return;
    case TRACE_EPOCH:
        epoch(timeline, row);
        return;
    case TRACE_EVALUATION:
        evaluation(timeline, row);
        return;
    case TRACE_CHECKPOINT:
        node_did(timeline, row, node_line(timeline, row), DEPTH_EPOCH, "checkpoint", NULL);
        return;
    case TRACE_STEP:
        step(timeline, row);
        return;
    case TRACE_TRANSFER:
        transfer(timeline, row);
        return;
    case TRACE_RESOURCE_CREATED:
    case TRACE_RESOURCE_DELETED:
    case TRACE_CLUSTER_READY:
    case TRACE_CLUSTER_SHOWN:
    case TRACE_NODE_BILLED:
    case TRACE_JOB_PROVISIONING:
    case TRACE_JOB_ERROR:
    case TRACE_JOB_TRAINING:
    case TRACE_FILE_WRITTEN:
    case TRACE_JOB_SHOWN:
    case TRACE_JOB_FILES_SHOWN:
    case TRACE_RUN_ENDED:
    case TRACE_KIND_COUNT:
        return;
    }
}

TimelineWriter *timeline_writer_create(Arena *arena, FILE *stream, TraceLevel level)
{
    TimelineWriter *timeline = ARENA_NEW(arena, TimelineWriter);
    timeline->arena = arena;
    timeline->stream = stream;
    timeline->level = level;
    text_add(&timeline->piece, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    return timeline;
}

TraceListener timeline_writer_listener(TimelineWriter *timeline)
{
    return (TraceListener){.listener = timeline, .level = timeline->level, .row = fold_row};
}

void timeline_writer_finish(TimelineWriter *timeline)
{
    write_counters(timeline);
    for (uint32_t i = 0; i < timeline->cluster_capacity; i++)
        allocation_write(timeline, &timeline->clusters[i], timeline->now_ns);
    for (uint32_t i = 0; i < timeline->node_capacity; i++)
        node_write(timeline, &timeline->nodes[i], timeline->now_ns);
    for (uint32_t i = 0; i < timeline->job_capacity; i++)
        job_state_write(timeline, &timeline->jobs[i], timeline->now_ns);
    text_add(&timeline->piece, "\n]}\n");
    (void)fwrite(timeline->piece.data, 1, timeline->piece.length, timeline->stream);
    text_free(&timeline->piece);
}
