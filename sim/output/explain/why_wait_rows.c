#include "sim/output/explain/why_wait_rows.h"

#include <inttypes.h>
#include <string.h>

/* The reason of a resize, by its cause. */
static const char *const resize_words[] = {
    [CAUSE_NONE] = "the cluster began to resize",
    [CAUSE_CREATION] = "the cluster was created",
    [CAUSE_RESIZE] = "the cluster was resized",
    [CAUSE_AUTOSCALE] = "an evaluation of autoscale resized the cluster",
    [CAUSE_REPLACEMENT] = "lost nodes began to be replaced",
    [CAUSE_RETRY] = "nodes that had not come were asked for again",
    [CAUSE_QUOTA] = "the cluster was resized as far as the quota allows",
    [CAUSE_ALLOCATION_FAILURE] = "nodes that had not come were asked for again",
    [CAUSE_PREPARATION_FAILURE] = "nodes that could not be prepared began to be replaced",
    [CAUSE_SETUP_FAILURE] = "nodes that failed their set-up task began to be replaced",
    [CAUSE_MOUNT_FAILURE] = "nodes that could not mount a share began to be replaced",
    [CAUSE_CRASH] = "crashed nodes began to be replaced",
    [CAUSE_GROUP] = "nodes that failed as a group began to be replaced",
    [CAUSE_PREEMPTION] = "preempted nodes began to be replaced",
    [CAUSE_RUN_LENGTH] = "preempted nodes began to be replaced",
    [CAUSE_REBOOT] = "the cluster began to resize after a reboot",
    [CAUSE_REPAIR] = "the cluster began to resize after a repair",
    [CAUSE_SCALE_DOWN] = "the cluster was resized",
    [CAUSE_TERMINATION] = "the cluster began to resize",
    [CAUSE_DELETION] = "the cluster was deleted",
    [CAUSE_TIME_LIMIT] = "the cluster began to resize",
    [CAUSE_EXIT] = "the cluster began to resize",
    [CAUSE_CONTAINER_FAILURE] = "the cluster began to resize",
    [CAUSE_PRECEDENCE] = "the cluster began to resize",
    [CAUSE_FULL_QUEUE] = "the cluster began to resize",
    [CAUSE_RECLAIM] = "the cluster began to resize",
    [CAUSE_DRAIN] = "the cluster began to resize",
    [CAUSE_MAINTENANCE] = "the cluster began to resize",
    [CAUSE_HEALTH_CHECK] = "nodes that a health check had drained began to be replaced",
};
_Static_assert(sizeof resize_words / sizeof resize_words[0] == CAUSE_COUNT, "for every cause");

_Static_assert(sizeof resize_words / sizeof resize_words[0] == CAUSE_COUNT, "for every cause");

/* --- Clusters --- */

static void note_error(Why *why, Wait *wait, int64_t at_ns, const char *error)
{
    Text text = {0};
    text_printf(&text, "the cluster reports %s", error);
    wait_note(why->arena, wait, at_ns, &text);
}

static void note_allocation(Why *why, Wait *wait, const TraceRecord *record)
{
    const int64_t target = record->cluster_allocation.target,
                  current = record->cluster_allocation.current;
    Text text = {0};
    if (strcmp(record->name, allocation_state_name(ALLOCATION_RESIZING)) == 0) {
        text_printf(&text, "%s: from %" PRId64 " to ", resize_words[record->cause], current);
        why_add_count(&text, target, "node");
    } else if (current < target) {
        text_printf(&text, "the cluster was steady with only %" PRId64 " of ", current);
        why_add_count(&text, target, "node");
    } else {
        text_add(&text, "the cluster was steady with ");
        why_add_count(&text, current, "node");
    }
    wait_note(why->arena, wait, record->at_ns, &text);
}

/* Notes reasons that began before the wait: an allocation that has not finished, or one that
 * brought too few nodes. */
static void note_standing(Why *why, Wait *wait, const ClusterView *cluster)
{
    const TraceRecord *allocation = &cluster->allocation;
    const bool is_short =
        allocation->cluster_allocation.current < allocation->cluster_allocation.target;
    if (!cluster->has_allocation || !is_short)
        return;
    if (cluster->error != NULL)
        note_error(why, wait, cluster->error_ns, cluster->error);
    note_allocation(why, wait, allocation);
}

void why_wait_begins(Why *why, Story *story, int64_t at_ns)
{
    const ClusterView *cluster = why_cluster(why, story->cluster);
    const JobRequest request = why_job_request(why, story->job);
    story->wait = (Wait){.since_ns = at_ns,
                         .request = request,
                         .needed = request.nodes,
                         .idle = cluster->nodes[NODE_IDLE],
                         .error_node = ID_NONE};
    for (uint32_t job = 0; job < why->job_count; job++)
        if (why->jobs[job].is_queued && why->jobs[job].cluster == story->cluster &&
            job != story->job && why_is_ahead(why, story, job))
            wait_has_earlier(&story->wait, why_other_job(why, job, INT64_MAX));
    if (story->starts == 0) // a job that returns to the queue had enough nodes before
        note_standing(why, &story->wait, cluster);
}

static void note_cluster_allocation(Why *why, Story *story, const TraceRow *row)
{
    note_allocation(why, &story->wait, &row->record);
}

static void note_cluster_error(Why *why, Story *story, const TraceRow *row)
{
    note_error(why, &story->wait, row->record.at_ns, row->record.name);
}

static void note_maintenance(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    Text text = {0};
    if (!story->wait.is_deferred)
        return;
    text_printf(&text, "maintenance %s", record->name);
    wait_note(why->arena, &story->wait, record->at_ns, &text);
}

/* --- Nodes --- */

static void note_node(Why *why, Wait *wait, const TraceRow *row, const char *words,
                      const char *reason)
{
    Text text = {0};
    text_printf(&text, "node %s %s%s", row->node, words, reason);
    wait_note(why->arena, wait, row->record.at_ns, &text);
}

static void note_repair(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    Text words = {0};
    if (record_is_named(record, "waiting")) {
        text_add(&words, "waits for a repair crew: ");
        why_add_count(&words, record->node_repair.crews, "crew");
        text_printf(&words, " repair%s other nodes", record->node_repair.crews == 1 ? "s" : "");
    } else {
        text_add(&words, "gets a repair crew, for which it has waited ");
        duration_print(&words, record->at_ns - record->since_ns);
    }
    note_node(why, &story->wait, row, text_string(&words), "");
    text_free(&words);
}

static void note_state(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    Wait *wait = &story->wait;
    const bool is_prepared = record->node_state.was == NODE_PREPARING;
    if (story_held_node(story, record->node.index) != NULL)
        return; // its own node, lost at this instant: the job waits again because of it, not for it
    if (is_prepared && record_is_named(record, node_state_name(NODE_IDLE))) {
        wait->prepared++;
        wait->prepared_ns = record->at_ns;
        return;
    }
    if (record->node_state.was == NODE_UNUSABLE &&
        record_is_named(record, node_state_name(NODE_PREPARING)))
        note_node(why, wait, row,
                  trace_cause_drains(record->cause) ? "is back and is prepared again"
                                                    : "was repaired and is prepared again",
                  "");
    const bool is_lost = record_is_named(record, node_state_name(NODE_UNUSABLE)) ||
                         (record_is_named(record, node_state_name(NODE_STATE_COUNT)) &&
                          record->node_state.was != NODE_LEAVING);
    const bool is_explained =
        wait->error_node == record->node.index && wait->error_ns == record->at_ns;
    if (is_lost && !is_explained)
        note_node(why, wait, row, why_node_words(record->cause), "");
}

static void note_node_error(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    Text reason = {0};
    if (story_held_node(story, record->node.index) != NULL)
        return; // its own
    trace_row_print_error(&reason, row);
    note_node(why, &story->wait, row, "is unusable: ", text_string(&reason));
    text_free(&reason);
    story->wait.error_node = record->node.index;
    story->wait.error_ns = record->at_ns;
}

static void note_drain(Why *why, Story *story, const TraceRow *row)
{
    note_node(why, &story->wait, row, "takes no new job: ", row->record.name);
}

/* --- Jobs --- */

static const char *leaving_words(const TraceRecord *record)
{
    if (record_is_named(record, job_state_name(JOB_RUNNING)))
        return "it started";
    if (record->cause == CAUSE_TERMINATION)
        return "it was terminated";
    if (record->cause == CAUSE_DELETION)
        return "it was deleted";
    return "it ended without having started";
}

/* Another job of the cluster is submitted, starts or leaves. */
static void note_other(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    Wait *wait = &story->wait;
    const uint32_t id = record->job.index;
    const JobView *view = &why->jobs[id]; // its state before this row
    const bool is_queued = record_is_named(record, job_state_name(JOB_QUEUED));
    const bool is_running = record_is_named(record, job_state_name(JOB_RUNNING));
    OtherJob job = why_other_job(why, id, record->at_ns);
    job.how = leaving_words(record);
    const bool is_terminating = record_is_named(record, job_state_name(JOB_TERMINATING));
    if (view->is_running && !is_running && !is_terminating)
        wait_job_ended(wait, job);
    const bool is_earlier = why_is_ahead(why, story, id);
    if (is_queued && !view->is_queued && is_earlier)
        wait_has_earlier(wait, why_other_job(why, id, INT64_MAX));
    if (!is_queued && view->is_queued && is_earlier)
        wait_earlier_leaves(wait, job, is_running);
    if (is_running && !is_earlier)
        wait_is_overtaken(wait, job);
}

/* The shortage that the record names; SHORT_OF_GPUS if it has an unknown name. */
static Shortage shortage_of(const TraceRecord *record)
{
    int shortage = SHORTAGE_COUNT - 1;
    while (shortage > 0 && !record_is_named(record, shortage_name((Shortage)shortage)))
        shortage--;
    return (Shortage)shortage;
}

static void note_shortage(Why *why, Story *story, const TraceRow *row)
{
    (void)why;
    story->wait.shortage = shortage_of(&row->record);
}

static void note_reclaim(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    const int64_t jobs = record->queue_reclaims.jobs;
    Text text = {0};
    text_printf(&text, "queue %s had waited ", record->name);
    duration_print(&text, record->at_ns - record->since_ns);
    text_printf(&text, " for its guarantee and reclaimed it: %" PRId64 " job%s of other queues %s ",
                jobs, plural(jobs), jobs == 1 ? "was" : "were");
    text_add(&text, "stopped");
    wait_note(why->arena, &story->wait, record->at_ns, &text);
}

static void note_deferral(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    Wait *wait = &story->wait;
    wait->is_deferred = record->job_deferred.begins_ns >= 0;
    if (!wait->is_deferred)
        return;
    Text text = {0};
    text_add(&text, "it was not expected to end before the maintenance that ");
    text_add(&text, record->job_deferred.begins_ns > record->at_ns ? "begins at " : "began at ");
    duration_print(&text, record->job_deferred.begins_ns);
    wait_note(why->arena, wait, record->at_ns, &text);
}

/* --- The rows --- */

static WhyRow *const of_cluster[TRACE_KIND_COUNT] = {
    [TRACE_CLUSTER_ALLOCATION] = note_cluster_allocation,
    [TRACE_CLUSTER_ERROR] = note_cluster_error,
    [TRACE_CLUSTER_MAINTENANCE] = note_maintenance,
    [TRACE_NODE_ERROR] = note_node_error,
    [TRACE_NODE_STATE] = note_state,
    [TRACE_NODE_REPAIR] = note_repair,
    [TRACE_NODE_DRAINED] = note_drain,
};

static WhyRow *const of_job[TRACE_KIND_COUNT] = {
    [TRACE_JOB_WAITS] = note_shortage,
    [TRACE_JOB_DEFERRED] = note_deferral,
    [TRACE_QUEUE_RECLAIMS] = note_reclaim,
};

static WhyRow *const of_other_job[TRACE_KIND_COUNT] = {
    [TRACE_JOB_STATE] = note_other,
};

void why_add_wait_row(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    if (story->wait.since_ns == INT64_MAX || row->cluster == NULL ||
        record->cluster.index != story->cluster)
        return;
    why_add_row(of_cluster, why, story, row);
    why_add_row(record->job.index == story->job ? of_job : of_other_job, why, story, row);
}
