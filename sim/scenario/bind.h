/* From JSON to structs by tables.
 *
 * An ObjectType lists the members that an object may have. One table feeds reading, every message
 * about wrong types, unknown keys, missing members and numbers out of range, the JSON Schema that
 * `trainyard schema` prints, and `trainyard explain`.
 *
 *     typedef struct { const Json *node; BoundText name; BoundInteger nodes; } Wish;
 *     static const Field wish_fields[] = {
 *         {.name = "name", .kind = FIELD_TEXT, .offset = offsetof(Wish, name), .is_required = true,
 *          .doc = "what it is called"},
 *         {.name = "nodes", .kind = FIELD_INTEGER, .offset = offsetof(Wish, nodes),
 *          .minimum = 1, .maximum = 100, .fallback = "1", .doc = "how many"},
 *         {0}, // the end
 *     };
 *     static const ObjectType wish_type = {"Wish", "One wish.", sizeof(Wish), wish_fields};
 *
 * Every bound struct begins with the node it was read from, and every bound value keeps its own, so
 * that later checks can say where. Where a member is absent (or null) its node is NULL and its
 * value the fallback. Bound structs live in the arena and borrow the tree. */
#ifndef SIM_SCENARIO_BIND_H
#define SIM_SCENARIO_BIND_H

#include "sim/json/json.h"
#include "sim/scenario/explanation.h"

typedef struct {
    const Json *node;
    const char *value; /* NULL when absent and without fallback */
} BoundText;

typedef struct {
    const Json *node;
    int64_t value;
} BoundInteger; /* booleans are 0 or 1, enums an index, durations ns, sizes bytes */

typedef struct {
    const Json *node;
    int32_t count;
    void **items; /* structs of the field's type, or `const char *` (FIELD_TEXTS) */
} BoundList;

/* X(ENUM, "what was expected") and the type of the bound member */
#define FIELD_KINDS(X)                                                                             \
    X(TEXT, "a string")                                     /* BoundText */                        \
    X(INTEGER, "an integer")                                /* BoundInteger */                     \
    X(BOOLEAN, "true or false")                             /* BoundInteger */                     \
    X(CHOICE, "a word")                                     /* BoundInteger */                     \
    X(DURATION, "a duration such as \"90s\"")               /* BoundInteger */                     \
    X(BYTES, "a size such as \"16GiB\"")                    /* BoundInteger */                     \
    X(ISO_TIME, "a time such as \"2018-07-18T17:45:00Z\"")  /* BoundInteger, ms */                 \
    X(ISO_DURATION, "an ISO-8601 duration such as \"P7D\"") /* BoundInteger */                     \
    X(OBJECT, "an object")                                  /* pointer to its struct */            \
    X(OBJECTS, "an array of objects")                       /* BoundList */                        \
    X(TEXTS, "an array of strings")                         /* BoundList */                        \
    X(ANY, "a value")                                       /* const Json * */

typedef enum {
#define X(name, expected) FIELD_##name,
    FIELD_KINDS(X)
#undef X
} FieldKind;

typedef struct ObjectType ObjectType;

typedef struct {
    const char *name; /* NULL ends the table */
    FieldKind kind;
    size_t offset; /* of its member in the bound struct */
    bool is_required;
    bool is_secret;             /* never shown */
    int64_t minimum, maximum;   /* INTEGER; both 0: no limits */
    const char *const *choices; /* CHOICE: the words, ended by NULL */
    const ObjectType *type;     /* OBJECT, OBJECTS */
    const char *fallback;       /* the value when absent, as a string would say it; or NULL */
    const char *schema;         /* ANY: its JSON Schema */
    const char *doc;            /* one sentence, small first letter, no full stop */
} Field;

struct ObjectType {
    const char *name; /* in messages: "Job", "command" */
    const char *doc;
    size_t size;
    const Field *fields;
};

/* A struct of `type` from `node`, with every problem found added. NULL when any value in it is
 * wrong or missing; an unknown key is a problem too, but leaves what is known usable. */
void *bind_object(Arena *arena, const Json *node, const ObjectType *type, Problems *problems);

/* The JSON Schema (draft-07) of `type` with all types it uses as definitions. */
Json *bind_schema(Arena *arena, const ObjectType *type, const char *id, const char *title);

/* Explains every value of a bound struct: those of the text with their places, the others as
 * defaults. `name` goes in front: "cluster nc6". */
void bind_explain(Explanation *explanation, const char *name, const ObjectType *type,
                  const void *bound);

/* Adds "unknown KIND \"VALUE\"" with the nearest of `names`, or all of them, as hint. */
Status *bind_unknown_name(Problems *problems, Place at, const char *kind, const char *value,
                          const char *const *names, int32_t count);

#endif
