/* The prices of the nodes of an imported log: rented by the hour, or bought. */
#ifndef SIM_STUDY_IMPORT_PRICES_H
#define SIM_STUDY_IMPORT_PRICES_H

#include "sim/base/arena.h"
#include "sim/base/status.h"

typedef struct {
    bool is_known;                   /* false: the costs of runs are unknown too */
    int64_t node_micro_usd_per_hour; /* of a node ... */
    int64_t gpu_micro_usd_per_hour;  /* ... and in addition for each of its GPUs */
    const char *words;               /* as the user wrote it; NULL: as a price for an hour */
} ImportPrice;

/* Another way to pay for the same nodes, such as "reserved" or "bought". */
typedef struct {
    const char *name;
    ImportPrice price;
} ImportOffer;

typedef struct {
    ImportPrice dedicated, low_priority;
    int64_t lifetime_ns; /* mean time until a low-priority node is taken away */
    int32_t offer_count;
    ImportOffer *offers;
    bool has_burst; /* more nodes, dedicated or of low priority, come when jobs need them */
} ImportPrices;

/* Reads a sum of terms with '+' between them:
 *     27.20USD          a node for an hour
 *     3.40USD/gpu       each of its GPUs for an hour
 *     310000USD/4y      a purchase that is written off in 4 years of 365 days, or in another time
 *     9.2kW*0.12USD     power all the time, at a price for a kWh
 * STATUS_BAD_INPUT at `at` otherwise, also for a sum above `most_micro_usd` an hour. */
MUST_CHECK bool import_price_parse(Arena *arena, const char *text, Place at, int64_t most_micro_usd,
                                   ImportPrice *price, Status *status);

#endif
