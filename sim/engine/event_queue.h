/* Pending events, ordered by time. Events with equal times leave the queue in the order in which
 * they entered it.
 *
 * The queue is monotone: no event is pushed before the time of the last event popped, which also
 * checks that no effect precedes its cause. Looking at the next time (event_queue_next_ns) changes
 * nothing: after it, earlier events may still be pushed, down to the last one popped.
 *
 * A radix heap with digits of 6 bits (Ahuja, Mehlhorn, Orlin and Tarjan, "Faster algorithms for the
 * shortest path problem", JACM 37(2), 1990) and a short sorted front. Each event moves at most once
 * per digit, a few times in practice, whatever the distribution of times; memory is reused, so that
 * it grows with the most events ever pending and not with the events run. Order among equals costs
 * nothing: buckets are first in, first out, and every move keeps their order. */
#ifndef SIM_ENGINE_EVENT_QUEUE_H
#define SIM_ENGINE_EVENT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"

/* A value: it can be printed, compared and replayed. The queue reads `at_ns` only; the other
 * members belong to the code that pushes and runs the event (sim/engine/engine.h). */
typedef struct {
    int64_t at_ns; /* >= 0 */
    uint32_t kind;
    uint32_t subject;    /* index of its subject */
    uint32_t generation; /* the subject's when it was pushed: a stale event differs */
    uint32_t detail;
} Event;

typedef struct EventQueue EventQueue;

/* Lives as long as `run`. */
EventQueue *event_queue_create(Arena *run);

/* `event.at_ns` is at or after that of the last event popped (0 before the first). */
void event_queue_push(EventQueue *queue, Event event);
/* Removes the earliest event and returns it in `*event`. False: the queue is empty, and `*event` is
 * unchanged. */
bool event_queue_pop(EventQueue *queue, Event *event);

/* Whether any pending event is one that `matches`; looks through all of them until it finds one. */
bool event_queue_any(const EventQueue *queue, void *context,
                     bool (*matches)(void *context, const Event *event));

/* Removes every pending event that `matches`; looks through all of them. */
void event_queue_remove(EventQueue *queue, void *context,
                        bool (*matches)(void *context, const Event *event));

/* The time of the earliest event; INT64_MAX when there is none. */
int64_t event_queue_next_ns(const EventQueue *queue);

#endif
