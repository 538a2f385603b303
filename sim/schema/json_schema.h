/* JSON Schemas (draft-07) from field tables. */
#ifndef SIM_SCHEMA_JSON_SCHEMA_H
#define SIM_SCHEMA_JSON_SCHEMA_H

#include "sim/json/json.h"
#include "sim/schema/field.h"

/* The schema of `type`, with a definition for each type that it uses. */
Json *json_schema(Arena *arena, const ObjectType *type, const char *id, const char *title);
/* The schema of one value, of any kind but objects and lists of objects. */
Json *json_schema_value(Arena *arena, const Field *field);

#define JSON_SCHEMA_DRAFT "http://json-schema.org/draft-07/schema#"

#endif
