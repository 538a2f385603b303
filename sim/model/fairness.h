/* What flows that share links get: max-min fair rates, by progressive filling.
 *
 * All flows grow together until a link is full or a flow has all it wants; those stop there, and
 * the others go on with what is left. In the end nobody can get more without taking from somebody
 * who has no more than he (Bertsekas and Gallager, "Data Networks", 2nd ed., 1992, section 6.5.2).
 *
 * Rates are whole bytes per second, rounded down: of a full link less than one byte per second for
 * each of its flows stays unused. The result depends on what the flows are, not on their order. */
#ifndef SIM_MODEL_FAIRNESS_H
#define SIM_MODEL_FAIRNESS_H

#include <stdint.h>

typedef struct {
    int64_t most_bytes_per_s; /* its own limit, >= 0 */
    int32_t link_count;       /* 0: only its own limit counts */
    const int32_t *links;     /* indices, each once */
} FairFlow;

/* What one link carries, and while rates are worked out what is left of it for how many flows. */
typedef struct {
    int64_t bytes_per_s; /* >= 0 */
    int64_t left_bytes_per_s;
    int32_t waiting;
} FairLink;

/* Fills rates[flow_count]. Of `links` only bytes_per_s counts; afterwards `left_bytes_per_s` is
 * what nobody uses. Each round stops at least one flow and looks at all links and flows. */
void fair_rates(int32_t link_count, FairLink *links, int32_t flow_count, const FairFlow *flows,
                int64_t *rates);

#endif
