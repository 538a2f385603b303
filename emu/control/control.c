#include "emu/control/control.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/civil_time.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/scenario/command/condition_read.h"
#include "sim/scenario/command/trigger_read.h"
#include "sim/schema/bind.h"

/* --- Answers --- */

static void answer(const HttpRequest *request, HttpResponse *response, int32_t status,
                   const Json *value)
{
    Text text = {0};
    json_print(&text, value, JSON_INDENTED);
    *response = http_response(status);
    http_body(response, "application/json; charset=utf-8",
              arena_strndup(request->arena, text_string(&text), text.length), text.length);
    http_set(response, "Cache-Control", "no-store");
    text_free(&text);
}

static int32_t http_status(StatusCode code)
{
    switch (code) {
    case STATUS_NOT_FOUND:
        return 404;
    case STATUS_CONFLICT:
    case STATUS_QUOTA:
        return 409;
    case STATUS_MACHINE:
        return 507;
    case STATUS_OK:
    case STATUS_BAD_INPUT:
        break;
    }
    return 400;
}

static const char *code_name(StatusCode code)
{
    switch (code) {
    case STATUS_NOT_FOUND:
        return "NotFound";
    case STATUS_CONFLICT:
        return "Conflict";
    case STATUS_QUOTA:
        return "QuotaReached";
    case STATUS_MACHINE:
        return "InsufficientStorage";
    case STATUS_OK:
    case STATUS_BAD_INPUT:
        break;
    }
    return "BadRequest";
}

static void refuse(const HttpRequest *request, HttpResponse *response, const Status *status)
{
    Arena *arena = request->arena;
    Json *body = json_object(arena);
    Json *error = json_put_object(arena, body, "error");
    json_put_text(arena, error, "code", code_name(status->code));
    json_put_text(arena, error, "message", status->message);
    if (status->hint[0] != '\0')
        json_put_text(arena, error, "hint", status->hint);
    answer(request, response, http_status(status->code), body);
}

/* The body as an object; NULL after answering. */
static const Json *read_body(const HttpRequest *request, HttpResponse *response)
{
    Problems problems = problems_create(request->arena);
    const Json *body = json_parse(request->arena, "body", request->body, request->body_bytes,
                                  JSON_STRICT, &problems);
    if (body != NULL && body->kind != JSON_OBJECT)
        problems_add(&problems, STATUS_BAD_INPUT, json_at(body), "the body is no object");
    if (problems.count == 0)
        return body;
    refuse(request, response, &problems.items[0]);
    return NULL;
}

/* --- The clock --- */

static void set_instant(Arena *arena, Json *body, const Emulator *emulator, const char *key,
                        int64_t at_ns)
{
    const char *key_ns = arena_printf(arena, "%s_ns", key);
    if (at_ns == INT64_MAX) {
        json_put_null(arena, body, key);
        json_put_null(arena, body, key_ns);
        return;
    }
    char text[CIVIL_TEXT];
    iso_time_print(session_scenario(emulator->session)->start_unix_ms + at_ns / NS_PER_MS, text);
    json_put_text(arena, body, key, text);
    json_put_integer(arena, body, key_ns, at_ns);
}

Json *control_clock(const Emulator *emulator, Arena *arena)
{
    char text[CLOCK_TEXT];
    Json *body = json_object(arena);
    clock_print(&emulator->clock, text);
    json_put_text(arena, body, "clock", text);
    json_put_boolean(arena, body, "paused", emulator->clock.is_paused);
    set_instant(arena, body, emulator, "now", session_now_ns(emulator->session));
    set_instant(arena, body, emulator, "next_event",
                world_next_event_ns(session_world(emulator->session)));
    return body;
}

static void answer_clock(const Emulator *emulator, const HttpRequest *request,
                         HttpResponse *response)
{
    answer(request, response, 200, control_clock(emulator, request->arena));
}

static void clock_show(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                       HttpResponse *response)
{
    (void)match;
    answer_clock(emulator, request, response);
}

typedef enum { DO_PAUSE, DO_RESUME, DO_RATE, DO_STEP, DO_ADVANCE, DO_RUN_UNTIL } ClockAction;
static const char *const action_words[] = {"pause",   "resume",    "rate", "step",
                                           "advance", "run-until", NULL};

typedef struct {
    const Json *node;
    BoundInteger action; /* ClockAction */
    BoundText rate;
    BoundInteger count;
    BoundInteger by;
    BoundText until;
    BoundInteger within;
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
    {0},
};
#undef OWNER
static const ObjectType clock_type = {"clock", "What the emulator's clock is told.",
                                      sizeof(ClockText), clock_fields};

bool control_jump(Emulator *emulator, int64_t to_ns, Status *status)
{
    (void)emulator_advance(emulator, to_ns);
    int64_t now_ns = clock_now(&emulator->clock, emulator->machine_ns);
    if (session_now_ns(emulator->session) > now_ns)
        clock_jump(&emulator->clock, emulator->machine_ns, session_now_ns(emulator->session));
    return session_note_time(emulator->session, status);
}

/* --- Running until something is so --- */

typedef struct {
    bool has_moment, has_condition;
    MomentWatch moment;
    Condition condition;
    uint32_t subject;      /* the row of whom a moment or a condition is about */
    int64_t held_since_ns; /* of a condition that must hold for a while; INT64_MAX: it does not */
    int64_t at_ns;         /* of an instant */
} Goal;

/* Whether what a moment brings is so already. */
static bool is_cluster_so(const Cluster *cluster, Moment moment)
{
    bool is_living = cluster->provisioning == PROVISIONING_SUCCEEDED;
    bool is_steady = is_living && cluster->allocation == ALLOCATION_STEADY;
    if (moment == MOMENT_CLUSTER_DELETED)
        return cluster->provisioning == PROVISIONING_DELETED;
    if (moment == MOMENT_CLUSTER_STEADY)
        return is_steady;
    if (moment == MOMENT_CLUSTER_EMPTY)
        return is_steady && cluster->current_nodes == 0;
    return is_steady && cluster->node_count[NODE_PREPARING] == 0 &&
           cluster->node_count[NODE_IDLE] + cluster->node_count[NODE_RUNNING] > 0;
}

static bool is_job_so(const Job *job, const Trigger *trigger, int64_t now_ns)
{
    switch (trigger->moment) {
    case MOMENT_JOB_SUBMITTED:
        return true;
    case MOMENT_JOB_STARTED:
        return job->started_ns != INT64_MAX;
    case MOMENT_JOB_TRAINING:
        return job->attempt != NULL && job->attempt->training_ns != INT64_MAX;
    case MOMENT_JOB_COMPLETED:
        return job->state == JOB_SUCCEEDED || job->state == JOB_FAILED;
    case MOMENT_JOB_EPOCH: // it begins when the one before it is done
        return job_epochs_done(job, now_ns) >= trigger->ordinal ||
               (job_epochs_done(job, now_ns) == trigger->ordinal - 1 && job_is_training(job));
    case MOMENT_JOB_REQUEUED:
        return job->starts > trigger->ordinal ||
               (job->starts == trigger->ordinal && job->state == JOB_QUEUED);
    case MOMENT_JOB_CHECKPOINT:
    case MOMENT_JOB_STEP:
    case MOMENT_AT:
    case MOMENT_CLUSTER_STEADY:
    case MOMENT_CLUSTER_READY:
    case MOMENT_CLUSTER_EMPTY:
    case MOMENT_CLUSTER_DELETED:
    case MOMENT_CONDITION:
    case MOMENT_COUNT:
        break;
    }
    return false;
}

/* When it came, of what is so; INT64_MAX: nobody remembers. */
static int64_t cluster_moment_ns(const Cluster *cluster, Moment moment)
{
    if (moment == MOMENT_CLUSTER_DELETED)
        return cluster->provisioning_since_ns;
    // Nodes that run jobs no longer say when they were prepared.
    return moment == MOMENT_CLUSTER_READY ? INT64_MAX : cluster->allocation_since_ns;
}

/* Of an attempt before the last one nothing is known. */
static int64_t epoch_begin_ns(const Job *job, int64_t ordinal)
{
    const Training *training = job->attempt != NULL ? job->attempt->training : NULL;
    const bool is_known = training != NULL && job->attempt->training_ns != INT64_MAX &&
                          ordinal > training->first_epoch && ordinal <= training->plan.epochs;
    return is_known ? job_epoch_times(job, ordinal - 1).begin_ns : INT64_MAX;
}

static int64_t job_moment_ns(const Job *job, const Trigger *trigger)
{
    switch (trigger->moment) {
    case MOMENT_JOB_SUBMITTED:
        return job->created_ns;
    case MOMENT_JOB_STARTED:
        return job->started_ns;
    case MOMENT_JOB_TRAINING:
        return job->attempt->training_ns;
    case MOMENT_JOB_COMPLETED:
        return job->ended_ns;
    case MOMENT_JOB_EPOCH:
        return epoch_begin_ns(job, trigger->ordinal);
    case MOMENT_JOB_REQUEUED:
        return job->starts == trigger->ordinal ? job->state_since_ns : INT64_MAX;
    case MOMENT_JOB_CHECKPOINT:
    case MOMENT_JOB_STEP:
    case MOMENT_AT:
    case MOMENT_CLUSTER_STEADY:
    case MOMENT_CLUSTER_READY:
    case MOMENT_CLUSTER_EMPTY:
    case MOMENT_CLUSTER_DELETED:
    case MOMENT_CONDITION:
    case MOMENT_COUNT:
        break;
    }
    return INT64_MAX;
}

/* An epoch is told of only when it is over, and who begins to listen now cannot count how often a
 * job has come back to the queue: both are looked for. */
static bool is_looked_for(Moment moment)
{
    return moment == MOMENT_JOB_EPOCH || moment == MOMENT_JOB_REQUEUED;
}

/* Finds whom the goal is about, once: whatever is called so later is somebody else. */
static bool find_subject(const World *world, Goal *goal, Status *status)
{
    const Trigger *trigger = &goal->moment.trigger;
    const CommandKind moment_of =
        trigger_is_job(trigger->moment) ? COMMAND_JOB_CREATE : COMMAND_CLUSTER_CREATE;
    const CommandKind made_by =
        goal->has_moment ? moment_of : quantity_made_by(goal->condition.quantity);
    const char *noun = !goal->has_moment               ? quantity_noun(goal->condition.quantity)
                       : made_by == COMMAND_JOB_CREATE ? "job"
                                                       : "cluster";
    const char *name = goal->has_moment ? trigger->subject : goal->condition.subject;
    goal->subject = world_subject(world, made_by, name);
    goal->moment.subject = goal->subject;
    return goal->subject != ID_NONE ||
           status_fail(status, STATUS_NOT_FOUND, place_in("until", 0, 0), "there is no %s \"%s\"",
                       noun, name);
}

/* Whether the moment has come already, and then when (INT64_MAX: nobody remembers). */
static bool has_come(const World *world, const Goal *goal, int64_t *came_ns)
{
    const Trigger *trigger = &goal->moment.trigger;
    *came_ns = INT64_MAX;
    if (trigger_is_job(trigger->moment)) {
        const Job *job = world_job(world, (JobId){goal->subject});
        if (!is_job_so(job, trigger, world_now_ns(world)))
            return false;
        *came_ns = job_moment_ns(job, trigger);
        return true;
    }
    const Cluster *cluster = world_cluster(world, (ClusterId){goal->subject});
    if (!is_cluster_so(cluster, trigger->moment))
        return false;
    *came_ns = cluster_moment_ns(cluster, trigger->moment);
    return true;
}

/* An instant, a moment or a condition. */
static bool read_goal(const Emulator *emulator, Arena *arena, const char *text, Goal *goal,
                      Status *status)
{
    const Place at = place_in("until", 0, 0);
    Status unheard = {0};
    Trigger trigger;
    int64_t unix_ms;
    *goal = (Goal){.held_since_ns = INT64_MAX, .at_ns = INT64_MAX};
    if (iso_time_parse(text, at, &unix_ms, &unheard)) {
        int64_t start_ms = session_scenario(emulator->session)->start_unix_ms;
        if (unix_ms < start_ms || unix_ms - start_ms > INT64_MAX / NS_PER_MS)
            return status_fail(status, STATUS_BAD_INPUT, at, "%s is not in this world's time",
                               text);
        goal->at_ns = (unix_ms - start_ms) * NS_PER_MS;
        return true;
    }
    if (condition_read(arena, text, at, &goal->condition, &unheard)) {
        goal->has_condition = true;
        return true;
    }
    // Of a step no record tells.
    if (!trigger_read(arena, text, at, &trigger, &unheard) || trigger.moment == MOMENT_JOB_STEP) {
        status_fail(status, STATUS_BAD_INPUT, at, "\"%s\" is no instant, moment or condition",
                    text);
        return status_hint(status, "as in \"2018-07-18T18:00:00Z\", \"job train completed\", "
                                   "\"cluster gpu ready + 5m\" or \"cluster gpu idle >= 2\"");
    }
    goal->has_moment = true;
    goal->moment = moment_watch(&trigger);
    return true;
}

static bool condition_is_met(const World *world, Goal *goal)
{
    int64_t now_ns = world_now_ns(world);
    if (!world_condition_holds_of(world, &goal->condition, goal->subject)) {
        goal->held_since_ns = INT64_MAX;
        return false;
    }
    if (goal->held_since_ns == INT64_MAX)
        goal->held_since_ns = now_ns;
    return now_ns - goal->held_since_ns >= goal->condition.for_ns;
}

/* The next time to look: an event, or a condition that will have held for its time. */
static int64_t next_look_ns(const World *world, const Goal *goal)
{
    int64_t next_ns = world_next_event_ns(world);
    if (goal->has_condition && goal->held_since_ns != INT64_MAX &&
        goal->held_since_ns <= INT64_MAX - goal->condition.for_ns &&
        goal->held_since_ns + goal->condition.for_ns < next_ns)
        next_ns = goal->held_since_ns + goal->condition.for_ns;
    return next_ns;
}

static bool is_met(const Emulator *emulator, Goal *goal)
{
    const World *world = session_world(emulator->session);
    if (goal->has_condition)
        return condition_is_met(world, goal);
    if (goal->has_moment && is_looked_for(goal->moment.trigger.moment))
        return is_job_so(world_job(world, (JobId){goal->subject}), &goal->moment.trigger,
                         world_now_ns(world));
    return goal->has_moment && events_heard(emulator->events);
}

typedef enum { RAN_TO_GOAL, RAN_TO_END, RAN_TOO_LONG, RAN_INTO_JOB } RunEnd;

/* One request may run so many events: then it says how far it came, and can be asked again. */
static int64_t last_event(const Emulator *emulator)
{
    return world_events(session_world(emulator->session)) + emulator->events_most;
}

/* Runs until the goal is met, `to_ns` is reached, or `events_most` have happened. */
static RunEnd run(Emulator *emulator, int64_t to_ns, int64_t events_most, Goal *goal)
{
    const World *world = session_world(emulator->session);
    while (!is_met(emulator, goal)) {
        int64_t next_ns = next_look_ns(world, goal);
        if (next_ns > to_ns)
            return emulator_advance(emulator, to_ns) ? RAN_TO_END : RAN_INTO_JOB;
        if (world_events(world) >= events_most)
            return RAN_TOO_LONG;
        if (!emulator_advance(emulator, next_ns))
            return RAN_INTO_JOB;
    }
    return RAN_TO_GOAL;
}

static int64_t later(int64_t at_ns, int64_t by_ns)
{
    return by_ns > LAST_INSTANT_NS - at_ns ? LAST_INSTANT_NS : at_ns + by_ns;
}

static bool too_long(const Emulator *emulator, Status *status)
{
    status_fail(status, STATUS_CONFLICT, place_in("clock", 0, 0),
                "after %" PRId64 " events time is not yet there", emulator->events_most);
    return status_hint(status, "ask again: it goes on from where it is now");
}

/* Jobs that run for real last as long in the world as on the machine (emu/jobs/runs.h). */
static bool is_held(Status *status)
{
    status_fail(status, STATUS_CONFLICT, place_in("clock", 0, 0),
                "a job is running for real, and time goes no faster than it does");
    return status_hint(status, "ask again: it goes on from where it is now");
}

/* Whether it got where it was to go. */
static bool has_arrived(const Emulator *emulator, RunEnd end, Status *status)
{
    if (end == RAN_INTO_JOB)
        return is_held(status);
    return end != RAN_TOO_LONG || too_long(emulator, status);
}

static bool advance(Emulator *emulator, int64_t to_ns, Status *status)
{
    Goal none = {0};
    RunEnd end = run(emulator, to_ns, last_event(emulator), &none);
    return control_jump(emulator, session_now_ns(emulator->session), status) &&
           has_arrived(emulator, end, status);
}

/* The time behind the moment that came at `came_ns`; what is asked for is an instant from here on.
 */
static RunEnd run_delay(Emulator *emulator, int64_t came_ns, int64_t to_ns, int64_t events_most,
                        Goal *goal)
{
    Goal none = {0};
    goal->at_ns = later(came_ns, goal->moment.trigger.delay_ns);
    if (goal->at_ns <= session_now_ns(emulator->session))
        return RAN_TO_GOAL;
    const bool is_in_time = goal->at_ns <= to_ns;
    const RunEnd end = run(emulator, is_in_time ? goal->at_ns : to_ns, events_most, &none);
    return end == RAN_TO_END && is_in_time ? RAN_TO_GOAL : end;
}

static bool out_of_time(const Emulator *emulator, Status *status)
{
    status_fail(status, STATUS_CONFLICT, place_in("until", 0, 0), "it did not come in time");
    return status_hint(status, world_next_event_ns(session_world(emulator->session)) == INT64_MAX
                                   ? "nothing more happens by itself"
                                   : "a longer \"within\" waits on");
}

/* Where nobody remembers when the moment came, the same request would count anew. */
static bool name_the_rest(const Emulator *emulator, const Goal *goal, Status *status)
{
    char instant[CIVIL_TEXT];
    const int64_t start_ms = session_scenario(emulator->session)->start_unix_ms;
    iso_time_print(start_ms + goal->at_ns / NS_PER_MS + (goal->at_ns % NS_PER_MS > 0), instant);
    return status_hint(status, "the moment has come: \"until\": \"%s\" waits for the rest",
                       instant);
}

/* The moment or condition has come, or time is up. */
static bool run_to(Emulator *emulator, Goal *goal, int64_t within_ns, Status *status)
{
    const World *world = session_world(emulator->session);
    const int64_t to_ns = later(session_now_ns(emulator->session), within_ns);
    const int64_t events_most = last_event(emulator);
    int64_t came_ns = INT64_MAX;
    if (!find_subject(world, goal, status))
        return false;
    RunEnd end = RAN_TO_GOAL;
    if (!goal->has_moment || !has_come(world, goal, &came_ns)) {
        events_watch(emulator->events, goal->has_moment ? &goal->moment : NULL);
        end = run(emulator, to_ns, events_most, goal);
        events_watch(emulator->events, NULL);
    }
    if (came_ns == INT64_MAX)
        came_ns = session_now_ns(emulator->session);
    if (end == RAN_TO_GOAL && goal->has_moment && goal->moment.trigger.delay_ns > 0)
        end = run_delay(emulator, came_ns, to_ns, events_most, goal);
    if (!control_jump(emulator, session_now_ns(emulator->session), status))
        return false;
    if (has_arrived(emulator, end, status) && (end != RAN_TO_END || out_of_time(emulator, status)))
        return true;
    return goal->at_ns != INT64_MAX && name_the_rest(emulator, goal, status);
}

static bool step(Emulator *emulator, int64_t count, Status *status)
{
    const World *world = session_world(emulator->session);
    const int64_t events_most = last_event(emulator);
    RunEnd end = RAN_TO_END;
    for (int64_t i = 0; i < count && end == RAN_TO_END && world_next_event_ns(world) != INT64_MAX;
         i++)
        if (world_events(world) >= events_most)
            end = RAN_TOO_LONG;
        else if (!emulator_advance(emulator, world_next_event_ns(world)))
            end = RAN_INTO_JOB;
    return control_jump(emulator, session_now_ns(emulator->session), status) &&
           has_arrived(emulator, end, status);
}

static bool change_rate(Emulator *emulator, const char *text, Status *status)
{
    Clock to;
    if (!clock_parse(text, &to, status))
        return false;
    clock_change(&emulator->clock, emulator->machine_ns, &to);
    return true;
}

/* Each action needs its own member. */
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

static bool clock_does(Emulator *emulator, Arena *arena, const ClockText *text, Status *status)
{
    int64_t now_ns = session_now_ns(emulator->session);
    Goal goal;
    if (!has_needed(text, status))
        return false;
    switch ((ClockAction)text->action.value) {
    case DO_PAUSE:
        clock_pause(&emulator->clock, emulator->machine_ns);
        return true;
    case DO_RESUME:
        clock_resume(&emulator->clock, emulator->machine_ns);
        return true;
    case DO_RATE:
        return change_rate(emulator, text->rate.value, status);
    case DO_STEP:
        return step(emulator, text->count.value, status);
    case DO_ADVANCE:
        return advance(emulator, later(now_ns, text->by.value), status);
    case DO_RUN_UNTIL:
        if (!read_goal(emulator, arena, text->until.value, &goal, status))
            return false;
        if (goal.at_ns == INT64_MAX)
            return run_to(emulator, &goal, text->within.value, status);
        if (goal.at_ns < now_ns)
            return status_fail(status, STATUS_CONFLICT, place_in("until", 0, 0),
                               "%s is in the past", text->until.value);
        return advance(emulator, goal.at_ns, status);
    }
    invariant_broken("an action of the clock", __FILE__, __LINE__);
}

static void clock_tell(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                       HttpResponse *response)
{
    (void)match;
    const Json *body = read_body(request, response);
    if (body == NULL)
        return;
    Problems problems = problems_create(request->arena);
    Status status = {0};
    const ClockText *text = bind_object(request->arena, body, &clock_type, &problems);
    if (problems.count > 0) {
        refuse(request, response, &problems.items[0]);
        return;
    }
    const bool is_done = clock_does(emulator, request->arena, text, &status);
    emulator->clock_told_ns = session_now_ns(emulator->session);
    if (is_done)
        answer_clock(emulator, request, response);
    else
        refuse(request, response, &status);
}

/* --- Faults --- */

static void add_kind(Arena *arena, Json *list, const char *name, const char *what)
{
    Json *kind = json_add(list, json_object(arena));
    json_put_text(arena, kind, "do", name);
    json_put_text(arena, kind, "what", what);
}

static void answer_faults(const Emulator *emulator, const HttpRequest *request,
                          HttpResponse *response)
{
    Arena *arena = request->arena;
    Json *body = json_object(arena);
    json_set(arena, body, "rules", api_faults_list(emulator->api_faults, arena));
    Json *kinds = json_put_array(arena, body, "kinds");
#define X(name, text, what) add_kind(arena, kinds, text, what);
    FAULT_KINDS(X)
    API_FAULT_KINDS(X)
#undef X
    answer(request, response, 200, body);
}

static void faults_show(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                        HttpResponse *response)
{
    (void)match;
    answer_faults(emulator, request, response);
}

static void faults_add(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                       HttpResponse *response)
{
    (void)match;
    const Json *body = read_body(request, response);
    if (body == NULL)
        return;
    Problems problems = problems_create(request->arena);
    bool is_added = false;
    if (api_fault_is(body))
        is_added = api_faults_add(emulator->api_faults, body, &problems) > 0;
    else if (command_is_fault(body))
        is_added = session_command(emulator->session, body, NULL, &problems);
    else
        status_hint(problems_add(&problems, STATUS_BAD_INPUT, json_at(body), "this is no fault"),
                    "\"do\" says which: GET /trainyard/faults lists all there are");
    if (!is_added)
        refuse(request, response, &problems.items[0]);
    else
        answer_faults(emulator, request, response);
}

static void faults_clear(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                         HttpResponse *response)
{
    (void)match;
    api_faults_clear(emulator->api_faults);
    answer_faults(emulator, request, response);
}

static void faults_remove(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                          HttpResponse *response)
{
    char *end;
    int64_t number = strtoll(match->parts[0], &end, 10);
    Status status = {0};
    if (*end == '\0' && api_faults_remove(emulator->api_faults, number)) {
        answer_faults(emulator, request, response);
        return;
    }
    status_fail(&status, STATUS_NOT_FOUND, place_in("fault", 0, 0), "there is no rule %s",
                match->parts[0]);
    refuse(request, response, &status);
}

/* --- Events, and the session --- */

static void events_show(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                        HttpResponse *response)
{
    (void)match;
    // A browser that lost its connection says what it had last (WHATWG HTML, 9.2.4).
    const char *since = http_header(request, "Last-Event-ID");
    if (since == NULL)
        since = http_query(request, "since");
    events_answer(emulator->events,
                  since != NULL ? strtoull(since, NULL, 10) : events_last(emulator->events),
                  response);
}

static void session_show(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                         HttpResponse *response)
{
    (void)match;
    Text text = {0};
    Status status = {0};
    if (session_export(emulator->session, &text, &status)) {
        *response = http_response(200);
        http_body(response, "application/json; charset=utf-8",
                  arena_strndup(request->arena, text_string(&text), text.length), text.length);
        http_set(response, "Cache-Control", "no-store");
    } else {
        refuse(request, response, &status);
    }
    text_free(&text);
}

const Route control_routes[] = {
    {"Clock_Show", HTTP_GET, "/trainyard/clock", clock_show},
    {"Clock_Tell", HTTP_POST, "/trainyard/clock", clock_tell},
    {"Faults_List", HTTP_GET, "/trainyard/faults", faults_show},
    {"Faults_Add", HTTP_POST, "/trainyard/faults", faults_add},
    {"Faults_Clear", HTTP_DELETE, "/trainyard/faults", faults_clear},
    {"Faults_Remove", HTTP_DELETE, "/trainyard/faults/{}", faults_remove},
    {"Events_Watch", HTTP_GET, "/trainyard/events", events_show},
    {"Session_Export", HTTP_GET, "/trainyard/session", session_show},
    {0},
};
