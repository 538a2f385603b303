#include "sim/cloud/spec/command.h"

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
