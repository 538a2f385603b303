#include "sim/scenario/command/check.h"

#include <string.h>

#include "sim/base/ascii.h"

/* --- Which members a command needs and may have --- */

void members_check(const ConfigContext *context, const Json *object, const ObjectType *type,
                   CommandKind kind)
{
    for (const Json *member = object->first; member != NULL; member = member->next)
        if (field_find(type, member->key) != NULL && // unknown keys have been reported
            !command_may_have(kind, member->key))
            problems_add(context->problems, STATUS_BAD_INPUT, member->key_at, "%s takes no \"%s\"",
                         command_name(kind), member->key);
    for (const char *word = command_members(kind)->needed + 1; *word != '\0';) {
        size_t length = strcspn(word, " ");
        const char *key = arena_strndup(context->arena, word, length);
        if (bind_member_meant(context->arena, object, type, key) == NULL)
            problems_add(context->problems, STATUS_BAD_INPUT, json_at(object),
                         "%s needs \"%s\", which is missing", command_name(kind), key);
        word += length + 1;
    }
}

/* --- Names --- */

/* The first byte of `name` that is not allowed in names, or the end of `name`. */
static const char *first_forbidden(const char *name, const char *more)
{
    for (; *name != '\0'; name++) {
        if (!ascii_is_alphanumeric(*name) && strchr(more, *name) == NULL)
            break;
    }
    return name;
}

bool name_is_formed(const char *name, const char *more, size_t length_max)
{
    return name[0] != '\0' && strlen(name) <= length_max && *first_forbidden(name, more) == '\0';
}

void name_check(const ConfigContext *context, BoundText name, const char *more, size_t length_max)
{
    if (name.is_refused || name_is_formed(name.value, more, length_max))
        return;
    size_t length = strlen(name.value);
    const char *forbidden = first_forbidden(name.value, more);
    if (*forbidden == '\0') {
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(name.node),
                     "name \"%s\" has %zu characters, expected 1 to %zu", name.value, length,
                     length_max);
        return;
    }
    int bytes = 1;
    while (((unsigned char)forbidden[bytes] & 0xc0) == 0x80)
        bytes++; // all bytes of one UTF-8 character
    Status *problem = problems_add(context->problems, STATUS_BAD_INPUT, json_at(name.node),
                                   "name \"%s\" has a '%.*s'", name.value, bytes, forbidden);
    if (more[0] != '\0')
        status_hint(problem, "names have letters, digits and any of \"%s\"", more);
    else
        status_hint(problem, "names have letters and digits");
}

static bool is_share_name(const char *name)
{
    const char *slash = strchr(name, '/');
    return slash != NULL && slash > name && slash[1] != '\0' && strchr(slash + 1, '/') == NULL;
}

/* Source: patterns of the path parameters in the OpenAPI document of Batch AI 2018-05-01, and
 * Azure's naming rules for resource groups. */
static void check_own_name(const ConfigContext *context, const CommandText *command)
{
    CommandKind kind = (CommandKind)command->action.value;
    if (command->name.is_refused || kind == COMMAND_PROGRAM_SET)
        return;
    if (kind == COMMAND_SHARE_CREATE || kind == COMMAND_SHARE_DELETE ||
        kind == COMMAND_FILE_UPLOAD || kind == COMMAND_FILE_DELETE) {
        if (!is_share_name(command->name.value))
            problems_add(context->problems, STATUS_BAD_INPUT, json_at(command->name.node),
                         "share \"%s\" is not of the form \"account/share\"", command->name.value);
    } else if (kind == COMMAND_GROUP_CREATE || kind == COMMAND_GROUP_DELETE) {
        name_check(context, command->name, GROUP_NAME_MORE, GROUP_NAME_MAX);
    } else {
        name_check(context, command->name, COMMAND_NAME_MORE, COMMAND_NAME_MAX);
    }
}

bool command_is_placed(const CommandText *command)
{
    return !command->action.is_refused && !command->name.is_refused &&
           !command->resource_group.is_refused && !command->workspace.is_refused &&
           !command->experiment.is_refused;
}

ResourcePath command_path(const ScenarioText *text, const CommandText *command)
{
    ResourcePath path =
        scenario_scope(text, command->resource_group, command->workspace, command->experiment);
    path.name = command->name.value;
    const CommandKind made_by = command_made_by((CommandKind)command->action.value);
    bool is_job = made_by == COMMAND_JOB_CREATE;
    bool is_in_workspace = is_job || made_by == COMMAND_CLUSTER_CREATE ||
                           made_by == COMMAND_EXPERIMENT_CREATE ||
                           made_by == COMMAND_FILE_SERVER_CREATE;
    // A storage account is in a group only if its command names one: it can be used without.
    bool is_in_group = is_in_workspace || made_by == COMMAND_WORKSPACE_CREATE ||
                       (made_by == COMMAND_STORAGE_CREATE && command->resource_group.value != NULL);
    return (ResourcePath){.group = is_in_group ? path.group : NULL,
                          .workspace = is_in_workspace ? path.workspace : NULL,
                          .experiment = is_job ? path.experiment : NULL,
                          .name = path.name};
}

void command_check(const ConfigContext *context, const CommandText *command)
{
    if (command->action.is_refused)
        return;
    CommandKind kind = (CommandKind)command->action.value;
    members_check(context, command->node, &command_type, kind);
    check_own_name(context, command);
}
