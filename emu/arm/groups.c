#include "emu/arm/groups.h"

#include <string.h>

#include "emu/arm/call.h"
#include "emu/arm/id.h"
#include "emu/arm/location.h"
#include "emu/arm/operation.h"
#include "emu/arm/resource.h"
#include "emu/arm/storage.h"
#include "sim/base/ascii.h"
#include "sim/scenario/command/check.h"

static ResourcePath group_path(const ArmCall *call)
{
    return (ResourcePath){.name = call->match.parts[1]};
}

static Json *show_group(const ArmCall *call, const Record *group)
{
    Arena *arena = call->arena;
    Json *body = arm_resource(call, group);
    json_put_text(arena, body, "location", arm_location_of(call, group));
    Json *tags = arm_kept(arena, record_kept(group), "tags");
    json_set(arena, body, "tags", tags ? tags : json_object(arena));
    Json *properties = json_put_object(arena, body, "properties");
    const bool is_leaving = arm_is_being_deleted(call, group);
    json_put_text(arena, properties, "provisioningState", is_leaving ? "Deleting" : "Succeeded");
    if (call->request->method == HTTP_GET && is_leaving)
        pace_polled(call->arm->pace);
    return body;
}

static void answer_group(const ArmCall *call, int32_t status, const Record *group)
{
    arm_answer(call, status, show_group(call, group));
}

/* --- One group --- */

static bool is_group_name(const char *name)
{
    return name_is_formed(name, GROUP_NAME_MORE, GROUP_NAME_MAX) && name[strlen(name) - 1] != '.';
}

static void make_group(const ArmCall *call, ResourcePath path, const Json *kept)
{
    if (arm_do(call, NULL, session_command_about(call->arena, COMMAND_GROUP_CREATE, path), kept))
        answer_group(call, 201, session_find(call->session, RECORD_GROUP, path));
}

void groups_create(const ArmCall *call)
{
    Arena *arena = call->arena;
    const ResourcePath path = group_path(call);
    const Json *tags, *body = arm_body(call);
    if (!body || !arm_tags(call, body, &tags))
        return;
    if (!is_group_name(path.name)) {
        arm_error(call, AZURE_ARM_INVALID_GROUP_NAME, path.name,
                  arena_printf(arena, "%d", GROUP_NAME_MAX), GROUP_NAME_MORE);
        return;
    }
    const char *place = arm_place(call, RECORD_GROUP, body, NULL);
    if (!place)
        return;
    Record *group = session_find(call->session, RECORD_GROUP, path);
    if (!group) {
        make_group(call, path, arm_place_and_tags(arena, place, tags));
        return;
    }
    const char *old = arm_kept_text(group, "location");
    if (old && strcmp(old, place) != 0) {
        arm_error(call, AZURE_ARM_OTHER_GROUP_LOCATION, place, old);
        return;
    }
    if (arm_keep(call, group, arm_place_and_tags(arena, place, tags)))
        answer_group(call, 200, group);
}

void groups_update(const ArmCall *call)
{
    const ResourcePath path = group_path(call);
    Record *group = session_find(call->session, RECORD_GROUP, path);
    const Json *tags, *body = arm_body(call);
    if (!body || !arm_tags(call, body, &tags))
        return;
    if (!group) {
        arm_not_found(call, RECORD_GROUP, path);
        return;
    }
    const char *location = arm_kept_text(group, "location");
    if (!tags || arm_keep(call, group, arm_place_and_tags(call->arena, location, tags)))
        answer_group(call, 200, group);
}

void groups_get(const ArmCall *call)
{
    const Record *group = arm_find(call, RECORD_GROUP, group_path(call));
    if (group)
        answer_group(call, 200, group);
}

void groups_exists(const ArmCall *call)
{
    const Record *group = session_find(call->session, RECORD_GROUP, group_path(call));
    if (group && arm_is_being_deleted(call, group))
        pace_polled(call->arm->pace);
    call->response->status = group ? 204 : 404;
}

static bool delete_group(const ArmCall *call, const Record *group)
{
    const ResourcePath path = {.name = group->path.name};
    storage_forget_files(call, (ResourcePath){.group = group->path.name});
    return arm_do(call, NULL, session_command_about(call->arena, COMMAND_GROUP_DELETE, path), NULL);
}

/* A second DELETE waits for the deletion that is in progress. */
void groups_delete(const ArmCall *call)
{
    Arena *arena = call->arena;
    const Record *group = arm_find(call, RECORD_GROUP, group_path(call));
    if (!group || (!arm_is_being_deleted(call, group) && !delete_group(call, group)))
        return;
    const char *id = operation_id(call, OPERATION_DELETE, group);
    http_set(call->response, "Location",
             arm_url(call, arena_printf(
                               arena, "/subscriptions/%s/operationresults/%s?api-version=%s",
                               session_subscription(call->session), id,
                               http_encode(arena, http_query(call->request, "api-version"), ""))));
    http_set(call->response, "Retry-After", "1");
    call->response->status = 202;
}

void groups_operation(const ArmCall *call)
{
    const Operation operation = operation_read(call, call->match.parts[1]);
    if (!operation.is_known) {
        arm_error(call, AZURE_ARM_NO_OPERATION, call->match.parts[1]);
        return;
    }
    call->response->status = operation.state == OPERATION_IN_PROGRESS ? 202 : 200;
    if (operation.state != OPERATION_IN_PROGRESS)
        return;
    pace_polled(call->arm->pace);
    http_set(call->response, "Location",
             arm_url(call, arena_printf(call->arena, "%s?%s", call->request->target,
                                        call->request->query_text)));
    http_set(call->response, "Retry-After", "1");
}

/* --- Filters: "name eq 'value' and name eq 'value'" --- */

typedef struct {
    const char *group, *type, *name, *location, *tag_name, *tag_value; /* NULL: any */
} Filter;

/* Returns the value after "WORD eq '", up to the next quote. NULL if `text` does not have that
 * form. */
static const char *read_term(Arena *arena, const char *text, const char *word, const char **end)
{
    const size_t length = strlen(word);
    if (!ascii_same_start(text, word, length) || !ascii_same_start(text + length, " eq '", 5))
        return NULL;
    const char *value = text + length + 5;
    const size_t value_length = strcspn(value, "'");
    if (value[value_length] == '\0')
        return NULL;
    *end = value + value_length + 1;
    return arena_strndup(arena, value, value_length);
}

static bool read_filter(const ArmCall *call, Filter *filter)
{
    *filter = (Filter){0};
    const struct {
        const char *word;
        const char **value;
    } terms[] = {
        {"resourceGroup", &filter->group}, {"resourceType", &filter->type},
        {"name", &filter->name},           {"location", &filter->location},
        {"tagName", &filter->tag_name},    {"tagValue", &filter->tag_value},
    };
    const char *text = http_query(call->request, "$filter");
    while (text && *text != '\0') {
        const char *end = NULL;
        for (size_t i = 0; i < sizeof terms / sizeof *terms && !end; i++) {
            const char *value = read_term(call->arena, text, terms[i].word, &end);
            if (value)
                *terms[i].value = value;
        }
        if (end && ascii_same_start(end, " and ", 5) && end[5] != '\0') {
            text = end + 5;
        } else if (end && *end == '\0') {
            text = end;
        } else {
            return arm_error(call, AZURE_ARM_INVALID_FILTER, http_query(call->request, "$filter"));
        }
    }
    return true;
}

static bool is_same_or_any(const char *wanted, const char *value)
{
    return !wanted || (value && ascii_same(wanted, value));
}

static bool fits(const void *said, const Record *record)
{
    const Filter *filter = said;
    const Json *tag = filter->tag_name
                          ? json_member(json_member(record_kept(record), "tags"), filter->tag_name)
                          : NULL;
    return is_same_or_any(filter->group, record->path.group) &&
           is_same_or_any(filter->type, record_type(record->kind)) &&
           is_same_or_any(filter->name, record->path.name) &&
           is_same_or_any(filter->location, arm_kept_text(record, "location")) &&
           (!filter->tag_name || tag) &&
           (!filter->tag_value || (tag && strcmp(filter->tag_value, tag->text) == 0));
}

/* --- Lists --- */

static void list_filtered(const ArmCall *call, ArmList list)
{
    Filter filter;
    if (!read_filter(call, &filter))
        return;
    list.fits = fits;
    list.filter = &filter;
    arm_list_of(call, &list);
}

void groups_list(const ArmCall *call)
{
    static const RecordKind kinds[] = {RECORD_GROUP};
    list_filtered(call, (ArmList){.kinds = kinds, .kind_count = 1, .show = show_group});
}

/* The properties that the Resource Manager itself stores for a resource. In Batch AI only
 * workspaces have a location. */
static Json *show_resource(const ArmCall *call, const Record *record)
{
    Arena *arena = call->arena;
    Json *body = arm_resource(call, record);
    json_put_text(arena, body, "location", arm_location_of(call, record));
    arm_put_kept(arena, body, record_kept(record), "tags");
    return body;
}

static void answer_resources(const ArmCall *call, ResourcePath scope)
{
    static const RecordKind kinds[] = {RECORD_WORKSPACE, RECORD_STORAGE};
    list_filtered(call, (ArmList){.kinds = kinds,
                                  .kind_count = sizeof kinds / sizeof *kinds,
                                  .scope = scope,
                                  .show = show_resource});
}

void resources_list(const ArmCall *call)
{
    answer_resources(call, (ResourcePath){0});
}

void resources_list_by_group(const ArmCall *call)
{
    if (arm_find(call, RECORD_GROUP, group_path(call)))
        answer_resources(call, (ResourcePath){.group = call->match.parts[1]});
}
