#include "sim/output/why.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/core/cluster.h"
#include "sim/core/job.h"
#include "sim/output/array.h"
#include "sim/output/capped.h"

enum {
    NOTES_MAX = 12,   // reasons for one wait; the rest is counted
    NAMES_SHOWN = 4,  // nodes or jobs in one list
    CLOCK_WIDTH = 16, // columns of the time before a sentence
};

/* --- What is known of everything --- */

typedef struct {
    int32_t nodes[NODE_STATE_COUNT + 1]; /* the last: those that are gone */
    int32_t queued;                      /* jobs */
} ClusterView;

typedef struct {
    const char *path; /* NULL before the first record */
    bool is_queued;
} JobView;

/* --- What is kept of the job --- */

/* A reason why it waits, told once however often it comes. */
typedef struct {
    const char *text;
    int64_t first_ns, last_ns;
    int32_t count;
} Note;

/* From its entry into the queue to its start. */
typedef struct {
    int64_t since_ns; /* INT64_MAX: does not wait */
    int32_t idle;     /* nodes then */
    Note notes[NOTES_MAX];
    int32_t note_count;
    int64_t notes_left_out;
    int32_t prepared; /* nodes, and the last of them */
    int64_t prepared_ns;
    const char *overtaken_by[NAMES_SHOWN]; /* jobs that started meanwhile */
    int32_t overtakers;
    uint32_t error_node; /* whose error was told at error_ns: its new state needs no words */
    int64_t error_ns;
} Wait;

typedef struct {
    uint32_t id;
    const char *name;
    bool is_freed; /* at this instant: what follows may still say why */
} HeldNode;

typedef struct {
    const char *name; /* NULL: nothing happened */
    const char *state;
    TraceCause cause;
} NodeLoss;

/* All that happens to the job at one instant. */
typedef struct {
    int64_t at_ns;
    bool is_open;
    bool is_submitted, is_queued, is_started, is_terminating;
    const char *submitted_words;
    TraceCause queued_cause, terminating_cause;
    const char *notice_node; /* NULL: none */
    int64_t notice_ns;
    TraceCause notice_cause;
    const char *stalled_node;
    TraceCause stalled_cause;
    NodeLoss loss;
    const char *loss_reason; /* as its error says; NULL */
    int32_t losses;
    bool has_attempt, has_training, has_trained;
    TraceRecord attempt, training, trained;
    const char *resumed_from;
    int64_t resumed_epochs;
    const char *error;
    const char *end; /* "succeeded" or "failed"; NULL */
    int64_t exit_code;
    TraceCause end_cause;
} StoryMoment;

typedef struct {
    uint32_t job;
    const char *path;
    uint32_t cluster;
    Text text;
    const char *state; /* the last one told of */
    Wait wait;
    int64_t waited_ns;  /* all waits that are over */
    int64_t started_ns; /* of the present attempt */
    int64_t ran_ns;     /* attempts that are over */
    int32_t starts;
    int64_t lost_ns; /* node time */
    HeldNode *nodes;
    uint32_t node_count, node_capacity;
    int64_t stage_ns[STAGE_COUNT]; /* the slowest node of this attempt */
    int64_t stage_end_ns;          /* of the last one */
    bool is_over;
    StoryMoment now;
} Story;

struct Why {
    Arena *arena;
    const char *wanted;
    ClusterView *clusters;
    JobView *jobs;
    Story **stories;
    uint32_t cluster_capacity, job_capacity, story_capacity;
    uint32_t job_count, story_count;
    int64_t now_ns;
};

/* --- Words --- */

/* What befell a node. */
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
    [CAUSE_FAULT] = "was struck by a fault that the scenario asks for",
};
_Static_assert(sizeof node_words / sizeof node_words[0] == CAUSE_COUNT, "words for every cause");

/* Who asked for nodes. */
static const char *const resize_words[] = {
    [CAUSE_NONE] = "the cluster began to resize",
    [CAUSE_CREATION] = "the cluster was created",
    [CAUSE_RESIZE] = "somebody resized the cluster",
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
    [CAUSE_SCALE_DOWN] = "somebody resized the cluster",
    [CAUSE_TERMINATION] = "the cluster began to resize",
    [CAUSE_DELETION] = "the cluster was deleted",
    [CAUSE_TIME_LIMIT] = "the cluster began to resize",
    [CAUSE_EXIT] = "the cluster began to resize",
    [CAUSE_CONTAINER_FAILURE] = "the cluster began to resize",
    [CAUSE_FAULT] = "the cluster began to resize after a fault that the scenario asks for",
};
_Static_assert(sizeof resize_words / sizeof resize_words[0] == CAUSE_COUNT, "for every cause");

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

static const char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void add_count(Text *out, int64_t count, const char *thing)
{
    text_printf(out, "%" PRId64 " %s%s", count, thing, count == 1 ? "" : "s");
}

/* Begins a line with the time. */
static void add_clock(Text *out, int64_t at_ns)
{
    Text clock = {0};
    duration_print(&clock, at_ns);
    text_printf(out, "%*s  ", CLOCK_WIDTH, text_string(&clock));
    text_free(&clock);
}

/* Begins a line without one. */
static void add_indent(Text *out)
{
    text_printf(out, "%*s  ", CLOCK_WIDTH, "");
}

/* "n1, n2 and 3 more", of `count` of which the first `known` have names. */
static void add_names(Text *out, const char *const *names, int32_t known, int64_t count)
{
    for (int32_t i = 0; i < known; i++)
        text_printf(out, "%s%s", i > 0 ? ", " : "", names[i]);
    if (count > known)
        text_printf(out, " and %" PRId64 " more", count - known);
}

static const char *kept(const Why *why, Text *text)
{
    const char *copy = arena_strdup(why->arena, text_string(text));
    text_free(text);
    return copy;
}

/* --- Rows of things --- */

static ClusterView *cluster_view(Why *why, uint32_t id)
{
    why->clusters = array_room(why->arena, why->clusters, id + 1, &why->cluster_capacity,
                               sizeof *why->clusters);
    return &why->clusters[id];
}

static bool is_wanted(const Why *why, const char *path)
{
    return strcmp(path, why->wanted) == 0 || strcmp(short_name(path), why->wanted) == 0;
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

/* Takes `text`. */
static void wait_note(Why *why, Wait *wait, int64_t at_ns, Text *text)
{
    int32_t i = 0;
    while (i < wait->note_count && strcmp(wait->notes[i].text, text_string(text)) != 0)
        i++;
    if (i == NOTES_MAX) {
        wait->notes_left_out++;
    } else {
        if (i == wait->note_count)
            wait->notes[wait->note_count++] =
                (Note){arena_strdup(why->arena, text_string(text)), at_ns, at_ns, 0};
        wait->notes[i].count++;
        wait->notes[i].last_ns = at_ns;
    }
    text_free(text);
}

static void add_note(Text *out, const Note *note)
{
    add_indent(out);
    text_add(out, "- ");
    duration_print(out, note->first_ns);
    text_printf(out, ": %s", note->text);
    if (note->count > 1) {
        text_printf(out, " (%" PRId32 " times, the last at ", note->count);
        duration_print(out, note->last_ns);
        text_add(out, ")");
    }
    text_add(out, "\n");
}

/* The reasons in the order in which they came; `nodes` is how many it got, 0 while it waits. */
static void add_reasons(Text *out, const Wait *wait, uint32_t nodes)
{
    for (int32_t i = 0; i < wait->note_count; i++)
        add_note(out, &wait->notes[i]);
    if (wait->notes_left_out > 0) {
        add_indent(out);
        text_printf(out, "- and %" PRId64 " more such events\n", wait->notes_left_out);
    }
    if (wait->prepared > 0) {
        add_indent(out);
        text_add(out, "- ");
        add_count(out, wait->prepared, "node");
        text_printf(out, " %s prepared, the last at ", wait->prepared == 1 ? "was" : "were");
        duration_print(out, wait->prepared_ns);
        text_add(out, "\n");
    }
    if (wait->overtakers > 0) {
        add_indent(out);
        text_add(out, "- ");
        add_count(out, wait->overtakers, "other job");
        text_add(out, " started meanwhile: ");
        add_names(out, wait->overtaken_by,
                  wait->overtakers < NAMES_SHOWN ? wait->overtakers : NAMES_SHOWN,
                  wait->overtakers);
        text_add(out, "\n");
    }
    const bool has_reason = wait->note_count > 0 || wait->prepared > 0 || wait->overtakers > 0;
    if (!has_reason && nodes > 0 && wait->idle >= (int32_t)nodes) {
        add_indent(out);
        text_add(out, "- enough nodes were idle: the service takes so long to start a job\n");
    }
}

static void wait_begins(Why *why, Story *story, int64_t at_ns)
{
    story->wait = (Wait){.since_ns = at_ns,
                         .idle = cluster_view(why, story->cluster)->nodes[NODE_IDLE],
                         .error_node = ID_NONE};
}

/* Whether the row may be a reason for the story's waiting. */
static bool concerns_wait(const Story *story, const TraceRow *row)
{
    return story->wait.since_ns != INT64_MAX && row->cluster != NULL &&
           row->record.cluster.index == story->cluster;
}

static void note_allocation(Why *why, Wait *wait, const TraceRecord *record)
{
    const int64_t target = record->value[0], current = record->value[1];
    Text text = {0};
    if (strcmp(record->name, allocation_state_name(ALLOCATION_RESIZING)) == 0) {
        text_printf(&text, "%s: from %" PRId64 " to ", resize_words[record->cause], current);
        add_count(&text, target, "node");
    } else if (current < target) {
        text_printf(&text, "the cluster was steady with only %" PRId64 " of ", current);
        add_count(&text, target, "node");
    } else {
        text_add(&text, "the cluster was steady with ");
        add_count(&text, current, "node");
    }
    wait_note(why, wait, record->at_ns, &text);
}

static HeldNode *held_node(Story *story, uint32_t id)
{
    for (uint32_t i = 0; i < story->node_count; i++)
        if (story->nodes[i].id == id)
            return &story->nodes[i];
    return NULL;
}

/* --- The job's moments --- */

static StoryMoment *moment(Story *story, int64_t at_ns)
{
    if (!story->now.is_open)
        story->now = (StoryMoment){.is_open = true, .at_ns = at_ns};
    return &story->now;
}

/* What came before, under the time at which it was done. */
static void tell_preparation(Story *story)
{
    int64_t any_ns = 0;
    for (int stage = 0; stage < STAGE_COUNT; stage++)
        any_ns |= story->stage_ns[stage];
    if (any_ns == 0)
        return;
    add_clock(&story->text, story->stage_end_ns);
    text_add(&story->text, "prepared; on the slowest node of each: ");
    const char *separator = "";
    for (int stage = 0; stage < STAGE_COUNT; stage++) {
        if (story->stage_ns[stage] == 0)
            continue;
        text_printf(&story->text, "%s%s ", separator, stage_words[stage]);
        duration_print(&story->text, story->stage_ns[stage]);
        story->stage_ns[stage] = 0;
        separator = ", ";
    }
    text_add(&story->text, "\n");
}

static void tell_submission(Story *story, const StoryMoment *now)
{
    add_clock(&story->text, now->at_ns);
    text_printf(&story->text, "%s\n", now->submitted_words);
}

static void tell_warnings(Story *story, const StoryMoment *now)
{
    Text *out = &story->text;
    if (now->notice_node != NULL) {
        add_clock(out, now->at_ns);
        text_printf(out, "notice: node %s is going to be preempted in ", now->notice_node);
        duration_print(out, now->notice_ns);
        text_add(out, now->notice_cause == CAUSE_RUN_LENGTH
                          ? ", because the job has run as long as low-priority nodes allow\n"
                          : "\n");
    }
    if (now->stalled_node != NULL) {
        add_clock(out, now->at_ns);
        text_printf(out,
                    "node %s %s: nothing progresses until the service notices that it is silent\n",
                    now->stalled_node, node_words[now->stalled_cause]);
    }
}

/* Whether a job that ended for this cause was stopped because its nodes went. Nodes that are given
 * back and go at the same instant, as their cluster shrinks behind it, are no loss of the job. */
static bool takes_nodes(TraceCause cause)
{
    static const TraceCause takers[] = {
        CAUSE_RESIZE,     CAUSE_AUTOSCALE,  CAUSE_REPLACEMENT, CAUSE_CRASH,      CAUSE_GROUP,
        CAUSE_PREEMPTION, CAUSE_RUN_LENGTH, CAUSE_REBOOT,      CAUSE_SCALE_DOWN, CAUSE_FAULT,
    };
    for (size_t i = 0; i < sizeof takers / sizeof takers[0]; i++)
        if (takers[i] == cause)
            return true;
    return false;
}

static void tell_loss(Story *story, const StoryMoment *now)
{
    Text *out = &story->text;
    if (now->losses == 0 || (now->end != NULL && !takes_nodes(now->end_cause)))
        return;
    add_clock(out, now->at_ns);
    text_printf(out, "node %s ", now->loss.name);
    if (strcmp(now->loss.state, node_state_name(NODE_UNUSABLE)) == 0)
        text_printf(out, "%s and is unusable%s%s", node_words[now->loss.cause],
                    now->loss_reason != NULL ? ": " : "",
                    now->loss_reason != NULL ? now->loss_reason : "");
    else
        text_add(out, node_words[now->loss.cause]);
    if (now->losses > 1)
        text_printf(out, ", and %" PRId32 " more of its nodes with it", now->losses - 1);
    text_add(out, "\n");
}

static void tell_attempt(Story *story, const StoryMoment *now)
{
    enum { NODES = 0, LOST = 7, EPOCHS = 8 };
    const TraceRecord *attempt = &now->attempt;
    const int64_t nodes = attempt->value[NODES], lost_ns = attempt->value[LOST];
    Text *out = &story->text;
    if (!now->has_attempt)
        return;
    story->lost_ns = capped_sum(story->lost_ns, lost_ns);
    if (lost_ns == 0)
        return;
    add_clock(out, now->at_ns);
    if (nodes > 1) {
        duration_print(out, lost_ns / nodes);
        text_printf(out, " of work by %" PRId64 " nodes was lost", nodes);
    } else {
        duration_print(out, lost_ns);
        text_add(out, " of work was lost");
    }
    if (attempt->value[EPOCHS] > 0) {
        text_add(out, "; kept: ");
        add_count(out, attempt->value[EPOCHS], "epoch");
    }
    text_add(out, "\n");
}

static void attempt_is_over(Story *story, int64_t at_ns)
{
    if (story->started_ns != INT64_MAX)
        story->ran_ns = capped_sum(story->ran_ns, at_ns - story->started_ns);
    story->started_ns = INT64_MAX;
}

static void tell_queued(Story *story, const StoryMoment *now)
{
    if (!now->is_queued)
        return;
    if (!now->is_submitted) {
        attempt_is_over(story, now->at_ns);
        add_clock(&story->text, now->at_ns);
        text_add(&story->text, "back in the queue: the job starts again when it has its nodes\n");
    }
}

static void tell_nodes(Story *story)
{
    const char *names[NAMES_SHOWN];
    int32_t known = 0;
    for (uint32_t i = 0; i < story->node_count && known < NAMES_SHOWN; i++)
        names[known++] = story->nodes[i].name;
    add_names(&story->text, names, known, story->node_count);
}

static void tell_start(Story *story, const StoryMoment *now)
{
    Text *out = &story->text;
    Wait *wait = &story->wait;
    if (!now->is_started)
        return;
    story->starts++;
    story->started_ns = now->at_ns;
    if (wait->since_ns != INT64_MAX && wait->since_ns < now->at_ns) {
        const int64_t waited_ns = now->at_ns - wait->since_ns;
        story->waited_ns = capped_sum(story->waited_ns, waited_ns);
        add_clock(out, now->at_ns);
        text_add(out, "waited ");
        duration_print(out, waited_ns);
        text_add(out, " for ");
        add_count(out, story->node_count, "node");
        text_add(out, ":\n");
        add_reasons(out, wait, story->node_count);
    }
    wait->since_ns = INT64_MAX;
    add_clock(out, now->at_ns);
    text_printf(out, "%s on ", story->starts > 1 ? "started again" : "started");
    tell_nodes(story);
    text_add(out, "\n");
}

static void tell_training(Story *story, const StoryMoment *now)
{
    Text *out = &story->text;
    if (now->resumed_from != NULL) {
        add_clock(out, now->at_ns);
        text_printf(out, "goes on from the checkpoint %s: ", now->resumed_from);
        add_count(out, now->resumed_epochs, "epoch");
        text_add(out, " need not be done again\n");
    }
    if (now->has_training) {
        const int64_t *value = now->training.value;
        add_clock(out, now->at_ns);
        text_add(out, "training begins: ");
        add_count(out, value[2], "epoch");
        text_add(out, " of ");
        add_count(out, value[1], "step");
        text_add(out, " on ");
        add_count(out, value[0], "rank");
        text_add(out, "\n");
    }
    if (now->has_trained) {
        add_clock(out, now->at_ns);
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
    case CAUSE_FAULT:
    case CAUSE_COUNT:
        return "";
    }
    return "";
}

static void tell_sums(Story *story, int64_t at_ns)
{
    Text *out = &story->text;
    add_clock(out, at_ns);
    text_add(out, "in all: waited ");
    duration_print(out, story->waited_ns);
    text_add(out, ", ran ");
    duration_print(out, story->ran_ns);
    text_add(out, " in ");
    add_count(out, story->starts, "attempt");
    if (story->lost_ns > 0) {
        text_add(out, ", lost ");
        duration_print(out, story->lost_ns);
        text_add(out, " of node time");
    }
    text_add(out, "\n");
}

/* A job that ends while it waits has waited for nothing. */
static void wait_ends(Story *story, int64_t at_ns)
{
    Wait *wait = &story->wait;
    if (wait->since_ns == INT64_MAX)
        return;
    story->waited_ns = capped_sum(story->waited_ns, at_ns - wait->since_ns);
    add_clock(&story->text, at_ns);
    text_add(&story->text, "had waited ");
    duration_print(&story->text, at_ns - wait->since_ns);
    text_add(&story->text, " and never had its nodes\n");
    add_reasons(&story->text, wait, 0);
    wait->since_ns = INT64_MAX;
}

static void tell_end(Story *story, const StoryMoment *now)
{
    Text *out = &story->text;
    if (now->is_terminating) {
        add_clock(out, now->at_ns);
        text_printf(out, "terminating%s\n", end_words(now->terminating_cause));
    }
    if (now->end == NULL)
        return;
    wait_ends(story, now->at_ns);
    attempt_is_over(story, now->at_ns);
    add_clock(out, now->at_ns);
    text_printf(out, "%s%s", now->end, end_words(now->end_cause));
    if (now->exit_code >= 0)
        text_printf(out, ", exit code %" PRId64, now->exit_code);
    if (now->error != NULL)
        text_printf(out, "; %s", now->error);
    text_add(out, "\n");
    tell_sums(story, now->at_ns);
    story->is_over = true;
}

static void forget_freed(Story *story)
{
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < story->node_count; i++)
        if (!story->nodes[i].is_freed)
            story->nodes[kept_count++] = story->nodes[i];
    story->node_count = kept_count;
}

/* Nothing more happens to the job at this time. */
static void story_tell(Story *story)
{
    const StoryMoment now = story->now;
    if (!now.is_open)
        return;
    story->now.is_open = false;
    forget_freed(story);
    tell_preparation(story);
    if (now.is_submitted)
        tell_submission(story, &now);
    // Of nodes that it has had, or of those that it has just got.
    if (!now.is_started)
        tell_warnings(story, &now);
    tell_loss(story, &now);
    tell_attempt(story, &now);
    tell_queued(story, &now);
    tell_start(story, &now);
    if (now.is_started)
        tell_warnings(story, &now);
    tell_training(story, &now);
    tell_end(story, &now);
}

/* --- Records of the job --- */

static const char *submission_words(Why *why, const TraceRow *row)
{
    const ClusterView *cluster = cluster_view(why, row->record.cluster.index);
    int32_t held = 0;
    Text text = {0};
    for (int state = 0; state < NODE_STATE_COUNT; state++)
        held += cluster->nodes[state];
    text_printf(&text, "submitted to cluster %s, which had ", short_name(row->cluster));
    add_count(&text, held, "node");
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
        add_count(&text, cluster->queued, "other job");
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
    StoryMoment *now = moment(story, record->at_ns);
    if (is_named(record, job_state_name(JOB_QUEUED))) {
        now->is_queued = true;
        now->queued_cause = record->cause;
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
        now->exit_code = record->value[0];
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

static void story_hear(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    if (record->kind == TRACE_JOB_STATE)
        story_state(why, story, row);
    if (record->kind == TRACE_JOB_STAGE)
        story_stage(story, record);
    if (record->kind == TRACE_JOB_STALLED) {
        moment(story, record->at_ns)->stalled_node = row->node;
        story->now.stalled_cause = record->cause != CAUSE_NONE ? record->cause : CAUSE_CRASH;
    }
    if (record->kind == TRACE_JOB_ATTEMPT) {
        moment(story, record->at_ns)->attempt = *record;
        story->now.has_attempt = true;
    }
    if (record->kind == TRACE_JOB_RESUMED) {
        moment(story, record->at_ns)->resumed_from = record->name;
        story->now.resumed_epochs = record->value[0];
    }
    if (record->kind == TRACE_JOB_TRAINING) {
        moment(story, record->at_ns)->training = *record;
        story->now.has_training = true;
    }
    if (record->kind == TRACE_JOB_TRAINED) {
        moment(story, record->at_ns)->trained = *record;
        story->now.has_trained = true;
    }
    if (record->kind == TRACE_JOB_ERROR)
        moment(story, record->at_ns)->error = record->name;
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

/* One of the job's nodes changes its state. Whether it is given back first and then goes, or goes
 * at once, is told alike. */
static void story_node(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    const bool is_idle = is_named(record, node_state_name(NODE_IDLE));
    HeldNode *node = held_node(story, record->node.index);
    if (record->job.index == story->job && is_named(record, node_state_name(NODE_RUNNING))) {
        story_gains_node(why, story, row);
        return;
    }
    if (node == NULL)
        return;
    StoryMoment *now = moment(story, record->at_ns);
    node->is_freed = true;
    if (is_idle)
        return;
    if (now->losses++ == 0)
        now->loss = (NodeLoss){row->node, record->name, record->cause};
}

static void story_node_error(Why *why, Story *story, const TraceRow *row)
{
    Text reason = {0};
    trace_row_print_error(&reason, row);
    moment(story, row->record.at_ns)->loss_reason = kept(why, &reason);
}

static void note_node(Why *why, Wait *wait, const TraceRow *row, const char *words,
                      const char *reason)
{
    Text text = {0};
    text_printf(&text, "node %s %s%s", row->node, words, reason);
    wait_note(why, wait, row->record.at_ns, &text);
}

static void wait_node(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    Wait *wait = &story->wait;
    const bool is_prepared = record->value[0] == NODE_PREPARING;
    if (held_node(story, record->node.index) != NULL)
        return; // its own, lost at this instant: why it waits again, and not what it waits for
    if (is_prepared && is_named(record, node_state_name(NODE_IDLE))) {
        wait->prepared++;
        wait->prepared_ns = record->at_ns;
        return;
    }
    const bool is_lost =
        is_named(record, node_state_name(NODE_UNUSABLE)) ||
        (is_named(record, node_state_name(NODE_STATE_COUNT)) && record->value[0] != NODE_LEAVING);
    const bool is_explained =
        wait->error_node == record->node.index && wait->error_ns == record->at_ns;
    if (is_lost && !is_explained)
        note_node(why, wait, row, node_words[record->cause], "");
}

static void wait_hear(Why *why, Story *story, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    Wait *wait = &story->wait;
    if (record->kind == TRACE_CLUSTER_ALLOCATION)
        note_allocation(why, wait, record);
    if (record->kind == TRACE_CLUSTER_ERROR) {
        Text text = {0};
        text_printf(&text, "the cluster reports %s", record->name);
        wait_note(why, wait, record->at_ns, &text);
    }
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
    if (record->kind == TRACE_JOB_STATE && record->job.index != story->job &&
        is_named(record, job_state_name(JOB_RUNNING))) {
        if (wait->overtakers < NAMES_SHOWN)
            wait->overtaken_by[wait->overtakers] = short_name(row->job);
        wait->overtakers++;
    }
}

/* --- The fold --- */

static void count_node(Why *why, const TraceRow *row)
{
    ClusterView *cluster = cluster_view(why, row->record.cluster.index);
    const int64_t was = row->record.value[0];
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
}

static void tell_all_until(Why *why, int64_t at_ns)
{
    for (uint32_t i = 0; i < why->story_count; i++)
        if (why->stories[i]->now.is_open && why->stories[i]->now.at_ns < at_ns)
            story_tell(why->stories[i]);
}

static void fold_row(void *listener, const TraceRow *row)
{
    Why *why = listener;
    const TraceRecord *record = &row->record;
    if (record->at_ns > why->now_ns)
        tell_all_until(why, record->at_ns);
    why->now_ns = record->at_ns;
    if (row->job != NULL)
        (void)job_view(why, row);
    for (uint32_t i = 0; i < why->story_count; i++) {
        Story *story = why->stories[i];
        if (row->job != NULL && record->job.index == story->job)
            story_hear(why, story, row);
        if (concerns_wait(story, row))
            wait_hear(why, story, row);
        if (record->kind == TRACE_NODE_STATE)
            story_node(why, story, row);
        if (record->kind == TRACE_NODE_ERROR && held_node(story, record->node.index) != NULL)
            story_node_error(why, story, row);
        if (record->kind == TRACE_NODE_NOTICE && held_node(story, record->node.index) != NULL) {
            moment(story, record->at_ns)->notice_node = row->node;
            story->now.notice_ns = record->value[0];
            story->now.notice_cause = record->cause;
        }
    }
    // Counted last: a submission tells what it found.
    if (record->kind == TRACE_NODE_STATE)
        count_node(why, row);
    if (record->kind == TRACE_JOB_STATE)
        count_job(why, row);
}

Why *why_create(Arena *run, const char *job)
{
    Why *why = ARENA_NEW(run, Why);
    *why = (Why){.arena = run, .wanted = job};
    return why;
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
            names[count++] = short_name(why->jobs[i].path);
    const char *nearest = nearest_name(why->wanted, names, count);
    status_fail(status, STATUS_NOT_FOUND, place_in(NULL, 0, 0),
                "there was no job \"%s\" in this run", why->wanted);
    if (nearest != NULL)
        status_hint(status, "did you mean \"%s\"?", nearest);
    else if (count == 0)
        status_hint(status, "no job was ever submitted");
    arena_destroy(scratch);
    return false;
}

static void tell_unfinished(Story *story, int64_t at_ns)
{
    Text *out = &story->text;
    if (story->is_over || story->state == NULL)
        return;
    add_clock(out, at_ns);
    text_printf(out, "still %s when the run ends\n", story->state);
    wait_ends(story, at_ns);
    attempt_is_over(story, at_ns);
    tell_sums(story, at_ns);
}

bool why_print(Text *out, Why *why, Status *status)
{
    if (why->story_count == 0)
        return fail_unknown(why, status);
    for (uint32_t i = 0; i < why->story_count; i++) {
        Story *story = why->stories[i];
        story_tell(story);
        tell_unfinished(story, why->now_ns);
        text_printf(out, "%sThe story of job %s:\n\n%s", i > 0 ? "\n" : "", story->path,
                    text_string(&story->text));
        text_free(&story->text);
    }
    return true;
}
