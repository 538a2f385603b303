/* The list of moments: named points in the life of a cluster or job ("job train completed") that
 * commands, expectations and the emulator's clock wait for. */
#ifndef SIM_CLOUD_RECORD_MOMENT_H
#define SIM_CLOUD_RECORD_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

/* The number after a moment's name. */
typedef enum {
    ORDINAL_NONE,   /* "job train started" */
    ORDINAL_NEEDED, /* "job train epoch 3" */
    ORDINAL_OR_1    /* "job train requeued", "job train requeued 2" */
} MomentOrdinal;

/* X(ENUM, noun of the subject, name, ordinal) */
#define MOMENTS(X)                                                                                 \
    X(CLUSTER_STEADY, "cluster", "steady", NONE)                                                   \
    X(CLUSTER_READY, "cluster", "ready", NONE) /* steady, no node preparing, one can run jobs */   \
    X(CLUSTER_EMPTY, "cluster", "empty", NONE) /* steady, with no nodes */                         \
    X(CLUSTER_DELETED, "cluster", "deleted", NONE)                                                 \
    X(JOB_STARTED, "job", "started", NONE)     /* executionState running */                        \
    X(JOB_TRAINING, "job", "training", NONE)   /* the first step begins */                         \
    X(JOB_COMPLETED, "job", "completed", NONE) /* succeeded or failed */                           \
    X(JOB_SUBMITTED, "job", "submitted", NONE)                                                     \
    X(JOB_REQUEUED, "job", "requeued", OR_1) /* in the queue again after it lost its nodes */      \
    X(JOB_EPOCH, "job", "epoch", NEEDED)     /* this epoch begins, in any attempt */               \
    X(JOB_CHECKPOINT, "job", "checkpoint", NEEDED) /* the one after this epoch is written */       \
    /* This step, counted over all epochs, ends, in any attempt. For a job of real execution: when \
     * a command reports it. */                                                                    \
    X(JOB_STEP, "job", "step", NEEDED)                                                             \
    /* A checkpoint of so many steps or more, counted over all epochs, is written, in any attempt. \
     * For a job of real execution: when a command reports it. */                                  \
    X(JOB_SAVED, "job", "saved", NEEDED)

typedef enum {
    MOMENT_AT, /* only in a Trigger: it names a time */
#define X(moment, noun, name, ordinal) MOMENT_##moment,
    MOMENTS(X)
#undef X
        MOMENT_CONDITION, /* only in a Trigger: Trigger.condition has held for its time */
    MOMENT_COUNT
} Moment;

/* The moment called `name` of a `noun` ("cluster" or "job"); MOMENT_COUNT: there is none. */
Moment moment_find(const char *noun, const char *name);
/* The columns of MOMENTS; `moment` is not MOMENT_AT or MOMENT_CONDITION. */
const char *moment_noun(Moment moment);
const char *moment_name(Moment moment);
MomentOrdinal moment_ordinal(Moment moment);
/* Whether the moment's subject is a job, or a cluster; both are false for MOMENT_AT and
 * MOMENT_CONDITION. */
bool moment_is_of_job(Moment moment);
bool moment_is_of_cluster(Moment moment);
/* Whether its ordinal counts steps. Only commands and faults wait for such a moment: it is reported
 * only where one does. */
bool moment_counts_steps(Moment moment);

/* The report of a moment that has happened. */
typedef struct {
    Moment moment;
    const char *subject; /* the name of the cluster or job */
    uint32_t row;        /* the index of its ClusterId or JobId */
    int64_t ordinal;     /* 0 where the moment has none */
    int64_t at_ns;
} MomentNotice;

typedef struct {
    void *listener;
    void (*happened)(void *listener, const MomentNotice *notice);
    /* The lowest ordinal >= `from` of that moment and subject for which the listener waits;
     * INT64_MAX: none. At coarse fidelities, events are pushed only for these steps and epochs.
     * NULL: the listener waits for no particular ordinal. */
    int64_t (*next_awaited)(void *listener, Moment moment, const char *subject, int64_t from);
} MomentListener;

#endif
