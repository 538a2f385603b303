/* The jobs that wait in a queue, the first of them at hand: by priority, the larger first, then by
 * id, which is the order of submission.
 *
 * A binary heap. Adding a job and taking the first one take O(log n) steps, one step if jobs are
 * added in their order. Removing any other job searches the heap. */
#ifndef SIM_CLOUD_POLICY_JOB_HEAP_H
#define SIM_CLOUD_POLICY_JOB_HEAP_H

#include <stdbool.h>

#include "sim/base/arena.h"
#include "sim/cloud/record/ids.h"

typedef struct {
    JobId job;
    int32_t priority;
} HeapJob;

/* All zero: empty. */
typedef struct {
    HeapJob *items;
    int32_t count, capacity;
} JobHeap;

/* Whether `a` is served before `b`. */
bool heap_job_is_before(HeapJob a, HeapJob b);
void job_heap_add(Arena *arena, JobHeap *heap, HeapJob job);
void job_heap_remove(JobHeap *heap, JobId job); /* which is in the heap */

/* A walk through the jobs of a heap in their order, which does not change the heap. */
typedef struct {
    const JobHeap *heap;
    int32_t *next; /* [count] a heap of places in the heap: jobs whose parents have been visited */
    uint32_t count, capacity;
} JobHeapWalk;

/* Begins a walk; the memory of the last one is used again. */
void job_heap_walk(Arena *arena, JobHeapWalk *walk, const JobHeap *heap);
/* The next job; ID_NONE: all have been visited. O(log n) for the n-th. */
JobId job_heap_walk_next(Arena *arena, JobHeapWalk *walk);

/* The first job; ID_NONE: the heap is empty. */
static inline JobId job_heap_first(const JobHeap *heap)
{
    return heap->count > 0 ? heap->items[0].job : (JobId){ID_NONE};
}

#endif
