/* What the handlers of Batch AI's resources share. */
#include "emu/batchai/batchai.h"

#include <string.h>

#include "emu/batchai/operations.h"
#include "sim/output/share/az_tables.h"

ResourcePath batchai_path(const RouteMatch *match)
{
    const int32_t last = match->part_count - 1;
    return (ResourcePath){.group = match->parts[1],
                          .workspace = last > 2 ? match->parts[2] : NULL,
                          .experiment = last > 3 ? match->parts[3] : NULL,
                          .name = match->parts[last]};
}

/* --- Requests --- */

/* What answers have below "properties" and requests have not: the members that the service's
 * document (Batch AI 2018-05-01, BatchAI.json) marks as readOnly, and two of a job's that only its
 * answers know (experimentName, toolType). `parent` NULL: "properties" itself. */
static const struct {
    RecordKind kind;
    const char *parent, *key;
} only_told[] = {
    {RECORD_CLUSTER, NULL, "creationTime"},
    {RECORD_CLUSTER, NULL, "provisioningState"},
    {RECORD_CLUSTER, NULL, "provisioningStateTransitionTime"},
    {RECORD_CLUSTER, NULL, "allocationState"},
    {RECORD_CLUSTER, NULL, "allocationStateTransitionTime"},
    {RECORD_CLUSTER, NULL, "errors"},
    {RECORD_CLUSTER, NULL, "currentNodeCount"},
    {RECORD_CLUSTER, NULL, "nodeStateCounts"},
    {RECORD_CLUSTER, "setupTask", "stdOutErrPathSuffix"},
    {RECORD_JOB, NULL, "experimentName"},
    {RECORD_JOB, NULL, "jobOutputDirectoryPathSegment"},
    {RECORD_JOB, NULL, "toolType"},
    {RECORD_JOB, NULL, "creationTime"},
    {RECORD_JOB, NULL, "provisioningState"},
    {RECORD_JOB, NULL, "provisioningStateTransitionTime"},
    {RECORD_JOB, NULL, "executionState"},
    {RECORD_JOB, NULL, "executionStateTransitionTime"},
    {RECORD_JOB, NULL, "executionInfo"},
    {RECORD_FILE_SERVER, NULL, "mountSettings"},
    {RECORD_FILE_SERVER, NULL, "creationTime"},
    {RECORD_FILE_SERVER, NULL, "provisioningState"},
    {RECORD_FILE_SERVER, NULL, "provisioningStateTransitionTime"},
};

static bool is_only_told(RecordKind kind, const char *parent, const char *key)
{
    for (size_t i = 0; i < sizeof only_told / sizeof *only_told; i++) {
        const char *of = only_told[i].parent;
        if (only_told[i].kind == kind && strcmp(only_told[i].key, key) == 0 &&
            (of && parent ? strcmp(of, parent) == 0 : of == parent))
            return true;
    }
    return false;
}

static bool cluster_keeps(const char *parent, const char *key)
{
    return !is_only_told(RECORD_CLUSTER, parent, key);
}

static bool job_keeps(const char *parent, const char *key)
{
    return !is_only_told(RECORD_JOB, parent, key);
}

static bool file_server_keeps(const char *parent, const char *key)
{
    return !is_only_told(RECORD_FILE_SERVER, parent, key);
}

const Json *batchai_asked(const HttpRequest *request, RecordKind kind, const Json **body,
                          HttpResponse *response)
{
    static JsonKeeps *const keeps[RECORD_KIND_COUNT] = {
        [RECORD_CLUSTER] = cluster_keeps,
        [RECORD_JOB] = job_keeps,
        [RECORD_FILE_SERVER] = file_server_keeps,
    };
    *body = arm_body(request, response);
    if (!*body)
        return NULL;
    const Json *properties = json_member(*body, "properties");
    if (properties && properties->kind == JSON_OBJECT)
        return json_copy(request->arena, properties, keeps[kind]);
    arm_error(request, response, 400, "InvalidRequestContent", "%s",
              properties ? "properties: expected an object" : "The body has no \"properties\".");
    return NULL;
}

const void *batchai_bind(const HttpRequest *request, const Json *asked, const ObjectType *type,
                         const Json *body, HttpResponse *response)
{
    Problems problems = problems_create(request->arena);
    const void *bound = bind_object(request->arena, asked, type, &problems);
    if (problems.count == 0)
        return bound;
    arm_refusal(request, response, body, &problems);
    return NULL;
}

const void *batchai_properties(const HttpRequest *request, RecordKind kind, const ObjectType *type,
                               const Json **body, HttpResponse *response)
{
    const Json *asked = batchai_asked(request, kind, body, response);
    return asked ? batchai_bind(request, asked, type, *body, response) : NULL;
}

Json *batchai_command(Arena *arena, CommandKind kind, ResourcePath path)
{
    Json *command = json_object(arena);
    arm_put_text(arena, command, "do", command_name(kind));
    arm_put_text(arena, command, "name", path.name);
    arm_put_text(arena, command, "resource_group", path.group);
    arm_put_text(arena, command, "workspace", path.workspace);
    arm_put_text(arena, command, "experiment", path.experiment);
    return command;
}

bool batchai_do(Emulator *emulator, const HttpRequest *request, const Json *body,
                const Json *command, const Json *kept, HttpResponse *response)
{
    Problems problems = problems_create(request->arena);
    if (session_command(emulator->session, command, kept, &problems))
        return true;
    arm_refusal(request, response, body, &problems);
    return false;
}

bool batchai_is_kept(const Emulator *emulator, const HttpRequest *request, const Record *record,
                     HttpResponse *response)
{
    // The service's answer is not recorded.
    if (!arm_is_being_deleted(emulator, record))
        return true;
    arm_error(request, response, 409, "Conflict", "'%s' is being deleted.",
              arm_id(emulator, request->arena, record->kind, record->path));
    return false;
}

void batchai_delete(Emulator *emulator, const HttpRequest *request, RecordKind kind,
                    CommandKind command, ResourcePath path, HttpResponse *response)
{
    const Record *record = session_find(emulator->session, kind, path);
    response->status = 204;
    // A client whose answer was lost asks again: it waits for the deletion that is under way.
    if (record &&
        (arm_is_being_deleted(emulator, record) ||
         batchai_do(emulator, request, NULL, batchai_command(request->arena, command, record->path),
                    NULL, response)))
        operation_answer(emulator, request, OPERATION_DELETE, record, response);
}

static const char *printed(Arena *arena, const Json *value)
{
    Text text = {0};
    json_print(&text, value, JSON_COMPACT);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

bool batchai_is_same(Arena *arena, const Json *a, const Json *b)
{
    if (!a || !b || a->kind != b->kind || a->count != b->count)
        return a == b;
    if (a->kind != JSON_OBJECT && a->kind != JSON_ARRAY)
        return strcmp(printed(arena, a), printed(arena, b)) == 0;
    const Json *other = b->first;
    for (const Json *child = a->first; child; child = child->next) {
        if (!batchai_is_same(arena, child, child->key ? json_member(b, child->key) : other))
            return false;
        other = other->next;
    }
    return true;
}

void batchai_exists(Emulator *emulator, const HttpRequest *request, const Record *record,
                    const ObjectType *type, const Json *kept, ArmShow *show, HttpResponse *response)
{
    // The service's answers where it could not say 200 are not recorded.
    Arena *arena = request->arena;
    const Json *told =
        batchai_echo(arena, type, json_member(show(emulator, request, record), "properties"));
    if (!batchai_is_kept(emulator, request, record, response))
        return;
    if (!batchai_is_same(arena, kept, record->kept) && !batchai_is_same(arena, kept, told))
        arm_error(request, response, 409, "Conflict",
                  "'%s' exists already and was asked for in another way: delete it first.",
                  arm_id(emulator, arena, record->kind, record->path));
    else
        batchai_answer(emulator, request, record, show, response);
}

void batchai_answer(Emulator *emulator, const HttpRequest *request, const Record *record,
                    ArmShow *show, HttpResponse *response)
{
    const Json *body = show(emulator, request, record);
    const Json *state = json_find(body, "/properties/provisioningState");
    // A client that gets the result of a PUT so, and not by an operation, gets it again until it is
    // made: without this after half a minute each time.
    if (state && strcmp(state->text, provisioning_state_name(PROVISIONING_CREATING)) == 0)
        http_set(response, "Retry-After", "1");
    arm_stamp(emulator, request, response, record);
    arm_answer(request, response, 200, body);
}

bool batchai_has_secrets(const HttpRequest *request, const BoundList *secrets, const Json *body,
                         HttpResponse *response)
{
    Problems problems = problems_create(request->arena);
    for (int32_t i = 0; i < secrets->count; i++) {
        const VariableText *secret = secrets->items[i];
        const bool has_value = secret->value.node, has_reference = secret->value_reference;
        if (has_value == has_reference)
            problems_add(&problems, STATUS_BAD_INPUT, json_at(secret->node),
                         "%s of \"value\" and \"valueSecretReference\", expected one",
                         has_value ? "both" : "neither");
    }
    if (problems.count == 0)
        return true;
    arm_refusal(request, response, body, &problems);
    return false;
}

/* --- Bodies --- */

static Json *echo_list(Arena *arena, const ObjectType *type, const Json *list)
{
    Json *copy = json_copy_empty(arena, list);
    for (const Json *item = list->first; item; item = item->next)
        json_add(copy, batchai_echo(arena, type, item));
    return copy;
}

static Json *echo_value(Arena *arena, const Field *field, const Json *value)
{
    switch (bound_as(field->kind)) {
    case BOUND_OBJECT:
        return batchai_echo(arena, field->type, value);
    case BOUND_LIST:
        return echo_list(arena, field->type, value);
    case BOUND_TEXT:
    case BOUND_INTEGER:
    case BOUND_NODE:
        break;
    }
    return json_copy(arena, value, NULL);
}

Json *batchai_echo(Arena *arena, const ObjectType *type, const Json *node)
{
    Json *copy = json_copy_empty(arena, node);
    for (const Field *field = type->fields; field->name; field++) {
        const Json *value = json_member(node, field->name);
        const bool is_said = value && value->kind != JSON_NULL;
        if (field->is_secret || field->name[0] == '$')
            continue;
        if (is_said)
            json_set(arena, copy, field->name, echo_value(arena, field, value))->key_at =
                value->key_at;
        else if (field->fallback)
            json_set(arena, copy, field->name, field_fallback(arena, field));
    }
    return copy;
}

/* The text `key` of `object`, told in other words from now on. It stands where it stood. */
static void reword(Arena *arena, Json *object, const char *key, const char *text)
{
    const Json *old = json_member(object, key);
    const Place at = json_at(old), key_at = old->key_at;
    Json *new = json_set(arena, object, key, json_string(arena, text));
    new->at = at;
    new->key_at = key_at;
}

static void fill_modes(Arena *arena, Json *share)
{
    static const char *const modes[] = {"fileMode", "directoryMode"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (!json_member(share, modes[i]))
            arm_put_text(arena, share, modes[i], "0777");
}

/* One that is no id is left to whoever refuses it. */
static void fill_file_server(const Emulator *emulator, Arena *arena, Json *mount)
{
    Json *server = json_member(mount, "fileServer");
    const Json *id = json_member(server, "id");
    ResourcePath path;
    if (!id || !arm_id_read(emulator, arena, id->text, RECORD_FILE_SERVER, &path))
        return;
    const Record *record = session_find(emulator->session, RECORD_FILE_SERVER, path);
    reword(arena, server, "id",
           arm_id(emulator, arena, RECORD_FILE_SERVER, record ? record->path : path));
}

void batchai_fill_mounts(const Emulator *emulator, Arena *arena, Json *mounts)
{
    const Json *shares = json_member(mounts, "azureFileShares");
    const Json *servers = json_member(mounts, "fileServers");
    for (Json *share = shares ? shares->first : NULL; share; share = share->next)
        fill_modes(arena, share);
    for (Json *mount = servers ? servers->first : NULL; mount; mount = mount->next)
        fill_file_server(emulator, arena, mount);
}

void batchai_fill_vm_size(const Emulator *emulator, Arena *arena, Json *properties)
{
    const VmSize *size =
        session_vm_size(emulator->session, json_member(properties, "vmSize")->text);
    if (size)
        reword(arena, properties, "vmSize", vm_size_in_capitals(arena, size->name));
}

void batchai_answer_logins(const Emulator *emulator, const HttpRequest *request,
                           const NodeId *nodes, int32_t count, HttpResponse *response)
{
    // Nobody listens there; a made-up public address might be somebody's.
    enum { FIRST_PORT = 50000 };
    Arena *arena = request->arena;
    Json *body = json_object(arena);
    Json *list = json_put_array(arena, body, "value");
    for (int32_t i = 0; i < count; i++) {
        if (nodes[i].index == ID_NONE)
            continue;
        const Node *node = world_node(session_world(emulator->session), nodes[i]);
        Json *login = json_add(list, json_object(arena));
        arm_put_text(arena, login, "nodeId", node->name);
        arm_put_text(arena, login, "ipAddress", "127.0.0.1");
        arm_put_number(arena, login, "port", FIRST_PORT + node->place);
    }
    arm_answer(request, response, 200, body);
}

const char *batchai_guid(const Emulator *emulator, Arena *arena, const char *purpose,
                         const Record *record)
{
    char *guid = arena_alloc(arena, GUID_TEXT);
    session_guid(emulator->session, purpose, record->row, guid);
    return guid;
}
