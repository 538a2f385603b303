/* From JSON objects to structs by field tables (sim/schema/field.h).
 *
 * Every bound struct begins with the node it was read from, and every bound value keeps its own
 * node, so that later checks can report places. If a member is absent (or null), its node is NULL
 * and its value the fallback. Bound structs live in the arena and borrow the tree.
 *
 * A value is reported and refused if it has a wrong type, is out of range, or is required but
 * missing. The other values stay bound, so that later checks find their problems in the same run. A
 * refused value has `is_refused` set and is the fallback, or without one NULL or 0. A refused list
 * has no items. A refused object is a struct whose node is NULL and whose values are all refused.
 * Checks that need a refused value are skipped. */
#ifndef SIM_SCHEMA_BIND_H
#define SIM_SCHEMA_BIND_H

#include "sim/json/json.h"
#include "sim/schema/field.h"

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

/* The type of a bound member. */
typedef enum {
    BOUND_TEXT,    /* BoundText */
    BOUND_INTEGER, /* BoundInteger */
    BOUND_OBJECT,  /* pointer to its struct */
    BOUND_LIST,    /* BoundList */
    BOUND_NODE,    /* const Json * */
} BoundAs;

BoundAs bound_as(ValueKind kind);

/* A struct of `type` from `node`, with all problems added. It is refused when `node` is not an
 * object, but never NULL. Pointers in it are NULL only where an optional object is absent. An
 * unknown key is a problem; its value is read as that of the absent member whose name is nearly
 * the same, so that one typing error is one problem. */
void *bind_object(Arena *arena, const Json *node, const ObjectType *type, Problems *problems);

/* The member `key` of `object`, or else the member whose misspelt key means `key`. NULL when there
 * is neither. */
const Json *bind_member_meant(Arena *arena, const Json *object, const ObjectType *type,
                              const char *key);

/* Whether nothing in a bound struct of `type`, at any depth, is refused. */
bool bind_is_whole(const ObjectType *type, const void *bound);

/* Adds "unknown KIND \"VALUE\"" with the nearest of `names`, or all of them, as hint. */
Status *bind_unknown_name(Problems *problems, Place at, const char *kind, const char *value,
                          const char *const *names, int32_t count);

#endif
