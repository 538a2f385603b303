#include "tests/bench/radix2_queue.h"

#include <stddef.h>
#include <string.h>

enum { BUCKETS = 65 };

/* A growing array that leaves its smaller selves to the arena: at most as much again. */
typedef struct {
    int64_t begin, end, capacity;
    Event *events;
} Bucket;

struct Radix2Queue {
    int64_t now_ns;
    Arena *run;
    Bucket buckets[BUCKETS];
};

Radix2Queue *radix2_queue_create(Arena *run)
{
    Radix2Queue *queue = ARENA_NEW(run, Radix2Queue);
    queue->run = run;
    return queue;
}

void radix2_queue_push(Radix2Queue *queue, Event event)
{
    uint64_t differing = (uint64_t)(event.at_ns ^ queue->now_ns);
    Bucket *bucket = &queue->buckets[differing == 0 ? 0 : 64 - __builtin_clzll(differing)];
    if (bucket->end == bucket->capacity) {
        Event *smaller = bucket->events;
        bucket->capacity = bucket->capacity == 0 ? 16 : 2 * bucket->capacity;
        bucket->events = ARENA_ARRAY(queue->run, Event, bucket->capacity);
        if (bucket->end > 0)
            memcpy(bucket->events, smaller, (size_t)bucket->end * sizeof(Event));
    }
    bucket->events[bucket->end++] = event;
}

/* Empties the earliest bucket into those below it. False when there is none. */
static bool earliest_scatter(Radix2Queue *queue)
{
    Bucket *bucket = queue->buckets;
    while (bucket < queue->buckets + BUCKETS && bucket->begin == bucket->end)
        bucket++;
    if (bucket == queue->buckets + BUCKETS)
        return false;
    queue->now_ns = bucket->events[0].at_ns;
    for (int64_t i = 1; i < bucket->end; i++)
        if (bucket->events[i].at_ns < queue->now_ns)
            queue->now_ns = bucket->events[i].at_ns;
    int64_t count = bucket->end;
    bucket->end = 0;
    for (int64_t i = 0; i < count; i++)
        radix2_queue_push(queue, bucket->events[i]);
    return true;
}

bool radix2_queue_pop(Radix2Queue *queue, Event *event)
{
    Bucket *now = &queue->buckets[0];
    if (now->begin == now->end) {
        now->begin = now->end = 0;
        if (!earliest_scatter(queue))
            return false;
    }
    *event = now->events[now->begin++];
    return true;
}
