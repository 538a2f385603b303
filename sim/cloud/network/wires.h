/* Bytes on their way over wires that they share with others.
 *
 * A flow crosses some links at one rate: its max-min fair one (sim/model/fairness.h), at most its
 * own limit. Rates change when a flow begins or ends, for those flows only that it reaches over
 * common links. In between bytes move evenly; the rest is counted in bytes times ns, so nothing is
 * rounded until the end, which is the first whole ns at which all bytes are across. */
#ifndef SIM_CLOUD_NETWORK_WIRES_H
#define SIM_CLOUD_NETWORK_WIRES_H

#include <stdint.h>

#include "sim/base/arena.h"

typedef struct Wires Wires;

/* Without links; lives as long as `run`. */
Wires *wires_create(Arena *run);
/* A new link; returns its number: 0, 1, ... */
uint32_t wires_add_link(Wires *wires, int64_t bytes_per_s);

/* `bytes` begin to cross `links` (each once) for `owner`, a number that comes back when they are
 * across. Returns a ticket, good until then. */
uint32_t wires_begin(Wires *wires, uint32_t owner, int64_t bytes, int64_t most_bytes_per_s,
                     int32_t link_count, const uint32_t *links, int64_t now_ns);
/* INT64_MAX when nothing is under way, or when that is never. */
int64_t wires_next_end_ns(const Wires *wires);
/* Ends the flow of wires_next_end_ns, at exactly that time; returns its owner. If several end
 * together: the first to have begun. */
uint32_t wires_end_next(Wires *wires, int64_t now_ns);
/* Cancels a flow under way. */
void wires_cancel(Wires *wires, uint32_t ticket, int64_t now_ns);

int32_t wires_active(const Wires *wires); /* flows under way */
int64_t wires_rate(const Wires *wires, uint32_t ticket);
/* The rate of all flows that cross a link together. */
int64_t wires_link_load(const Wires *wires, uint32_t link);

#endif
