/* What a job waits for, from its entry into the queue to its start: a part of its story (why.h).
 *
 * Each ns of the wait has one reason, told by what the cluster had then; beside that stand the
 * events of the cluster, the jobs that stood before this one and how they went, and those that gave
 * their nodes back. Lists are short however long the wait is: what is beyond them is counted. */
#ifndef SIM_OUTPUT_WHY_WAIT_H
#define SIM_OUTPUT_WHY_WAIT_H

#include "sim/base/arena.h"
#include "sim/base/text.h"
#include "sim/cloud/cluster/cluster.h"

enum {
    NOTES_MAX = 12,  // reasons for one wait; the rest is counted
    NAMES_SHOWN = 4, // nodes or jobs in one list
};

/* Lines begin with CLOCK_BEGIN, a time or nothing, and CLOCK_END: why_print makes a column of it.
 */
#define CLOCK_BEGIN "\x1e"
#define CLOCK_END "\x1f"

/* A reason why it waits, told once however often it comes. */
typedef struct {
    const char *text;
    int64_t first_ns, last_ns;
    int32_t count;
} Note;

/* Another job of the cluster. */
typedef struct {
    uint32_t id;
    const char *name;
    int32_t nodes; /* 0: not known */
    int64_t at_ns; /* when it left the queue, or gave its nodes back; INT64_MAX: not yet */
    const char *how;
} OtherJob;

typedef enum {
    WAIT_FOR_NODES,       /* the cluster has too few */
    WAIT_FOR_REPAIR,      /* it had enough, were none unusable */
    WAIT_FOR_PREPARATION, /* enough are on their way */
    WAIT_FOR_RUNNING,     /* jobs that run have them */
    WAIT_FOR_EARLIER,     /* enough for it, but others stand before it */
    WAIT_FOR_SERVICE,     /* nothing is in its way */
    WAIT_REASON_COUNT
} WaitReason;

typedef struct {
    int64_t since_ns; /* INT64_MAX: does not wait */
    int32_t needed;   /* nodes; 0: not known, and nor are the reasons of time */
    int32_t idle;     /* nodes when it began */
    int32_t usable_max;
    int64_t reason_ns[WAIT_REASON_COUNT];
    Note notes[NOTES_MAX];
    int32_t note_count;
    int64_t notes_left_out;
    int32_t prepared; /* nodes, and the last of them */
    int64_t prepared_ns;
    OtherJob earlier[NAMES_SHOWN]; /* the first of those that stand or stood before it */
    int32_t earlier_count, earlier_now, earlier_started;
    int64_t earlier_nodes; /* that those who stand before it now ask for */
    int64_t earlier_left_ns;
    OtherJob ended[NAMES_SHOWN]; /* jobs that gave nodes back, the last ones: a ring */
    int32_t ended_count;
    OtherJob overtaken_by[NAMES_SHOWN]; /* jobs behind it that started first */
    int32_t overtakers;
    int32_t overtakers_at_last; /* of them, those that started last, all at ... */
    int64_t overtaken_ns;
    uint32_t error_node; /* whose error was told at error_ns: its new state needs no words */
    int64_t error_ns;
} Wait;

void why_add_clock(Text *out, int64_t at_ns);
void why_add_indent(Text *out); /* begins a line without a time */
void why_add_count(Text *out, int64_t count, const char *thing);

/* A reason that came at `at_ns`; takes `text`. */
void wait_note(Arena *arena, Wait *wait, int64_t at_ns, Text *text);
/* The cluster had these nodes for `span_ns`. */
void wait_passes(Wait *wait, const int32_t *nodes, int32_t queued, int64_t span_ns);
void wait_has_earlier(Wait *wait, OtherJob job);
/* One that stood before it left the queue: `how` is "it started", "it was terminated", ... */
void wait_earlier_leaves(Wait *wait, OtherJob job, bool has_started);
void wait_is_overtaken(Wait *wait, OtherJob job);
void wait_job_ended(Wait *wait, OtherJob job);

/* All of it as lines, when it ends at `at_ns`; `nodes` is how many the job got, 0: it never did. */
void wait_add_reasons(Text *out, const Wait *wait, uint32_t nodes, int64_t at_ns);

#endif
