/* The reference of a format as Markdown, from field tables: a section for each type of object with
 * a table of its members. */
#ifndef SIM_SCHEMA_REFERENCE_H
#define SIM_SCHEMA_REFERENCE_H

#include "sim/base/text.h"
#include "sim/schema/field.h"

enum { REFERENCE_TYPES_MAX = 128 };

/* An object of `type` as a file contains it. */
typedef struct {
    const ObjectType *type;
    const char *json;
} ReferenceExample;

typedef struct {
    const ReferenceExample
        *examples; /* shown in the sections of their types; type NULL: the end; may be NULL */
    int32_t count; /* of the types whose sections have been written */
    const ObjectType *types[REFERENCE_TYPES_MAX];
} Reference;

/* Writes the sections of `type` and of every type that it uses, unless they are written already. */
void reference_add(Reference *reference, const ObjectType *type, Text *out);

/* Writes a table of the kinds of values: what each is called, and an example. */
void reference_value_kinds(Text *out);

#endif
