#include "sim/cloud/policy/job_heap.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/base/invariant.h"

bool heap_job_is_before(HeapJob a, HeapJob b)
{
    return a.priority != b.priority ? a.priority > b.priority : a.job.index < b.job.index;
}

static void rise(JobHeap *heap, int32_t at, HeapJob job)
{
    for (; at > 0 && heap_job_is_before(job, heap->items[(at - 1) / 2]); at = (at - 1) / 2)
        heap->items[at] = heap->items[(at - 1) / 2];
    heap->items[at] = job;
}

static void sink(JobHeap *heap, int32_t at, HeapJob job)
{
    for (int32_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count &&
            heap_job_is_before(heap->items[child + 1], heap->items[child]))
            child++;
        if (!heap_job_is_before(heap->items[child], job))
            break;
        heap->items[at] = heap->items[child];
    }
    heap->items[at] = job;
}

void job_heap_add(Arena *arena, JobHeap *heap, HeapJob job)
{
    if (heap->count == heap->capacity) {
        const int32_t capacity = heap->capacity > 0 ? 2 * heap->capacity : 16;
        HeapJob *items = ARENA_ARRAY(arena, HeapJob, capacity);
        if (heap->count > 0)
            memcpy(items, heap->items, (size_t)heap->count * sizeof *items);
        heap->items = items;
        heap->capacity = capacity;
    }
    rise(heap, heap->count++, job);
}

void job_heap_remove(JobHeap *heap, JobId job)
{
    int32_t at = 0;
    while (at < heap->count && heap->items[at].job.index != job.index)
        at++;
    invariant(at < heap->count);
    const HeapJob last = heap->items[--heap->count];
    if (at == heap->count)
        return;
    if (at > 0 && heap_job_is_before(last, heap->items[(at - 1) / 2]))
        rise(heap, at, last);
    else
        sink(heap, at, last);
}

/* --- A walk --- */

static bool walks_before(const JobHeapWalk *walk, int32_t a, int32_t b)
{
    return heap_job_is_before(walk->heap->items[a], walk->heap->items[b]);
}

static void walk_push(Arena *arena, JobHeapWalk *walk, int32_t place)
{
    if (place >= walk->heap->count)
        return;
    walk->next =
        array_room(arena, walk->next, walk->count + 1, &walk->capacity, sizeof *walk->next);
    uint32_t at = walk->count++;
    for (; at > 0 && walks_before(walk, place, walk->next[(at - 1) / 2]); at = (at - 1) / 2)
        walk->next[at] = walk->next[(at - 1) / 2];
    walk->next[at] = place;
}

static int32_t walk_pop(JobHeapWalk *walk)
{
    const int32_t first = walk->next[0], moved = walk->next[--walk->count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < walk->count; child = 2 * at + 1) {
        if (child + 1 < walk->count && walks_before(walk, walk->next[child + 1], walk->next[child]))
            child++;
        if (!walks_before(walk, walk->next[child], moved))
            break;
        walk->next[at] = walk->next[child];
        at = child;
    }
    walk->next[at] = moved;
    return first;
}

void job_heap_walk(Arena *arena, JobHeapWalk *walk, const JobHeap *heap)
{
    walk->heap = heap;
    walk->count = 0;
    walk_push(arena, walk, 0);
}

JobId job_heap_walk_next(Arena *arena, JobHeapWalk *walk)
{
    if (walk->count == 0)
        return (JobId){ID_NONE};
    const int32_t place = walk_pop(walk);
    walk_push(arena, walk, 2 * place + 1);
    walk_push(arena, walk, 2 * place + 2);
    return walk->heap->items[place].job;
}
