/* Trace records: facts about the simulated world.
 *
 * A record has a kind, a time, the cluster, node, job or share concerned, and values. The trace of
 * a real training run has the same records. trace_kinds.h is the table of all kinds. */
#ifndef SIM_CLOUD_RECORD_TRACE_RECORD_H
#define SIM_CLOUD_RECORD_TRACE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cloud/record/ids.h"
#include "sim/cloud/record/trace_kinds.h"

/* How much is recorded. Each level includes the records of the levels before it. */
typedef enum { TRACE_LEVEL_JOBS, TRACE_LEVEL_EPOCHS, TRACE_LEVEL_STEPS } TraceLevel;

typedef enum {
#define X(kind, name, level, columns, values, meaning) TRACE_##kind,
    TRACE_KINDS(X)
#undef X
        TRACE_KIND_COUNT
} TraceKind;

typedef enum {
#define X(cause, name) CAUSE_##cause,
    TRACE_CAUSES(X)
#undef X
        CAUSE_COUNT
} TraceCause;

typedef enum {
#define X(shortage, name) SHORT_OF_##shortage,
    SHORTAGES(X)
#undef X
        SHORTAGE_COUNT
} Shortage;

/* The parts of one rank's step, or their sums over several steps. VALUE(name) */
#define TRACE_STEP_PARTS                                                                           \
    VALUE(input_ns)                                                                                \
    VALUE(compute_ns)                                                                              \
    VALUE(wait_ns) /* for the slowest rank */                                                      \
    VALUE(exchange_ns)                                                                             \
    VALUE(update_ns)

/* A point in a training: so many epochs are done, and so many steps of the next, which has more.
 * VALUE(name) */
#define TRACE_TRAINING_POINT VALUE(epochs) VALUE(steps)

#define VALUE(name) int64_t name;
#define VALUE_OR_NONE(name) int64_t name;
#define STEP_PARTS StepParts parts;
#define TRAINING_POINT TrainingPoint point;
#define NO_VALUES int64_t none;

typedef struct {
    TRACE_STEP_PARTS
} StepParts;

typedef struct {
    TRACE_TRAINING_POINT
} TrainingPoint;

enum { TRACE_VALUES = 10 }; /* the most values that a kind has */

typedef struct {
    TraceKind kind;
    int64_t at_ns;
    int64_t since_ns;  /* begin of the span; at_ns for an instant */
    ClusterId cluster; /* ids are ID_NONE where they do not apply */
    NodeId node;
    JobId job;
    ShareId share;
    int64_t bytes;
    /* The values: record.job_state.exit_code for a TRACE_JOB_STATE. */
    union {
        int64_t in_order[TRACE_VALUES]; /* the same values, for code that handles any kind */
#define X(kind, name, level, columns, values, meaning)                                             \
    struct {                                                                                       \
        values                                                                                     \
    } name;
        TRACE_KINDS(X)
#undef X
    };
    TraceCause cause;
    const char *name; /* NULL where the kind has none; lives as long as the world */
    uint32_t file; /* FILE_WRITTEN: the number of the file (world_file); else 0. Not in trace.tsv */
} TraceRecord;

#undef VALUE
#undef VALUE_OR_NONE
#undef STEP_PARTS
#undef TRAINING_POINT
#undef NO_VALUES

const char *trace_kind_name(TraceKind kind); /* "job_state" */
static inline TraceLevel trace_kind_level(TraceKind kind)
{
    static const uint8_t levels[] = {
#define X(kind, name, level, columns, values, meaning) TRACE_LEVEL_##level,
        TRACE_KINDS(X)
#undef X
    };
    return (TraceLevel)levels[kind];
}
const char *trace_kind_meaning(TraceKind kind); /* as trace_kinds.h documents it */
/* A column that all records of the kind have ("cluster", "node", "job", "share" and "name", in this
 * order); NULL: fewer than `index` + 1 are so. */
const char *trace_kind_column(TraceKind kind, int32_t index);
const char *shortage_name(Shortage shortage);   /* "limit" */
const char *trace_cause_name(TraceCause cause); /* "autoscale"; "" for CAUSE_NONE */
/* Whether it is a cause of TRACE_NODE_DRAINED: a node that is unusable for it has not failed. */
static inline bool trace_cause_drains(TraceCause cause)
{
    return cause == CAUSE_DRAIN || cause == CAUSE_MAINTENANCE || cause == CAUSE_HEALTH_CHECK;
}

/* A value of a kind: TraceRecord.in_order[i] is the value of trace_kind_values(kind)[i]. */
typedef struct {
    const char *name;    /* "exit_code"; NULL after the last value */
    bool can_be_missing; /* the value may be -1: there is none */
} TraceValue;

const TraceValue *trace_kind_values(TraceKind kind);

/* The first required column of its kind that the record lacks ("cluster", "node", "job", "share",
 * "name"); NULL: it has all. */
const char *trace_record_lacks(const TraceRecord *record);

/* Where a world sends its records, in order of time. */
typedef struct {
    void *listener;
    TraceLevel level; /* records of a higher level are not made */
    void (*record)(void *listener,
                   const TraceRecord *record); /* borrowed for the call; may be NULL */
    /* The instant `at_ns` has ended: between instants the state is consistent. May be NULL. */
    void (*instant)(void *listener, int64_t at_ns);
    /* Memory of the listener in which the world makes its records, so that none is copied; NULL:
     * the world has its own. */
    TraceRecord *slot;
} TraceSink;

#endif
