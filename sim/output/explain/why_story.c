#include "sim/output/explain/why_story.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/capped.h"
#include "sim/base/units.h"
#include "sim/output/summary/names.h"

enum { GUID_LENGTH = 36 };

/* --- Words --- */

/* The fate of a node, by cause. */
static const char *const node_words[] = {
    [CAUSE_NONE] = "was lost",
    [CAUSE_CREATION] = "was lost",
    [CAUSE_RESIZE] = "was taken away by a resize",
    [CAUSE_AUTOSCALE] = "was taken away by autoscale",
    [CAUSE_REPLACEMENT] = "was replaced",
    [CAUSE_RETRY] = "was lost",
    [CAUSE_QUOTA] = "was lost to the quota",
    [CAUSE_ALLOCATION_FAILURE] = "was lost when allocation failed",
    [CAUSE_PREPARATION_FAILURE] = "could not be prepared",
    [CAUSE_SETUP_FAILURE] = "failed its set-up task",
    [CAUSE_MOUNT_FAILURE] = "could not mount a share",
    [CAUSE_CRASH] = "crashed",
    [CAUSE_GROUP] = "failed together with its group",
    [CAUSE_PREEMPTION] = "was preempted",
    [CAUSE_RUN_LENGTH] =
        "was preempted because the job had run as long as low-priority nodes allow",
    [CAUSE_REBOOT] = "rebooted",
    [CAUSE_REPAIR] = "was repaired",
    [CAUSE_SCALE_DOWN] = "was taken away by a resize",
    [CAUSE_TERMINATION] = "was lost as the job was terminated",
    [CAUSE_DELETION] = "was deleted",
    [CAUSE_TIME_LIMIT] = "was freed at the time limit",
    [CAUSE_EXIT] = "was freed as the program ended",
    [CAUSE_CONTAINER_FAILURE] = "could not start the container",
    [CAUSE_PRECEDENCE] = "was freed for another job",
    [CAUSE_FULL_QUEUE] = "was not given to a job that a full queue rejected",
    [CAUSE_RECLAIM] = "was freed for the guarantee of another queue",
    [CAUSE_DRAIN] = "was drained",
    [CAUSE_MAINTENANCE] = "was drained for maintenance",
    [CAUSE_HEALTH_CHECK] = "was drained by a health check",
};
_Static_assert(sizeof node_words / sizeof node_words[0] == CAUSE_COUNT, "words for every cause");

const char *why_node_words(TraceCause cause)
{
    return node_words[cause];
}

static const char *const stage_words[] = {
    [STAGE_MOUNT] = "mounting shares",
    [STAGE_PULL] = "pulling the image",
    [STAGE_CONTAINER] = "starting the container",
    [STAGE_PREPARATION] = "the job's preparation",
    [STAGE_START] = "starting the program",
    [STAGE_DOWNLOAD] = "downloading the data",
    [STAGE_DATA] = "reading the data",
};
_Static_assert(sizeof stage_words / sizeof stage_words[0] == STAGE_COUNT, "words for every stage");

/* "n1, n2 and 3 more", for `count` nodes of which the first `known` have names. */
static void add_names(Text *out, const char *const *names, int32_t known, int64_t count)
{
    for (int32_t i = 0; i < known; i++)
        text_printf(out, "%s%s", i > 0 ? ", " : "", names[i]);
    if (count > known)
        text_printf(out, " and %" PRId64 " more", count - known);
}

/* --- The events of one time --- */

StoryMoment *story_moment(Story *story, int64_t at_ns)
{
    if (!story->now.is_open)
        story->now = (StoryMoment){.is_open = true, .at_ns = at_ns};
    return &story->now;
}

/* Adds how the links of nodes slowed transfers down, if they did, after `separator`. */
static void add_slowed(Story *story, const char *separator)
{
    Text *out = &story->text;
    if (story->slowed == 0)
        return;
    text_printf(out, "%sthe nodes' own links slowed ", separator);
    why_add_count(out, story->slowed, "transfer");
    text_add(out, story->slowed > 1 ? " down, for up to " : " down, for ");
    duration_print(out, story->slowed_ns);
    story->slowed = 0;
    story->slowed_ns = 0;
}

/* The preparation, at the time at which it ended. */
static void add_preparation(Story *story, const JobSpec *spec)
{
    int64_t any_ns = 0;
    for (int stage = 0; stage < STAGE_COUNT; stage++)
        any_ns |= story->stage_ns[stage];
    if (any_ns == 0)
        return;
    why_add_clock(&story->text, story->stage_end_ns);
    text_add(&story->text, "prepared; on the slowest node of each: ");
    const char *separator = "";
    for (int stage = 0; stage < STAGE_COUNT; stage++) {
        if (story->stage_ns[stage] == 0)
            continue;
        const bool is_on_host = stage == STAGE_CONTAINER && spec != NULL && spec->image == NULL;
        text_printf(&story->text, "%s%s ", separator,
                    is_on_host ? "starting up on the host" : stage_words[stage]);
        duration_print(&story->text, story->stage_ns[stage]);
        story->stage_ns[stage] = 0;
        separator = ", ";
    }
    add_slowed(story, "; ");
    text_add(&story->text, "\n");
}

static void add_submission(Story *story, const StoryMoment *now)
{
    why_add_clock(&story->text, now->at_ns);
    text_printf(&story->text, "%s\n", now->submitted_words);
}

static void add_warnings(Story *story, const StoryMoment *now)
{
    Text *out = &story->text;
    if (now->notice_node != NULL) {
        why_add_clock(out, now->at_ns);
        text_printf(out, "notice: node %s is going to be preempted ", now->notice_node);
        text_add(out, now->notice_ns > 0 ? "in " : "at once");
        if (now->notice_ns > 0)
            duration_print(out, now->notice_ns);
        text_add(out, now->notice_cause == CAUSE_RUN_LENGTH
                          ? ", because the job has run as long as low-priority nodes allow\n"
                          : "\n");
    }
    if (now->stopped_for != NULL) {
        why_add_clock(out, now->at_ns);
        text_add(out, "notice: the scheduler is going to stop it in ");
        duration_print(out, now->grace_ns);
        text_printf(out,
                    now->stopped_because == CAUSE_RECLAIM
                        ? ", because queue %s reclaims its guarantee\n"
                        : ", so that another job of queue %s can start\n",
                    now->stopped_for);
    }
    if (now->is_withdrawn) {
        why_add_clock(out, now->at_ns);
        text_add(out, "its notice is withdrawn: it need not be stopped any more\n");
    }
    if (now->stalled_node != NULL) {
        why_add_clock(out, now->at_ns);
        text_printf(out, "node %s ", now->stalled_node);
        if (now->stalled_group != NULL)
            text_printf(out, "fell silent as %s failed", now->stalled_group);
        else
            text_add(out, why_node_words(now->stalled_cause));
        text_add(out, ": nothing progresses until the service notices\n");
    }
}

/* Whether a job that ended for this cause was stopped because its nodes left. Nodes that are
 * given back and leave at the same instant, as their cluster shrinks, are not a loss of the job. */
static bool takes_nodes(TraceCause cause)
{
    static const TraceCause takers[] = {
        CAUSE_RESIZE,     CAUSE_AUTOSCALE,  CAUSE_REPLACEMENT, CAUSE_CRASH,      CAUSE_GROUP,
        CAUSE_PREEMPTION, CAUSE_RUN_LENGTH, CAUSE_REBOOT,      CAUSE_SCALE_DOWN,
    };
    for (size_t i = 0; i < sizeof takers / sizeof takers[0]; i++)
        if (takers[i] == cause)
            return true;
    return false;
}

static void add_loss(Story *story, const StoryMoment *now)
{
    Text *out = &story->text;
    const bool is_noticed = now->losses > 0 && story->stalled_node != NULL &&
                            strcmp(story->stalled_node, now->loss.name) == 0;
    if (now->losses == 0 || (now->end != NULL && !takes_nodes(now->end_cause)))
        return;
    why_add_clock(out, now->at_ns);
    text_printf(out, "%snode %s ", is_noticed ? "the service notices: " : "", now->loss.name);
    if (strcmp(now->loss.state, node_state_name(NODE_UNUSABLE)) == 0)
        text_printf(out, "%s and is unusable%s%s", why_node_words(now->loss.cause),
                    now->loss_reason != NULL ? ": " : "",
                    now->loss_reason != NULL ? now->loss_reason : "");
    else
        text_add(out, why_node_words(now->loss.cause));
    if (now->losses > 1)
        text_printf(out, ", and %" PRId32 " more of its nodes with it", now->losses - 1);
    text_add(out, "\n");
}

/* The path below the job's output segment, ".../jobs/NAME/GUID/", which the service makes. */
static const char *below_segment(const Story *story, const char *path)
{
    Text folder = {0};
    text_printf(&folder, "/jobs/%s/", summary_short_name(story->path));
    const char *found = strstr(path, text_string(&folder));
    if (found != NULL) {
        found += folder.length;
        path = strlen(found) > GUID_LENGTH && found[GUID_LENGTH] == '/' ? found + GUID_LENGTH + 1
                                                                        : path;
    }
    text_free(&folder);
    return path;
}

/* "2 epochs", or "2 epochs and 5 steps". Returns whether it is more than one. */
static bool add_point(Text *out, TrainingPoint point)
{
    if (point.epochs > 0 || point.steps == 0)
        why_add_count(out, point.epochs, "epoch");
    if (point.epochs > 0 && point.steps > 0)
        text_add(out, " and ");
    if (point.steps > 0)
        why_add_count(out, point.steps, "step");
    return point.epochs + point.steps != 1;
}

static void add_saved(Story *story, const StoryMoment *now)
{
    Text *out = &story->text;
    if (now->saved_work_ns > 0) {
        why_add_clock(out, now->at_ns);
        text_add(out, "has written a checkpoint on notice, in ");
        duration_print(out, now->at_ns - now->saved_since_ns);
        text_add(out, ": ");
        duration_print(out, now->saved_work_ns);
        text_add(out, " of work\n");
    }
    if (now->saved == NULL)
        return;
    why_add_clock(out, now->at_ns);
    text_printf(out, "has written the checkpoint %s on notice, in ",
                below_segment(story, now->saved));
    duration_print(out, now->at_ns - now->saved_since_ns);
    text_add(out, ": ");
    (void)add_point(out, story->saved);
    text_add(out, "\n");
}

/* The work of all attempts that is kept: epochs, and steps if the last checkpoint was on notice. */
static TrainingPoint kept_point(const Story *story)
{
    const int64_t epochs = story->epochs_kept;
    return (TrainingPoint){epochs, story->saved.epochs == epochs ? story->saved.steps : 0};
}

static void add_attempt(Story *story, const StoryMoment *now)
{
    const int64_t nodes = now->attempt.job_attempt.nodes,
                  lost_ns = now->attempt.job_attempt.lost_ns;
    Text *out = &story->text;
    if (!now->has_attempt)
        return;
    story->lost_ns = capped_sum(story->lost_ns, lost_ns);
    story->epochs_kept = capped_sum(story->epochs_kept, now->attempt.job_attempt.epochs_kept);
    if (story->slowed > 0) {
        why_add_clock(out, now->at_ns);
        add_slowed(story, "");
        text_add(out, "\n");
    }
    if (lost_ns == 0)
        return;
    why_add_clock(out, now->at_ns);
    if (nodes > 1) {
        duration_print(out, lost_ns / nodes);
        text_printf(out, " of work by %" PRId64 " nodes was lost", nodes);
    } else {
        duration_print(out, lost_ns);
        text_add(out, " of work was lost");
    }
    const TrainingPoint kept = kept_point(story);
    if (training_point_is_later(kept, (TrainingPoint){0})) {
        text_add(out, "; kept: ");
        (void)add_point(out, kept);
    }
    text_add(out, "\n");
}

static void attempt_is_over(Story *story, int64_t at_ns)
{
    if (story->started_ns != INT64_MAX)
        story->ran_ns = capped_sum(story->ran_ns, at_ns - story->started_ns);
    story->started_ns = INT64_MAX;
}

static void add_reclaim(Story *story, const StoryMoment *now)
{
    Text *out = &story->text;
    const ReclaimView *reclaim = &now->reclaim;
    why_add_clock(out, now->at_ns);
    text_add(out, "the scheduler stopped it");
    if (reclaim->queue != NULL) {
        text_printf(out, ", because queue %s reclaimed its guarantee, for which it had waited ",
                    reclaim->queue);
        duration_print(out, reclaim->waited_ns);
        text_printf(out, ": job %s starts", reclaim->job);
    }
    text_add(out, "\n");
}

static void add_queued(Story *story, const StoryMoment *now)
{
    if (!now->is_queued)
        return;
    if (!now->is_submitted) {
        attempt_is_over(story, now->at_ns);
        if (now->queued_cause == CAUSE_PRECEDENCE) {
            why_add_clock(&story->text, now->at_ns);
            text_add(&story->text, "the scheduler stopped it, so that another job could start\n");
        }
        if (now->queued_cause == CAUSE_RECLAIM)
            add_reclaim(story, now);
        why_add_clock(&story->text, now->at_ns);
        text_add(&story->text, "back in the queue: the job starts again when it has its nodes\n");
    }
}

static void add_nodes(Story *story)
{
    const char *names[NAMES_SHOWN];
    int32_t known = 0;
    for (uint32_t i = 0; i < story->node_count && known < NAMES_SHOWN; i++)
        names[known++] = story->nodes[i].name;
    add_names(&story->text, names, known, story->node_count);
}

static void add_start(Story *story, const StoryMoment *now)
{
    Text *out = &story->text;
    Wait *wait = &story->wait;
    if (!now->is_started)
        return;
    story->starts++;
    story->started_ns = now->at_ns;
    story->stalled_node = NULL;
    story->resumed = (TrainingPoint){0};
    if (wait->since_ns != INT64_MAX && wait->since_ns < now->at_ns) {
        const int64_t waited_ns = now->at_ns - wait->since_ns;
        story->waited_ns = capped_sum(story->waited_ns, waited_ns);
        why_add_clock(out, now->at_ns);
        text_add(out, "waited ");
        duration_print(out, waited_ns);
        text_add(out, " for ");
        why_add_count(out, story->node_count, "node");
        text_add(out, ":\n");
        wait_add_reasons(out, wait, story->node_count, now->at_ns);
    }
    wait->since_ns = INT64_MAX;
    why_add_clock(out, now->at_ns);
    text_printf(out, "%s on ", story->starts > 1 ? "started again" : "started");
    add_nodes(story);
    text_add(out, "\n");
}

static void add_resumed(Story *story, const StoryMoment *now)
{
    Text *out = &story->text;
    if (now->resumed_work_ns > 0) {
        why_add_clock(out, now->at_ns);
        text_add(out, "continues from its last checkpoint: ");
        duration_print(out, now->resumed_work_ns);
        text_add(out, " of work need not be done again\n");
    }
    if (now->resumed_from == NULL)
        return;
    story->resumed = now->resumed;
    why_add_clock(out, now->at_ns);
    text_printf(out, "continues from the checkpoint %s: ", below_segment(story, now->resumed_from));
    const bool is_plural = add_point(out, now->resumed);
    text_printf(out, " need%s not be done again\n", is_plural ? "" : "s");
}

/* The epoch, and the step in it, from which a training of `epochs` epochs continues. */
static void add_first_step(Text *out, TrainingPoint resumed, int64_t epochs)
{
    if (!training_point_is_later(resumed, (TrainingPoint){0}) || resumed.epochs >= epochs)
        return;
    text_add(out, ", from ");
    if (resumed.steps > 0)
        text_printf(out, "step %" PRId64 " of ", resumed.steps + 1);
    text_printf(out, "epoch %" PRId64 " on", resumed.epochs + 1);
}

static void add_training(Story *story, const StoryMoment *now)
{
    Text *out = &story->text;
    add_resumed(story, now);
    if (now->has_training) {
        const int64_t epochs = now->training.job_training.epochs;
        why_add_clock(out, now->at_ns);
        text_add(out, "training begins: ");
        why_add_count(out, epochs, "epoch");
        text_add(out, " of ");
        why_add_count(out, now->training.job_training.steps, "step");
        text_add(out, " on ");
        why_add_count(out, now->training.job_training.ranks, "rank");
        add_first_step(out, story->resumed, epochs);
        text_add(out, "\n");
    }
    if (now->has_trained) {
        why_add_clock(out, now->at_ns);
        text_add(out, "trained for ");
        duration_print(out, now->at_ns - now->trained.since_ns);
        text_add(out, "\n");
    }
}

static const char *end_words(TraceCause cause)
{
    switch (cause) {
    case CAUSE_TIME_LIMIT:
        return ": it reached its time limit";
    case CAUSE_TERMINATION:
        return ": it was terminated";
    case CAUSE_DELETION:
        return ": it was deleted";
    case CAUSE_CONTAINER_FAILURE:
        return ": its container did not start";
    case CAUSE_MOUNT_FAILURE:
        return ": a share could not be mounted";
    case CAUSE_FULL_QUEUE:
        return ": the queue was full";
    case CAUSE_NONE:
    case CAUSE_CREATION:
    case CAUSE_RESIZE:
    case CAUSE_AUTOSCALE:
    case CAUSE_REPLACEMENT:
    case CAUSE_RETRY:
    case CAUSE_QUOTA:
    case CAUSE_ALLOCATION_FAILURE:
    case CAUSE_PREPARATION_FAILURE:
    case CAUSE_SETUP_FAILURE:
    case CAUSE_CRASH:
    case CAUSE_GROUP:
    case CAUSE_PREEMPTION:
    case CAUSE_RUN_LENGTH:
    case CAUSE_REBOOT:
    case CAUSE_REPAIR:
    case CAUSE_SCALE_DOWN:
    case CAUSE_EXIT:
    case CAUSE_PRECEDENCE:
    case CAUSE_RECLAIM:
    case CAUSE_DRAIN:
    case CAUSE_MAINTENANCE:
    case CAUSE_HEALTH_CHECK:
    case CAUSE_COUNT:
        return "";
    }
    return "";
}

static void add_sums(Story *story, int64_t at_ns)
{
    Text *out = &story->text;
    why_add_clock(out, at_ns);
    text_add(out, "in all: waited ");
    duration_print(out, story->waited_ns);
    if (story->starts == 0) {
        text_add(out, ", never ran\n");
        return;
    }
    text_add(out, ", ran ");
    duration_print(out, story->ran_ns);
    text_add(out, " in ");
    why_add_count(out, story->starts, "attempt");
    if (story->lost_ns > 0) {
        text_add(out, ", lost ");
        duration_print(out, story->lost_ns);
        text_add(out, " of node time");
    }
    text_add(out, "\n");
}

/* The job needs more nodes than there were. */
static void add_shortage(Story *story, const ClusterView *cluster)
{
    Text *out = &story->text;
    const Wait *wait = &story->wait;
    if (wait->needed <= wait->usable_max)
        return;
    why_add_indent(out);
    text_add(out, "- it needs ");
    why_add_count(out, wait->needed, "node");
    if (wait->usable_max > 0)
        text_printf(out, "; the cluster never had more than %" PRId32 " that could be used",
                    wait->usable_max);
    else
        text_add(out, "; the cluster never had one that could be used");
    if (cluster->maximum > 0 && cluster->maximum < wait->needed)
        text_printf(out, ", and autoscale may have %" PRId64 " at most", cluster->maximum);
    else if (cluster->maximum == 0 && cluster->has_allocation &&
             cluster->allocation.cluster_allocation.target < wait->needed)
        text_printf(out, ", and its target is %" PRId64,
                    cluster->allocation.cluster_allocation.target);
    text_add(out, "\n");
}

/* A job that ends while it waits has waited in vain. */
static void wait_ends(Story *story, const ClusterView *cluster, int64_t at_ns)
{
    Wait *wait = &story->wait;
    if (wait->since_ns == INT64_MAX)
        return;
    story->waited_ns = capped_sum(story->waited_ns, at_ns - wait->since_ns);
    why_add_clock(&story->text, at_ns);
    text_add(&story->text, "had waited ");
    duration_print(&story->text, at_ns - wait->since_ns);
    text_add(&story->text, " and never had its nodes\n");
    add_shortage(story, cluster);
    wait_add_reasons(&story->text, wait, 0, at_ns);
    wait->since_ns = INT64_MAX;
}

static void add_end(Story *story, const ClusterView *cluster, const StoryMoment *now)
{
    Text *out = &story->text;
    if (now->is_terminating) {
        why_add_clock(out, now->at_ns);
        text_printf(out, "terminating%s\n", end_words(now->terminating_cause));
    }
    if (now->end == NULL)
        return;
    wait_ends(story, cluster, now->at_ns);
    attempt_is_over(story, now->at_ns);
    why_add_clock(out, now->at_ns);
    text_printf(out, "%s%s", now->end, end_words(now->end_cause));
    if (now->exit_code >= 0)
        text_printf(out, ", exit code %" PRId64, now->exit_code);
    if (now->error != NULL)
        text_printf(out, "; %s", now->error);
    text_add(out, "\n");
    add_sums(story, now->at_ns);
    story->is_over = true;
}

HeldNode *story_held_node(Story *story, uint32_t id)
{
    for (uint32_t i = 0; i < story->node_count; i++)
        if (story->nodes[i].id == id)
            return &story->nodes[i];
    return NULL;
}

static void forget_freed(Story *story)
{
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < story->node_count; i++)
        if (!story->nodes[i].is_freed)
            story->nodes[kept_count++] = story->nodes[i];
    story->node_count = kept_count;
}

void story_end_moment(Story *story, const ClusterView *cluster, const JobSpec *spec)
{
    const StoryMoment now = story->now;
    if (!now.is_open)
        return;
    story->now.is_open = false;
    forget_freed(story);
    add_preparation(story, spec);
    if (now.is_submitted)
        add_submission(story, &now);
    // The nodes that the job had, or those that it has just received.
    if (!now.is_started)
        add_warnings(story, &now);
    add_saved(story, &now);
    add_loss(story, &now);
    add_attempt(story, &now);
    add_queued(story, &now);
    add_start(story, &now);
    if (now.is_started)
        add_warnings(story, &now);
    add_training(story, &now);
    add_end(story, cluster, &now);
}

void story_end_unfinished(Story *story, const ClusterView *cluster, int64_t at_ns)
{
    Text *out = &story->text;
    if (story->is_over || story->state == NULL)
        return;
    why_add_clock(out, at_ns);
    text_printf(out, "still %s when the run ends\n", story->state);
    wait_ends(story, cluster, at_ns);
    attempt_is_over(story, at_ns);
    add_sums(story, at_ns);
}
