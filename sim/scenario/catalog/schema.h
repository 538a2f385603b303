/* The JSON Schema of catalogue files, from the tables of their sections. */
#ifndef SIM_SCENARIO_CATALOG_SCHEMA_H
#define SIM_SCENARIO_CATALOG_SCHEMA_H

#include "sim/json/json.h"

Json *catalog_schema(Arena *arena, const char *id, const char *title);

#endif
