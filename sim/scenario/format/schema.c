#include "sim/scenario/format/schema.h"

#include <string.h>

#include "sim/scenario/format/batchai_types.h"
#include "sim/scenario/format/types.h"
#include "sim/schema/json_schema.h"

const char *const schema_names[] = {"scenario", "cluster", "job", NULL};

static const ObjectType *const types[] = {&scenario_type, &cluster_file_type, &job_file_type};
_Static_assert(sizeof(schema_names) / sizeof(schema_names[0]) ==
                   sizeof(types) / sizeof(types[0]) + 1,
               "a type for every name");

Json *schema_of(Arena *arena, const char *name)
{
    for (int32_t i = 0; schema_names[i] != NULL; i++)
        if (strcmp(schema_names[i], name) == 0)
            return json_schema(
                arena, types[i],
                arena_printf(arena, "https://trainyard.invalid/schema/%s.json", name),
                types[i]->doc);
    return NULL;
}
