/* The plain radix heap, a peer of sim/engine/event_queue.h: one bucket per highest bit that differs
 * from the time of the last event popped; redistribution keeps order, so equal times come out as
 * they went in. */
#ifndef TESTS_BENCH_RADIX2_QUEUE_H
#define TESTS_BENCH_RADIX2_QUEUE_H

#include "sim/engine/event_queue.h"

typedef struct Radix2Queue Radix2Queue;

/* Lives as long as `run`. */
Radix2Queue *radix2_queue_create(Arena *run);
void radix2_queue_push(Radix2Queue *queue, Event event);
bool radix2_queue_pop(Radix2Queue *queue, Event *event);

#endif
