/* What ends next: a binary heap that knows where everyone in it stands, so that any entry can be
 * moved or taken out, each in O(log n).
 *
 * Entries are called by small numbers (rows of a table) that the caller chooses and may use again.
 * They are ordered by key, then by `order`, which no two entries share. */
#ifndef SIM_CORE_END_HEAP_H
#define SIM_CORE_END_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"

__extension__ typedef unsigned __int128 EndKey;

typedef struct {
    EndKey key;
    uint64_t order;
    uint32_t id;
} EndEntry;

typedef struct {
    Arena *run;
    EndEntry *items;
    int32_t count;
    int32_t capacity;
    int32_t *place; /* [id]: index in `items` + 1; 0: not in the heap */
    uint32_t id_capacity;
} EndHeap;

/* Empty; its tables live as long as `run`. */
EndHeap end_heap_create(Arena *run);
/* Puts `id` in, or moves it when it is in already. */
void end_heap_put(EndHeap *heap, uint32_t id, EndKey key, uint64_t order);
/* NULL when `id` is not in. Good until the next change, as is the next. */
const EndEntry *end_heap_find(const EndHeap *heap, uint32_t id);
/* NULL when nothing is in. */
const EndEntry *end_heap_first(const EndHeap *heap);
/* Takes out `id`, which is in. */
void end_heap_remove(EndHeap *heap, uint32_t id);

#endif
