#include "emu/batchai/batchai.h"

#include <string.h>

#include "emu/arm/id.h"
#include "emu/batchai/operations.h"
#include "sim/output/share/az_tables.h"

ResourcePath batchai_path(const ArmCall *call)
{
    const int32_t last = call->match.part_count - 1;
    return (ResourcePath){.group = call->match.parts[1],
                          .workspace = last > 2 ? call->match.parts[2] : NULL,
                          .experiment = last > 3 ? call->match.parts[3] : NULL,
                          .name = call->match.parts[last]};
}

/* --- Requests --- */

/* Members of "properties" that answers have and requests do not: those that the service's document
 * (Batch AI 2018-05-01, BatchAI.json) marks as readOnly, and two members that only answers about a
 * job have (experimentName, toolType). `parent` NULL: a member of "properties" itself. */
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

const Json *batchai_asked(const ArmCall *call, RecordKind kind, const Json **body)
{
    static JsonKeeps *const keeps[RECORD_KIND_COUNT] = {
        [RECORD_CLUSTER] = cluster_keeps,
        [RECORD_JOB] = job_keeps,
        [RECORD_FILE_SERVER] = file_server_keeps,
    };
    *body = arm_body(call);
    if (!*body)
        return NULL;
    const Json *properties = json_member(*body, "properties");
    if (properties && properties->kind == JSON_OBJECT)
        return json_copy(call->arena, properties, keeps[kind]);
    arm_error(call, AZURE_ARM_INVALID_CONTENT,
              properties ? "properties: expected an object" : "The body has no \"properties\".");
    return NULL;
}

const void *batchai_bind(const ArmCall *call, const Json *asked, const ObjectType *type,
                         const Json *body)
{
    Problems problems = problems_create(call->arena);
    const void *bound = bind_object(call->arena, asked, type, &problems);
    if (problems.count == 0)
        return bound;
    arm_refusal(call, body, &problems);
    return NULL;
}

const void *batchai_properties(const ArmCall *call, RecordKind kind, const ObjectType *type,
                               const Json **body)
{
    const bool is_named = arm_name_is_fine(call, batchai_path(call).name);
    const Json *asked = batchai_asked(call, kind, body);
    const void *bound = asked ? batchai_bind(call, asked, type, *body) : NULL;
    return is_named ? bound : NULL;
}

bool batchai_is_kept(const ArmCall *call, const Record *record)
{
    // The service's answer is not recorded.
    return !arm_is_being_deleted(call, record) ||
           arm_error(call, AZURE_BATCHAI_BEING_DELETED, arm_id(call, record->kind, record->path));
}

void batchai_delete(const ArmCall *call, RecordKind kind, CommandKind command, ResourcePath path)
{
    const Record *record = session_find(call->session, kind, path);
    call->response->status = 204;
    // A client that lost the answer sends the request again: it waits for the deletion in progress.
    if (record &&
        (arm_is_being_deleted(call, record) ||
         arm_do(call, NULL, session_command_about(call->arena, command, record->path), NULL)))
        operation_answer(call, OPERATION_DELETE, record);
}

bool batchai_is_same(const Json *a, const Json *b)
{
    if (!a || !b || a->kind != b->kind || a->count != b->count)
        return a == b;
    if (a->kind != JSON_OBJECT && a->kind != JSON_ARRAY)
        return json_is_same(a, b);
    const Json *other = b->first;
    for (const Json *child = a->first; child; child = child->next) {
        if (!batchai_is_same(child, child->key ? json_member(b, child->key) : other))
            return false;
        other = other->next;
    }
    return true;
}

void batchai_exists(const ArmCall *call, const Record *record, const ObjectType *type,
                    const Json *kept, ArmShow *show)
{
    // The service's answers other than 200 are not recorded.
    Arena *arena = call->arena;
    const Json *told = batchai_echo(arena, type, json_member(show(call, record), "properties"));
    if (!batchai_is_kept(call, record))
        return;
    if (!batchai_is_same(kept, record_kept(record)) && !batchai_is_same(kept, told))
        arm_error(call, AZURE_BATCHAI_EXISTS_OTHERWISE, arm_id(call, record->kind, record->path));
    else
        batchai_answer(call, record, show);
}

void batchai_answer(const ArmCall *call, const Record *record, ArmShow *show)
{
    const Json *body = show(call, record);
    const Json *state = json_find(body, "/properties/provisioningState");
    // A client that polls the resource itself instead of the operation would wait half a minute
    // between two polls without this header.
    if (state && strcmp(state->text, provisioning_state_name(PROVISIONING_CREATING)) == 0)
        http_set(call->response, "Retry-After", "1");
    arm_stamp(call, record);
    arm_answer(call, 200, body);
}

bool batchai_has_secrets(const ArmCall *call, const BoundList *secrets, const Json *body)
{
    Problems problems = problems_create(call->arena);
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
    arm_refusal(call, body, &problems);
    return false;
}

void batchai_put_secrets(Arena *arena, Json *list, const BoundList *secrets)
{
    int32_t i = 0;
    for (Json *item = list ? list->first : NULL; item && i < secrets->count; item = item->next) {
        const VariableText *secret = secrets->items[i++];
        if (secret->value.value)
            json_put_text(arena, item, "value", secret->value.value);
    }
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

/* Replaces the text `key` of `object`. The new value keeps the place of the old one for error
 * messages. */
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
            json_put_text(arena, share, modes[i], "0777");
}

/* A text that is not an id is unchanged: the check of the mounts reports it. */
static void fill_file_server(const ArmCall *call, Json *mount)
{
    Arena *arena = call->arena;
    Json *server = json_member(mount, "fileServer");
    const Json *id = json_member(server, "id");
    ResourcePath path;
    if (!id || !arm_id_read(call, id->text, RECORD_FILE_SERVER, &path))
        return;
    const Record *record = session_find(call->session, RECORD_FILE_SERVER, path);
    reword(arena, server, "id", arm_id(call, RECORD_FILE_SERVER, record ? record->path : path));
}

void batchai_fill_mounts(const ArmCall *call, Json *mounts)
{
    Arena *arena = call->arena;
    const Json *shares = json_member(mounts, "azureFileShares");
    const Json *servers = json_member(mounts, "fileServers");
    for (Json *share = shares ? shares->first : NULL; share; share = share->next)
        fill_modes(arena, share);
    for (Json *mount = servers ? servers->first : NULL; mount; mount = mount->next)
        fill_file_server(call, mount);
}

void batchai_fill_vm_size(const ArmCall *call, Json *properties)
{
    Arena *arena = call->arena;
    const Json *asked = json_member(properties, "vmSize");
    const VmSize *size = asked ? session_vm_size(call->session, asked->text) : NULL;
    if (size)
        reword(arena, properties, "vmSize", vm_size_in_capitals(arena, size->name));
}

void batchai_answer_logins(const ArmCall *call, const NodeId *nodes, int32_t count)
{
    // No process listens there. An invented public address could belong to a real host.
    enum { FIRST_PORT = 50000 };
    Arena *arena = call->arena;
    Json *body = json_object(arena);
    Json *list = json_put_array(arena, body, "value");
    for (int32_t i = 0; i < count; i++) {
        if (nodes[i].index == ID_NONE)
            continue;
        const Node *node = world_node(session_world(call->session), nodes[i]);
        Json *login = json_add(list, json_object(arena));
        json_put_text(arena, login, "nodeId", node->name);
        json_put_text(arena, login, "ipAddress", "127.0.0.1");
        json_put_integer(arena, login, "port", FIRST_PORT + node->place);
    }
    arm_answer(call, 200, body);
}

const char *batchai_guid(const ArmCall *call, const char *purpose, const Record *record)
{
    Arena *arena = call->arena;
    char *guid = arena_alloc(arena, GUID_TEXT);
    session_guid(call->session, purpose, record->row, guid);
    return guid;
}
