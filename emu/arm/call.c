#include "emu/arm/call.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistr.h>

#include "sim/base/invariant.h"
#include "sim/scenario/command/check.h"

/* --- Answers --- */

void arm_answer(const ArmCall *call, int32_t status, const Json *value)
{
    call->response->status = status;
    if (call->request->method == HTTP_HEAD)
        return;
    Text text = {0};
    json_print(&text, value, JSON_COMPACT);
    http_body(call->response, "application/json; charset=utf-8",
              arena_strndup(call->arena, text.data, text.length), text.length);
    text_free(&text);
}

/* JSON is UTF-8, but a message may repeat bytes of the request that are not. */
static void make_utf8(char *message)
{
    if (!u8_check((const uint8_t *)message, strlen(message)))
        return; // it is valid
    for (; *message != '\0'; message++)
        if ((unsigned char)*message >= 0x80)
            *message = '?';
}

static Json *error_json(Arena *arena, const char *code, const char *message)
{
    Json *error = json_object(arena);
    json_put_text(arena, error, "code", code);
    json_put_text(arena, error, "message", message);
    return error;
}

/* The first error, and all of them if there are several. */
static void answer_errors(const ArmCall *call)
{
    Arena *arena = call->arena;
    const Json *first = call->errors->list->first;
    const int32_t more = call->errors->count - 1;
    const char *message = json_member(first, "message")->text;
    if (more > 0)
        message = arena_printf(arena, "%s (%" PRId32 " more problem%s in the details)", message,
                               more, plural(more));
    Json *body = json_object(arena);
    Json *error = error_json(arena, json_member(first, "code")->text, message);
    if (more > 0)
        json_set(arena, error, "details", call->errors->list);
    json_set(arena, body, "error", error);
    arm_answer(call, call->errors->status, body);
}

void arm_error_with(const ArmCall *call, int32_t status, const char *code, const char *message)
{
    ArmErrors *errors = call->errors;
    char *own = arena_strdup(call->arena, message);
    make_utf8(own);
    if (errors->list == NULL) {
        errors->status = status;
        errors->list = json_array(call->arena);
    }
    errors->count++;
    json_add(errors->list, error_json(call->arena, code, own));
    answer_errors(call);
}

bool arm_error(const ArmCall *call, AzureError error, ...)
{
    va_list values;
    va_start(values, error);
    const char *message = azure_error_message(call->arena, error, values);
    va_end(values);
    arm_error_with(call, azure_error(error)->status, azure_error(error)->code, message);
    return false;
}

#define BODY_SOURCE "request body"

static bool is_at(Place a, Place b)
{
    return a.line == b.line && a.column == b.column;
}

/* Appends to `path` the keys and indexes that lead from `node` to the value at `at`. False if there
 * is no such value. */
static bool find_path(const Json *node, Place at, Text *path)
{
    int32_t index = 0;
    for (const Json *child = node->first; child; child = child->next, index++) {
        const size_t before = path->length;
        if (child->key)
            text_printf(path, "%s%s", before ? "." : "", child->key);
        else
            text_printf(path, "[%" PRId32 "]", index);
        if (is_at(child->at, at) || (child->key && is_at(child->key_at, at)) ||
            find_path(child, at, path))
            return true;
        path->length = before;
        path->data[before] = '\0';
    }
    return false;
}

static const char *path_in(Arena *arena, const Json *body, Place at)
{
    if (!body || at.line == 0 || !at.source || strcmp(at.source, BODY_SOURCE) != 0)
        return "";
    Text path = {0};
    const char *found = "";
    if (find_path(body, at, &path))
        found = arena_printf(arena, "%s: ", text_string(&path));
    text_free(&path);
    return found;
}

void arm_refusal(const ArmCall *call, const Json *body, const Problems *problems)
{
    static const AzureError errors[] = {
        [STATUS_OK] = AZURE_ARM_FAILED,           [STATUS_BAD_INPUT] = AZURE_ARM_BAD_INPUT,
        [STATUS_NOT_FOUND] = AZURE_ARM_NOT_FOUND, [STATUS_CONFLICT] = AZURE_ARM_CONFLICT,
        [STATUS_QUOTA] = AZURE_ARM_QUOTA,         [STATUS_MACHINE] = AZURE_ARM_NO_SPACE,
    };
    invariant(problems->count > 0);
    Arena *arena = call->arena;
    call->errors->count += problems->count - problems->kept;
    for (int32_t i = 0; i < problems->kept; i++) {
        const Status *problem = &problems->items[i];
        arm_error(call, errors[problem->code],
                  arena_printf(arena, "%s%s%s%s", path_in(arena, body, problem->at),
                               problem->message, *problem->hint ? "; " : "", problem->hint));
    }
}

void arm_not_found(const ArmCall *call, RecordKind kind, ResourcePath path)
{
    static const AzureError errors[RECORD_KIND_COUNT] = {
        [RECORD_GROUP] = AZURE_ARM_NO_GROUP,
        [RECORD_STORAGE] = AZURE_ARM_NO_RESOURCE,
        [RECORD_WORKSPACE] = AZURE_BATCHAI_NO_WORKSPACE,
        [RECORD_EXPERIMENT] = AZURE_BATCHAI_NO_EXPERIMENT,
        [RECORD_CLUSTER] = AZURE_BATCHAI_NO_CLUSTER,
        [RECORD_JOB] = AZURE_BATCHAI_NO_JOB,
        [RECORD_FILE_SERVER] = AZURE_BATCHAI_NO_FILE_SERVER,
    };
    if (kind == RECORD_STORAGE)
        arm_error(call, errors[kind], record_type(kind), path.name, path.group);
    else
        arm_error(call, errors[kind], path.name);
}

void arm_stamp(const ArmCall *call, const Record *record)
{
    // 100 ns since the year 1, as .NET counts: 621,355,968,000,000,000 of them before 1970.
    const int64_t ticks_before_1970 = 621355968000000000;
    const World *world = session_world(call->session);
    const int64_t start_ticks = session_scenario(call->session)->start_unix_ms * 10000;
    const int64_t ticks = ticks_before_1970 + start_ticks + record->written_ns / 100;
    char *date = arena_alloc(call->arena, HTTP_DATE);
    http_date_print(world_unix_ms(world, record->written_ns), date);
    http_set(call->response, "ETag",
             arena_printf(call->arena, "\"0x%" PRIX64 "\"", (uint64_t)ticks));
    http_set(call->response, "Last-Modified", date);
}

/* --- Requests --- */

const Json *arm_body(const ArmCall *call)
{
    if (!http_has_body(call->request))
        return json_object(call->arena);
    Problems problems = problems_create(call->arena);
    const Json *body = json_parse(call->arena, BODY_SOURCE, call->request->body,
                                  call->request->body_bytes, JSON_STRICT, &problems);
    if (body && body->kind != JSON_OBJECT)
        problems_add(&problems, STATUS_BAD_INPUT, body->at, "the body is %s, expected an object",
                     json_kind_name(body->kind));
    if (problems.count == 0)
        return body;
    const Status *first = &problems.items[0];
    arm_error(call, AZURE_ARM_INVALID_JSON, arena_printf(call->arena, "%" PRId32, first->at.line),
              arena_printf(call->arena, "%" PRId32, first->at.column), first->message);
    return NULL;
}

/* Whether the resource `*name` exists; NULL needs none. Then `*name` is in the letters of its first
 * spelling. False after answering 404. `path` is the path of the resource. */
static bool has_parent(const ArmCall *call, RecordKind kind, ResourcePath path, const char **name)
{
    if (!*name)
        return true;
    path.name = *name;
    const Record *parent = session_find(call->session, kind, path);
    if (!parent)
        arm_not_found(call, kind, path);
    else
        *name = parent->path.name;
    return parent != NULL;
}

bool arm_has_parents(const ArmCall *call, ResourcePath *path)
{
    ResourcePath above = {0};
    if (!has_parent(call, RECORD_GROUP, above, &path->group))
        return false;
    above.group = path->group;
    if (!has_parent(call, RECORD_WORKSPACE, above, &path->workspace))
        return false;
    above.workspace = path->workspace;
    return has_parent(call, RECORD_EXPERIMENT, above, &path->experiment);
}

const Record *arm_find(const ArmCall *call, RecordKind kind, ResourcePath path)
{
    const Record *record = session_find(call->session, kind, path);
    if (!record && arm_has_parents(call, &path))
        arm_not_found(call, kind, path);
    return record;
}

bool arm_is_being_deleted(const ArmCall *call, const Record *record)
{
    return record_provisioning(session_world(call->session), record) == PROVISIONING_DELETING;
}

bool arm_keep(const ArmCall *call, Record *record, const Json *kept)
{
    Status status = {0};
    if (session_keep(call->session, record, kept, &status))
        return true;
    Problems problems = problems_create(call->arena);
    problems_add_status(&problems, &status);
    arm_refusal(call, NULL, &problems);
    return false;
}

bool arm_name_is_fine(const ArmCall *call, const char *name)
{
    return name_is_formed(name, COMMAND_NAME_MORE, COMMAND_NAME_MAX) ||
           arm_error(call, AZURE_ARM_INVALID_NAME, name,
                     arena_printf(call->arena, "%d", COMMAND_NAME_MAX));
}

bool arm_query_number(const ArmCall *call, const char *name, int64_t least, int64_t most,
                      int64_t fallback, int64_t *value)
{
    const char *text = http_query(call->request, name);
    *value = fallback;
    if (!text || (http_number(text, value) && *value >= least && *value <= most))
        return true;
    return arm_error(call, AZURE_ARM_INVALID_PARAMETER, name, text,
                     arena_printf(call->arena, "%" PRId64, least),
                     arena_printf(call->arena, "%" PRId64, most));
}

bool arm_tags(const ArmCall *call, const Json *body, const Json **tags)
{
    const Json *found = json_member(body, "tags");
    *tags = NULL;
    if (!found || found->kind == JSON_NULL)
        return true;
    bool are_texts = found->kind == JSON_OBJECT;
    for (const Json *tag = found->first; tag && are_texts; tag = tag->next)
        are_texts = tag->kind == JSON_STRING;
    if (!are_texts)
        arm_error(call, AZURE_ARM_INVALID_CONTENT, "tags: expected an object of strings");
    *tags = found;
    return are_texts;
}

bool arm_do(const ArmCall *call, const Json *body, const Json *command, const Json *kept)
{
    Problems problems = problems_create(call->arena);
    if (session_command(call->session, command, kept, &problems))
        return true;
    arm_refusal(call, body, &problems);
    return false;
}
