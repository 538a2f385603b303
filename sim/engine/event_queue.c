#include "sim/engine/event_queue.h"

#include <stddef.h>

#include "sim/base/invariant.h"

/* A time is read as 11 digits of 6 bits. Let `level` be the number of the highest digit in which an
 * event's time differs from `now_ns`: the event is in buckets[level][that digit]. No event is
 * before now, so lower levels are earlier, and within a level lower digits. With 6 bits, one word
 * has a bit for each bucket of a level.
 *
 * Measured with tests/bench/bench_event_queue.c, pop and push together, 1e3 / 1e5 / 1e6 pending: 25
 * / 31 / 32 ns; with digits of 5 bits a fifth more; without the sorted front, digits of one bit, 51
 * / 57 / 71 ns; a 4-ary heap 66 / 133 / 272 ns. */
enum {
    DIGIT_BITS = 6,
    DIGITS = 1 << DIGIT_BITS,
    LEVELS = 11,
    CHUNK_EVENTS = 31, /* 10 and 21 are slower with many events pending, 42 is not faster */
    FRONT_EVENTS = 64,
    CACHE_LINE_BYTES = 64,
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
    Event *end;      /* where the next event goes in the last chunk */
    Event *limit;    /* the end of that chunk */
    int64_t next_ns; /* the time of the earliest event */
    Event *next;     /* the first event at that time */
} Bucket;

/* The front holds every event before `front_end_ns`, latest first, so that a pop is one load. The
 * buckets hold the others. */
struct EventQueue {
    int64_t count;
    int64_t now_ns;  /* the time of the last event popped */
    int64_t next_ns; /* that of the earliest event; INT64_MAX: no event */
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
    queue->next_ns = INT64_MAX;
    queue->front_end_ns = UINT64_MAX;
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

static Chunk *bucket_last(const Bucket *bucket)
{
    return (Chunk *)((char *)(bucket->limit - CHUNK_EVENTS) - offsetof(Chunk, events));
}

/* Not inlined, like everything that happens once per chunk, so that the code for most events stays
 * short. */
static __attribute__((noinline)) void bucket_grow(EventQueue *queue, uint32_t level, uint32_t digit)
{
    Bucket *bucket = &queue->buckets[level][digit];
    Chunk *chunk = chunk_take(queue);
    if (bucket->first == NULL) {
        bucket->first = chunk;
        bucket->next_ns = INT64_MAX;
        bucket->next = chunk->events;
        queue->digits_used[level] |= UINT64_C(1) << digit;
        queue->levels_used |= UINT32_C(1) << level;
    } else {
        bucket_last(bucket)->next = chunk;
    }
    bucket->end = chunk->events;
    bucket->limit = chunk->events + CHUNK_EVENTS;
}

static void bucket_clear(EventQueue *queue, uint32_t level, uint32_t digit)
{
    queue->buckets[level][digit] = (Bucket){.first = NULL};
    queue->digits_used[level] &= ~(UINT64_C(1) << digit);
    if (queue->digits_used[level] == 0)
        queue->levels_used &= ~(UINT32_C(1) << level);
}

static inline void bucket_push(EventQueue *queue, const Event *event)
{
    uint64_t at = (uint64_t)event->at_ns;
    // __builtin_clzll(0) is undefined; setting the lowest bit does not change the level.
    uint64_t differing = (at ^ (uint64_t)queue->now_ns) | 1;
    uint32_t level = (63 - (uint32_t)__builtin_clzll(differing)) / DIGIT_BITS;
    uint32_t digit = (uint32_t)(at >> (level * DIGIT_BITS)) % DIGITS;
    Bucket *bucket = &queue->buckets[level][digit];
    if (bucket->end == bucket->limit)
        bucket_grow(queue, level, digit);
    Event *place = bucket->end++;
    *place = *event;
    const bool is_next = event->at_ns < bucket->next_ns;
    bucket->next_ns = is_next ? event->at_ns : bucket->next_ns;
    bucket->next = is_next ? place : bucket->next;
}

/* Moves all events of the full front back into the buckets. */
static void front_spill(EventQueue *queue)
{
    queue->front_end_ns = 0;
    while (queue->front_count > 0)
        bucket_push(queue, &queue->front[--queue->front_count]);
}

/* Inserts the event into the front so that it is popped after all events that are not later. */
static __attribute__((noinline)) void front_push(EventQueue *queue, const Event *event)
{
    if (queue->front_count == FRONT_EVENTS) {
        front_spill(queue);
        bucket_push(queue, event);
        return;
    }
    Event *place = &queue->front[queue->front_count++];
    for (; place > queue->front && place[-1].at_ns <= event->at_ns; place--)
        place[0] = place[-1];
    *place = *event;
}

void event_queue_push(EventQueue *queue, Event event)
{
    invariant(event.at_ns >= queue->now_ns);
    queue->count++;
    queue->next_ns = event.at_ns < queue->next_ns ? event.at_ns : queue->next_ns;
    if ((uint64_t)event.at_ns < queue->front_end_ns)
        front_push(queue, &event);
    else
        bucket_push(queue, &event);
}

/* Moves the events of a chunk into the empty front. Every pair is compared, without a branch: for
 * so few events, counting the later ones for each is quicker than a sort with branches. */
static void front_take(EventQueue *queue, Chunk *chunk, int64_t count)
{
    int64_t place[CHUNK_EVENTS]; // how many events are popped after this one
    for (int64_t i = 0; i < count; i++) {
        int64_t at_ns = chunk->events[i].at_ns;
        int64_t later = 0;
        for (int64_t j = 0; j < i; j++) {
            bool is_later = chunk->events[j].at_ns > at_ns;
            place[j] += !is_later;
            later += is_later;
        }
        place[i] = later;
    }
    for (int64_t i = 0; i < count; i++)
        queue->front[place[i]] = chunk->events[i];
    queue->front_count = (int32_t)count;
    chunk_give_back(queue, chunk);
}

static void chunk_prefetch(const Chunk *chunk)
{
    for (size_t byte = 0; byte < sizeof(Chunk); byte += CACHE_LINE_BYTES)
        __builtin_prefetch((const char *)chunk + byte);
}

/* Moves each event of `bucket`, which is no longer part of the queue, to a lower level. */
static void bucket_scatter(EventQueue *queue, const Bucket *bucket)
{
    for (Chunk *chunk = bucket->first, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        const Event *end = bucket->end;
        if (next != NULL) {
            chunk_prefetch(next);
            end = chunk->events + CHUNK_EVENTS;
        }
        for (const Event *event = chunk->events; event < end; event++)
            bucket_push(queue, event);
        chunk_give_back(queue, chunk);
    }
}

/* Moves the earliest bucket into the front if it is a single chunk, otherwise to lower levels.
 * `now_ns` becomes the time of the earliest event, which is popped next. */
static __attribute__((noinline)) void earliest_advance(EventQueue *queue)
{
    uint32_t level = (uint32_t)__builtin_ctz(queue->levels_used);
    uint32_t digit = (uint32_t)__builtin_ctzll(queue->digits_used[level]);
    Bucket bucket = queue->buckets[level][digit];
    queue->now_ns = bucket.next_ns;
    if (bucket.first == bucket_last(&bucket)) {
        uint32_t shift = level * DIGIT_BITS;
        bucket_clear(queue, level, digit);
        queue->front_end_ns = queue->levels_used == 0
                                  ? UINT64_MAX // the front holds all events
                                  : (((uint64_t)queue->now_ns >> shift) + 1) << shift;
        front_take(queue, bucket.first, bucket.end - bucket.first->events);
    } else if (level == 0) { // all at one time: the front takes one chunk and ends before that time
        queue->buckets[level][digit].first = bucket.first->next;
        queue->buckets[level][digit].next = bucket.first->next->events;
        queue->front_end_ns = (uint64_t)queue->now_ns;
        front_take(queue, bucket.first, CHUNK_EVENTS);
    } else {
        bucket_clear(queue, level, digit);
        bucket_scatter(queue, &bucket);
    }
}

static int64_t earliest_ns(const EventQueue *queue)
{
    if (queue->front_count > 0)
        return queue->front[queue->front_count - 1].at_ns;
    if (queue->levels_used == 0)
        return INT64_MAX;
    uint32_t level = (uint32_t)__builtin_ctz(queue->levels_used);
    uint32_t digit = (uint32_t)__builtin_ctzll(queue->digits_used[level]);
    return queue->buckets[level][digit].next_ns;
}

/* The first of the earliest events; NULL: there is none. */
static const Event *earliest(const EventQueue *queue)
{
    if (queue->front_count > 0)
        return &queue->front[queue->front_count - 1];
    if (queue->levels_used == 0)
        return NULL;
    uint32_t level = (uint32_t)__builtin_ctz(queue->levels_used);
    return queue->buckets[level][__builtin_ctzll(queue->digits_used[level])].next;
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
    queue->next_ns = earliest_ns(queue);
    return true;
}

int64_t event_queue_next_ns(const EventQueue *queue)
{
    return queue->next_ns;
}

static bool bucket_any(const Bucket *bucket, void *context,
                       bool (*matches)(void *context, const Event *event))
{
    for (const Chunk *chunk = bucket->first; chunk != NULL; chunk = chunk->next) {
        const Event *end = chunk->next == NULL ? bucket->end : chunk->events + CHUNK_EVENTS;
        for (const Event *event = chunk->events; event < end; event++)
            if (matches(context, event))
                return true;
    }
    return false;
}

bool event_queue_any(const EventQueue *queue, void *context,
                     bool (*matches)(void *context, const Event *event))
{
    for (int32_t i = queue->front_count - 1; i >= 0; i--)
        if (matches(context, &queue->front[i]))
            return true;
    for (uint32_t level = 0; level < LEVELS; level++)
        for (uint64_t left = queue->digits_used[level]; left != 0; left &= left - 1)
            if (bucket_any(&queue->buckets[level][__builtin_ctzll(left)], context, matches))
                return true;
    return false;
}

static void front_remove(EventQueue *queue, void *context,
                         bool (*matches)(void *context, const Event *event))
{
    int32_t kept = 0;
    for (int32_t i = 0; i < queue->front_count; i++)
        if (!matches(context, &queue->front[i]))
            queue->front[kept++] = queue->front[i];
    queue->count -= queue->front_count - kept;
    queue->front_count = kept;
}

/* Pushes the events of `bucket` for which `matches` returns false, in their order. `bucket` is no
 * longer part of the queue. */
static void bucket_put_back(EventQueue *queue, const Bucket *bucket, void *context,
                            bool (*matches)(void *context, const Event *event))
{
    for (Chunk *chunk = bucket->first, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        const Event *end = next == NULL ? bucket->end : chunk->events + CHUNK_EVENTS;
        for (const Event *event = chunk->events; event < end; event++)
            if (matches(context, event))
                queue->count--;
            else
                bucket_push(queue, event);
        chunk_give_back(queue, chunk);
    }
}

static void bucket_remove(EventQueue *queue, uint32_t level, uint32_t digit, void *context,
                          bool (*matches)(void *context, const Event *event))
{
    const Bucket bucket = queue->buckets[level][digit];
    bucket_clear(queue, level, digit);
    bucket_put_back(queue, &bucket, context, matches);
}

void event_queue_remove(EventQueue *queue, void *context,
                        bool (*matches)(void *context, const Event *event))
{
    front_remove(queue, context, matches);
    for (uint32_t level = 0; level < LEVELS; level++)
        for (uint64_t left = queue->digits_used[level]; left != 0; left &= left - 1)
            bucket_remove(queue, level, (uint32_t)__builtin_ctzll(left), context, matches);
    queue->next_ns = earliest_ns(queue);
}

void event_queue_remove_next(EventQueue *queue, void *context,
                             bool (*matches)(void *context, const Event *event))
{
    for (const Event *next; (next = earliest(queue)) != NULL && matches(context, next);) {
        if (queue->front_count > 0) {
            front_remove(queue, context, matches);
        } else {
            const uint32_t level = (uint32_t)__builtin_ctz(queue->levels_used);
            const uint32_t digit = (uint32_t)__builtin_ctzll(queue->digits_used[level]);
            bucket_remove(queue, level, digit, context, matches);
        }
    }
    queue->next_ns = earliest_ns(queue);
}
