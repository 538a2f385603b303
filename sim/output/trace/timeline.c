#include "sim/output/trace/timeline.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/cloud/job/job.h"
#include "sim/json/json.h"
#include "sim/output/trace/timeline_marks.h"

// A forged trace may name any rank, and any number of GPUs.
enum { RANKS_MAX = 1 << 16, GPUS_MAX = 1 << 10 };

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
    NodeLine *node = timeline_node(timeline, row);
    JobLine *job = timeline_job(timeline, row);
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
    slice_keep(timeline, &slot->slices,
               (Slice){slot->since_ns, at_ns, DEPTH_JOB, slot->job, NULL, 0});
    slices_write(timeline, slot->track, &slot->slices);
    slot->job = NULL;
}

/* The job's attempt ends: it gives its GPUs back. */
static void job_attempt(TimelineWriter *timeline, const TraceRow *row)
{
    JobLine *job = timeline_job(timeline, row);
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
    slice_keep(timeline, slot != NULL ? &slot->slices : &node->slices,
               (Slice){since_ns > begin_ns ? since_ns : begin_ns, row->record.at_ns, depth, name,
                       detail, 0});
}

/* Adds a slice to all nodes of the row's job. */
static void add_job_slice(TimelineWriter *timeline, const TraceRow *row, Depth depth,
                          const char *name, const char *detail)
{
    const JobLine *job = timeline_job(timeline, row);
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
    ClusterLine *cluster = timeline_cluster(timeline, row);
    NodeLine *node = timeline_node(timeline, row);
    timeline_node_write(timeline, node, record->at_ns);
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
        job_gains_node(timeline, timeline_job(timeline, row), record->node.index);
    }
}

static void node_error(TimelineWriter *timeline, const TraceRow *row)
{
    NodeLine *node = timeline_node(timeline, row);
    node->error = row->record.name;
    node->error_ns = row->record.at_ns;
}

static void job_stalled(TimelineWriter *timeline, const TraceRow *row)
{
    timeline_mark(timeline, timeline_node(timeline, row)->track, row, "falls silent");
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
    const int32_t process = timeline_cluster(timeline, row)->track.process;
    JobLine *job = timeline_job(timeline, row);
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
    slice_write(timeline, track, &slice);
    text_free(&detail);
}

static void node_kind(TimelineWriter *timeline, const TraceRow *row)
{
    (void)timeline_node(timeline, row); // it has its name
}

static void job_stage(TimelineWriter *timeline, const TraceRow *row)
{
    add_node_slice(timeline, row, timeline_node(timeline, row), DEPTH_PHASE, row->record.name,
                   NULL);
}

static void job_trained(TimelineWriter *timeline, const TraceRow *row)
{
    add_job_slice(timeline, row, DEPTH_PHASE, "training", NULL);
}

static void checkpoint(TimelineWriter *timeline, const TraceRow *row)
{
    add_node_slice(timeline, row, timeline_node(timeline, row), DEPTH_EPOCH, "checkpoint", NULL);
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
    JobLine *job = timeline_job(timeline, row);
    job_state_write(timeline, job, record->at_ns);
    count_jobs(timeline, job->state, -1);
    count_jobs(timeline, record->name, 1);
    if (job->state != NULL && strcmp(record->name, job_state_name(JOB_QUEUED)) == 0)
        timeline_mark(timeline, job->track, row, "requeued");
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
    ClusterLine *cluster = timeline_cluster(timeline, row);
    allocation_write(timeline, cluster, row->record.at_ns);
    cluster->allocation = row->record.name;
    cluster->since_ns = row->record.at_ns;
}

static void share_state(TimelineWriter *timeline, const TraceRow *row)
{
    ShareLine *share = timeline_share(timeline, row);
    if (share->states.process == 0)
        share->states = chrome_trace_thread(&timeline->trace, share->process, "state");
    timeline_mark(timeline, share->states, row, row->record.name);
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
    ClusterLine *cluster = timeline_cluster(timeline, row);
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
        share_lane(timeline, timeline_share(timeline, row), record->since_ns, record->at_ns);
    Text detail = {0};
    text_add(&detail, "\"job\":");
    json_print_string(&detail, row->job);
    text_add(&detail, ",\"node\":");
    json_print_string(&detail, row->node);
    text_printf(&detail, ",\"bytes\":%" PRId64, record->bytes);
    const Slice slice = {record->since_ns, record->at_ns,        DEPTH_STATE,
                         record->name,     text_string(&detail), 0};
    slice_write(timeline, track, &slice);
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
/* The function for records of each kind; NULL: they have a mark, or are not drawn. */
static void (*const drawers[])(TimelineWriter *timeline, const TraceRow *row) = {
    [TRACE_COMMAND_APPLIED] = command,
    [TRACE_COMMAND_SKIPPED] = command,
    [TRACE_COMMAND_REFUSED] = command,
    [TRACE_RESOURCE_CREATED] = NULL,
    [TRACE_RESOURCE_DELETED] = NULL,
    [TRACE_CLUSTER_PROVISIONING] = cluster_provisioning,
    [TRACE_CLUSTER_SCALING] = NULL,
    [TRACE_CLUSTER_ERROR] = NULL,
    [TRACE_CLUSTER_ALLOCATION] = cluster_allocation,
    [TRACE_CLUSTER_READY] = NULL,
    [TRACE_CLUSTER_SHOWN] = NULL,
    [TRACE_NODE_STATE] = node_state,
    [TRACE_NODE_ERROR] = node_error,
    [TRACE_NODE_NOTICE] = NULL,
    [TRACE_NODE_SPEED] = NULL,
    [TRACE_GROUP_STRUCK] = command,
    [TRACE_NODE_BILLED] = NULL,
    [TRACE_JOB_PROVISIONING] = NULL,
    [TRACE_JOB_STATE] = job_state,
    [TRACE_JOB_ATTEMPT] = job_attempt,
    [TRACE_JOB_STALLED] = job_stalled,
    [TRACE_JOB_RESUMED] = NULL,
    [TRACE_JOB_RESUMED_WITHIN] = NULL,
    [TRACE_JOB_WORK_RESUMED] = NULL,
    [TRACE_JOB_ERROR] = NULL,
    [TRACE_JOB_STAGE] = job_stage,
    [TRACE_JOB_TRAINING] = NULL,
    [TRACE_JOB_TRAINED] = job_trained,
    [TRACE_EPOCH] = epoch,
    [TRACE_EVALUATION] = evaluation,
    [TRACE_CHECKPOINT] = checkpoint,
    [TRACE_CHECKPOINT_WITHIN] = checkpoint,
    [TRACE_JOB_SAVED] = checkpoint,
    [TRACE_JOB_WORK_SAVED] = checkpoint,
    [TRACE_STEP] = step,
    [TRACE_TRANSFER] = transfer,
    [TRACE_LINK_FULL] = NULL,
    [TRACE_FILE_WRITTEN] = NULL,
    [TRACE_FILE_DELETED] = NULL,
    [TRACE_SHARE_STATE] = share_state,
    [TRACE_FILE_SERVER_PROVISIONING] = NULL,
    [TRACE_FILE_SERVER_BILLED] = file_server_billed,
    [TRACE_USAGES_SHOWN] = NULL,
    [TRACE_JOB_SHOWN] = NULL,
    [TRACE_JOB_FILES_SHOWN] = NULL,
    [TRACE_RUN_ENDED] = NULL,
    [TRACE_JOB_PLACED] = job_placed,
    [TRACE_NODE_REPAIR] = NULL,
    [TRACE_NODE_DRAINED] = NULL,
    [TRACE_NODE_RESUMED] = NULL,
    [TRACE_JOB_WAITS] = NULL,
    [TRACE_QUEUE_RECLAIMS] = NULL,
    [TRACE_JOB_RECLAIMED] = NULL,
    [TRACE_JOB_NOTICE] = NULL,
    [TRACE_QUEUE_CHANGED] = NULL,
    [TRACE_CLUSTER_MAINTENANCE] = NULL,
    [TRACE_JOB_DEFERRED] = NULL,
    [TRACE_NODE_KIND] = node_kind,
};
_Static_assert(sizeof drawers / sizeof drawers[0] == TRACE_KIND_COUNT, "every kind");

static void draw_row(void *listener, const TraceRow *row)
{
    TimelineWriter *timeline = listener;
    if (row->record.at_ns > timeline->now_ns)
        write_counters(timeline);
    timeline->now_ns = row->record.at_ns;
    if (drawers[row->record.kind] != NULL)
        drawers[row->record.kind](timeline, row);
    timeline_mark_row(timeline, row);
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
    return (TraceListener){.listener = timeline, .level = timeline->level, .row = draw_row};
}

static void node_finish(TimelineWriter *timeline, NodeLine *node)
{
    timeline_node_write(timeline, node, timeline->now_ns);
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
