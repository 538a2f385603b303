#include "sim/output/explain/why.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/output/explain/gpu_rooms.h"
#include "sim/output/explain/why_story.h"
#include "sim/output/summary/names.h"

enum { CLOCK_WIDTH = 16 }; // least width of the time before a sentence

/* --- Clusters and jobs --- */

typedef struct {
    const char *path; /* NULL before the first record */
    uint32_t cluster;
    bool is_queued, is_running;
} JobView;

struct Why {
    Arena *arena;
    const char *wanted;
    ClusterView *clusters;
    JobView *jobs;
    Story **stories;
    uint32_t cluster_capacity, job_capacity, story_capacity;
    uint32_t job_count, story_count;
    GpuRooms *rooms;
    int64_t now_ns;
    const World *world;       /* NULL: rows come from a file */
    const char *struck_group; /* the group that failed at struck_ns */
    int64_t struck_ns;
};

/* --- Words --- */

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

static const char *kept(const Why *why, Text *text)
{
    const char *copy = arena_strdup(why->arena, text_string(text));
    text_free(text);
    return copy;
}

/* --- Views of clusters and jobs --- */

static ClusterView *cluster_view(Why *why, uint32_t id)
{
    why->clusters = array_room(why->arena, why->clusters, id + 1, &why->cluster_capacity,
                               sizeof *why->clusters);
    return &why->clusters[id];
}

static const ClusterView *story_cluster(Why *why, const Story *story)
{
    return cluster_view(why, story->cluster);
}

static bool is_wanted(const Why *why, const char *path)
{
    return path != NULL &&
           (strcmp(path, why->wanted) == 0 || strcmp(summary_short_name(path), why->wanted) == 0);
}

static void story_begin(Why *why, const TraceRow *row)
{
    Story *story = ARENA_NEW(why->arena, Story);
    *story = (Story){.job = row->record.job.index,
                     .path = row->job,
                     .cluster = row->record.cluster.index,
                     .wait = {.since_ns = INT64_MAX},
                     .started_ns = INT64_MAX};
    why->stories = array_room(why->arena, why->stories, why->story_count + 1, &why->story_capacity,
                              sizeof(Story *));
    why->stories[why->story_count++] = story;
}

static JobView *job_view(Why *why, const TraceRow *row)
{
    const uint32_t id = row->record.job.index;
    why->jobs = array_room(why->arena, why->jobs, id + 1, &why->job_capacity, sizeof *why->jobs);
    if (id >= why->job_count)
        why->job_count = id + 1;
    if (why->jobs[id].path == NULL) {
        why->jobs[id].path = row->job;
        if (is_wanted(why, row->job))
            story_begin(why, row);
    }
    return &why->jobs[id];
}

/* --- Waiting --- */

static const JobSpec *job_spec(const Why *why, uint32_t job)
{
    return why->world != NULL ? world_job(why->world, (JobId){job})->spec : NULL;
}

/* The request of the job; 0 nodes: unknown. */
static JobRequest job_request(const Why *why, uint32_t job)
{
    return why->world != NULL ? world_job(why->world, (JobId){job})->request : (JobRequest){0};
}

static OtherJob other_job(const Why *why, uint32_t job, int64_t at_ns)
{
    return (OtherJob){.id = job,
                      .name = summary_short_name(why->jobs[job].path),
                      .nodes = job_request(why, job).nodes,
                      .at_ns = at_ns};
}

/* Whether the queue is in the service's order. Other policies decide the order only when they
 * choose. */
static bool keeps_service_order(PolicyKind policy)
{
    return policy == POLICY_SERVICE || policy == POLICY_BACKFILL || policy == POLICY_CONSERVATIVE ||
           policy == POLICY_PRIORITY_PREEMPTIVE;
}

/* Whether `job` is ahead of the story's job in the queue. */
static bool is_ahead(const Why *why, const Story *story, uint32_t job)
{
    if (why->world == NULL)
        return job < story->job;
    const PolicyKind policy = world_policy(why->world);
    if (world_job(why->world, (JobId){job})->queue !=
        world_job(why->world, (JobId){story->job})->queue)
        return false;
    const JobSpec *theirs = job_spec(why, job), *own = job_spec(why, story->job);
    if (!keeps_service_order(policy))
        return false;
    return theirs->priority != own->priority ? theirs->priority > own->priority : job < story->job;
}

static void note_allocation(Why *why, Wait *wait, const TraceRecord *record);

static void note_error(Why *why, Wait *wait, int64_t at_ns, const char *error)
{
    Text text = {0};
    text_printf(&text, "the cluster reports %s", error);
    wait_note(why->arena, wait, at_ns, &text);
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

static void wait_begins(Why *why, Story *story, int64_t at_ns)
{
    const ClusterView *cluster = story_cluster(why, story);
    const JobRequest request = job_request(why, story->job);
    story->wait = (Wait){.since_ns = at_ns,
                         .request = request,
                         .needed = request.nodes,
                         .idle = cluster->nodes[NODE_IDLE],
                         .error_node = ID_NONE};
    for (uint32_t job = 0; job < why->job_count; job++)
        if (why->jobs[job].is_queued && why->jobs[job].cluster == story->cluster &&
            job != story->job && is_ahead(why, story, job))
            wait_has_earlier(&story->wait, other_job(why, job, INT64_MAX));
    if (story->starts == 0) // a job that returns to the queue had enough nodes before
        note_standing(why, &story->wait, cluster);
}

/* Whether the row may be a reason for the story's waiting. */
static bool concerns_wait(const Story *story, const TraceRow *row)
{
    return story->wait.since_ns != INT64_MAX && row->cluster != NULL &&
           row->record.cluster.index == story->cluster;
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

static HeldNode *held_node(Story *story, uint32_t id)
{
    for (uint32_t i = 0; i < story->node_count; i++)
        if (story->nodes[i].id == id)
            return &story->nodes[i];
    return NULL;
}

/* --- Records of the job --- */

static const char *submission_words(Why *why, const TraceRow *row)
{
    const ClusterView *cluster = cluster_view(why, row->record.cluster.index);
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
    return kept(why, &text);
}

static bool is_named(const TraceRecord *record, const char *name)
{
    return strcmp(record->name, name) == 0;
}

static void story_state(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    StoryMoment *now = story_moment(story, record->at_ns);
    if (is_named(record, job_state_name(JOB_QUEUED))) {
        now->is_queued = true;
        now->queued_cause = record->cause;
        if (record->cause == CAUSE_RECLAIM)
            now->reclaim = cluster_view(why, record->cluster.index)->reclaim;
        now->is_submitted = story->state == NULL;
        if (now->is_submitted)
            now->submitted_words = submission_words(why, row);
        wait_begins(why, story, record->at_ns);
    } else if (is_named(record, job_state_name(JOB_RUNNING))) {
        now->is_started = true;
    } else if (is_named(record, job_state_name(JOB_TERMINATING))) {
        now->is_terminating = true;
        now->terminating_cause = record->cause;
    } else {
        now->end = record->name;
        now->end_cause = record->cause;
        now->exit_code = record->job_state.exit_code;
    }
    story->state = record->name;
}

static void story_stage(Story *story, const TraceRecord *record)
{
    const int64_t span_ns = record->at_ns - record->since_ns;
    for (int stage = 0; stage < STAGE_COUNT; stage++)
        if (is_named(record, job_stage_name((JobStage)stage)) && span_ns > story->stage_ns[stage])
            story->stage_ns[stage] = span_ns;
    story->stage_end_ns = record->at_ns;
}

/* The job gives its GPUs back. Its nodes may still run other jobs, so no record says it. */
static void give_shared_back(const Why *why, Story *story)
{
    const bool has_gpus = job_request(why, story->job).kind != REQUEST_NODES;
    for (uint32_t i = 0; has_gpus && i < story->node_count; i++)
        story->nodes[i].is_freed = true;
}

static void story_notice(Story *story, const TraceRecord *record)
{
    StoryMoment *now = story_moment(story, record->at_ns);
    now->is_withdrawn = record->job_notice.grace_ns < 0;
    now->stopped_for = now->is_withdrawn ? NULL : record->name;
    now->stopped_because = record->cause;
    now->grace_ns = record->job_notice.grace_ns;
}

static void story_add_row(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    if (record->kind == TRACE_JOB_STATE)
        story_state(why, story, row);
    if (record->kind == TRACE_JOB_STAGE)
        story_stage(story, record);
    if (record->kind == TRACE_LINK_FULL) {
        const int64_t limited_ns = record->link_full.limited_ns;
        story->slowed++;
        story->slowed_ns = limited_ns > story->slowed_ns ? limited_ns : story->slowed_ns;
    }
    if (record->kind == TRACE_JOB_STALLED) {
        story_moment(story, record->at_ns)->stalled_node = row->node;
        story->now.stalled_cause = record->cause != CAUSE_NONE ? record->cause : CAUSE_CRASH;
        story->stalled_node = row->node;
        if (why->struck_group != NULL && why->struck_ns == record->at_ns)
            story->now.stalled_group = why->struck_group;
    }
    if (record->kind == TRACE_JOB_NOTICE)
        story_notice(story, record);
    if (record->kind == TRACE_JOB_ATTEMPT) {
        give_shared_back(why, story);
        story_moment(story, record->at_ns)->attempt = *record;
        story->now.has_attempt = true;
    }
    if (record->kind == TRACE_JOB_RESUMED) {
        story_moment(story, record->at_ns)->resumed_from = record->name;
        story->now.resumed = (TrainingPoint){.epochs = record->job_resumed.epochs};
    }
    if (record->kind == TRACE_JOB_RESUMED_WITHIN) {
        story_moment(story, record->at_ns)->resumed_from = record->name;
        story->now.resumed = record->job_resumed_within.point;
    }
    if (record->kind == TRACE_JOB_SAVED) {
        story_moment(story, record->at_ns)->saved = record->name;
        story->saved = record->job_saved.point;
        story->now.saved_since_ns = record->since_ns;
    }
    if (record->kind == TRACE_JOB_WORK_RESUMED)
        story_moment(story, record->at_ns)->resumed_work_ns = record->job_work_resumed.work_ns;
    if (record->kind == TRACE_JOB_WORK_SAVED) {
        story_moment(story, record->at_ns)->saved_work_ns = record->job_work_saved.work_ns;
        story->now.saved_since_ns = record->since_ns;
    }
    if (record->kind == TRACE_JOB_TRAINING) {
        story_moment(story, record->at_ns)->training = *record;
        story->now.has_training = true;
    }
    if (record->kind == TRACE_JOB_TRAINED) {
        story_moment(story, record->at_ns)->trained = *record;
        story->now.has_trained = true;
    }
    if (record->kind == TRACE_JOB_ERROR)
        story_moment(story, record->at_ns)->error = record->name;
}

/* --- Records of nodes and clusters --- */

static void story_gains_node(Why *why, Story *story, const TraceRow *row)
{
    const uint32_t id = row->record.node.index;
    HeldNode *node = held_node(story, id);
    if (node == NULL) {
        story->nodes = array_room(why->arena, story->nodes, story->node_count + 1,
                                  &story->node_capacity, sizeof *story->nodes);
        node = &story->nodes[story->node_count++];
    }
    *node = (HeldNode){.id = id, .name = row->node};
}

/* One of the job's nodes changes its state. The story is the same whether the node is given back
 * first or is lost at once. */
static void story_node(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    const bool is_idle = is_named(record, node_state_name(NODE_IDLE)),
               is_running = is_named(record, node_state_name(NODE_RUNNING));
    HeldNode *node = held_node(story, record->node.index);
    if (record->job.index == story->job && is_running) {
        story_gains_node(why, story, row);
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

static void story_node_error(Why *why, Story *story, const TraceRow *row)
{
    Text reason = {0};
    trace_row_print_error(&reason, row);
    story_moment(story, row->record.at_ns)->loss_reason = kept(why, &reason);
}

static void note_node(Why *why, Wait *wait, const TraceRow *row, const char *words,
                      const char *reason)
{
    Text text = {0};
    text_printf(&text, "node %s %s%s", row->node, words, reason);
    wait_note(why->arena, wait, row->record.at_ns, &text);
}

static void note_repair(Why *why, Wait *wait, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    Text words = {0};
    if (is_named(record, "waiting")) {
        text_add(&words, "waits for a repair crew: ");
        why_add_count(&words, record->node_repair.crews, "crew");
        text_printf(&words, " repair%s other nodes", record->node_repair.crews == 1 ? "s" : "");
    } else {
        text_add(&words, "gets a repair crew, for which it has waited ");
        duration_print(&words, record->at_ns - record->since_ns);
    }
    note_node(why, wait, row, text_string(&words), "");
    text_free(&words);
}

static void wait_node(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    Wait *wait = &story->wait;
    const bool is_prepared = record->node_state.was == NODE_PREPARING;
    if (held_node(story, record->node.index) != NULL)
        return; // its own node, lost at this instant: the job waits again because of it, not for it
    if (is_prepared && is_named(record, node_state_name(NODE_IDLE))) {
        wait->prepared++;
        wait->prepared_ns = record->at_ns;
        return;
    }
    if (record->node_state.was == NODE_UNUSABLE &&
        is_named(record, node_state_name(NODE_PREPARING)))
        note_node(why, wait, row,
                  trace_cause_drains(record->cause) ? "is back and is prepared again"
                                                    : "was repaired and is prepared again",
                  "");
    const bool is_lost = is_named(record, node_state_name(NODE_UNUSABLE)) ||
                         (is_named(record, node_state_name(NODE_STATE_COUNT)) &&
                          record->node_state.was != NODE_LEAVING);
    const bool is_explained =
        wait->error_node == record->node.index && wait->error_ns == record->at_ns;
    if (is_lost && !is_explained)
        note_node(why, wait, row, why_node_words(record->cause), "");
}

static const char *leaving_words(const TraceRecord *record)
{
    if (is_named(record, job_state_name(JOB_RUNNING)))
        return "it started";
    if (record->cause == CAUSE_TERMINATION)
        return "it was terminated";
    if (record->cause == CAUSE_DELETION)
        return "it was deleted";
    return "it ended without having started";
}

/* Another job of the cluster is submitted, starts or leaves. */
static void wait_other(Why *why, Story *story, const TraceRecord *record)
{
    Wait *wait = &story->wait;
    const uint32_t id = record->job.index;
    const JobView *view = &why->jobs[id]; // its state before this row
    const bool is_queued = is_named(record, job_state_name(JOB_QUEUED));
    const bool is_running = is_named(record, job_state_name(JOB_RUNNING));
    OtherJob job = other_job(why, id, record->at_ns);
    job.how = leaving_words(record);
    const bool is_terminating = is_named(record, job_state_name(JOB_TERMINATING));
    if (view->is_running && !is_running && !is_terminating)
        wait_job_ended(wait, job);
    const bool is_earlier = is_ahead(why, story, id);
    if (is_queued && !view->is_queued && is_earlier)
        wait_has_earlier(wait, other_job(why, id, INT64_MAX));
    if (!is_queued && view->is_queued && is_earlier)
        wait_earlier_leaves(wait, job, is_running);
    if (is_running && !is_earlier)
        wait_is_overtaken(wait, job);
}

/* The shortage that the record names; SHORT_OF_GPUS if it has an unknown name. */
static Shortage shortage_of(const TraceRecord *record)
{
    int shortage = SHORTAGE_COUNT - 1;
    while (shortage > 0 && !is_named(record, shortage_name((Shortage)shortage)))
        shortage--;
    return (Shortage)shortage;
}

static void note_reclaim(Why *why, Wait *wait, const TraceRecord *record)
{
    const int64_t jobs = record->queue_reclaims.jobs;
    Text text = {0};
    text_printf(&text, "queue %s had waited ", record->name);
    duration_print(&text, record->at_ns - record->since_ns);
    text_printf(&text, " for its guarantee and reclaimed it: %" PRId64 " job%s of other queues %s ",
                jobs, plural(jobs), jobs == 1 ? "was" : "were");
    text_add(&text, "stopped");
    wait_note(why->arena, wait, record->at_ns, &text);
}

static void note_deferral(Why *why, Wait *wait, const TraceRecord *record)
{
    wait->is_deferred = record->job_deferred.begins_ns >= 0;
    if (!wait->is_deferred)
        return;
    Text text = {0};
    text_add(&text, "it was not expected to end before the maintenance that ");
    text_add(&text, record->job_deferred.begins_ns > record->at_ns ? "begins at " : "began at ");
    duration_print(&text, record->job_deferred.begins_ns);
    wait_note(why->arena, wait, record->at_ns, &text);
}

static void note_maintenance(Why *why, Wait *wait, const TraceRecord *record)
{
    Text text = {0};
    text_printf(&text, "maintenance %s", record->name);
    wait_note(why->arena, wait, record->at_ns, &text);
}

static void wait_add_row(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    Wait *wait = &story->wait;
    if (record->kind == TRACE_CLUSTER_ALLOCATION)
        note_allocation(why, wait, record);
    if (record->kind == TRACE_CLUSTER_ERROR)
        note_error(why, wait, record->at_ns, record->name);
    if (record->kind == TRACE_NODE_ERROR && held_node(story, record->node.index) == NULL) {
        Text reason = {0};
        trace_row_print_error(&reason, row);
        note_node(why, wait, row, "is unusable: ", text_string(&reason));
        text_free(&reason);
        wait->error_node = record->node.index;
        wait->error_ns = record->at_ns;
    }
    if (record->kind == TRACE_NODE_STATE)
        wait_node(why, story, row);
    if (record->kind == TRACE_NODE_REPAIR)
        note_repair(why, wait, row);
    if (record->kind == TRACE_NODE_DRAINED)
        note_node(why, wait, row, "takes no new job: ", record->name);
    if (record->kind == TRACE_JOB_WAITS && record->job.index == story->job)
        wait->shortage = shortage_of(record);
    if (record->kind == TRACE_JOB_DEFERRED && record->job.index == story->job)
        note_deferral(why, wait, record);
    if (record->kind == TRACE_CLUSTER_MAINTENANCE && wait->is_deferred)
        note_maintenance(why, wait, record);
    if (record->kind == TRACE_QUEUE_RECLAIMS && record->job.index == story->job)
        note_reclaim(why, wait, record);
    if (record->kind == TRACE_JOB_STATE && record->job.index != story->job)
        wait_other(why, story, record);
}

/* --- The fold --- */

static void count_node(Why *why, const TraceRow *row)
{
    ClusterView *cluster = cluster_view(why, row->record.cluster.index);
    const int64_t was = row->record.node_state.was;
    int state = 0;
    while (state < NODE_STATE_COUNT && !is_named(&row->record, node_state_name((NodeState)state)))
        state++;
    if (was >= 0 && was < NODE_STATE_COUNT)
        cluster->nodes[was]--;
    cluster->nodes[state]++;
}

static void count_job(Why *why, const TraceRow *row)
{
    JobView *job = job_view(why, row);
    const bool is_queued = is_named(&row->record, job_state_name(JOB_QUEUED));
    cluster_view(why, row->record.cluster.index)->queued += (int32_t)is_queued - job->is_queued;
    job->is_queued = is_queued;
    job->is_running = is_named(&row->record, job_state_name(JOB_RUNNING)) ||
                      (job->is_running && is_named(&row->record, job_state_name(JOB_TERMINATING)));
    job->cluster = row->record.cluster.index;
}

static void keep_allocation(Why *why, const TraceRecord *record)
{
    ClusterView *cluster = cluster_view(why, record->cluster.index);
    if (record->kind == TRACE_CLUSTER_SCALING) {
        cluster->maximum = is_named(record, "automatic") ? record->cluster_scaling.maximum : 0;
        return;
    }
    if (record->kind == TRACE_CLUSTER_ERROR) {
        cluster->error = record->name;
        cluster->error_ns = record->at_ns;
        return;
    }
    cluster->allocation = *record;
    cluster->has_allocation = true;
    if (record->cluster_allocation.current >= record->cluster_allocation.target)
        cluster->error = NULL;
}

/* The clusters had their present nodes and queues for `span_ns`. */
static void time_passes(Why *why, int64_t span_ns)
{
    for (uint32_t i = 0; i < why->story_count; i++) {
        Story *story = why->stories[i];
        const ClusterView *cluster = story_cluster(why, story);
        if (story->wait.since_ns != INT64_MAX)
            wait_passes(&story->wait,
                        (WaitView){.nodes = cluster->nodes,
                                   .queued = cluster->queued,
                                   .room = gpu_rooms_of(why->rooms, story->cluster)},
                        span_ns);
    }
}

static void end_moment(Why *why, Story *story)
{
    story_end_moment(story, story_cluster(why, story), job_spec(why, story->job));
}

static void end_moments_before(Why *why, int64_t at_ns)
{
    for (uint32_t i = 0; i < why->story_count; i++)
        if (why->stories[i]->now.is_open && why->stories[i]->now.at_ns < at_ns)
            end_moment(why, why->stories[i]);
}

static void fold_row(void *listener, const TraceRow *row)
{
    Why *why = listener;
    const TraceRecord *record = &row->record;
    if (record->at_ns > why->now_ns) {
        end_moments_before(why, record->at_ns);
        time_passes(why, record->at_ns - why->now_ns);
    }
    if (record->kind == TRACE_GROUP_STRUCK) {
        why->struck_group = record->name;
        why->struck_ns = record->at_ns;
    }
    why->now_ns = record->at_ns;
    if (row->job != NULL)
        (void)job_view(why, row);
    for (uint32_t i = 0; i < why->story_count; i++) {
        Story *story = why->stories[i];
        if (row->job != NULL && record->job.index == story->job)
            story_add_row(why, story, row);
        if (concerns_wait(story, row))
            wait_add_row(why, story, row);
        if (record->kind == TRACE_NODE_STATE)
            story_node(why, story, row);
        if (record->kind == TRACE_JOB_PLACED && record->job.index == story->job)
            story_gains_node(why, story, row);
        if (record->kind == TRACE_NODE_ERROR && held_node(story, record->node.index) != NULL)
            story_node_error(why, story, row);
        if (record->kind == TRACE_NODE_NOTICE && held_node(story, record->node.index) != NULL) {
            story_moment(story, record->at_ns)->notice_node = row->node;
            story->now.notice_ns = record->node_notice.notice_ns;
            story->now.notice_cause = record->cause;
        }
    }
    // Counted last: a submission reports the state before it.
    gpu_rooms_add_row(why->rooms, row);
    if (record->kind == TRACE_QUEUE_RECLAIMS)
        cluster_view(why, record->cluster.index)->reclaim = (ReclaimView){
            record->name, summary_short_name(row->job), record->at_ns - record->since_ns};
    if (record->kind == TRACE_NODE_STATE)
        count_node(why, row);
    if (record->kind == TRACE_JOB_STATE)
        count_job(why, row);
    if (record->kind == TRACE_CLUSTER_ALLOCATION || record->kind == TRACE_CLUSTER_ERROR ||
        record->kind == TRACE_CLUSTER_SCALING)
        keep_allocation(why, record);
}

Why *why_create(Arena *run, const char *job)
{
    Why *why = ARENA_NEW(run, Why);
    *why = (Why){.arena = run, .wanted = job, .rooms = gpu_rooms_create(run)};
    return why;
}

void why_watch(Why *why, const World *world)
{
    why->world = world;
}

TraceListener why_listener(Why *why)
{
    return (TraceListener){.listener = why, .level = TRACE_LEVEL_JOBS, .row = fold_row};
}

/* --- The end --- */

static bool fail_unknown(const Why *why, Status *status)
{
    Arena *scratch = arena_create();
    const char **names = ARENA_ARRAY(scratch, const char *, why->job_count);
    int32_t count = 0;
    for (uint32_t i = 0; i < why->job_count; i++)
        if (why->jobs[i].path != NULL)
            names[count++] = summary_short_name(why->jobs[i].path);
    const char *nearest = nearest_name(why->wanted, names, count);
    status_fail(status, STATUS_NOT_FOUND, place_in(NULL, 0, 0),
                "there was no job \"%s\" in this run", why->wanted);
    if (nearest != NULL)
        status_hint(status, "did you mean \"%s\"?", nearest);
    else if (count == 0)
        status_hint(status, "no job was ever submitted");
    else
        status_hint(status, "names are written as in \"%s\"", names[0]);
    arena_destroy(scratch);
    return false;
}

/* The width of the longest time. */
static int clock_width(const char *text)
{
    int widest = CLOCK_WIDTH;
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        const int width = (int)(strchr(line, CLOCK_END[0]) - line) - 1;
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* Prints the lines that why_add_clock began, with the times in a column. */
static void print_lines(Text *out, const char *text)
{
    const int widest = clock_width(text);
    for (const char *line = text; *line != '\0';) {
        const char *words = strchr(line, CLOCK_END[0]) + 1, *next = strchr(line, '\n') + 1;
        text_printf(out, "%*.*s  ", widest, (int)(words - line) - 2, line + 1);
        text_append(out, words, (size_t)(next - words));
        line = next;
    }
}

bool why_print(Text *out, Why *why, Status *status)
{
    if (why->story_count == 0)
        return fail_unknown(why, status);
    for (uint32_t i = 0; i < why->story_count; i++) {
        Story *story = why->stories[i];
        end_moment(why, story);
        story_end_unfinished(story, story_cluster(why, story), why->now_ns);
        text_printf(out, "%sThe story of job %s:\n\n", i > 0 ? "\n" : "", story->path);
        print_lines(out, text_string(&story->text));
        text_free(&story->text);
    }
    return true;
}
