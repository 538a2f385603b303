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
 * value the fallback. Bound structs live in the arena and borrow the tree.
 *
 * What does not fit its table is reported and refused; all else stays bound, so that later checks
 * find the other problems in the same go. Refused are values of a wrong type or out of range, and
 * missing ones that are required: `is_refused` is set and the value is the fallback, or else NULL
 * or 0. A refused list has no items. A refused object is a struct whose node is NULL and whose
 * values are all refused. A check skips what needs a refused value. */
#ifndef SIM_SCENARIO_BIND_H
#define SIM_SCENARIO_BIND_H

#include "sim/json/json.h"
#include "sim/schema/explanation.h"

typedef struct {
    const Json *node;
    const char *value; /* NULL when absent or refused, and without fallback */
    bool is_refused;
} BoundText;

typedef struct {
    const Json *node;
    int64_t value;
    bool is_refused;
} BoundInteger; /* booleans are 0 or 1, enums an index, durations ns, sizes bytes */

typedef struct {
    const Json *node;
    bool is_refused;
    int32_t count;
    void **items; /* structs of the field's type, refused ones too; never NULL */
} BoundList;

/* X(ENUM, type of the bound member, "what was expected") */
#define FIELD_KINDS(X)                                                                             \
    X(TEXT, TEXT, "a string")                                                                      \
    X(INTEGER, INTEGER, "an integer")                                                              \
    X(BOOLEAN, INTEGER, "true or false")                                                           \
    X(CHOICE, INTEGER, "a word")                                                                   \
    X(DURATION, INTEGER, "a duration such as \"90s\"")                                             \
    X(BYTES, INTEGER, "a size such as \"16GiB\"")                                                  \
    X(ISO_TIME, INTEGER, "a time such as \"2018-07-18T17:45:00Z\"") /* ms */                       \
    X(ISO_DURATION, INTEGER, "an ISO-8601 duration such as \"P7D\"")                               \
    X(OBJECT, OBJECT, "an object")                                                                 \
    X(OBJECTS, LIST, "an array of objects")                                                        \
    X(ANY, NODE, "a value")

typedef enum {
#define X(name, bound, expected) FIELD_##name,
    FIELD_KINDS(X)
#undef X
} FieldKind;

/* The type of a bound member. */
typedef enum {
    BOUND_TEXT,    /* BoundText */
    BOUND_INTEGER, /* BoundInteger */
    BOUND_OBJECT,  /* pointer to its struct */
    BOUND_LIST,    /* BoundList */
    BOUND_NODE,    /* const Json * */
} BoundAs;

BoundAs bound_as(FieldKind kind);

typedef struct ObjectType ObjectType;

typedef struct {
    const char *name; /* NULL ends the table */
    FieldKind kind;
    size_t offset; /* of its member in the bound struct */
    bool is_required;
    bool is_filled;             /* TEXT: "" is refused */
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

/* A struct of `type` from `node`, with every problem found added; refused when `node` is no object,
 * but never NULL. Pointers in it are NULL only where an optional object is absent. An unknown key
 * is a problem; what stands under it is taken for the absent member that it nearly spells, so that
 * one slip of the pen is one problem. */
void *bind_object(Arena *arena, const Json *node, const ObjectType *type, Problems *problems);

/* The member `key` of `object`, or the one that a misspelt key means; NULL: neither. */
const Json *bind_member_meant(Arena *arena, const Json *object, const ObjectType *type,
                              const char *key);
bool bind_has_key(const ObjectType *type, const char *key);

/* Whether nothing in a bound struct of `type`, at any depth, is refused. */
bool bind_is_whole(const ObjectType *type, const void *bound);

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
