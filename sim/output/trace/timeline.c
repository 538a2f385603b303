#include "sim/output/trace/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/cloud/cluster/cluster.h"
#include "sim/cloud/job/job.h"
#include "sim/formats/chrome_trace.h"
#include "sim/json/json.h"

// A forged trace may name any rank, and any number of GPUs.
enum { RANKS_MAX = 1 << 16, GPUS_MAX = 1 << 10 };

/* Nesting depth of a slice on a node's thread. If two slices have the same extent, the one with the
 * lower number is the outer one. */
typedef enum { DEPTH_STATE, DEPTH_JOB, DEPTH_PHASE, DEPTH_EPOCH } Depth;

typedef struct {
    int64_t begin_ns, end_ns;
    Depth depth;
    const char *name;
    const char *detail; /* the members of "args"; NULL: none */
    uint32_t order;     /* position among the slices kept with it */
} Slice;

/* Slices of a thread, kept until their outer slice ends. */
typedef struct {
    Slice *items;
    uint32_t count, capacity;
} KeptSlices;

/* A GPU of a node that jobs share. */
typedef struct {
    ChromeTrack track;
    const char *job; /* that has it; NULL: it is free */
    uint32_t job_index;
    int64_t since_ns;
    KeptSlices slices;
} SlotLine;

typedef struct {
    ChromeTrack track;
    const char *state; /* NULL before and after the node's life */
    int64_t since_ns;
    TraceCause cause;   /* why the state began; CAUSE_NONE */
    const char *reason; /* the same in plain words; NULL */
    const char *error;  /* the last error, for the state that it leads to */
    int64_t error_ns;
    const char *job; /* the job running on the node; NULL */
    uint32_t job_index;
    KeptSlices slices; /* since the node's last transition */
    SlotLine *slots;   /* as many as were in use at one time */
    uint32_t slot_count, slot_capacity;
} NodeLine;

typedef struct {
    ChromeTrack track;      /* the thread "allocation" */
    const char *allocation; /* NULL before and after the cluster's life */
    int64_t since_ns;
    int32_t node_count[NODE_STATE_COUNT];
    bool count_changed; /* since the last counter was written */
} ClusterLine;

typedef struct {
    int32_t queued, running;
    bool changed; /* since the last counter was written */
} JobCounts;

typedef struct {
    ChromeTrack track;
    const char *state; /* NULL before the job is queued and after its end */
    int64_t since_ns;
    uint32_t *nodes; /* nodes running the job, in the order in which they began */
    uint32_t node_count, node_capacity;
    uint32_t *shared; /* nodes that have given it GPUs in this attempt */
    uint32_t shared_count, shared_capacity;
    ChromeTrack *ranks; /* [rank] */
    uint32_t rank_capacity;
} JobLine;

/* Transfers of one share that do not overlap. */
typedef struct {
    ChromeTrack track;
    int64_t free_ns; /* end of the lane's last transfer */
} Lane;

typedef struct {
    int32_t process;
    ChromeTrack states; /* for marks of the share's faults; none before the first */
    Lane *lanes;
    uint32_t lane_count, lane_capacity;
} ShareLine;

struct TimelineWriter {
    Arena *arena;
    ChromeTrace trace;
    TraceLevel level;
    int64_t now_ns;
    ChromeTrack commands;
    int32_t jobs_process;
    int32_t file_servers_process;
    JobCounts job_counts;
    bool counters_changed;
    ClusterLine *clusters; /* [ClusterId.index] and so on; unused items are zero */
    NodeLine *nodes;
    JobLine *jobs;
    ShareLine *shares;
    uint32_t cluster_capacity, node_capacity, job_capacity, share_capacity;
};

/* --- Tracks --- */

/* array_room zeroes new items: they have no name and no state yet. */
static ClusterLine *cluster_line(TimelineWriter *timeline, const TraceRow *row)
{
    const uint32_t id = row->record.cluster.index;
    timeline->clusters = array_room(timeline->arena, timeline->clusters, id + 1,
                                    &timeline->cluster_capacity, sizeof *timeline->clusters);
    ClusterLine *cluster = &timeline->clusters[id];
    if (cluster->track.process == 0) {
        const int32_t process = chrome_trace_process(
            &timeline->trace, arena_printf(timeline->arena, "cluster %s", row->cluster));
        cluster->track = chrome_trace_thread(&timeline->trace, process, "allocation");
    }
    return cluster;
}

/* "NAME", or "NAME (v100)" if the first record of the node states its kind. */
static const char *name_of_node(const TimelineWriter *timeline, const TraceRow *row)
{
    return row->record.kind == TRACE_NODE_KIND
               ? arena_printf(timeline->arena, "%s (%s)", row->node, row->record.name)
               : row->node;
}

static NodeLine *node_line(TimelineWriter *timeline, const TraceRow *row)
{
    const uint32_t id = row->record.node.index;
    timeline->nodes = array_room(timeline->arena, timeline->nodes, id + 1, &timeline->node_capacity,
                                 sizeof *timeline->nodes);
    NodeLine *node = &timeline->nodes[id];
    if (node->track.process == 0)
        node->track = chrome_trace_thread(&timeline->trace,
                                          cluster_line(timeline, row)->track.process,
                                          name_of_node(timeline, row));
    return node;
}

static JobLine *job_line(TimelineWriter *timeline, const TraceRow *row)
{
    const uint32_t id = row->record.job.index;
    timeline->jobs = array_room(timeline->arena, timeline->jobs, id + 1, &timeline->job_capacity,
                                sizeof *timeline->jobs);
    JobLine *job = &timeline->jobs[id];
    if (timeline->jobs_process == 0)
        timeline->jobs_process = chrome_trace_process(&timeline->trace, "jobs");
    if (job->track.process == 0)
        job->track = chrome_trace_thread(&timeline->trace, timeline->jobs_process, row->job);
    return job;
}

static ShareLine *share_line(TimelineWriter *timeline, const TraceRow *row)
{
    const uint32_t id = row->record.share.index;
    timeline->shares = array_room(timeline->arena, timeline->shares, id + 1,
                                  &timeline->share_capacity, sizeof *timeline->shares);
    ShareLine *share = &timeline->shares[id];
    if (share->process == 0)
        share->process = chrome_trace_process(
            &timeline->trace, arena_printf(timeline->arena, "share %s", row->share));
    return share;
}

/* --- Nodes --- */

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

static void keep(TimelineWriter *timeline, KeptSlices *kept, Slice slice)
{
    kept->items = array_room(timeline->arena, kept->items, kept->count + 1, &kept->capacity,
                             sizeof *kept->items);
    slice.order = kept->count;
    kept->items[kept->count++] = slice;
}

static void write_slice(TimelineWriter *timeline, ChromeTrack track, const Slice *slice)
{
    chrome_trace_slice(&timeline->trace, track, slice->name, slice->begin_ns, slice->end_ns,
                       slice->detail);
}

static void write_kept(TimelineWriter *timeline, ChromeTrack track, KeptSlices *kept)
{
    qsort(kept->items, kept->count, sizeof *kept->items, outer_first);
    for (uint32_t i = 0; i < kept->count; i++)
        write_slice(timeline, track, &kept->items[i]);
    kept->count = 0;
}

/* "cause":"crash","reason":"..." of a state; NULL when it has neither. */
static const char *state_detail(TimelineWriter *timeline, const NodeLine *node)
{
    Text detail = {0};
    if (node->cause == CAUSE_NONE && node->reason == NULL)
        return NULL;
    if (node->cause != CAUSE_NONE)
        text_printf(&detail, "\"cause\":\"%s\"", trace_cause_name(node->cause));
    if (node->reason != NULL) {
        text_add(&detail, detail.length > 0 ? ",\"reason\":" : "\"reason\":");
        json_print_string(&detail, node->reason);
    }
    return text_move(timeline->arena, &detail);
}

/* Writes the node's present state up to `at_ns` with all slices inside it. */
static void node_write(TimelineWriter *timeline, NodeLine *node, int64_t at_ns)
{
    if (node->state == NULL)
        return;
    const int64_t since_ns = node->since_ns;
    const char *detail = state_detail(timeline, node);
    keep(timeline, &node->slices, (Slice){since_ns, at_ns, DEPTH_STATE, node->state, detail, 0});
    if (node->job != NULL)
        keep(timeline, &node->slices, (Slice){since_ns, at_ns, DEPTH_JOB, node->job, NULL, 0});
    write_kept(timeline, node->track, &node->slices);
    node->since_ns = at_ns;
}

/* --- GPUs of shared nodes --- */

/* NULL: a forged trace says that the node has even more. */
static SlotLine *free_slot(TimelineWriter *timeline, NodeLine *node, const TraceRow *row)
{
    for (uint32_t i = 0; i < node->slot_count; i++)
        if (node->slots[i].job == NULL)
            return &node->slots[i];
    if (node->slot_count == GPUS_MAX)
        return NULL;
    node->slots = array_room(timeline->arena, node->slots, node->slot_count + 1,
                             &node->slot_capacity, sizeof *node->slots);
    SlotLine *slot = &node->slots[node->slot_count++];
    slot->track = chrome_trace_thread(
        &timeline->trace, node->track.process,
        arena_printf(timeline->arena, "%s slot %" PRIu32, row->node, node->slot_count));
    return slot;
}

/* The job takes the first free slots of the node, at least one. */
static void job_placed(TimelineWriter *timeline, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    NodeLine *node = node_line(timeline, row);
    JobLine *job = job_line(timeline, row);
    job->shared = array_room(timeline->arena, job->shared, job->shared_count + 1,
                             &job->shared_capacity, sizeof *job->shared);
    job->shared[job->shared_count++] = record->node.index;
    for (int64_t i = 0; i == 0 || i < record->job_placed.gpus; i++) {
        SlotLine *slot = free_slot(timeline, node, row);
        if (slot == NULL)
            return;
        slot->job = row->job;
        slot->job_index = record->job.index;
        slot->since_ns = record->at_ns;
    }
}

static void slot_write(TimelineWriter *timeline, SlotLine *slot, int64_t at_ns)
{
    if (slot->job == NULL)
        return;
    keep(timeline, &slot->slices, (Slice){slot->since_ns, at_ns, DEPTH_JOB, slot->job, NULL, 0});
    write_kept(timeline, slot->track, &slot->slices);
    slot->job = NULL;
}

/* The job's attempt ends: it gives its GPUs back. */
static void job_attempt(TimelineWriter *timeline, const TraceRow *row)
{
    JobLine *job = job_line(timeline, row);
    for (uint32_t i = 0; i < job->shared_count; i++) {
        NodeLine *node = &timeline->nodes[job->shared[i]];
        for (uint32_t s = 0; s < node->slot_count; s++)
            if (node->slots[s].job != NULL && node->slots[s].job_index == row->record.job.index)
                slot_write(timeline, &node->slots[s], row->record.at_ns);
    }
    job->shared_count = 0;
}

/* The first of the job's slots on a node; NULL: it has none. */
static SlotLine *slot_of(NodeLine *node, uint32_t job)
{
    for (uint32_t s = 0; s < node->slot_count; s++)
        if (node->slots[s].job != NULL && node->slots[s].job_index == job)
            return &node->slots[s];
    return NULL;
}

/* --- What jobs do on their nodes --- */

/* Adds a slice for `row` on `node`, which ran the row's job, or on the job's first slot there. */
static void add_node_slice(TimelineWriter *timeline, const TraceRow *row, NodeLine *node,
                           Depth depth, const char *name, const char *detail)
{
    SlotLine *slot = node->job == NULL ? slot_of(node, row->record.job.index) : NULL;
    if (node->job == NULL && slot == NULL)
        return; // it would not nest; a world frees the node only after recording the slice
    const int64_t begin_ns = slot != NULL ? slot->since_ns : node->since_ns;
    const int64_t since_ns = row->record.since_ns;
    keep(timeline, slot != NULL ? &slot->slices : &node->slices,
         (Slice){since_ns > begin_ns ? since_ns : begin_ns, row->record.at_ns, depth, name, detail,
                 0});
}

/* Adds a slice to all nodes of the row's job. */
static void add_job_slice(TimelineWriter *timeline, const TraceRow *row, Depth depth,
                          const char *name, const char *detail)
{
    const JobLine *job = job_line(timeline, row);
    for (uint32_t i = 0; i < job->node_count; i++)
        add_node_slice(timeline, row, &timeline->nodes[job->nodes[i]], depth, name, detail);
    for (uint32_t i = 0; i < job->shared_count; i++)
        add_node_slice(timeline, row, &timeline->nodes[job->shared[i]], depth, name, detail);
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
    node->cause = record->cause;
    node->reason = node->error_ns == record->at_ns ? node->error : NULL;
    node->job = is_running ? row->job : NULL;
    count_node(cluster, record->name, 1);
    timeline->counters_changed = true;
    if (node->job != NULL) {
        node->job_index = record->job.index;
        job_gains_node(timeline, job_line(timeline, row), record->node.index);
    }
}

/* --- Marks --- */

/* Marks the row's moment on a thread, called `name`, with its cause. */
static void mark(TimelineWriter *timeline, ChromeTrack track, const TraceRow *row, const char *name)
{
    char detail[96];
    const TraceCause cause = row->record.cause;
    snprintf(detail, sizeof detail, "\"record\":\"%s\"%s%s%s", trace_kind_name(row->record.kind),
             cause != CAUSE_NONE ? ",\"cause\":\"" : "", trace_cause_name(cause),
             cause != CAUSE_NONE ? "\"" : "");
    chrome_trace_mark(&timeline->trace, track, name, row->record.at_ns, detail);
}

static void node_error(TimelineWriter *timeline, const TraceRow *row)
{
    NodeLine *node = node_line(timeline, row);
    node->error = row->record.name;
    node->error_ns = row->record.at_ns;
    mark(timeline, node->track, row, row->record.name);
}

static void node_notice(TimelineWriter *timeline, const TraceRow *row)
{
    mark(timeline, node_line(timeline, row)->track, row, "preemption notice");
}

static void node_repair(TimelineWriter *timeline, const TraceRow *row)
{
    Text name = {0};
    text_printf(&name, "repair %s", row->record.name);
    mark(timeline, node_line(timeline, row)->track, row, text_string(&name));
    text_free(&name);
}

static void node_speed(TimelineWriter *timeline, const TraceRow *row)
{
    char name[48];
    snprintf(name, sizeof name, "speed %" PRId64 " ppm", row->record.node_speed.speed_ppm);
    mark(timeline, node_line(timeline, row)->track, row, name);
}

static void job_stalled(TimelineWriter *timeline, const TraceRow *row)
{
    mark(timeline, node_line(timeline, row)->track, row, "falls silent");
    mark(timeline, job_line(timeline, row)->track, row, "stalled");
}

/* --- Training --- */

static const char *numbered(TimelineWriter *timeline, const char *what, int64_t number)
{
    return arena_printf(timeline->arena, "%s %" PRId64, what, number);
}

/* The parts of a step or epoch, in microseconds. */
static void add_parts(Text *out, const StepParts *parts)
{
    const struct {
        const char *name;
        int64_t ns;
    } rows[] = {{"input", parts->input_ns},
                {"compute", parts->compute_ns},
                {"wait", parts->wait_ns},
                {"exchange", parts->exchange_ns},
                {"update", parts->update_ns}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        text_printf(out, "%s\"%s_us\":%" PRId64 ".%03" PRId64, i > 0 ? "," : "", rows[i].name,
                    rows[i].ns / 1000, rows[i].ns % 1000);
}

static void epoch(TimelineWriter *timeline, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    Text detail = {0};
    add_parts(&detail, &record->epoch.parts);
    text_printf(&detail, ",\"accuracy_ppm\":%" PRId64 ",\"loss_micro\":%" PRId64,
                record->epoch.train_accuracy_ppm, record->epoch.train_loss_micro);
    add_job_slice(timeline, row, DEPTH_EPOCH, numbered(timeline, "epoch", record->epoch.epoch),
                  arena_strdup(timeline->arena, text_string(&detail)));
    text_free(&detail);
}

static void evaluation(TimelineWriter *timeline, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    add_job_slice(timeline, row, DEPTH_EPOCH, "evaluation",
                  arena_printf(timeline->arena,
                               "\"accuracy_ppm\":%" PRId64 ",\"loss_micro\":%" PRId64,
                               record->evaluation.accuracy_ppm, record->evaluation.loss_micro));
}

static ChromeTrack rank_track(TimelineWriter *timeline, const TraceRow *row, uint32_t rank)
{
    const int32_t process = cluster_line(timeline, row)->track.process;
    JobLine *job = job_line(timeline, row);
    job->ranks =
        array_room(timeline->arena, job->ranks, rank + 1, &job->rank_capacity, sizeof *job->ranks);
    ChromeTrack *track = &job->ranks[rank];
    if (track->process == 0) {
        char title[256];
        snprintf(title, sizeof title, "%s rank %" PRIu32, row->job, rank);
        *track = chrome_trace_thread(&timeline->trace, process, title);
    }
    return *track;
}

/* Written at once: a step contains no other slices, and 10^5 of them would be too many to keep. */
static void step(TimelineWriter *timeline, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    const int64_t rank = record->step.rank;
    if (rank < 0 || rank >= RANKS_MAX)
        return;
    const ChromeTrack track = rank_track(timeline, row, (uint32_t)rank);
    Text detail = {0};
    text_printf(&detail, "\"epoch\":%" PRId64 ",\"step\":%" PRId64 ",", record->step.epoch,
                record->step.step);
    add_parts(&detail, &record->step.parts);
    const Slice slice = {record->since_ns, record->at_ns,        DEPTH_EPOCH,
                         "step",           text_string(&detail), 0};
    write_slice(timeline, track, &slice);
    text_free(&detail);
}

/* --- Jobs, allocation, shares, commands --- */

static void job_state_write(TimelineWriter *timeline, JobLine *job, int64_t at_ns)
{
    if (job->state == NULL)
        return;
    chrome_trace_slice(&timeline->trace, job->track, job->state, job->since_ns, at_ns, NULL);
}

static void count_jobs(TimelineWriter *timeline, const char *state, int32_t change)
{
    JobCounts *counts = &timeline->job_counts;
    if (state == NULL)
        return;
    if (strcmp(state, job_state_name(JOB_QUEUED)) == 0)
        counts->queued += change;
    if (strcmp(state, job_state_name(JOB_RUNNING)) == 0)
        counts->running += change;
    counts->changed = timeline->counters_changed = true;
}

static void job_state(TimelineWriter *timeline, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    JobLine *job = job_line(timeline, row);
    job_state_write(timeline, job, record->at_ns);
    count_jobs(timeline, job->state, -1);
    count_jobs(timeline, record->name, 1);
    if (job->state != NULL && strcmp(record->name, job_state_name(JOB_QUEUED)) == 0)
        mark(timeline, job->track, row, "requeued");
    const bool is_over = strcmp(record->name, job_state_name(JOB_SUCCEEDED)) == 0 ||
                         strcmp(record->name, job_state_name(JOB_FAILED)) == 0;
    job->state = is_over ? NULL : record->name;
    job->since_ns = record->at_ns;
}

static void allocation_write(TimelineWriter *timeline, ClusterLine *cluster, int64_t at_ns)
{
    if (cluster->allocation == NULL)
        return;
    chrome_trace_slice(&timeline->trace, cluster->track, cluster->allocation, cluster->since_ns,
                       at_ns, NULL);
}

static void cluster_allocation(TimelineWriter *timeline, const TraceRow *row)
{
    ClusterLine *cluster = cluster_line(timeline, row);
    allocation_write(timeline, cluster, row->record.at_ns);
    cluster->allocation = row->record.name;
    cluster->since_ns = row->record.at_ns;
}

/* "scaling automatic 0 to 4" */
static void cluster_scaling(TimelineWriter *timeline, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    Text name = {0};
    text_printf(&name, "scaling %s %" PRId64 " to %" PRId64, record->name,
                record->cluster_scaling.minimum, record->cluster_scaling.maximum);
    mark(timeline, cluster_line(timeline, row)->track, row, text_string(&name));
    text_free(&name);
}

static void share_state(TimelineWriter *timeline, const TraceRow *row)
{
    ShareLine *share = share_line(timeline, row);
    if (share->states.process == 0)
        share->states = chrome_trace_thread(&timeline->trace, share->process, "state");
    mark(timeline, share->states, row, row->record.name);
}

static void file_server_billed(TimelineWriter *timeline, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    if (timeline->file_servers_process == 0)
        timeline->file_servers_process = chrome_trace_process(&timeline->trace, "file servers");
    const ChromeTrack track =
        chrome_trace_thread(&timeline->trace, timeline->file_servers_process, record->name);
    chrome_trace_slice(&timeline->trace, track, record->name, record->since_ns, record->at_ns,
                       NULL);
}

static void cluster_provisioning(TimelineWriter *timeline, const TraceRow *row)
{
    if (strcmp(row->record.name, provisioning_state_name(PROVISIONING_DELETED)) != 0)
        return;
    ClusterLine *cluster = cluster_line(timeline, row);
    allocation_write(timeline, cluster, row->record.at_ns);
    cluster->allocation = NULL;
}

/* Transfers come in order of their ends, so a lane is free for a transfer that began after the
 * lane's last end. */
static ChromeTrack share_lane(TimelineWriter *timeline, ShareLine *share, int64_t since_ns,
                              int64_t at_ns)
{
    uint32_t i = 0;
    while (i < share->lane_count && share->lanes[i].free_ns > since_ns)
        i++;
    if (i == share->lane_count) {
        share->lanes = array_room(timeline->arena, share->lanes, ++share->lane_count,
                                  &share->lane_capacity, sizeof *share->lanes);
        share->lanes[i].track = chrome_trace_thread(&timeline->trace, share->process,
                                                    numbered(timeline, "transfer", i + 1));
    }
    share->lanes[i].free_ns = at_ns;
    return share->lanes[i].track;
}

static void transfer(TimelineWriter *timeline, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    const ChromeTrack track =
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
        timeline->commands = chrome_trace_thread(
            &timeline->trace, chrome_trace_process(&timeline->trace, "commands"), "commands");
    char details[64];
    snprintf(details, sizeof details, "\"record\":\"%s\"", trace_kind_name(row->record.kind));
    chrome_trace_mark(&timeline->trace, timeline->commands, row->record.name, row->record.at_ns,
                      details);
}

/* --- Counters --- */

static void write_counter(TimelineWriter *timeline, ClusterLine *cluster, int64_t at_ns)
{
    Text series = {0};
    int32_t held = 0;
    for (int i = 0; i < NODE_STATE_COUNT; i++) {
        text_printf(&series, "%s\"%s\":%" PRId32, i > 0 ? "," : "", node_state_name((NodeState)i),
                    cluster->node_count[i]);
        held += cluster->node_count[i];
    }
    chrome_trace_counter(&timeline->trace, cluster->track.process, "nodes", at_ns,
                         text_string(&series));
    text_clear(&series);
    text_printf(&series, "\"nodes\":%" PRId32, held);
    chrome_trace_counter(&timeline->trace, cluster->track.process, "billed nodes", at_ns,
                         text_string(&series));
    text_free(&series);
    cluster->count_changed = false;
}

static void write_job_counter(TimelineWriter *timeline, int64_t at_ns)
{
    char series[64];
    snprintf(series, sizeof series, "\"queued\":%" PRId32 ",\"running\":%" PRId32,
             timeline->job_counts.queued, timeline->job_counts.running);
    chrome_trace_counter(&timeline->trace, timeline->jobs_process, "jobs", at_ns, series);
    timeline->job_counts.changed = false;
}

/* Writes one value for each moment, once time has passed and all changes at the moment are
 * known. */
static void write_counters(TimelineWriter *timeline)
{
    if (!timeline->counters_changed)
        return;
    for (uint32_t i = 0; i < timeline->cluster_capacity; i++)
        if (timeline->clusters[i].count_changed)
            write_counter(timeline, &timeline->clusters[i], timeline->now_ns);
    if (timeline->job_counts.changed)
        write_job_counter(timeline, timeline->now_ns);
    timeline->counters_changed = false;
}

/* --- The run --- */

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
    case TRACE_NODE_KIND:
        (void)node_line(timeline, row);
        return;
    case TRACE_NODE_STATE:
        node_state(timeline, row);
        return;
    case TRACE_JOB_STATE:
        job_state(timeline, row);
        return;
    case TRACE_JOB_PLACED:
        job_placed(timeline, row);
        return;
    case TRACE_JOB_ATTEMPT:
        job_attempt(timeline, row);
        return;
    case TRACE_JOB_STAGE:
        add_node_slice(timeline, row, node_line(timeline, row), DEPTH_PHASE, row->record.name,
                       NULL);
        return;
    case TRACE_JOB_TRAINED:
        add_job_slice(timeline, row, DEPTH_PHASE, "training", NULL);
        return;
    case TRACE_EPOCH:
        epoch(timeline, row);
        return;
    case TRACE_EVALUATION:
        evaluation(timeline, row);
        return;
    case TRACE_CHECKPOINT:
        add_node_slice(timeline, row, node_line(timeline, row), DEPTH_EPOCH, "checkpoint", NULL);
        return;
    case TRACE_STEP:
        step(timeline, row);
        return;
    case TRACE_TRANSFER:
        transfer(timeline, row);
        return;
    case TRACE_GROUP_STRUCK:
        command(timeline, row);
        return;
    case TRACE_CLUSTER_SCALING:
        cluster_scaling(timeline, row);
        return;
    case TRACE_CLUSTER_ERROR:
        mark(timeline, cluster_line(timeline, row)->track, row, row->record.name);
        return;
    case TRACE_NODE_ERROR:
        node_error(timeline, row);
        return;
    case TRACE_NODE_NOTICE:
        node_notice(timeline, row);
        return;
    case TRACE_NODE_REPAIR:
        node_repair(timeline, row);
        return;
    case TRACE_NODE_SPEED:
        node_speed(timeline, row);
        return;
    case TRACE_JOB_STALLED:
        job_stalled(timeline, row);
        return;
    case TRACE_JOB_RESUMED:
        mark(timeline, job_line(timeline, row)->track, row, "resumed");
        return;
    case TRACE_JOB_ERROR:
        mark(timeline, job_line(timeline, row)->track, row, row->record.name);
        return;
    case TRACE_SHARE_STATE:
        share_state(timeline, row);
        return;
    case TRACE_FILE_SERVER_BILLED:
        file_server_billed(timeline, row);
        return;
    case TRACE_RESOURCE_CREATED:
    case TRACE_RESOURCE_DELETED:
    case TRACE_CLUSTER_READY:
    case TRACE_CLUSTER_SHOWN:
    case TRACE_NODE_BILLED:
    case TRACE_JOB_PROVISIONING:
    case TRACE_JOB_TRAINING:
    case TRACE_FILE_WRITTEN:
    case TRACE_FILE_DELETED:
    case TRACE_JOB_SHOWN:
    case TRACE_JOB_FILES_SHOWN:
    case TRACE_FILE_SERVER_PROVISIONING:
    case TRACE_USAGES_SHOWN:
    case TRACE_RUN_ENDED:
    case TRACE_JOB_WAITS:
    case TRACE_KIND_COUNT:
        return;
    }
}

TimelineWriter *timeline_writer_create(Arena *arena, FILE *stream, TraceLevel level)
{
    TimelineWriter *timeline = ARENA_NEW(arena, TimelineWriter);
    timeline->arena = arena;
    timeline->level = level;
    timeline->trace = chrome_trace_begin(stream);
    return timeline;
}

TraceListener timeline_writer_listener(TimelineWriter *timeline)
{
    return (TraceListener){.listener = timeline, .level = timeline->level, .row = fold_row};
}

static void node_finish(TimelineWriter *timeline, NodeLine *node)
{
    node_write(timeline, node, timeline->now_ns);
    for (uint32_t s = 0; s < node->slot_count; s++)
        slot_write(timeline, &node->slots[s], timeline->now_ns);
}

void timeline_writer_finish(TimelineWriter *timeline)
{
    write_counters(timeline);
    for (uint32_t i = 0; i < timeline->cluster_capacity; i++)
        allocation_write(timeline, &timeline->clusters[i], timeline->now_ns);
    for (uint32_t i = 0; i < timeline->node_capacity; i++)
        node_finish(timeline, &timeline->nodes[i]);
    for (uint32_t i = 0; i < timeline->job_capacity; i++)
        job_state_write(timeline, &timeline->jobs[i], timeline->now_ns);
    chrome_trace_end(&timeline->trace);
}
