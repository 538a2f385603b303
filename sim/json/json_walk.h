/* The strict first reading of a JSON text: is it JSON, and where is each value?
 *
 * cJSON keeps no positions and accepts too much (control characters, leading zeros, duplicate
 * keys), so the text is walked once before it is decoded. Private to sim/json. */
#ifndef SIM_JSON_JSON_WALK_H
#define SIM_JSON_JSON_WALK_H

#include "sim/json/json.h"

/* A key or a value. Tokens are ordered by their beginning in the text, a key before its value,
 * so that a walk over the decoded tree meets them in the same order. */
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

/* A copy of `text` in which comments (if the dialect has them), a byte order mark and bytes that
 * are not UTF-8 are blanks, so that all positions are preserved. NUL bytes and broken UTF-8 are
 * problems, one a line. */
char *json_blank(Arena *arena, const char *source, const char *text, size_t length,
                 JsonDialect dialect, Problems *problems);

/* Walks the blanked text. Continues after small mistakes (a bad escape) and stops at the first
 * one that leaves the structure unclear. True when there were no mistakes. */
bool json_walk(Arena *arena, const char *source, const char *text, size_t length,
               JsonTokens *tokens, Problems *problems);

#endif
