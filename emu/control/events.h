/* The last trace records, and warnings about commands, as server-sent events (WHATWG HTML,
 * "Server-sent events"), each one line of JSON.
 *
 *     id: 17
 *     data: {"at": "2018-07-18T17:45:02.5Z", "record": "node_state", "cluster": "w/c", ...}
 *
 *     id: 18
 *     data: {"at": "...", "record": "warning", "name": "train", "message": ..., "hint": ...}
 *
 * They are numbered from 1. Where the session went back (emu/undo.h), the next event is
 *
 *     id: 9
 *     data: {"at": "...", "at_ns": 0, "record": "undone"}
 *
 * The events after number 9 have not happened, and their numbers are used again. A stream that was
 * open ends with it; one that is opened later begins with it. A client that is late by more than
 * EVENTS_KEPT sees the gap in the numbers. */
#ifndef EMU_EVENTS_H
#define EMU_EVENTS_H

#include "emu/http/http.h"
#include "sim/cloud/world.h"
#include "sim/output/explain/run_watch.h"

enum { EVENTS_KEPT = 8192 };

typedef struct Events Events;

/* Times are printed on the calendar of `scenario`. */
Events *events_create(Arena *arena, const Scenario *scenario);
TraceListener events_listener(Events *events);
/* Adds a warning about the command whose subject is `name`; copies it. */
void events_warn(Events *events, int64_t at_ns, const char *name, const Status *warning);
/* The session goes back to `at_ns`, after event `last`: streams say so, and end. */
void events_undo(Events *events, uint64_t last, int64_t at_ns);
uint64_t events_last(const Events *events); /* the newest; 0: none yet */
/* Appends the events after `since`, about `bytes_max` bytes of them. Returns the number of the last
 * one. */
uint64_t events_print(const Events *events, uint64_t since, size_t bytes_max, Text *out);
/* Answers a request for /trainyard/events: the events after `since`, once they are settled. If the
 * answer follows, later ones come as they happen until the emulator ends, and a comment after each
 * 15 s without an event; otherwise it ends with the last that is settled. `events` outlives the
 * answer. */
void events_answer(const Events *events, uint64_t since, bool follows, HttpResponse *response);

/* All events up to here may be sent: their writes are on the disk. The number of an event whose
 * writes are lost belongs to another one later. */
void events_settle(Events *events);

/* Listens to the world's moments; called before the world runs. */
void events_begin(Events *events, World *world);
/* Waits for `watch` from now on; NULL: for no moment. */
void events_watch(Events *events, const MomentWatch *watch);
bool events_heard(const Events *events); /* the moment has happened */

#endif
