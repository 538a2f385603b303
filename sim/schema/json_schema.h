/* JSON Schemas (draft-07) from field tables. */
#ifndef SIM_SCHEMA_JSON_SCHEMA_H
#define SIM_SCHEMA_JSON_SCHEMA_H

#include "sim/json/json.h"
#include "sim/schema/field.h"

/* The schema of `type`, or of a list of such objects, with a definition for each type that it uses.
 * Strings that match the regular expression `placeholder` may be anywhere instead of a number, a
 * boolean or a word; NULL: none. */
Json *json_schema(Arena *arena, const ObjectType *type, const char *id, const char *title,
                  const char *placeholder, bool is_list);
/* The schema of one value, of any kind but objects and lists of objects. */
Json *json_schema_value(Arena *arena, const Field *field);

/* Schemas of formats that have no ObjectType are built from these: {"type": TYPE}; an array of
 * `items`; an object with any keys, whose values are all alike. */
Json *json_schema_typed(Arena *arena, const char *type);
Json *json_schema_array(Arena *arena, Json *items);
Json *json_schema_map(Arena *arena, Json *values);

#define JSON_SCHEMA_DRAFT "http://json-schema.org/draft-07/schema#"

#endif
