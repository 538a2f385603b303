/* JSON Schemas of the files that trainyard reads, from the tables that read them. */
#ifndef SIM_SCENARIO_SCHEMA_H
#define SIM_SCENARIO_SCHEMA_H

#include "sim/json/json.h"

/* The names that schema_of knows, ended by NULL: "scenario", "cluster", "job". */
extern const char *const schema_names[];

/* The draft-07 schema called `name`; NULL when there is none. */
Json *schema_of(Arena *arena, const char *name);

#endif
