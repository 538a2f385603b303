#include "tests/support/heap_queue.h"

#include "sim/base/invariant.h"

__extension__ typedef unsigned __int128 Key; /* at_ns in the upper half, order in the lower */

typedef struct {
    Key key;
    uint32_t kind;
    uint32_t subject;
    uint32_t generation;
    uint32_t detail;
} Entry;

struct HeapQueue {
    int64_t capacity;
    int64_t count;
    uint64_t pushed;
    Entry *entries;
};

enum { CHILDREN = 4 };

HeapQueue *heap_queue_create(Arena *run, int64_t capacity)
{
    HeapQueue *queue = ARENA_NEW(run, HeapQueue);
    queue->capacity = capacity;
    queue->entries = ARENA_ARRAY(run, Entry, capacity);
    return queue;
}

void heap_queue_push(HeapQueue *queue, Event event)
{
    invariant(queue->count < queue->capacity);
    Entry entry = {(Key)(uint64_t)event.at_ns << 64 | queue->pushed++, event.kind, event.subject,
                   event.generation, event.detail};
    int64_t hole = queue->count++;
    while (hole > 0) {
        int64_t parent = (hole - 1) / CHILDREN;
        if (queue->entries[parent].key < entry.key)
            break;
        queue->entries[hole] = queue->entries[parent];
        hole = parent;
    }
    queue->entries[hole] = entry;
}

static int64_t smallest_child(const HeapQueue *queue, int64_t first)
{
    int64_t end = first + CHILDREN < queue->count ? first + CHILDREN : queue->count;
    int64_t smallest = first;
    for (int64_t child = first + 1; child < end; child++)
        smallest = queue->entries[child].key < queue->entries[smallest].key ? child : smallest;
    return smallest;
}

bool heap_queue_pop(HeapQueue *queue, Event *event)
{
    if (queue->count == 0)
        return false;
    Entry top = queue->entries[0];
    Entry last = queue->entries[--queue->count];
    int64_t hole = 0;
    for (int64_t first = 1; first < queue->count; first = CHILDREN * hole + 1) {
        int64_t child = smallest_child(queue, first);
        if (last.key < queue->entries[child].key)
            break;
        queue->entries[hole] = queue->entries[child];
        hole = child;
    }
    queue->entries[hole] = last;
    *event = (Event){(int64_t)(top.key >> 64), top.kind, top.subject, top.generation, top.detail};
    return true;
}
