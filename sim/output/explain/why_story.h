/* The events of a job at each instant, as part of its story (why.h). The fold over records
 * collects the events of an instant in a moment; once time has passed, the moment becomes lines,
 * in the order of cause and effect. */
#ifndef SIM_OUTPUT_WHY_STORY_H
#define SIM_OUTPUT_WHY_STORY_H

#include "sim/base/text.h"
#include "sim/cloud/cluster/cluster.h"
#include "sim/cloud/job/job.h"
#include "sim/cloud/record/trace_record.h"
#include "sim/output/explain/why_wait.h"

/* A queue takes its guarantee back. */
typedef struct {
    const char *queue; /* NULL: it is not known */
    const char *job;   /* starts */
    int64_t waited_ns; /* by the queue */
} ReclaimView;

/* A cluster as far as records show it. */
typedef struct {
    int32_t nodes[NODE_STATE_COUNT + 1]; /* by state; the last: released nodes */
    int32_t queued;                      /* jobs */
    TraceRecord allocation;              /* the latest; at_ns is INT64_MAX before it */
    bool has_allocation;                 /* whether there is an `allocation` */
    const char *error;                   /* the last error, until an allocation is complete; NULL */
    int64_t error_ns;
    int64_t maximum;     /* of automatic scaling; 0: manual */
    ReclaimView reclaim; /* the last one */
} ClusterView;

typedef struct {
    uint32_t id;
    const char *name;
    bool is_freed; /* at this instant: following records may still give the reason */
    bool is_lost;  /* and not to another job, which counts it */
} HeldNode;

typedef struct {
    const char *name; /* NULL: nothing happened */
    const char *state;
    TraceCause cause;
} NodeLoss;

/* All events of the job at one instant. */
typedef struct {
    int64_t at_ns;
    bool is_open;
    bool is_submitted, is_queued, is_started, is_terminating;
    const char *submitted_words;
    TraceCause queued_cause, terminating_cause;
    ReclaimView reclaim;     /* for queued_cause CAUSE_RECLAIM */
    const char *notice_node; /* NULL: none */
    int64_t notice_ns;
    TraceCause notice_cause;
    bool is_withdrawn;          /* the scheduler's notice of being stopped */
    const char *stopped_for;    /* the queue for which it is going to be stopped; NULL: none */
    int64_t grace_ns;           /* the time until then */
    TraceCause stopped_because; /* of the stop */
    const char *stalled_node;
    TraceCause stalled_cause;
    const char *stalled_group; /* the group that failed at this instant; NULL */
    NodeLoss loss;
    const char *loss_reason; /* as in its error; NULL */
    int32_t losses;
    bool has_attempt, has_training, has_trained;
    TraceRecord attempt, training, trained;
    const char *resumed_from;
    TrainingPoint resumed;
    const char *saved;                      /* the checkpoint that was written on notice; NULL */
    int64_t resumed_work_ns, saved_work_ns; /* of a program that only takes time; 0: no such */
    int64_t saved_since_ns;
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
    const char *state; /* the last state; NULL */
    Wait wait;
    int64_t waited_ns;  /* sum of all waits that have ended */
    int64_t started_ns; /* of the present attempt */
    int64_t ran_ns;     /* sum of attempts that have ended */
    int32_t starts;
    int64_t lost_ns; /* node time */
    HeldNode *nodes;
    uint32_t node_count, node_capacity;
    int64_t stage_ns[STAGE_COUNT]; /* the slowest node of this attempt */
    int64_t stage_end_ns;          /* end of the last stage */
    int32_t
        slowed; /* transfers that links of nodes slowed down, since the last line about them ... */
    int64_t slowed_ns;        /* ... and the longest time of one of them */
    const char *stalled_node; /* in this attempt; NULL */
    TrainingPoint resumed;    /* from which this attempt continues */
    TrainingPoint saved;      /* of the last checkpoint that was written on notice */
    int64_t epochs_kept;      /* of all attempts that have ended */
    bool is_over;
    StoryMoment now;
} Story;

/* The node, if the job has it or lost it at this instant; NULL. */
HeldNode *story_held_node(Story *story, uint32_t id);
/* The moment of this instant, to be filled in; begins one when none is open. */
StoryMoment *story_moment(Story *story, int64_t at_ns);
/* Adds the lines of the open moment: no more events will come at its time. `cluster` and `spec`
 * are the job's (`spec` NULL: unknown). */
void story_end_moment(Story *story, const ClusterView *cluster, const JobSpec *spec);
/* The run ends at `at_ns`: adds a line for a job that has not ended. */
void story_end_unfinished(Story *story, const ClusterView *cluster, int64_t at_ns);

/* The fate of a node: "was preempted". */
const char *why_node_words(TraceCause cause);

#endif
