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

typedef struct {
    int64_t most_bytes_per_s; /* its own limit, >= 0 */
    int32_t link_count;       /* 0: only its own limit counts */
    const int32_t *links;     /* indices, each once */
    const int64_t *parts_ppm; /* [link_count] its parts on each link, > 0; NULL: one on each */
} FairFlow;

/* A link. The last three members are used while rates are computed. */
typedef struct {
    int64_t bytes_per_s;       /* >= 0 */
    int64_t left_bytes_per_s;  /* not taken by flows that have stopped */
    int64_t waiting_ppm;       /* parts that still grow */
    int64_t level_bytes_per_s; /* at which these would fill the link; INT64_MAX: there are none */
} FairLink;

/* Fills rates[flow_count], the rate of one part of each flow. Reads only bytes_per_s of `links`;
 * afterwards left_bytes_per_s is the unused rate. There are at most flow_count rounds, each over
 * all links and flows. */
void fair_rates(int32_t link_count, FairLink *links, int32_t flow_count, const FairFlow *flows,
                int64_t *rates);

#endif
