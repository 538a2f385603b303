#include "sim/cloud/policy/job_heap.h"

#include <string.h>

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
