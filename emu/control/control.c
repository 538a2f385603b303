#include "emu/control/control.h"

#include <inttypes.h>
#include <string.h>

#include "emu/control/clock_api.h"
#include "emu/control/dashboard.h"
#include "emu/control/health.h"
#include "emu/http/gate.h"
#include "emu/session/export.h"
#include "emu/session/programs.h"
#include "sim/scenario/format/api_fault_types.h"
#include "sim/scenario/format/command_members.h"

/* --- Answers --- */

void control_answer(const ControlCall *call, int32_t status, const Json *value)
{
    Text text = {0};
    json_print(&text, value, JSON_INDENTED);
    *call->response = http_response(status);
    http_body(call->response, "application/json; charset=utf-8",
              arena_strndup(call->arena, text_string(&text), text.length), text.length);
    http_set(call->response, "Cache-Control", "no-store");
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

void control_refuse(const ControlCall *call, const Status *status)
{
    Arena *arena = call->arena;
    Json *body = json_object(arena);
    Json *error = json_put_object(arena, body, "error");
    json_put_text(arena, error, "code", code_name(status->code));
    json_put_text(arena, error, "message", status->message);
    if (status->hint[0] != '\0')
        json_put_text(arena, error, "hint", status->hint);
    control_answer(call, http_status(status->code), body);
}

const Json *control_body(const ControlCall *call, const char *example)
{
    Problems problems = problems_create(call->arena);
    const Json *body = NULL;
    if (http_has_body(call->request))
        body = json_parse(call->arena, "body", call->request->body, call->request->body_bytes,
                          JSON_STRICT, &problems);
    else
        status_hint(problems_add(&problems, STATUS_BAD_INPUT, place_in("body", 0, 0),
                                 "the request has no body; expected is a JSON object"),
                    "as in %s", example);
    if (body != NULL && body->kind != JSON_OBJECT)
        problems_add(&problems, STATUS_BAD_INPUT, json_at(body), "the body is not an object");
    if (problems.count == 0)
        return body;
    control_refuse(call, &problems.items[0]);
    return NULL;
}

/* --- Faults --- */

/* Adds the list `key` of the names in `words`, as CommandMembers has them, that are not in
 * `except`. */
static void add_words(Arena *arena, Json *kind, const char *key, const char *words,
                      const char *except)
{
    Json *list = json_put_array(arena, kind, key);
    for (const char *word = words + strspn(words, " "); *word != '\0';) {
        const int length = (int)strcspn(word, " ");
        if (strstr(except, arena_printf(arena, " %.*s ", length, word)) == NULL)
            json_add(list, json_string(arena, arena_printf(arena, "%.*s", length, word)));
        word += length + (int)strspn(word + length, " ");
    }
}

static Json *add_kind(Arena *arena, Json *list, const char *name, const char *what)
{
    Json *kind = json_add(list, json_object(arena));
    json_put_text(arena, kind, "do", name);
    json_put_text(arena, kind, "what", what);
    return kind;
}

static void add_fault(Arena *arena, Json *list, CommandKind fault, const char *what)
{
    Json *kind = add_kind(arena, list, command_name(fault), what);
    const CommandMembers *members = command_members(fault);
    const char *one_of = command_one_of(fault);
    add_words(arena, kind, "needs", members->needed, "");
    if (one_of[0] != '\0')
        add_words(arena, kind, "needs_one_of", one_of, "");
    add_words(arena, kind, "may_have", members->allowed,
              arena_printf(arena, "%s%s", members->needed, one_of));
}

static void add_api_fault(Arena *arena, Json *list, ApiFaultKind fault, const char *name,
                          const char *what)
{
    Json *kind = add_kind(arena, list, name, what);
    json_put_array(arena, kind, "needs");
    Json *members = json_put_array(arena, kind, "may_have");
    for (const Field *field = api_fault_type.fields; field->name != NULL; field++)
        if (strcmp(field->name, "do") != 0 && api_fault_takes(fault, field->name))
            json_add(members, json_string(arena, field->name));
}

/* The rules, which is the answer to all requests that change them. */
static Json *rules_body(const ControlCall *call)
{
    Json *body = json_object(call->arena);
    json_set(call->arena, body, "rules", api_faults_list(call->control->api_faults, call->arena));
    return body;
}

static void rules_show(const ControlCall *call)
{
    control_answer(call, 200, rules_body(call));
}

static void faults_show(const ControlCall *call)
{
    Arena *arena = call->arena;
    Json *body = rules_body(call);
    Json *kinds = json_put_array(arena, body, "kinds");
#define X(name, text, what) add_fault(arena, kinds, COMMAND_##name, what);
    FAULT_KINDS(X)
#undef X
#define X(name, text, what) add_api_fault(arena, kinds, API_FAULT_##name, text, what);
    API_FAULT_KINDS(X)
#undef X
    control_answer(call, 200, body);
}

static void refuse_fault(const Json *body, Problems *problems)
{
    static const char *const kinds[] = {
#define X(name, text, what) text,
        FAULT_KINDS(X) API_FAULT_KINDS(X)
#undef X
    };
    const Json *kind = json_member(body, "do");
    if (kind == NULL || kind->kind != JSON_STRING) {
        status_hint(problems_add(problems, STATUS_BAD_INPUT, json_at(body),
                                 "\"do\", which names the fault, is missing"),
                    "GET /trainyard/faults lists all kinds, with their members");
        return;
    }
    status_hint_names(problems_add(problems, STATUS_BAD_INPUT, json_at(kind),
                                   "\"%s\" is not a fault", kind->text),
                      kind->text, kinds, (int32_t)(sizeof kinds / sizeof *kinds));
}

static void faults_add(const ControlCall *call)
{
    const Json *body =
        control_body(call, "{\"do\": \"node.preempt\", \"job\": \"train\", \"node\": 1}");
    if (body == NULL)
        return;
    Problems problems = problems_create(call->arena);
    bool is_added = false;
    if (api_fault_is(body))
        is_added = api_faults_add(call->control->api_faults, body, &problems) > 0;
    else if (command_is_fault(body))
        is_added = session_command(call->control->session, body, NULL, &problems);
    else
        refuse_fault(body, &problems);
    if (!is_added)
        control_refuse(call, &problems.items[0]);
    else
        rules_show(call);
}

static void faults_clear(const ControlCall *call)
{
    api_faults_clear(call->control->api_faults);
    rules_show(call);
}

static void faults_remove(const ControlCall *call)
{
    int64_t number;
    Status status = {0};
    if (http_number(call->match.parts[0], &number) &&
        api_faults_remove(call->control->api_faults, number)) {
        rules_show(call);
        return;
    }
    status_fail(&status, STATUS_NOT_FOUND, place_in("fault", 0, 0), "there is no rule %s",
                call->match.parts[0]);
    control_refuse(call, &status);
}

/* --- Programs --- */

static void programs_show(const ControlCall *call)
{
    Json *body = json_object(call->arena);
    json_set(call->arena, body, "programs", programs_list(call->control->session, call->arena));
    control_answer(call, 200, body);
}

static void programs_add(const ControlCall *call)
{
    const Json *body =
        control_body(call, "{\"match\": \"*/train.py*\", \"script\": \"sleep 20m\"}");
    if (body == NULL)
        return;
    Problems problems = problems_create(call->arena);
    if (programs_set(call->control->session, call->arena, body, &problems))
        programs_show(call);
    else
        control_refuse(call, &problems.items[0]);
}

/* --- Events, and the session --- */

bool control_query_number(const ControlCall *call, const char *name, int64_t most, int64_t fallback,
                          int64_t *value)
{
    const char *text = http_query(call->request, name);
    *value = fallback;
    if (!text)
        return true;
    return (http_number(text, value) && *value <= most) ||
           gate_refuse(call->request, call->response, 400, "InvalidQueryParameterValue",
                       "The query's \"%s\" is \"%s\", expected a number from 0 to %" PRId64 ".",
                       name, text, most);
}

static bool read_follow(const ControlCall *call, bool *follows)
{
    const char *text = http_query(call->request, "follow");
    *follows = text == NULL || strcmp(text, "true") == 0;
    return *follows || strcmp(text, "false") == 0 ||
           gate_refuse(call->request, call->response, 400, "InvalidQueryParameterValue",
                       "The query's \"follow\" is \"%s\", expected true or false.", text);
}

static void events_show(const ControlCall *call)
{
    // A browser that lost its connection says what it had last (WHATWG HTML, 9.2.4).
    const char *known = http_header(call->request, "Last-Event-ID");
    const int64_t last = (int64_t)events_last(call->control->events);
    int64_t since = 0, seen;
    bool follows = true;
    if (control_query_number(call, "since", INT64_MAX, last, &since) && read_follow(call, &follows))
        events_answer(call->control->events,
                      (uint64_t)(known != NULL && http_number(known, &seen) ? seen : since),
                      follows, call->response);
}

typedef struct {
    Arena *arena; /* its own: it outlives the request's */
    SessionExport *export;
    Text part;
    size_t sent; /* of the part */
} SessionSource;

/* Other requests are answered between two parts, so a part is small. */
static int64_t session_read(void *owner, int64_t offset, char *room, size_t length)
{
    enum { ENTRIES_AT_ONCE = 100 }; // about 2 ms
    (void)offset;                   // it is read once, from front to back
    SessionSource *source = owner;
    if (source->sent == source->part.length) {
        Status status; // the client sees that the answer is cut off
        text_clear(&source->part);
        source->sent = 0;
        if (!session_export_continue(source->export, ENTRIES_AT_ONCE, &source->part, &status))
            return HTTP_SOURCE_FAILED;
        if (source->part.length == 0)
            return HTTP_SOURCE_ENDS;
    }
    const size_t left = source->part.length - source->sent;
    const size_t count = left < length ? left : length;
    memcpy(room, source->part.data + source->sent, count);
    source->sent += count;
    return (int64_t)count;
}

static void session_free(void *owner)
{
    SessionSource *source = owner;
    session_export_end(source->export);
    text_free(&source->part);
    arena_destroy(source->arena);
}

static void session_show(const ControlCall *call)
{
    Arena *arena = arena_create();
    SessionSource *source = ARENA_NEW(arena, SessionSource);
    source->arena = arena;
    source->export = session_export_begin(call->control->session);
    *call->response = http_response(200);
    http_set(call->response, "Content-Type", "application/json; charset=utf-8");
    http_set(call->response, "Cache-Control", "no-store");
    call->response->source =
        (HttpSource){.owner = source, .read = session_read, .free = session_free};
    call->response->source_bytes = HTTP_LENGTH_UNKNOWN;
}

static void copies_make(const ControlCall *call)
{
    Status status = {0};
    const Control *control = call->control;
    if (!control->copy(control->owner, call->match.parts[0], &status)) {
        control_refuse(call, &status);
        return;
    }
    Json *body = json_object(call->arena);
    json_put_text(call->arena, body, "copy", call->match.parts[0]);
    control_answer(call, 201, body);
}

const ControlRoute control_routes[] = {
    {{"Clock_Show", HTTP_GET, "/trainyard/clock"}, clock_show},
    {{"Clock_Tell", HTTP_POST, "/trainyard/clock"}, clock_tell},
    {{"Faults_List", HTTP_GET, "/trainyard/faults"}, faults_show},
    {{"Faults_Add", HTTP_POST, "/trainyard/faults"}, faults_add},
    {{"Faults_Clear", HTTP_DELETE, "/trainyard/faults"}, faults_clear},
    {{"Faults_Remove", HTTP_DELETE, "/trainyard/faults/{}"}, faults_remove},
    {{"Programs_List", HTTP_GET, "/trainyard/programs"}, programs_show},
    {{"Programs_Set", HTTP_POST, "/trainyard/programs"}, programs_add},
    {{"Events_Watch", HTTP_GET, "/trainyard/events"}, events_show},
    {{"Session_Export", HTTP_GET, "/trainyard/session"}, session_show},
    {{"Copies_Make", HTTP_PUT, "/trainyard/copies/{}"}, copies_make},
    {{0}, NULL},
};

/* --- Requests --- */

static bool is_served(ControlCall *call, const ControlRoute *table)
{
    bool is_known;
    const Route *route = route_find(ROUTE_TABLE(table), call->request, &call->match, &is_known);
    if (route) {
        ((const ControlRoute *)route)->handler(call);
        call->response->operation = route->operation;
    } else if (is_known) {
        const char *methods = route_methods(ROUTE_TABLE(table), call->request);
        gate_refuse(call->request, call->response, 405, "MethodNotAllowed",
                    "%s is not among the methods of this path: %s.", call->request->method_text,
                    methods);
        http_set(call->response, "Allow", methods);
    }
    return is_known;
}

void control_handle(Control *control, const HttpRequest *request, HttpResponse *response)
{
    ControlCall call = {
        .control = control, .request = request, .response = response, .arena = request->arena};
    if (!is_served(&call, control_routes) && !is_served(&call, dashboard_routes) &&
        !is_served(&call, health_routes))
        gate_refuse(request, response, 404, "NotFound",
                    "There are /trainyard/clock, faults, programs, events, session, copies, state "
                    "and files.");
}
