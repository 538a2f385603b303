#include "sim/core/command.h"

static const struct {
    const char *name;
    const char *what;
} kinds[] = {
#define X(name, text, what) {text, what},
    COMMAND_KINDS(X)
#undef X
};
_Static_assert(sizeof kinds / sizeof kinds[0] == COMMAND_KIND_COUNT, "one row per kind");

const char *command_name(CommandKind kind)
{
    return kinds[kind].name;
}

const char *command_what(CommandKind kind)
{
    return kinds[kind].what;
}

bool command_is_fault(CommandKind kind)
{
    static const bool is_fault[COMMAND_KIND_COUNT] = {
#define X(name, text, what) [COMMAND_##name] = true,
        FAULT_KINDS(X)
#undef X
    };
    return is_fault[kind];
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
