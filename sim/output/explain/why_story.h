/* What happened to a job at each instant, told in its story (why.h): the fold over records notes it
 * in a moment, and once time has passed the moment becomes lines, in the order in which it makes
 * sense. */
#ifndef SIM_OUTPUT_WHY_STORY_H
#define SIM_OUTPUT_WHY_STORY_H

#include "sim/base/text.h"
#include "sim/cloud/cluster/cluster.h"
#include "sim/cloud/job/job.h"
#include "sim/cloud/record/trace_record.h"
#include "sim/output/explain/why_wait.h"

/* What is known of a cluster. */
typedef struct {
    int32_t nodes[NODE_STATE_COUNT + 1]; /* the last: those that are gone */
    int32_t queued;                      /* jobs */
    TraceRecord allocation;              /* the last; at_ns is INT64_MAX before it */
    bool is_told;                        /* of `allocation` */
    const char *error;                   /* since error_ns, until an allocation is whole; NULL */
    int64_t error_ns;
    int64_t maximum; /* of autoscale; 0: by hand */
} ClusterView;

typedef struct {
    uint32_t id;
    const char *name;
    bool is_freed; /* at this instant: what follows may still say why */
    bool is_lost;  /* and not to another job: it is counted */
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
    const char *stalled_group; /* that failed at this instant; NULL */
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
    const char *stalled_node;      /* in this attempt; NULL */
    int64_t resumed_epochs;        /* by this attempt */
    bool is_over;
    StoryMoment now;
} Story;

/* That of this instant, to be filled in; begun where none is open. */
StoryMoment *story_moment(Story *story, int64_t at_ns);
/* Nothing more happens to the job at the time of its moment: tells it. `cluster` is the job's, as
 * is `spec` (NULL: nobody knows). */
void story_tell(Story *story, const ClusterView *cluster, const JobSpec *spec);
/* The run ends at `at_ns`: says so of a job that is not over. */
void story_tell_unfinished(Story *story, const ClusterView *cluster, int64_t at_ns);

/* What befell a node: "was preempted". */
const char *why_node_words(TraceCause cause);

#endif
