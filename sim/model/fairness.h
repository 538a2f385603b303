/* Rates of flows that share links: max-min fair, by progressive filling.
 *
 * All flows grow together until a link is full or a flow reaches its own limit. The flows concerned
 * stop there, and the others share the rest. In the end no flow can grow without taking from a flow
 * whose rate is equal or lower (Bertsekas and Gallager, "Data Networks", 2nd ed., 1992, section
 * 6.5.2).
 *
 * A flow may consist of several parts that advance at one rate, such as the files of a transfer. It
 * then takes the rate of a link as many times as it has parts there; a part that needs less of the
 * link than the rate is a fraction. Links are fair to parts, not to flows.
 *
 * Rates are whole bytes per second, rounded down. On a full link, less than one byte per second
 * for each of its parts stays unused. The result does not depend on the order of the flows. */
#ifndef SIM_MODEL_FAIRNESS_H
#define SIM_MODEL_FAIRNESS_H

#include <stdint.h>

#include "sim/base/arena.h"

/* Links, and flows that cross them. Its memory is used again after fair_net_clear. */
typedef struct FairNet FairNet;

/* Empty; lives as long as `arena`. */
FairNet *fair_net_create(Arena *arena);
void fair_net_clear(FairNet *net);
/* Adds a link; returns its index: 0, 1, ... */
int32_t fair_net_add_link(FairNet *net, int64_t bytes_per_s);
/* Adds a flow with its own limit, in the order of fair_net_rates. Without links only the limit
 * counts. */
void fair_net_add_flow(FairNet *net, int64_t most_bytes_per_s);
/* The flow that was added last crosses `link`, which it has not crossed yet, with so many parts;
 * PPM: one. */
void fair_net_cross(FairNet *net, int32_t link, int64_t parts_ppm);

/* Computes the rate of one part of each flow, in O(n log n) steps for the sum n of links, flows and
 * crossings. The rates are valid until the net changes. */
const int64_t *fair_net_rates(FairNet *net);

#endif
