#include "sim/base/array.h"

#include <string.h>

enum { ARRAY_FIRST = 16 };

void *array_grow(Arena *arena, const void *items, uint32_t count, uint32_t *capacity,
                 size_t item_bytes)
{
    uint32_t larger = *capacity > 0 ? *capacity : ARRAY_FIRST;
    while (larger < count)
        larger *= 2;
    void *copy = arena_alloc(arena, larger * item_bytes);
    if (*capacity > 0)
        memcpy(copy, items, *capacity * item_bytes);
    *capacity = larger;
    return copy;
}
