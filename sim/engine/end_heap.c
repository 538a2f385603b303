#include "sim/engine/end_heap.h"

#include <string.h>

#include "sim/base/invariant.h"

EndHeap end_heap_create(Arena *run)
{
    return (EndHeap){.run = run};
}

static bool comes_before(const EndEntry *a, const EndEntry *b)
{
    return a->key != b->key ? a->key < b->key : a->order < b->order;
}

static void set_entry(EndHeap *heap, int32_t at, EndEntry entry)
{
    heap->items[at] = entry;
    heap->place[entry.id] = at + 1;
}

/* Puts `entry` at `hole` or above; later entries move down. */
static void sift_up(EndHeap *heap, int32_t hole, EndEntry entry)
{
    while (hole > 0 && comes_before(&entry, &heap->items[(hole - 1) / 2])) {
        set_entry(heap, hole, heap->items[(hole - 1) / 2]);
        hole = (hole - 1) / 2;
    }
    set_entry(heap, hole, entry);
}

/* Puts `entry` at `hole`, or moves it up or down from there to keep the heap in order. */
static void sift(EndHeap *heap, int32_t hole, EndEntry entry)
{
    for (int32_t child = 2 * hole + 1; child < heap->count; child = 2 * hole + 1) {
        if (child + 1 < heap->count && comes_before(&heap->items[child + 1], &heap->items[child]))
            child++;
        if (!comes_before(&heap->items[child], &entry))
            break;
        set_entry(heap, hole, heap->items[child]);
        hole = child;
    }
    sift_up(heap, hole, entry);
}

static void reserve_item(EndHeap *heap)
{
    if (heap->count < heap->capacity)
        return;
    invariant(heap->capacity <= INT32_MAX / 2);
    int32_t capacity = heap->capacity == 0 ? 8 : 2 * heap->capacity;
    EndEntry *items = ARENA_ARRAY(heap->run, EndEntry, capacity);
    if (heap->count > 0)
        memcpy(items, heap->items, (size_t)heap->count * sizeof *items);
    heap->items = items;
    heap->capacity = capacity;
}

static void reserve_id(EndHeap *heap, uint32_t id)
{
    if (id < heap->id_capacity)
        return;
    invariant(id <= UINT32_MAX / 4);
    uint32_t capacity = heap->id_capacity == 0 ? 8 : heap->id_capacity;
    while (capacity <= id)
        capacity *= 2;
    int32_t *place = ARENA_ARRAY(heap->run, int32_t, capacity);
    if (heap->id_capacity > 0)
        memcpy(place, heap->place, heap->id_capacity * sizeof *place);
    heap->place = place;
    heap->id_capacity = capacity;
}

void end_heap_put(EndHeap *heap, uint32_t id, EndKey key, uint64_t order)
{
    EndEntry entry = {.key = key, .order = order, .id = id};
    reserve_id(heap, id);
    if (heap->place[id] > 0) {
        sift(heap, heap->place[id] - 1, entry);
        return;
    }
    reserve_item(heap);
    sift_up(heap, heap->count++, entry);
}

const EndEntry *end_heap_find(const EndHeap *heap, uint32_t id)
{
    if (id >= heap->id_capacity || heap->place[id] == 0)
        return NULL;
    return &heap->items[heap->place[id] - 1];
}

const EndEntry *end_heap_first(const EndHeap *heap)
{
    return heap->count > 0 ? &heap->items[0] : NULL;
}

void end_heap_remove(EndHeap *heap, uint32_t id)
{
    invariant(end_heap_find(heap, id) != NULL);
    int32_t hole = heap->place[id] - 1;
    heap->place[id] = 0;
    EndEntry last = heap->items[--heap->count];
    if (hole < heap->count)
        sift(heap, hole, last);
}
