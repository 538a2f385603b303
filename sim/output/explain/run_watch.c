#include "sim/output/explain/run_watch.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/base/ascii.h"
#include "sim/base/invariant.h"
#include "sim/output/summary/names.h"

/* A span in which the condition held; it no longer held at `end_ns`. */
typedef struct {
    int64_t begin_ns;
    int64_t end_ns; /* INT64_MAX: to the end of the run */
    int64_t quantity;
} Span;

typedef struct {
    Condition now; /* without Condition.for_ns */
    int64_t for_ns;
    bool holds;
    Span *spans;
    uint32_t count, capacity;
} WatchedCondition;

typedef struct {
    MomentWatch watch;
    bool has_come;
    MomentCame came;
} WatchedMoment;

typedef struct {
    bool is_job;
    const char *name; /* of the cluster or job */
    const char *error;
} RecordedError;

struct RunWatch {
    Arena *arena;
    const World *world;
    WatchedCondition *conditions;
    uint32_t condition_count, condition_capacity;
    WatchedMoment *moments;
    uint32_t moment_count, moment_capacity;
    RecordedError *errors;
    uint32_t error_count, error_capacity;
    int64_t notices; /* moments that came so far */
    int64_t end_ns;
};

RunWatch *run_watch_create(Arena *run)
{
    RunWatch *watch = ARENA_NEW(run, RunWatch);
    watch->arena = run;
    return watch;
}

int32_t run_watch_condition(RunWatch *watch, const Condition *condition)
{
    watch->conditions = array_room(watch->arena, watch->conditions, watch->condition_count + 1,
                                   &watch->condition_capacity, sizeof *watch->conditions);
    WatchedCondition *watched = &watch->conditions[watch->condition_count];
    *watched = (WatchedCondition){.now = *condition, .for_ns = condition->for_ns};
    watched->now.for_ns = 0;
    return (int32_t)watch->condition_count++;
}

int32_t run_watch_moment(RunWatch *watch, const Trigger *moment)
{
    invariant(moment->moment != MOMENT_AT);
    invariant(moment->moment != MOMENT_CONDITION);
    invariant(!moment_counts_steps(moment->moment));
    watch->moments = array_room(watch->arena, watch->moments, watch->moment_count + 1,
                                &watch->moment_capacity, sizeof *watch->moments);
    watch->moments[watch->moment_count] = (WatchedMoment){.watch = moment_watch(moment)};
    return (int32_t)watch->moment_count++;
}

static void add_moment(void *listener, const MomentNotice *notice);

void run_watch_begin(RunWatch *watch, World *world)
{
    const MomentListener listener = {.listener = watch, .happened = add_moment};
    watch->world = world;
    if (watch->moment_count > 0)
        world_listen(world, moment_watch_kinds(), listener);
}

/* --- Conditions --- */

static void look(RunWatch *watch, WatchedCondition *condition, int64_t at_ns)
{
    bool holds = world_condition_holds(watch->world, &condition->now);
    if (holds == condition->holds)
        return;
    condition->holds = holds;
    if (!holds) {
        condition->spans[condition->count - 1].end_ns = at_ns;
        return;
    }
    condition->spans = array_room(watch->arena, condition->spans, condition->count + 1,
                                  &condition->capacity, sizeof *condition->spans);
    condition->spans[condition->count++] = (Span){
        .begin_ns = at_ns,
        .end_ns = INT64_MAX,
        .quantity = world_quantity(watch->world, condition->now.quantity, condition->now.subject)};
}

static void end_instant(void *listener, int64_t at_ns)
{
    RunWatch *watch = listener;
    for (uint32_t i = 0; i < watch->condition_count; i++)
        look(watch, &watch->conditions[i], at_ns);
}

bool run_watch_holds(const RunWatch *watch, int32_t condition, int64_t from_ns, int64_t to_ns,
                     HeldSpan *span)
{
    const WatchedCondition *watched = &watch->conditions[condition];
    if (to_ns > watch->end_ns)
        to_ns = watch->end_ns;
    for (uint32_t i = 0; i < watched->count; i++) {
        const Span *held = &watched->spans[i];
        if (watched->for_ns > watch->end_ns - held->begin_ns)
            return false; // this span is too short, and so are later ones
        // As for commands that wait: a condition that ceases to hold exactly at the end of its time
        // has held for its time.
        int64_t first_ns = held->begin_ns + watched->for_ns;
        int64_t last_ns = held->end_ns > first_ns ? held->end_ns - 1 : held->end_ns;
        int64_t at_ns = first_ns > from_ns ? first_ns : from_ns;
        if (first_ns > last_ns || at_ns > last_ns || at_ns > to_ns)
            continue;
        *span = (HeldSpan){.since_ns = held->begin_ns, .at_ns = at_ns, .quantity = held->quantity};
        return true;
    }
    return false;
}

int64_t run_watch_last_quantity(const RunWatch *watch, int32_t condition)
{
    const Condition *counts = &watch->conditions[condition].now;
    return world_quantity(watch->world, counts->quantity, counts->subject);
}

/* --- Moments --- */

MomentWatch moment_watch(const Trigger *trigger)
{
    return (MomentWatch){.trigger = *trigger, .subject = ID_NONE};
}

/* Compares names without letter case, as the service does. */
bool moment_watch_fits(const MomentWatch *watch, const MomentNotice *notice)
{
    return notice->moment == watch->trigger.moment && notice->ordinal == watch->trigger.ordinal &&
           (watch->subject != ID_NONE ? notice->row == watch->subject
                                      : ascii_same(notice->subject, watch->trigger.subject));
}

uint32_t moment_watch_kinds(void)
{
    uint32_t kinds = UINT32_MAX;
    for (Moment moment = MOMENT_AT + 1; moment < MOMENT_CONDITION; moment++)
        if (moment_counts_steps(moment))
            kinds &= ~(UINT32_C(1) << moment);
    return kinds;
}

static void add_moment(void *listener, const MomentNotice *notice)
{
    RunWatch *watch = listener;
    watch->notices++;
    for (uint32_t i = 0; i < watch->moment_count; i++) {
        WatchedMoment *moment = &watch->moments[i];
        if (moment->has_come || !moment_watch_fits(&moment->watch, notice))
            continue;
        int64_t delay_ns = moment->watch.trigger.delay_ns;
        moment->has_come = true;
        moment->came.at_ns =
            delay_ns > INT64_MAX - notice->at_ns ? INT64_MAX : notice->at_ns + delay_ns;
        moment->came.order = watch->notices;
    }
}

bool run_watch_first(const RunWatch *watch, int32_t moment, MomentCame *came)
{
    const WatchedMoment *watched = &watch->moments[moment];
    *came = watched->came;
    return watched->has_come;
}

/* --- Errors --- */

static void note_error(RunWatch *watch, const TraceRow *row)
{
    watch->errors = array_room(watch->arena, watch->errors, watch->error_count + 1,
                               &watch->error_capacity, sizeof *watch->errors);
    bool is_job = row->record.kind == TRACE_JOB_ERROR;
    watch->errors[watch->error_count++] =
        (RecordedError){.is_job = is_job,
                        .name = summary_short_name(is_job ? row->job : row->cluster),
                        .error = row->record.name};
}

const char *run_watch_error(const RunWatch *watch, bool is_job, const char *name, int32_t n)
{
    for (uint32_t i = 0; i < watch->error_count; i++) {
        const RecordedError *error = &watch->errors[i];
        if (error->is_job == is_job && ascii_same(error->name, name) && n-- == 0)
            return error->error;
    }
    return NULL;
}

/* --- Listening --- */

static void add_row(void *listener, const TraceRow *row)
{
    RunWatch *watch = listener;
    if (row->record.kind == TRACE_CLUSTER_ERROR || row->record.kind == TRACE_NODE_ERROR ||
        row->record.kind == TRACE_JOB_ERROR)
        note_error(watch, row);
    watch->end_ns = row->record.at_ns;
}

TraceListener run_watch_listener(RunWatch *watch)
{
    return (TraceListener){.listener = watch,
                           .level = TRACE_LEVEL_JOBS,
                           .row = add_row,
                           .instant = watch->condition_count > 0 ? end_instant : NULL};
}

int64_t run_watch_end_ns(const RunWatch *watch)
{
    return watch->end_ns;
}
