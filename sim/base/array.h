/* Growing arrays in an arena, for folds that cannot know how much they will see. */
#ifndef SIM_BASE_ARRAY_H
#define SIM_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include "sim/base/arena.h"

/* For array_room alone. */
void *array_grow(Arena *arena, const void *items, uint32_t count, uint32_t *capacity,
                 size_t item_bytes);

/* Room for `count` items of `item_bytes`: `items` itself while they fit in `*capacity`, else a copy
 * of at least twice the size, new items zeroed. The old array stays in the arena, so all copies
 * together take at most twice the memory of the last. */
static inline void *array_room(Arena *arena, void *items, uint32_t count, uint32_t *capacity,
                               size_t item_bytes)
{
    return count <= *capacity ? items : array_grow(arena, items, count, capacity, item_bytes);
}

#endif
