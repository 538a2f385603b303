/* Transfers of bytes over shared wires.
 *
 * A flow crosses one or more links at one rate: its max-min fair rate (sim/model/fairness.h), at
 * most its own limit. It may have several parts, which all advance at that rate. When a flow begins
 * or ends, only the rates of flows change that are connected
 * to it by shared links. Between changes bytes move evenly. The remaining amount is exact (bytes
 * times ns per second); only the end is rounded up, to a whole ns. */
#ifndef SIM_CLOUD_NETWORK_WIRES_H
#define SIM_CLOUD_NETWORK_WIRES_H

#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/wide.h"

typedef struct Wires Wires;

typedef WideUnsigned WireAmount; /* bytes times ns per second */

/* Without links; lives as long as `run`. */
Wires *wires_create(Arena *run);
/* A new link; returns its number: that of a removed link, or the next of 0, 1, ... */
uint32_t wires_add_link(Wires *wires, int64_t bytes_per_s);
/* Removes a link that no flow crosses; its number is used again. */
void wires_remove_link(Wires *wires, uint32_t link);

/* `bytes` begin to cross `links` (each once) for `owner`, a number that wires_end_next returns.
 * Returns a ticket, which is valid until the flow ends or is cancelled. */
uint32_t wires_begin(Wires *wires, uint32_t owner, int64_t bytes, int64_t most_bytes_per_s,
                     int32_t link_count, const uint32_t *links, int64_t now_ns);
/* The same for a flow of several parts: each of them moves `amount`, at `most_bytes_per_s` at most,
 * and parts_ppm[i] of them cross links[i]. */
uint32_t wires_begin_parts(Wires *wires, uint32_t owner, WireAmount amount,
                           int64_t most_bytes_per_s, int32_t link_count, const uint32_t *links,
                           const int64_t *parts_ppm, int64_t now_ns);
/* Between these two, flows may begin or be cancelled at one time without new rates after each. */
void wires_hold(Wires *wires);
void wires_release(Wires *wires, int64_t now_ns);
/* The time at which the next flow ends; INT64_MAX: no flow is under way, or none ever ends. */
int64_t wires_next_end_ns(const Wires *wires);
/* Ends the flow of wires_next_end_ns, at exactly that time; returns its owner. Flows that end at
 * the same time end in the order in which they began. */
uint32_t wires_end_next(Wires *wires, int64_t now_ns);
/* Cancels a flow under way. */
void wires_cancel(Wires *wires, uint32_t ticket, int64_t now_ns);

int32_t wires_active(const Wires *wires); /* flows under way */
/* The rate of each part of a flow. */
int64_t wires_rate(const Wires *wires, uint32_t ticket);
/* The amount that each part of a flow has not moved by `now_ns`. */
WireAmount wires_left(const Wires *wires, uint32_t ticket, int64_t now_ns);
/* The sum of the rates of all parts that cross a link; rounded up for each flow. */
int64_t wires_link_load(const Wires *wires, uint32_t link);

#endif
