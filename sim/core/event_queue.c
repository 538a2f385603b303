#include "sim/core/event_queue.h"

#include <stddef.h>

#include "sim/base/invariant.h"

/* A time is read as 11 digits of 6 bits. An event whose highest digit that differs from `now_ns` is
 * number `level` lies in buckets[level][that digit]; since nothing is before now, lower levels come
 * first, and within a level lower digits. With 6 bits the buckets in use of a level are the bits of
 * one word. */
enum {
    DIGIT_BITS = 6,
    DIGITS = 1 << DIGIT_BITS,
    LEVELS = 11,
    CHUNK_EVENTS = 21,
    FRONT_EVENTS = 64,
};
_Static_assert(LEVELS *DIGIT_BITS >= 63, "every time has a bucket");
_Static_assert(FRONT_EVENTS >= CHUNK_EVENTS, "a chunk fits in the front");

typedef struct Chunk Chunk;
struct Chunk {
    Chunk *next;
    Event events[CHUNK_EVENTS];
};

/* First in, first out. All zero when empty; all chunks but the last are full. */
typedef struct {
    Chunk *first;
    Chunk *last;
    Event *end;      /* where the next event goes in `last` */
    int64_t room;    /* events that still fit there */
    int64_t next_ns; /* the earliest event */
} Bucket;

/* The front holds every event before `front_end_ns`, latest first, so that a pop is one load. The
 * buckets hold the others. */
struct EventQueue {
    int64_t count;
    int64_t now_ns; /* the last event popped */
    uint64_t front_end_ns;
    int32_t front_count;
    uint32_t levels_used;         /* a bit for each level with events */
    uint64_t digits_used[LEVELS]; /* a bit for each bucket with events */
    Chunk *free;
    Arena *run;
    Event front[FRONT_EVENTS];
    Bucket buckets[LEVELS][DIGITS];
};

EventQueue *event_queue_create(Arena *run)
{
    EventQueue *queue = ARENA_NEW(run, EventQueue);
    queue->run = run;
    return queue;
}

static Chunk *chunk_take(EventQueue *queue)
{
    Chunk *chunk = queue->free;
    if (chunk == NULL)
        return ARENA_NEW(queue->run, Chunk);
    queue->free = chunk->next;
    chunk->next = NULL;
    return chunk;
}

static void chunk_give_back(EventQueue *queue, Chunk *chunk)
{
    chunk->next = queue->free;
    queue->free = chunk;
}

static void bucket_grow(EventQueue *queue, Bucket *bucket)
{
    Chunk *chunk = chunk_take(queue);
    if (bucket->first == NULL) {
        bucket->first = chunk;
        bucket->next_ns = INT64_MAX;
    } else {
        bucket->last->next = chunk;
    }
    bucket->last = chunk;
    bucket->end = chunk->events;
    bucket->room = CHUNK_EVENTS;
}

static inline void bucket_push(EventQueue *queue, const Event *event)
{
    uint64_t at = (uint64_t)event->at_ns;
    // The lowest bit is set because zeros cannot be counted in 0; it does not change the level.
    uint64_t differing = (at ^ (uint64_t)queue->now_ns) | 1;
    uint32_t level = (63 - (uint32_t)__builtin_clzll(differing)) / DIGIT_BITS;
    uint32_t digit = (uint32_t)(at >> (level * DIGIT_BITS)) % DIGITS;
    Bucket *bucket = &queue->buckets[level][digit];
    if (bucket->room == 0)
        bucket_grow(queue, bucket);
    *bucket->end++ = *event;
    bucket->room--;
    bucket->next_ns = event->at_ns < bucket->next_ns ? event->at_ns : bucket->next_ns;
    queue->digits_used[level] |= UINT64_C(1) << digit;
    queue->levels_used |= UINT32_C(1) << level;
}

/* Puts `event` in the front, to come out after those before `limit_ns`. */
static inline void front_insert(EventQueue *queue, const Event *event, int64_t limit_ns)
{
    Event *place = &queue->front[queue->front_count++];
    for (; place > queue->front && place[-1].at_ns < limit_ns; place--)
        place[0] = place[-1];
    *place = *event;
}

/* Back into the buckets: more came in for the near future than the front should sort. */
static void front_spill(EventQueue *queue)
{
    queue->front_end_ns = 0;
    while (queue->front_count > 0)
        bucket_push(queue, &queue->front[--queue->front_count]);
}

void event_queue_push(EventQueue *queue, Event event)
{
    invariant(event.at_ns >= queue->now_ns);
    queue->count++;
    if ((uint64_t)event.at_ns < queue->front_end_ns) {
        if (queue->front_count < FRONT_EVENTS) {
            front_insert(queue, &event, event.at_ns + 1);
            return;
        }
        front_spill(queue);
    }
    bucket_push(queue, &event);
}

/* Moves the events of a chunk into the empty front, last one first, so that equal times need no
 * shifting. */
static void front_take(EventQueue *queue, Chunk *chunk, int64_t count)
{
    for (int64_t i = count - 1; i >= 0; i--)
        front_insert(queue, &chunk->events[i], chunk->events[i].at_ns);
    chunk_give_back(queue, chunk);
}

/* Sends each event of `bucket`, no longer part of the queue, to a lower level. */
static void bucket_scatter(EventQueue *queue, const Bucket *bucket)
{
    for (Chunk *chunk = bucket->first, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        __builtin_prefetch(next);
        const Event *end = next != NULL ? chunk->events + CHUNK_EVENTS : bucket->end;
        for (const Event *event = chunk->events; event < end; event++)
            bucket_push(queue, event);
        chunk_give_back(queue, chunk);
    }
}

/* Moves the earliest events forward: into the front when they are few, otherwise to lower levels.
 * Time goes to the earliest of them, because it is popped next. */
static void earliest_advance(EventQueue *queue)
{
    uint32_t level = (uint32_t)__builtin_ctz(queue->levels_used);
    uint32_t digit = (uint32_t)__builtin_ctzll(queue->digits_used[level]);
    Bucket *place = &queue->buckets[level][digit];
    Bucket bucket = *place;
    queue->now_ns = bucket.next_ns;
    if (level == 0 && bucket.first != bucket.last) { // one time only: a chunk of it will do
        place->first = bucket.first->next;
        queue->front_end_ns = (uint64_t)queue->now_ns;
        front_take(queue, bucket.first, CHUNK_EVENTS);
        return;
    }
    *place = (Bucket){.first = NULL};
    queue->digits_used[level] &= ~(UINT64_C(1) << digit);
    if (queue->digits_used[level] == 0)
        queue->levels_used &= ~(UINT32_C(1) << level);
    if (bucket.first == bucket.last) {
        uint32_t shift = level * DIGIT_BITS;
        queue->front_end_ns = (((uint64_t)queue->now_ns >> shift) + 1) << shift;
        front_take(queue, bucket.first, CHUNK_EVENTS - bucket.room);
    } else {
        bucket_scatter(queue, &bucket);
    }
}

bool event_queue_pop(EventQueue *queue, Event *event)
{
    if (queue->count == 0)
        return false;
    while (queue->front_count == 0)
        earliest_advance(queue);
    *event = queue->front[--queue->front_count];
    queue->now_ns = event->at_ns;
    queue->count--;
    return true;
}

int64_t event_queue_next_ns(const EventQueue *queue)
{
    if (queue->front_count > 0)
        return queue->front[queue->front_count - 1].at_ns;
    if (queue->levels_used == 0)
        return INT64_MAX;
    uint32_t level = (uint32_t)__builtin_ctz(queue->levels_used);
    uint32_t digit = (uint32_t)__builtin_ctzll(queue->digits_used[level]);
    return queue->buckets[level][digit].next_ns;
}

int64_t event_queue_count(const EventQueue *queue)
{
    return queue->count;
}
