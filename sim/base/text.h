/* A growing text that is written out or compared later. Its owner frees it with text_free. */
#ifndef SIM_BASE_TEXT_H
#define SIM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/arena.h"

typedef struct {
    char *data;    /* NUL-ended once anything was added; NULL before */
    size_t length; /* without the NUL */
    size_t capacity;
} Text;

void text_append(Text *text, const char *bytes, size_t length);
void text_add(Text *text, const char *string);
void text_printf(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_clear(Text *text); /* keeps the memory */
void text_free(Text *text);  /* back to empty */
/* "" for one, "s" for any other number: "%" PRId64 " rank%s". */
static inline const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

bool begins_with(const char *text, const char *start);
/* The text up to the next `end`, or all of it. Moves *at after that `end`. In `arena`. */
const char *text_until(Arena *arena, const char **at, char end);
/* Moves *at after `start` if it begins with it. */
bool text_skip(const char **at, const char *start);

/* The text, or "" while it is empty; never NULL. */
const char *text_string(const Text *text);
/* Moves the text into `arena`, and frees it. */
char *text_move(Arena *arena, Text *text);

#endif
