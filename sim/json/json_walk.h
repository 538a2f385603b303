/* The strict first reading of a JSON text: is it JSON, and where does everything stand?
 *
 * cJSON forgets positions and forgives much (control characters, leading zeros, duplicate keys), so
 * the text is walked once before it is decoded. Private to sim/json. */
#ifndef SIM_JSON_JSON_WALK_H
#define SIM_JSON_JSON_WALK_H

#include "sim/json/json.h"

/* A key or a value. Tokens come in the order in which they begin in the text, a key before its
 * value, so that a walk over the decoded tree meets them in the same order. */
typedef struct {
    Place at;
    const char *start; /* in the walked text */
    size_t length;     /* of a number; 0 for all else */
} JsonToken;

typedef struct {
    JsonToken *items;
    int32_t count;
    int32_t capacity;
} JsonTokens;

/* A copy of `text` in which comments (where the dialect has them), a byte order mark and whatever
 * is not UTF-8 have become blanks, so that every position stays true. NUL bytes and broken UTF-8
 * are problems, once a line. */
char *json_blank(Arena *arena, const char *source, const char *text, size_t length,
                 JsonDialect dialect, Problems *problems);

/* Walks the blanked text. Goes on behind small mistakes (a bad escape), stops at the first one that
 * leaves the structure in doubt. True when there were none. */
bool json_walk(Arena *arena, const char *source, const char *text, size_t length,
               JsonTokens *tokens, Problems *problems);

#endif
