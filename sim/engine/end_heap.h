/* A binary heap of end times that stores the position of each entry, so that any entry can be moved
 * or removed in O(log n).
 *
 * Entries are identified by small numbers (rows of a table) that the caller chooses and may reuse.
 * They are ordered by key, then by `order`, which no two entries share. */
#ifndef SIM_ENGINE_END_HEAP_H
#define SIM_ENGINE_END_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/wide.h"

typedef WideUnsigned EndKey;

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
/* Adds `id`, or gives it a new key and order if it is in the heap already. */
void end_heap_put(EndHeap *heap, uint32_t id, EndKey key, uint64_t order);
/* Returns the entry of `id`; NULL: `id` is not in the heap. Valid until the heap changes. */
const EndEntry *end_heap_find(const EndHeap *heap, uint32_t id);
/* Returns the earliest entry; NULL: the heap is empty. Valid until the heap changes. */
const EndEntry *end_heap_first(const EndHeap *heap);
/* Removes `id`, which is in the heap. */
void end_heap_remove(EndHeap *heap, uint32_t id);

#endif
