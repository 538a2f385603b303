/* Short phrases cut into words: "job train epoch 3 + 12m", "cluster gpu idle >= 4 for 10m". */
#ifndef SIM_SCHEMA_WORDS_H
#define SIM_SCHEMA_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"

enum { WORDS_MAX = 8 };

typedef struct {
    int32_t count; /* WORDS_MAX + 1: there are more */
    const char *items[WORDS_MAX];
} Words;

/* Cuts `text` at spaces; consecutive characters of `signs` are one word, with or without spaces
 * around. Words live in `arena`. */
Words words_cut(Arena *arena, const char *text, const char *signs);

/* Whether the word at `index` is there and is `word`. */
bool words_are(const Words *words, int32_t index, const char *word);

#endif
