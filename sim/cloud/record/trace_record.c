#include "sim/cloud/record/trace_record.h"

#include <stddef.h>

enum { CLUSTER = 1, NODE = 2, JOB = 4, SHARE = 8, NAME = 16 };

#define VALUE(name) {#name, false},
#define VALUE_OR_NONE(name) {#name, true},
#define STEP_PARTS TRACE_STEP_PARTS
#define TRAINING_POINT TRACE_TRAINING_POINT
#define NO_VALUES

static const struct {
    const char *name;
    unsigned columns;
    TraceValue values[TRACE_VALUES + 1];
    const char *meaning;
} kinds[] = {
#define X(kind, name, level, columns, values, meaning)                                             \
    {#name, columns, {values{NULL, false}}, meaning},
    TRACE_KINDS(X)
#undef X
};
_Static_assert(sizeof kinds / sizeof kinds[0] == TRACE_KIND_COUNT, "one row per kind");

#define X(kind, name, level, columns, values, meaning)                                             \
    _Static_assert(sizeof((TraceRecord *)NULL)->name <= TRACE_VALUES * sizeof(int64_t),            \
                   "the values of " #name " fit");
TRACE_KINDS(X)
#undef X

const char *trace_kind_name(TraceKind kind)
{
    return kinds[kind].name;
}

const char *trace_kind_meaning(TraceKind kind)
{
    return kinds[kind].meaning;
}

const char *trace_kind_column(TraceKind kind, int32_t index)
{
    static const char *const names[] = {"cluster", "node", "job", "share", "name"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if ((kinds[kind].columns & 1U << i) != 0 && index-- == 0)
            return names[i];
    return NULL;
}

const TraceValue *trace_kind_values(TraceKind kind)
{
    return kinds[kind].values;
}

const char *shortage_name(Shortage shortage)
{
    static const char *const names[] = {
#define X(kind, name) name,
        SHORTAGES(X)
#undef X
    };
    return names[shortage];
}

const char *trace_cause_name(TraceCause cause)
{
    static const char *const names[] = {
#define X(cause, name) name,
        TRACE_CAUSES(X)
#undef X
    };
    _Static_assert(sizeof names / sizeof names[0] == CAUSE_COUNT, "one name per cause");
    return names[cause];
}

const char *trace_record_lacks(const TraceRecord *record)
{
    const unsigned columns = kinds[record->kind].columns;
    if ((columns & CLUSTER) && record->cluster.index == ID_NONE)
        return "cluster";
    if ((columns & NODE) && record->node.index == ID_NONE)
        return "node";
    if ((columns & JOB) && record->job.index == ID_NONE)
        return "job";
    if ((columns & SHARE) && record->share.index == ID_NONE)
        return "share";
    if ((columns & NAME) && record->name == NULL)
        return "name";
    return NULL;
}
