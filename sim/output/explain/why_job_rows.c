#include "sim/output/explain/why_job_rows.h"

#include <inttypes.h>

#include "sim/base/array.h"
#include "sim/output/explain/why_wait_rows.h"
#include "sim/output/summary/names.h"

/* --- States --- */

static const char *submission_words(Why *why, const TraceRow *row)
{
    const ClusterView *cluster = why_cluster(why, row->record.cluster.index);
    int32_t held = 0;
    Text text = {0};
    for (int state = 0; state < NODE_STATE_COUNT; state++)
        held += cluster->nodes[state];
    text_printf(&text, "submitted to cluster %s, which had ", summary_short_name(row->cluster));
    why_add_count(&text, held, "node");
    const char *separator = " (";
    for (int state = 0; state < NODE_STATE_COUNT; state++) {
        if (cluster->nodes[state] == 0)
            continue;
        text_printf(&text, "%s%" PRId32 " %s", separator, cluster->nodes[state],
                    node_state_name((NodeState)state));
        separator = ", ";
    }
    text_add(&text, held > 0 ? "); " : "; ");
    if (cluster->queued == 0)
        text_add(&text, "no other job waited");
    else
        why_add_count(&text, cluster->queued, "other job");
    if (cluster->queued > 0)
        text_add(&text, " waited already");
    return why_keep_text(why, &text);
}

static void add_state(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    StoryMoment *now = story_moment(story, record->at_ns);
    if (record_is_named(record, job_state_name(JOB_QUEUED))) {
        now->is_queued = true;
        now->queued_cause = record->cause;
        if (record->cause == CAUSE_RECLAIM)
            now->reclaim = why_cluster(why, record->cluster.index)->reclaim;
        now->is_submitted = story->state == NULL;
        if (now->is_submitted)
            now->submitted_words = submission_words(why, row);
        why_wait_begins(why, story, record->at_ns);
    } else if (record_is_named(record, job_state_name(JOB_RUNNING))) {
        now->is_started = true;
    } else if (record_is_named(record, job_state_name(JOB_TERMINATING))) {
        now->is_terminating = true;
        now->terminating_cause = record->cause;
    } else {
        now->end = record->name;
        now->end_cause = record->cause;
        now->exit_code = record->job_state.exit_code;
    }
    story->state = record->name;
}

static void add_stage(Why *why, Story *story, const TraceRow *row)
{
    (void)why;
    const TraceRecord *record = &row->record;
    const int64_t span_ns = record->at_ns - record->since_ns;
    for (int stage = 0; stage < STAGE_COUNT; stage++)
        if (record_is_named(record, job_stage_name((JobStage)stage)) &&
            span_ns > story->stage_ns[stage])
            story->stage_ns[stage] = span_ns;
    story->stage_end_ns = record->at_ns;
}

/* --- Links, losses and notices --- */

static void add_slow_link(Why *why, Story *story, const TraceRow *row)
{
    (void)why;
    const TraceRecord *record = &row->record;
    const int64_t limited_ns = record->link_full.limited_ns;
    story->slowed++;
    story->slowed_ns = limited_ns > story->slowed_ns ? limited_ns : story->slowed_ns;
}

static void add_stall(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    StoryMoment *now = story_moment(story, record->at_ns);
    now->stalled_node = row->node;
    now->stalled_cause = record->cause != CAUSE_NONE ? record->cause : CAUSE_CRASH;
    story->stalled_node = row->node;
    if (why->struck_group != NULL && why->struck_ns == record->at_ns)
        now->stalled_group = why->struck_group;
}

static void add_notice(Why *why, Story *story, const TraceRow *row)
{
    (void)why;
    const TraceRecord *record = &row->record;
    StoryMoment *now = story_moment(story, record->at_ns);
    now->is_withdrawn = record->job_notice.grace_ns < 0;
    now->stopped_for = now->is_withdrawn ? NULL : record->name;
    now->stopped_because = record->cause;
    now->grace_ns = record->job_notice.grace_ns;
}

/* --- Attempts --- */

/* The job gives its GPUs back. Its nodes may still run other jobs, so no record says it. */
static void give_shared_back(const Why *why, Story *story)
{
    const bool has_gpus = why_job_request(why, story->job).kind != REQUEST_NODES;
    for (uint32_t i = 0; has_gpus && i < story->node_count; i++)
        story->nodes[i].is_freed = true;
}

static void add_attempt(Why *why, Story *story, const TraceRow *row)
{
    StoryMoment *now = story_moment(story, row->record.at_ns);
    give_shared_back(why, story);
    now->attempt = row->record;
    now->has_attempt = true;
}

static void add_resumed(Why *why, Story *story, const TraceRow *row)
{
    (void)why;
    StoryMoment *now = story_moment(story, row->record.at_ns);
    now->resumed_from = row->record.name;
    now->resumed = (TrainingPoint){.epochs = row->record.job_resumed.epochs};
}

static void add_resumed_within(Why *why, Story *story, const TraceRow *row)
{
    (void)why;
    StoryMoment *now = story_moment(story, row->record.at_ns);
    now->resumed_from = row->record.name;
    now->resumed = row->record.job_resumed_within.point;
}

static void add_saved(Why *why, Story *story, const TraceRow *row)
{
    (void)why;
    StoryMoment *now = story_moment(story, row->record.at_ns);
    now->saved = row->record.name;
    now->saved_since_ns = row->record.since_ns;
    story->saved = row->record.job_saved.point;
}

static void add_work_resumed(Why *why, Story *story, const TraceRow *row)
{
    (void)why;
    story_moment(story, row->record.at_ns)->resumed_work_ns = row->record.job_work_resumed.work_ns;
}

static void add_work_saved(Why *why, Story *story, const TraceRow *row)
{
    (void)why;
    StoryMoment *now = story_moment(story, row->record.at_ns);
    now->saved_work_ns = row->record.job_work_saved.work_ns;
    now->saved_since_ns = row->record.since_ns;
}

static void add_training(Why *why, Story *story, const TraceRow *row)
{
    (void)why;
    StoryMoment *now = story_moment(story, row->record.at_ns);
    now->training = row->record;
    now->has_training = true;
}

static void add_trained(Why *why, Story *story, const TraceRow *row)
{
    (void)why;
    StoryMoment *now = story_moment(story, row->record.at_ns);
    now->trained = row->record;
    now->has_trained = true;
}

static void add_error(Why *why, Story *story, const TraceRow *row)
{
    (void)why;
    story_moment(story, row->record.at_ns)->error = row->record.name;
}

/* --- Nodes --- */

static void gains_node(Why *why, Story *story, const TraceRow *row)
{
    const uint32_t id = row->record.node.index;
    HeldNode *node = story_held_node(story, id);
    if (node == NULL) {
        story->nodes = array_room(why->arena, story->nodes, story->node_count + 1,
                                  &story->node_capacity, sizeof *story->nodes);
        node = &story->nodes[story->node_count++];
    }
    *node = (HeldNode){.id = id, .name = row->node};
}

/* A node changes its state, perhaps one of the job's. The story is the same whether the node is
 * given back first or is lost at once. */
static void add_node_state(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    const bool is_idle = record_is_named(record, node_state_name(NODE_IDLE)),
               is_running = record_is_named(record, node_state_name(NODE_RUNNING));
    HeldNode *node = story_held_node(story, record->node.index);
    if (record->job.index == story->job && is_running) {
        gains_node(why, story, row);
        return;
    }
    if (node == NULL)
        return;
    StoryMoment *now = story_moment(story, record->at_ns);
    node->is_freed = true;
    if (is_idle || is_running || node->is_lost)
        return; // it is idle, or another job has it
    node->is_lost = true;
    if (now->losses++ == 0)
        now->loss = (NodeLoss){row->node, record->name, record->cause};
}

static void add_node_error(Why *why, Story *story, const TraceRow *row)
{
    Text reason = {0};
    if (story_held_node(story, row->record.node.index) == NULL)
        return;
    trace_row_print_error(&reason, row);
    story_moment(story, row->record.at_ns)->loss_reason = why_keep_text(why, &reason);
}

static void add_node_notice(Why *why, Story *story, const TraceRow *row)
{
    (void)why;
    if (story_held_node(story, row->record.node.index) == NULL)
        return;
    StoryMoment *now = story_moment(story, row->record.at_ns);
    now->notice_node = row->node;
    now->notice_ns = row->record.node_notice.notice_ns;
    now->notice_cause = row->record.cause;
}

/* --- The rows --- */

static WhyRow *const of_job[TRACE_KIND_COUNT] = {
    [TRACE_JOB_STATE] = add_state,
    [TRACE_JOB_STAGE] = add_stage,
    [TRACE_JOB_PLACED] = gains_node,
    [TRACE_LINK_FULL] = add_slow_link,
    [TRACE_JOB_STALLED] = add_stall,
    [TRACE_JOB_NOTICE] = add_notice,
    [TRACE_JOB_ATTEMPT] = add_attempt,
    [TRACE_JOB_RESUMED] = add_resumed,
    [TRACE_JOB_RESUMED_WITHIN] = add_resumed_within,
    [TRACE_JOB_SAVED] = add_saved,
    [TRACE_JOB_WORK_RESUMED] = add_work_resumed,
    [TRACE_JOB_WORK_SAVED] = add_work_saved,
    [TRACE_JOB_TRAINING] = add_training,
    [TRACE_JOB_TRAINED] = add_trained,
    [TRACE_JOB_ERROR] = add_error,
};

static WhyRow *const of_node[TRACE_KIND_COUNT] = {
    [TRACE_NODE_STATE] = add_node_state,
    [TRACE_NODE_ERROR] = add_node_error,
    [TRACE_NODE_NOTICE] = add_node_notice,
};

void why_add_job_row(Why *why, Story *story, const TraceRow *row)
{
    why_add_row(of_job, why, story, row);
}

void why_add_node_row(Why *why, Story *story, const TraceRow *row)
{
    why_add_row(of_node, why, story, row);
}
