#include "sim/cloud/record/trace_record.h"

static const struct {
    const char *name;
    TraceLevel level;
    const char *value_names;
} kinds[] = {
#define X(name, text, level, values) {text, TRACE_LEVEL_##level, values},
    TRACE_KINDS(X)
#undef X
};
_Static_assert(sizeof kinds / sizeof kinds[0] == TRACE_KIND_COUNT, "one row per kind");

const char *trace_kind_name(TraceKind kind)
{
    return kinds[kind].name;
}

TraceLevel trace_kind_level(TraceKind kind)
{
    return kinds[kind].level;
}

const char *trace_value_names(TraceKind kind)
{
    return kinds[kind].value_names;
}

const char *trace_cause_name(TraceCause cause)
{
    static const char *const names[] = {
#define X(name, text) text,
        TRACE_CAUSES(X)
#undef X
    };
    _Static_assert(sizeof names / sizeof names[0] == CAUSE_COUNT, "one name per cause");
    return names[cause];
}
