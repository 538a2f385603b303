/* The reasons for which a job waits, from its entry into the queue to its start: a part of its
 * story (why.h).
 *
 * Each ns of the wait has one reason, which depends on the cluster's state at the time. The
 * story also lists events of the cluster, the jobs that were ahead in the queue and how they
 * left it, and the jobs that gave their nodes back. Lists are short however long the wait is;
 * the rest is counted. */
#ifndef SIM_OUTPUT_WHY_WAIT_H
#define SIM_OUTPUT_WHY_WAIT_H

#include "sim/base/arena.h"
#include "sim/base/text.h"
#include "sim/cloud/cluster/cluster.h"

enum {
    NOTES_MAX = 12,  // notes for one wait; further ones are only counted
    NAMES_SHOWN = 4, // nodes or jobs in one list
};

/* Lines begin with CLOCK_BEGIN, a time or nothing, and CLOCK_END. why_print prints the times as a
 * column. */
#define CLOCK_BEGIN "\x1e"
#define CLOCK_END "\x1f"

/* A reason for the wait, printed once however often it occurs. */
typedef struct {
    const char *text;
    int64_t first_ns, last_ns;
    int32_t count;
} Note;

/* Another job of the cluster. */
typedef struct {
    uint32_t id;
    const char *name;
    int32_t nodes; /* 0: unknown */
    int64_t at_ns; /* when it left the queue, or gave its nodes back; INT64_MAX: not yet */
    const char *how;
} OtherJob;

typedef enum {
    WAIT_FOR_NODES,       /* the cluster has too few nodes */
    WAIT_FOR_REPAIR,      /* it would have enough if none were unusable */
    WAIT_FOR_GPUS,        /* enough GPUs are free, but on too many nodes */
    WAIT_FOR_PREPARATION, /* enough are being allocated or prepared */
    WAIT_FOR_RUNNING,     /* running jobs have them */
    WAIT_FOR_EARLIER,     /* enough for this job, but others are ahead of it */
    WAIT_FOR_CORES,       /* it is first, and nodes with enough free GPUs have too few free cores */
    WAIT_FOR_MEMORY,      /* ... or too little free memory */
    WAIT_FOR_NOTICE,      /* jobs that are stopped for it have their notice */
    WAIT_FOR_LIMIT,       /* it is the first of a queue that has as much as it may have */
    WAIT_FOR_MAINTENANCE, /* it would have run into planned maintenance */
    WAIT_FOR_GUARANTEE,   /* it is the first of its queue, and another queue waits for its own */
    WAIT_FOR_SERVICE,     /* nothing delays the job */
    WAIT_REASON_COUNT
} WaitReason;

typedef struct {
    int64_t since_ns; /* INT64_MAX: the job does not wait */
    int32_t needed;   /* nodes; 0: unknown, as are the reasons for the time */
    JobRequest request;
    /* A job that asks for GPUs and found too few: when most GPUs were free, so many were, on so
     * many nodes. */
    int64_t free_gpus;
    int32_t free_nodes;
    int32_t gpus_per_node; /* 0: no such time */
    int32_t idle;          /* nodes when the wait began */
    int32_t usable_max;
    Shortage shortage; /* of the last record that names the job the first of its queue */
    bool is_deferred;  /* until maintenance is over */
    int64_t reason_ns[WAIT_REASON_COUNT];
    Note notes[NOTES_MAX];
    int32_t note_count;
    int64_t notes_left_out;
    int32_t prepared; /* number of nodes, and when the last one was prepared */
    int64_t prepared_ns;
    OtherJob earlier[NAMES_SHOWN]; /* the first of the jobs that are or were ahead of it */
    int32_t earlier_count, earlier_now, earlier_started;
    int64_t earlier_nodes; /* nodes that the jobs ahead of it ask for */
    int64_t earlier_left_ns;
    OtherJob ended[NAMES_SHOWN]; /* jobs that gave nodes back, the latest ones: a ring */
    int32_t ended_count;
    OtherJob
        overtaken_by[NAMES_SHOWN]; /* jobs that started first although they were submitted later */
    int32_t overtakers;
    int32_t overtakers_at_last; /* how many of them started last, at overtaken_ns */
    int64_t overtaken_ns;
    uint32_t error_node; /* the node whose error was recorded at error_ns: its new state is not
                            repeated */
    int64_t error_ns;
} Wait;

void why_add_clock(Text *out, int64_t at_ns);
void why_add_indent(Text *out); /* begins a line without a time */
void why_add_count(Text *out, int64_t count, const char *noun);

/* Adds a reason at `at_ns`; takes ownership of `text`. */
void wait_note(Arena *arena, Wait *wait, int64_t at_ns, Text *text);
/* The cluster as the job waits. */
typedef struct {
    const int32_t *nodes; /* [NODE_STATE_COUNT] */
    int32_t queued;       /* jobs, this one included */
    Room room;            /* for jobs that ask for GPUs; gpus_per_node is 0: unknown */
} WaitView;

/* The cluster was like that for `span_ns`. */
void wait_passes(Wait *wait, WaitView view, int64_t span_ns);
void wait_has_earlier(Wait *wait, OtherJob job);
/* A job ahead of it left the queue: `how` is "it started", "it was terminated", ... */
void wait_earlier_leaves(Wait *wait, OtherJob job, bool has_started);
void wait_is_overtaken(Wait *wait, OtherJob job);
void wait_job_ended(Wait *wait, OtherJob job);

/* Adds the whole wait as lines when it ends at `at_ns`. `nodes` is how many nodes the job got;
 * 0: it never started. */
void wait_add_reasons(Text *out, const Wait *wait, uint32_t nodes, int64_t at_ns);

#endif
