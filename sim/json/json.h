/* JSON text as a tree in which each value has its place in the text.
 *
 * Reading is strict (RFC 8259) and complete: all mistakes of a text are reported together, each
 * with line and column: broken UTF-8, NUL, duplicate keys, trailing text, unpaired surrogates,
 * nesting deeper than JSON_DEPTH_MAX, numbers that a double cannot hold. A refused text has no
 * tree.
 *
 * A tree lives in an arena. Readers follow `first` and `next`; only this module changes nodes.
 * No function depends on the locale. */
#ifndef SIM_JSON_JSON_H
#define SIM_JSON_JSON_H

#include <inttypes.h>
#include <stddef.h>

#include "sim/base/arena.h"
#include "sim/base/status.h"
#include "sim/base/text.h"

enum { JSON_DEPTH_MAX = 64 };

typedef enum {
    JSON_NULL,
    JSON_BOOLEAN,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
} JsonKind;

typedef enum {
    JSON_STRICT,
    JSON_WITH_COMMENTS, /* line and block comments as in C count as white space */
} JsonDialect;

typedef struct Json Json;
struct Json {
    JsonKind kind;
    int32_t count;    /* JSON_ARRAY, JSON_OBJECT: of children */
    bool boolean;     /* JSON_BOOLEAN */
    bool is_integer;  /* JSON_NUMBER: without fraction and exact in `integer` */
    Place at;         /* of the value's first byte; line 0 when built, not read */
    const char *key;  /* when it is a member of an object, else NULL */
    Place key_at;     /* of the key's opening quote */
    const char *text; /* JSON_STRING: the decoded value, UTF-8. JSON_NUMBER: as written */
    double number;    /* JSON_NUMBER */
    int64_t integer;
    Json *first; /* child, in the order of the text */
    Json *last;
    Json *next;              /* sibling */
    struct JsonIndex *index; /* JSON_OBJECT with many members, for lookups without a linear search;
                                else NULL. Private to sim/json. */
};

/* "null", "a boolean", "a number", "a string", "an array", "an object". */
const char *json_kind_name(JsonKind kind);

/* The tree of `text`, or NULL with every problem added to `problems`. `source` (borrowed) names the
 * text in places. */
Json *json_parse(Arena *arena, const char *source, const char *text, size_t length,
                 JsonDialect dialect, Problems *problems);
/* The tree of the NUL-terminated `text`; if it is not JSON, the text itself as a string. */
Json *json_or_text(Arena *arena, const char *source, const char *text);

/* --- Lookups: NULL for a missing value, so that calls nest --- */

static inline Place json_at(const Json *node)
{
    return node != NULL ? node->at : place_in(NULL, 0, 0);
}

/* The member `key`; NULL when `object` is NULL, is not an object, or has no such member. */
Json *json_member(const Json *object, const char *key);
/* The item `index` from 0, found by counting. */
Json *json_item(const Json *array, int32_t index);
/* RFC 6901: "" is the root itself, "/jobs/0/name", "~1" for '/', "~0" for '~'. */
Json *json_find(const Json *root, const char *pointer);

/* True when the member `key` is the boolean true. */
bool json_is_true(const Json *object, const char *key);

/* The number times 10^decimals as an exact integer, from the digits as written: "0.87" with 6 is
 * 870000. False when `node` is not a number, a digit would be lost, or the result leaves int64. */
bool json_scaled(const Json *node, int32_t decimals, int64_t *value);

/* --- Building --- */

/* Strings are copied into `arena`. */
Json *json_null(Arena *arena);
Json *json_boolean(Arena *arena, bool value);
Json *json_integer(Arena *arena, int64_t value);
/* A number printed exactly as `digits` says: "1.5", "-0.025". */
Json *json_decimal(Arena *arena, const char *digits);
/* A number as real_print prints it; null if `value` is not finite. */
Json *json_real(Arena *arena, double value);
Json *json_string(Arena *arena, const char *value);
Json *json_array(Arena *arena);
Json *json_object(Arena *arena);

/* Makes `value` (part of no other tree) the member `key`: it replaces an earlier one, or is
 * appended. Returns `value`. */
Json *json_set(Arena *arena, Json *object, const char *key, Json *value);
/* The same, except that a `value` of NULL changes nothing. */
void json_put(Arena *arena, Json *object, const char *key, Json *value);
/* The same for a new value made from `value`. The functions for arrays and objects return the new,
 * empty container. */
void json_put_text(Arena *arena, Json *object, const char *key, const char *value); /* NULL: null */
void json_put_integer(Arena *arena, Json *object, const char *key, int64_t value);
void json_put_real(Arena *arena, Json *object, const char *key, double value);
void json_put_decimal(Arena *arena, Json *object, const char *key, const char *digits);
void json_put_boolean(Arena *arena, Json *object, const char *key, bool value);
void json_put_null(Arena *arena, Json *object, const char *key);
Json *json_put_array(Arena *arena, Json *object, const char *key);
Json *json_put_object(Arena *arena, Json *object, const char *key);
/* Appends; returns `value`. */
Json *json_add(Json *array, Json *value);
/* Whether a copy keeps the member `key` of an object. `parent` is the key of that object, or of the
 * array that contains it; NULL when that is the root. */
typedef bool JsonKeeps(const char *parent, const char *key);
/* A copy of `value` that shares only the names of sources with it. `keeps` NULL: everything is
 * copied. */
Json *json_copy(Arena *arena, const Json *value, JsonKeeps *keeps);
/* The same array or object, at its place, but without children. */
Json *json_copy_empty(Arena *arena, const Json *value);
/* Replaces `old`, a child of `parent`, by `value`, under the same key. */
void json_replace(Json *parent, Json *old, Json *value);

/* Puts `value` where `pointer` says: an existing value, a new member of an existing object, or
 * one past the end ("-" or the count) of an existing array. STATUS_NOT_FOUND names the missing
 * part of the path; `at` is the place of the request. The root itself cannot be replaced. */
MUST_CHECK bool json_put_at(Arena *arena, Json *root, const char *pointer, Json *value, Place at,
                            Status *status);

/* --- Printing --- */

typedef enum {
    JSON_INDENTED, /* two spaces, one value a line, a line end at the end */
    JSON_COMPACT,  /* no white space */
} JsonLayout;

void json_print(Text *text, const Json *root, JsonLayout layout);
/* The same, indented, as a value at `depth` in a larger text, and without a line end: for writers
 * that stream. */
void json_print_at(Text *text, const Json *value, int32_t depth);
/* The value as compact text. In `arena`. */
const char *json_text(Arena *arena, const Json *value);
/* The characters of a string without its quotes, or else json_text. In `arena`, or of the value. */
const char *json_bare_text(Arena *arena, const Json *value);
/* Whether both print the same text, or both are NULL. */
bool json_is_same(const Json *a, const Json *b);
/* One string with quotes and escapes, for writers that stream. */
void json_print_string(Text *text, const char *string);

#endif
