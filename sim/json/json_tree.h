/* How trees grow, for the modules that build them. Private to sim/json. */
#ifndef SIM_JSON_JSON_TREE_H
#define SIM_JSON_JSON_TREE_H

#include <string.h>

#include "sim/json/json.h"

/* Keys of an object mostly differ in their first characters. */
static inline bool json_same_key(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0;
}

static inline Json *json_node(Arena *arena, JsonKind kind)
{
    Json *node = ARENA_NEW(arena, Json);
    node->kind = kind;
    return node;
}

/* Appends `child` to an array. Returns the pointer of the tree to it. */
static inline Json **json_append(Json *parent, Json *child)
{
    Json **link = parent->last == NULL ? &parent->first : &parent->last->next;
    *link = child;
    parent->last = child;
    parent->count++;
    return link;
}

/* Appends `child`, which has its key, to an object. */
void json_append_member(Arena *arena, Json *object, Json *child);

/* Fills `number`, `is_integer` and `integer` of a number from its text; false when the number
 * cannot be held as written. */
bool json_set_number(Json *node);

/* How many bytes at `text`, which a NUL ends, mean themselves in a string: up to the next quote,
 * backslash or control character. Reads up to 7 bytes after that character. */
size_t json_plain_length(const char *text);

/* Replaces a byte order mark, bytes that are not UTF-8 and, if the dialect has them, comments in
 * `text` by blanks, so that all positions are preserved. NUL bytes and broken UTF-8 are problems,
 * one a line. */
void json_blank(char *text, const char *source, size_t length, JsonDialect dialect,
                Problems *problems);

/* Whether `text` is UTF-16, binary, YAML or a table, which is then one problem. */
bool json_is_other(const char *source, const char *text, size_t length, Problems *problems);

#endif
