/* The textbook event queue, as the peer that sim/engine/event_queue.h is measured and tested
 * against: a 4-ary heap whose key is time and order of arrival in one 128-bit number, so that
 * comparing takes no branch. Same total order, other structure. */
#ifndef TESTS_SUPPORT_HEAP_QUEUE_H
#define TESTS_SUPPORT_HEAP_QUEUE_H

#include "sim/engine/event_queue.h"

typedef struct HeapQueue HeapQueue;

/* Holds at most `capacity` events; lives as long as `run`. */
HeapQueue *heap_queue_create(Arena *run, int64_t capacity);
void heap_queue_push(HeapQueue *queue, Event event);
bool heap_queue_pop(HeapQueue *queue, Event *event);

#endif
