#include "emu/arm/groups.h"

#include <string.h>

#include "emu/arm/arm.h"
#include "emu/arm/storage.h"
#include "emu/batchai/operations.h"
#include "sim/base/ascii.h"
#include "sim/scenario/command/check.h"

static ResourcePath group_path(const RouteMatch *match)
{
    return (ResourcePath){.name = match->parts[1]};
}

static Json *show_group(Emulator *emulator, const HttpRequest *request, const Record *group)
{
    Arena *arena = request->arena;
    Json *body = arm_resource(emulator, arena, group);
    arm_put_text(arena, body, "location", arm_location_of(emulator, group));
    Json *tags = arm_kept(arena, group->kept, "tags");
    json_set(arena, body, "tags", tags ? tags : json_object(arena));
    Json *properties = json_put_object(arena, body, "properties");
    const bool is_leaving = arm_is_being_deleted(emulator, group);
    arm_put_text(arena, properties, "provisioningState", is_leaving ? "Deleting" : "Succeeded");
    if (request->method == HTTP_GET && is_leaving)
        emulator_polled(emulator);
    return body;
}

static void answer_group(Emulator *emulator, const HttpRequest *request, int32_t status,
                         const Record *group, HttpResponse *response)
{
    arm_answer(request, response, status, show_group(emulator, request, group));
}

/* --- One group --- */

static bool is_group_name(const char *name)
{
    return name_is_formed(name, GROUP_NAME_MORE, GROUP_NAME_MAX) && name[strlen(name) - 1] != '.';
}

static void make_group(Emulator *emulator, const HttpRequest *request, ResourcePath path,
                       const Json *kept, HttpResponse *response)
{
    Arena *arena = request->arena;
    Problems problems = problems_create(arena);
    Json *command = json_object(arena);
    arm_put_text(arena, command, "do", command_name(COMMAND_GROUP_CREATE));
    arm_put_text(arena, command, "name", path.name);
    if (!session_command(emulator->session, command, kept, &problems))
        arm_refusal(request, response, NULL, &problems);
    else
        answer_group(emulator, request, 201, session_find(emulator->session, RECORD_GROUP, path),
                     response);
}

void groups_create(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                   HttpResponse *response)
{
    Arena *arena = request->arena;
    const ResourcePath path = group_path(match);
    const Json *tags, *body = arm_body(request, response);
    if (!body || !arm_tags(request, response, body, &tags))
        return;
    if (!is_group_name(path.name)) {
        arm_error(
            request, response, 400, "InvalidResourceGroup",
            "The resource group name '%s' is invalid: 1 to %d letters, digits and " GROUP_NAME_MORE
            ", not ending in a period.",
            path.name, GROUP_NAME_MAX);
        return;
    }
    const char *place = arm_place(emulator, request, response, RECORD_GROUP, body, NULL);
    if (!place)
        return;
    Record *group = session_find(emulator->session, RECORD_GROUP, path);
    if (!group) {
        make_group(emulator, request, path, arm_place_and_tags(arena, place, tags), response);
        return;
    }
    const char *old = arm_kept_text(group, "location");
    if (old && strcmp(old, place) != 0) {
        arm_error(request, response, 409, "InvalidResourceGroupLocation",
                  "Invalid resource group location '%s'. The Resource group already exists in "
                  "location '%s'.",
                  place, old);
        return;
    }
    if (arm_keep(emulator, request, response, group, arm_place_and_tags(arena, place, tags)))
        answer_group(emulator, request, 200, group, response);
}

void groups_update(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                   HttpResponse *response)
{
    const ResourcePath path = group_path(match);
    Record *group = session_find(emulator->session, RECORD_GROUP, path);
    const Json *tags, *body = arm_body(request, response);
    if (!body || !arm_tags(request, response, body, &tags))
        return;
    if (!group) {
        arm_not_found(request, response, RECORD_GROUP, path);
        return;
    }
    const char *location = arm_kept_text(group, "location");
    if (!tags || arm_keep(emulator, request, response, group,
                          arm_place_and_tags(request->arena, location, tags)))
        answer_group(emulator, request, 200, group, response);
}

void groups_get(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                HttpResponse *response)
{
    const Record *group = arm_find(emulator, request, response, RECORD_GROUP, group_path(match));
    if (group)
        answer_group(emulator, request, 200, group, response);
}

void groups_exists(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                   HttpResponse *response)
{
    (void)request;
    const Record *group = session_find(emulator->session, RECORD_GROUP, group_path(match));
    if (group && arm_is_being_deleted(emulator, group))
        emulator_polled(emulator);
    response->status = group ? 204 : 404;
}

static bool delete_group(Emulator *emulator, const HttpRequest *request, const Record *group,
                         HttpResponse *response)
{
    Arena *arena = request->arena;
    storage_forget_files(emulator, (ResourcePath){.group = group->path.name});
    Problems problems = problems_create(arena);
    Json *command = json_object(arena);
    arm_put_text(arena, command, "do", command_name(COMMAND_GROUP_DELETE));
    arm_put_text(arena, command, "name", group->path.name);
    if (session_command(emulator->session, command, NULL, &problems))
        return true;
    arm_refusal(request, response, NULL, &problems);
    return false;
}

/* Who asks again waits for the deletion that is under way. */
void groups_delete(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                   HttpResponse *response)
{
    Arena *arena = request->arena;
    const Record *group = arm_find(emulator, request, response, RECORD_GROUP, group_path(match));
    if (!group || (!arm_is_being_deleted(emulator, group) &&
                   !delete_group(emulator, request, group, response)))
        return;
    const char *id = operation_id(emulator, arena, OPERATION_DELETE, group);
    http_set(response, "Location",
             arm_url(emulator, request,
                     arena_printf(arena, "/subscriptions/%s/operationresults/%s?api-version=%s",
                                  emulator->settings.subscription, id,
                                  http_encode(arena, http_query(request, "api-version"), ""))));
    http_set(response, "Retry-After", "1");
    response->status = 202;
}

void groups_operation(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                      HttpResponse *response)
{
    const Operation operation = operation_read(emulator, match->parts[1]);
    if (!operation.is_known) {
        arm_error(request, response, 404, "OperationNotFound",
                  "The operation '%s' could not be found.", match->parts[1]);
        return;
    }
    response->status = operation.state == OPERATION_IN_PROGRESS ? 202 : 200;
    if (operation.state != OPERATION_IN_PROGRESS)
        return;
    emulator_polled(emulator);
    http_set(response, "Location",
             arm_url(emulator, request,
                     arena_printf(request->arena, "%s?%s", request->target, request->query_text)));
    http_set(response, "Retry-After", "1");
}

/* --- Filters: "name eq 'value' and name eq 'value'" --- */

typedef struct {
    const char *group, *type, *name, *location, *tag_name, *tag_value; /* NULL: any */
} Filter;

/* The value behind "WORD eq '", up to the next quote; NULL when `text` is not of that form. */
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

static bool read_filter(const HttpRequest *request, HttpResponse *response, Filter *filter)
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
    const char *text = http_query(request, "$filter");
    while (text && *text != '\0') {
        const char *end = NULL;
        for (size_t i = 0; i < sizeof terms / sizeof *terms && !end; i++) {
            const char *value = read_term(request->arena, text, terms[i].word, &end);
            if (value)
                *terms[i].value = value;
        }
        if (end && ascii_same_start(end, " and ", 5) && end[5] != '\0') {
            text = end + 5;
        } else if (end && *end == '\0') {
            text = end;
        } else {
            arm_error(request, response, 400, "InvalidFilterInQueryString",
                      "The emulator does not understand the filter '%s': expected terms such as "
                      "\"resourceGroup eq 'g'\", joined by \"and\".",
                      http_query(request, "$filter"));
            return false;
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
    const Json *tag =
        filter->tag_name ? json_member(json_member(record->kept, "tags"), filter->tag_name) : NULL;
    return is_same_or_any(filter->group, record->path.group) &&
           is_same_or_any(filter->type, record_type(record->kind)) &&
           is_same_or_any(filter->name, record->path.name) &&
           is_same_or_any(filter->location, arm_kept_text(record, "location")) &&
           (!filter->tag_name || tag) &&
           (!filter->tag_value || (tag && strcmp(filter->tag_value, tag->text) == 0));
}

/* --- Lists --- */

static void list_filtered(Emulator *emulator, const HttpRequest *request, ArmList list,
                          HttpResponse *response)
{
    Filter filter;
    if (!read_filter(request, response, &filter))
        return;
    list.fits = fits;
    list.filter = &filter;
    arm_list_of(emulator, request, response, &list);
}

void groups_list(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                 HttpResponse *response)
{
    static const RecordKind kinds[] = {RECORD_GROUP};
    (void)match;
    list_filtered(emulator, request, (ArmList){.kinds = kinds, .kind_count = 1, .show = show_group},
                  response);
}

/* What the Resource Manager itself keeps of a resource: of Batch AI's only workspaces have a
 * location. */
static Json *show_resource(Emulator *emulator, const HttpRequest *request, const Record *record)
{
    Arena *arena = request->arena;
    Json *body = arm_resource(emulator, arena, record);
    arm_put_text(arena, body, "location", arm_location_of(emulator, record));
    arm_put(arena, body, "tags", arm_kept(arena, record->kept, "tags"));
    return body;
}

static void answer_resources(Emulator *emulator, const HttpRequest *request, ResourcePath scope,
                             HttpResponse *response)
{
    static const RecordKind kinds[] = {RECORD_WORKSPACE, RECORD_STORAGE};
    list_filtered(emulator, request,
                  (ArmList){.kinds = kinds,
                            .kind_count = sizeof kinds / sizeof *kinds,
                            .scope = scope,
                            .show = show_resource},
                  response);
}

void resources_list(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                    HttpResponse *response)
{
    (void)match;
    answer_resources(emulator, request, (ResourcePath){0}, response);
}

void resources_list_by_group(Emulator *emulator, const HttpRequest *request,
                             const RouteMatch *match, HttpResponse *response)
{
    if (arm_find(emulator, request, response, RECORD_GROUP, group_path(match)))
        answer_resources(emulator, request, (ResourcePath){.group = match->parts[1]}, response);
}
