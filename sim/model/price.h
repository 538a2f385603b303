/* Billing. Money is int64 micro-USD (1e-6 USD) per hour and in total. */
#ifndef SIM_MODEL_PRICE_H
#define SIM_MODEL_PRICE_H

#include <stdbool.h>
#include <stdint.h>

/* The billed time of a machine and its price. */
typedef struct {
    int64_t billed_ns;
    int64_t micro_usd_per_hour;
} Bill;

/* No price is known, as of the nodes of a log: the cost of a run is then unknown. */
#define PRICE_UNKNOWN INT64_C(-1)

static inline bool price_is_known(int64_t micro_usd_per_hour)
{
    return micro_usd_per_hour >= 0;
}

/* The part of `held_ns` that is billed: whole units of `granularity_ns`, the rest dropped. Azure
 * billed virtual machines by the full minute: 6 min 45 s cost 6 min (Azure knowledge centre, "How
 * is billing for virtual machines calculated", 2018). */
int64_t billed_ns(int64_t held_ns, int64_t granularity_ns);

/* The cost of `billed` ns at a price, rounded down, at most INT64_MAX; 0 at PRICE_UNKNOWN. To lose
 * nothing to rounding, add up the times first and call this once per price. */
int64_t cost_micro_usd(int64_t billed, int64_t micro_usd_per_hour);

#endif
