#include "sim/cloud/spec/command.h"

#include <string.h>

const char *command_name(CommandKind kind)
{
    static const char *const names[] = {
#define X(name, text, what) text,
        COMMAND_KINDS(X)
#undef X
    };
    _Static_assert(sizeof names / sizeof names[0] == COMMAND_KIND_COUNT, "one name per kind");
    return names[kind];
}

CommandKind command_made_by(CommandKind kind)
{
    const char *name = command_name(kind);
    const size_t noun = strcspn(name, ".") + 1;
    if (kind >= COMMAND_NODE_CRASH) // faults come last; "group.crash" is not about resource groups
        return COMMAND_KIND_COUNT;
    for (int maker = 0; maker < (int)COMMAND_NODE_CRASH; maker++)
        if (strncmp(command_name((CommandKind)maker), name, noun) == 0 &&
            strcmp(command_name((CommandKind)maker) + noun, "create") == 0)
            return (CommandKind)maker;
    return COMMAND_KIND_COUNT;
}

const char *resource_noun(CommandKind made_by)
{
    static const char *const nouns[COMMAND_KIND_COUNT] = {
        [COMMAND_GROUP_CREATE] = "resource group",
        [COMMAND_WORKSPACE_CREATE] = "workspace",
        [COMMAND_EXPERIMENT_CREATE] = "experiment",
        [COMMAND_STORAGE_CREATE] = "storage account",
        [COMMAND_SHARE_CREATE] = "share",
        [COMMAND_CLUSTER_CREATE] = "cluster",
        [COMMAND_JOB_CREATE] = "job",
        [COMMAND_FILE_SERVER_CREATE] = "file server",
    };
    return nouns[made_by];
}

const char *show_query_name(ShowQuery query)
{
    static const char *const names[] = {
#define X(name, text) text,
        SHOW_QUERIES(X)
#undef X
    };
    _Static_assert(sizeof names / sizeof names[0] == QUERY_COUNT, "one name per query");
    return names[query];
}

static const struct {
    const char *noun, *name;
} quantities[] = {
#define X(name, noun, text) {noun, text},
    QUANTITIES(X)
#undef X
};
_Static_assert(sizeof quantities / sizeof quantities[0] == QUANTITY_COUNT, "one row per quantity");

const char *quantity_noun(Quantity quantity)
{
    return quantities[quantity].noun;
}

const char *quantity_name(Quantity quantity)
{
    return quantities[quantity].name;
}

CommandKind quantity_made_by(Quantity quantity)
{
    if (quantity == QUANTITY_SHARE_TRANSFERS)
        return COMMAND_SHARE_CREATE;
    return quantity <= QUANTITY_CLUSTER_QUEUED ? COMMAND_CLUSTER_CREATE : COMMAND_JOB_CREATE;
}

CommandKind moment_made_by(Moment moment)
{
    return moment_is_of_job(moment) ? COMMAND_JOB_CREATE : COMMAND_CLUSTER_CREATE;
}

const char *comparator_sign(Comparator comparator)
{
    static const char *const signs[] = {
#define X(name, sign) sign,
        COMPARATORS(X)
#undef X
    };
    _Static_assert(sizeof signs / sizeof signs[0] == COMPARATOR_COUNT, "one sign per comparator");
    return signs[comparator];
}

Place command_place(const Command *command)
{
    return place_in(command->source ? command->source : "command", 0, 0);
}

bool command_not_found(const Command *command, const char *what, const char *name, Status *status)
{
    return status_fail(status, STATUS_NOT_FOUND, command_place(command),
                       "The specified %s %s is not found", what, name);
}
