/* A set of indices in order: a bitmap, over it a bitmap of its words that are not empty, and so on
 * up to a single word. Adding, removing and finding the next one look at one word per level
 * (64^4 indices make four), whatever the order in which they come and go. */
#ifndef SIM_CORE_ID_SET_H
#define SIM_CORE_ID_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"

enum { ID_SET_LEVELS = 6 }; /* 64^6 covers uint32 */

/* All zero: empty. Takes memory for the span of its members only: `base` moves to the first. */
typedef struct {
    uint32_t base;       /* nothing below; a multiple of 64 */
    uint32_t word_count; /* of words[0]; a power of two, or 0 */
    uint32_t count;      /* of members */
    int32_t level_count;
    uint64_t *words[ID_SET_LEVELS];
} IdSet;

/* `id` is not in it, and not ID_NONE. */
void id_set_add(Arena *arena, IdSet *set, uint32_t id);
/* `id` is in it. */
void id_set_remove(IdSet *set, uint32_t id);
bool id_set_has(const IdSet *set, uint32_t id);
/* The smallest at or after `from`; ID_NONE when there is none. */
uint32_t id_set_next(const IdSet *set, uint32_t from);

#endif
