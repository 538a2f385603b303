/* Pending events, ordered by time. Events with equal times leave the queue in the order in which
 * they entered it.
 *
 * The queue is monotone: an event may not be earlier than the last event popped, so no effect can
 * precede its cause. event_queue_next_ns changes nothing: earlier events may be pushed after it,
 * down to the time of the last event popped.
 *
 * A radix heap with digits of 6 bits (Ahuja, Mehlhorn, Orlin and Tarjan, "Faster algorithms for the
 * shortest path problem", JACM 37(2), 1990) and a short sorted front. Each event moves at most once
 * per digit, a few times in practice, for any distribution of times. Memory is reused: it grows
 * with the most events ever pending, not with the events run. Buckets are first in, first out, and
 * every move keeps their order, so events with equal times need no further comparison. */
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
    uint32_t subject; /* index of the subject */
    uint32_t
        generation; /* the subject's generation at the push; it has changed for a stale event */
    uint32_t detail;
} Event;

typedef struct EventQueue EventQueue;

/* Lives as long as `run`. */
EventQueue *event_queue_create(Arena *run);

/* `event.at_ns` is at or after the time of the last event popped (0 before the first). */
void event_queue_push(EventQueue *queue, Event event);
/* Removes the earliest event and returns it in `*event`. False: the queue is empty, and `*event` is
 * unchanged. */
bool event_queue_pop(EventQueue *queue, Event *event);

/* Whether `matches` returns true for any pending event; O(pending events). */
bool event_queue_any(const EventQueue *queue, void *context,
                     bool (*matches)(void *context, const Event *event));

/* Removes every pending event for which `matches` returns true; O(pending events). */
void event_queue_remove(EventQueue *queue, void *context,
                        bool (*matches)(void *context, const Event *event));

/* Removes the earliest event while `matches` returns true for it. Where it looks at later events
 * for that, it removes those that match too; usually it looks at one event. */
void event_queue_remove_next(EventQueue *queue, void *context,
                             bool (*matches)(void *context, const Event *event));

/* The time of the earliest event; INT64_MAX when there is none. */
int64_t event_queue_next_ns(const EventQueue *queue);

#endif
