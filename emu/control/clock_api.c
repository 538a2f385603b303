#include "emu/control/clock_api.h"

#include <inttypes.h>
#include <stddef.h>

#include "emu/control/goal.h"
#include "emu/session/jumps.h"
#include "sim/base/civil_time.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/schema/bind.h"

static void set_instant(Arena *arena, Json *body, const Control *control, const char *key,
                        int64_t at_ns)
{
    const char *key_ns = arena_printf(arena, "%s_ns", key);
    if (at_ns == INT64_MAX) {
        json_put_null(arena, body, key);
        json_put_null(arena, body, key_ns);
        return;
    }
    char text[CIVIL_TEXT];
    iso_time_print(session_scenario(control->session)->start_unix_ms + at_ns / NS_PER_MS, text);
    json_put_text(arena, body, key, text);
    json_put_integer(arena, body, key_ns, at_ns);
}

/* The jump that can be undone, and the entries of the journal since; null. */
static void set_undo(Arena *arena, Json *body, const Control *control)
{
    Jump jump;
    if (!jumps_last(session_store(control->session), &jump)) {
        json_put_null(arena, body, "undo");
        return;
    }
    Json *undo = json_put_object(arena, body, "undo");
    set_instant(arena, undo, control, "to", jump.at_ns);
    json_put_integer(arena, undo, "entries", session_sequence(control->session) - jump.sequence);
}

Json *clock_api_show(const Control *control, Arena *arena)
{
    char text[CLOCK_TEXT];
    Json *body = json_object(arena);
    clock_print(&control->pace->clock, text);
    json_put_text(arena, body, "clock", text);
    json_put_boolean(arena, body, "paused", control->pace->clock.is_paused);
    set_instant(arena, body, control, "now", session_now_ns(control->session));
    set_instant(arena, body, control, "next_event",
                world_next_event_ns(session_world(control->session)));
    set_undo(arena, body, control);
    return body;
}

bool clock_api_jump(Control *control, int64_t to_ns, Status *status)
{
    (void)control->advance(control->owner, to_ns);
    int64_t now_ns = clock_now(&control->pace->clock, control->pace->machine_ns);
    if (session_now_ns(control->session) > now_ns)
        clock_jump(&control->pace->clock, control->pace->machine_ns,
                   session_now_ns(control->session));
    return session_note_time(control->session, status);
}

/* --- Running until a goal --- */

/* RAN_DRY: no event is pending, so that the goal cannot be met by time alone. */
typedef enum { RAN_TO_GOAL, RAN_TO_END, RAN_DRY, RAN_TOO_LONG, RAN_INTO_JOB } RunEnd;

/* The number of events at which a request stops; the client can send it again. */
static int64_t last_event(const Control *control)
{
    return world_events(session_world(control->session)) + control->events_max;
}

/* Runs until the goal is met, cannot be met, `to_ns` is reached, or `events_most` events have
 * happened. */
static RunEnd run(Control *control, int64_t to_ns, int64_t events_most, Goal *goal)
{
    const World *world = session_world(control->session);
    while (!goal_is_met(control, goal)) {
        int64_t next_ns = goal_next_look_ns(world, goal);
        if (next_ns == INT64_MAX && (goal->has_moment || goal->has_condition))
            return RAN_DRY;
        if (next_ns > to_ns)
            return control->advance(control->owner, to_ns) ? RAN_TO_END : RAN_INTO_JOB;
        if (world_events(world) >= events_most)
            return RAN_TOO_LONG;
        if (!control->advance(control->owner, next_ns))
            return RAN_INTO_JOB;
    }
    return RAN_TO_GOAL;
}

static int64_t later(int64_t at_ns, int64_t by_ns)
{
    return by_ns > LAST_INSTANT_NS - at_ns ? LAST_INSTANT_NS : at_ns + by_ns;
}

static bool too_long(const Control *control, Status *status)
{
    status_fail(status, STATUS_CONFLICT, place_in("clock", 0, 0),
                "the time is not reached after %" PRId64 " events", control->events_max);
    return status_hint(status, "repeat the request: it continues from the present time");
}

/* A job that runs for real lasts as long in the world as on the machine (emu/jobs/runs.h). */
static bool is_held(Status *status)
{
    status_fail(status, STATUS_CONFLICT, place_in("clock", 0, 0),
                "a job is running for real, and time passes no faster than the job runs");
    return status_hint(status, "repeat the request: it continues from the present time");
}

/* Whether the run reached its goal; else the problem. */
static bool has_arrived(const Control *control, RunEnd end, Status *status)
{
    if (end == RAN_INTO_JOB)
        return is_held(status);
    return end != RAN_TOO_LONG || too_long(control, status);
}

static bool advance(Control *control, int64_t to_ns, Status *status)
{
    Goal none = {0};
    RunEnd end = run(control, to_ns, last_event(control), &none);
    return clock_api_jump(control, session_now_ns(control->session), status) &&
           has_arrived(control, end, status);
}

/* Runs through the delay after the moment that happened at `came_ns`; the goal is an instant from
 * here on. */
static RunEnd run_delay(Control *control, int64_t came_ns, int64_t to_ns, int64_t events_most,
                        Goal *goal)
{
    Goal none = {0};
    goal->at_ns = later(came_ns, goal->moment.trigger.delay_ns);
    if (goal->at_ns <= session_now_ns(control->session))
        return RAN_TO_GOAL;
    const bool is_in_time = goal->at_ns <= to_ns;
    const RunEnd end = run(control, is_in_time ? goal->at_ns : to_ns, events_most, &none);
    return end == RAN_TO_END && is_in_time ? RAN_TO_GOAL : end;
}

static bool out_of_time(const char *until, RunEnd end, Status *status)
{
    if (end == RAN_DRY) {
        status_fail(status, STATUS_CONFLICT, place_in("until", 0, 0),
                    "\"%s\" does not happen: no event is pending", until);
        return status_hint(status, "time stays at the last event, until another request");
    }
    status_fail(status, STATUS_CONFLICT, place_in("until", 0, 0), "\"%s\" did not happen in time",
                until);
    return status_hint(
        status, "a longer \"within\" allows more time; \"do\": \"undo\" takes this time back");
}

/* If the time of the moment is not known, a repeated request would count its delay again. */
static bool name_the_rest(const Control *control, const Goal *goal, Status *status)
{
    char instant[CIVIL_TEXT];
    const int64_t start_ms = session_scenario(control->session)->start_unix_ms;
    iso_time_print(start_ms + goal->at_ns / NS_PER_MS + (goal->at_ns % NS_PER_MS > 0), instant);
    return status_hint(status, "the moment has happened: \"until\": \"%s\" waits for the rest",
                       instant);
}

/* Runs until the moment has happened, the condition holds, or the time is over. */
static bool run_to(Control *control, const char *until, Goal *goal, int64_t within_ns,
                   Status *status)
{
    const World *world = session_world(control->session);
    const int64_t to_ns = later(session_now_ns(control->session), within_ns);
    const int64_t events_most = last_event(control);
    int64_t came_ns = INT64_MAX;
    if (!goal_find_subject(world, goal, status))
        return false;
    RunEnd end = RAN_TO_GOAL;
    if (!goal->has_moment || !goal_has_come(world, goal, &came_ns)) {
        events_watch(control->events, goal->has_moment ? &goal->moment : NULL);
        end = run(control, to_ns, events_most, goal);
        events_watch(control->events, NULL);
    }
    if (came_ns == INT64_MAX)
        came_ns = session_now_ns(control->session);
    if (end == RAN_TO_GOAL && goal->has_moment && goal->moment.trigger.delay_ns > 0)
        end = run_delay(control, came_ns, to_ns, events_most, goal);
    if (!clock_api_jump(control, session_now_ns(control->session), status))
        return false;
    if (has_arrived(control, end, status) &&
        ((end != RAN_TO_END && end != RAN_DRY) || out_of_time(until, end, status)))
        return true;
    return goal->at_ns != INT64_MAX && name_the_rest(control, goal, status);
}

static bool step(Control *control, int64_t count, Status *status)
{
    const World *world = session_world(control->session);
    const int64_t events_most = last_event(control);
    RunEnd end = RAN_TO_END;
    for (int64_t i = 0; i < count && end == RAN_TO_END && world_next_event_ns(world) != INT64_MAX;
         i++)
        if (world_events(world) >= events_most)
            end = RAN_TOO_LONG;
        else if (!control->advance(control->owner, world_next_event_ns(world)))
            end = RAN_INTO_JOB;
    return clock_api_jump(control, session_now_ns(control->session), status) &&
           has_arrived(control, end, status);
}

/* --- Requests --- */

static void answer_clock(const ControlCall *call)
{
    control_answer(call, 200, clock_api_show(call->control, call->arena));
}

void clock_show(const ControlCall *call)
{
    answer_clock(call);
}

typedef enum {
    DO_PAUSE,
    DO_RESUME,
    DO_RATE,
    DO_STEP,
    DO_ADVANCE,
    DO_RUN_UNTIL,
    DO_UNDO
} ClockAction;
static const char *const action_words[] = {"pause",   "resume",    "rate", "step",
                                           "advance", "run-until", "undo", NULL};

typedef struct {
    const Json *node;
    BoundInteger action; /* ClockAction */
    BoundText rate;
    BoundInteger count;
    BoundInteger by;
    BoundText until;
    BoundInteger within;
    BoundInteger accept; /* 0 or 1 */
} ClockText;

#define OWNER ClockText
static const Field clock_fields[] = {
    NEEDED_CHOICE("do", action, action_words, "what the clock does"),
    FIELD_TEXT("rate", rate, NULL, "rate: real, auto, manual, or x60 for a minute a second"),
    FIELD_INTEGER("count", count, 1, 1000000, "1",
                  "step: how many instants in which something happens"),
    FIELD_DURATION("by", by, NULL, "advance: how far"),
    FIELD_TEXT("until", until, NULL, "run-until: an instant, a moment or a condition"),
    FIELD_DURATION("within", within, "30d", "run-until: how long at most"),
    FIELD_BOOLEAN("accept", accept, "false", "undo: also if requests since then are dropped"),
    {0},
};
#undef OWNER
static const ObjectType clock_type = {"clock", "A request to the emulator's clock.",
                                      sizeof(ClockText), clock_fields};

static bool change_rate(Control *control, const char *text, Status *status)
{
    Clock to;
    if (!clock_parse(text, &to, status))
        return false;
    clock_change(&control->pace->clock, control->pace->machine_ns, &to);
    return true;
}

/* Each action requires its own member. */
static bool has_needed(const ClockText *text, Status *status)
{
    ClockAction action = (ClockAction)text->action.value;
    const char *missing = action == DO_RATE && text->rate.node == NULL         ? "rate"
                          : action == DO_ADVANCE && text->by.node == NULL      ? "by"
                          : action == DO_RUN_UNTIL && text->until.node == NULL ? "until"
                                                                               : NULL;
    return missing == NULL ||
           status_fail(status, STATUS_BAD_INPUT, json_at(text->node),
                       "\"%s\" needs \"%s\", which is missing", action_words[action], missing);
}

static bool clock_does(Control *control, Arena *arena, const ClockText *text, Status *status)
{
    int64_t now_ns = session_now_ns(control->session);
    Goal goal;
    if (!has_needed(text, status))
        return false;
    switch ((ClockAction)text->action.value) {
    case DO_PAUSE:
        clock_pause(&control->pace->clock, control->pace->machine_ns);
        return true;
    case DO_RESUME:
        clock_resume(&control->pace->clock, control->pace->machine_ns);
        return true;
    case DO_RATE:
        return change_rate(control, text->rate.value, status);
    case DO_STEP:
        return step(control, text->count.value, status);
    case DO_ADVANCE:
        return advance(control, later(now_ns, text->by.value), status);
    case DO_RUN_UNTIL:
        if (!goal_read(control, arena, text->until.value, &goal, status))
            return false;
        if (goal.at_ns == INT64_MAX)
            return run_to(control, text->until.value, &goal, text->within.value, status);
        if (goal.at_ns < now_ns)
            return status_fail(status, STATUS_CONFLICT, place_in("until", 0, 0),
                               "%s is in the past", text->until.value);
        return advance(control, goal.at_ns, status);
    case DO_UNDO:
        break; // clock_tell
    }
    invariant_broken("an action of the clock", __FILE__, __LINE__);
}

/* A request that is refused may have moved time as well. */
static bool move_and_note(Control *control, Arena *arena, const ClockText *text, Status *status)
{
    Status second = {0};
    const Session *session = control->session;
    const Jump before = {.sequence = session_sequence(session),
                         .at_ns = session_now_ns(session),
                         .event = events_last(control->events)};
    const bool is_done = clock_does(control, arena, text, status);
    if (session_now_ns(session) == before.at_ns)
        return is_done;
    const bool is_noted = jumps_add(session_store(session), before, is_done ? status : &second);
    return is_done && is_noted;
}

static void move(const ControlCall *call, const ClockText *text)
{
    Status status = {0};
    const bool is_done = move_and_note(call->control, call->arena, text, &status);
    call->control->pace->controlled_ns = session_now_ns(call->control->session);
    if (is_done)
        answer_clock(call);
    else
        control_refuse(call, &status);
}

static void undo(const ControlCall *call, bool is_accepted)
{
    Status status = {0};
    const Control *control = call->control;
    const Json *done = control->undo(control->owner, call->arena, is_accepted, &status);
    if (done != NULL)
        control_answer(call, 200, done);
    else
        control_refuse(call, &status);
}

void clock_tell(const ControlCall *call)
{
    const Json *body = control_body(call, "{\"do\": \"advance\", \"by\": \"5m\"}");
    if (body == NULL)
        return;
    Problems problems = problems_create(call->arena);
    const ClockText *text = bind_object(call->arena, body, &clock_type, &problems);
    if (problems.count > 0) {
        control_refuse(call, &problems.items[0]);
        return;
    }
    if (text->action.value == DO_UNDO)
        undo(call, text->accept.value != 0);
    else
        move(call, text);
}
