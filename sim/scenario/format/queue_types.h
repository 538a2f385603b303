/* Queues of a cluster. */
#ifndef SIM_SCENARIO_FORMAT_QUEUE_TYPES_H
#define SIM_SCENARIO_FORMAT_QUEUE_TYPES_H

#include "sim/schema/bind.h"

typedef struct {
    const Json *node;
    BoundText name;
    BoundInteger gpus; /* guaranteed; of clusters without GPUs, nodes */
    BoundInteger gpus_max;
    BoundInteger reclaim_after;
    BoundInteger grace_period;
    BoundInteger is_protected;
} QueueText;

extern const ObjectType queue_type;

#endif
