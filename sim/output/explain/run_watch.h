/* Watches a run: the spans in which conditions hold, when moments come, and which errors are
 * recorded. After the run it answers questions about them.
 *
 *     RunWatch *watch = run_watch_create(run);
 *     int32_t busy = run_watch_condition(watch, &condition);
 *     trace_fan_join(fan, run_watch_listener(watch));
 *     ... world_create with the fan's sink ...
 *     run_watch_begin(watch, world);
 *     world_run(world);
 *     HeldSpan span;
 *     if (run_watch_holds(watch, busy, 0, INT64_MAX, &span)) ...
 *
 * Conditions are evaluated once everything at an instant has happened, so states between two
 * records of one instant do not count. */
#ifndef SIM_OUTPUT_RUN_WATCH_H
#define SIM_OUTPUT_RUN_WATCH_H

#include "sim/cloud/world.h"
#include "sim/output/trace/row.h"

/* Waits for one moment. */
typedef struct {
    Trigger trigger;  /* not MOMENT_AT and MOMENT_CONDITION; its delay does not count here */
    uint32_t subject; /* the id of the cluster or job; ID_NONE: any of that name */
} MomentWatch;

MomentWatch moment_watch(const Trigger *trigger);
/* Whether this is the moment. */
bool moment_watch_fits(const MomentWatch *watch, const MomentNotice *notice);
/* The moments that can be watched, a bit for each (1 << Moment): all but those of
 * moment_counts_steps. */
uint32_t moment_watch_kinds(void);

typedef struct RunWatch RunWatch;

/* Add all conditions and moments before run_watch_listener is called. */
RunWatch *run_watch_create(Arena *run);
int32_t run_watch_condition(RunWatch *watch, const Condition *condition); /* its number */
/* Not MOMENT_AT, MOMENT_CONDITION and those of moment_counts_steps. The delay of `moment` counts.
 */
int32_t run_watch_moment(RunWatch *watch, const Trigger *moment); /* its number */
TraceListener run_watch_listener(RunWatch *watch);
/* Sets the world that is watched, before it runs. */
void run_watch_begin(RunWatch *watch, World *world);

/* --- After the run --- */

/* A span in which a condition has held for its time (Condition.for_ns). */
typedef struct {
    int64_t since_ns; /* begin of the condition */
    int64_t at_ns;    /* when it had held for its time, but not before `from_ns` of the question */
    int64_t quantity; /* the count when it began to hold */
} HeldSpan;

/* The first time within [from_ns, to_ns] at which the condition has held for its time; false:
 * there is none. */
bool run_watch_holds(const RunWatch *watch, int32_t condition, int64_t from_ns, int64_t to_ns,
                     HeldSpan *span);
/* The condition's count at the end of the run. */
int64_t run_watch_last_quantity(const RunWatch *watch, int32_t condition);

/* When a moment came for the first time. If two moments came at one time, the one with the
 * smaller `order` was first. */
typedef struct {
    int64_t at_ns;
    int64_t order;
} MomentCame;

bool run_watch_first(const RunWatch *watch, int32_t moment, MomentCame *came);

/* The errors recorded for a cluster (its own and its nodes') and for a job, in order:
 * "AZFMountError: ...". The n-th from 0; NULL when there are fewer. */
const char *run_watch_error(const RunWatch *watch, bool is_job, const char *name, int32_t n);

/* When the run ended. */
int64_t run_watch_end_ns(const RunWatch *watch);

#endif
