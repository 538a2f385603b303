/* The network of a scenario. */
#ifndef SIM_SCENARIO_FORMAT_NETWORK_TYPES_H
#define SIM_SCENARIO_FORMAT_NETWORK_TYPES_H

#include "sim/schema/bind.h"

typedef struct {
    const Json *node;
    BoundInteger rack_nodes;
    BoundText rack_uplink_rate;
} NetworkText;

extern const ObjectType network_type;

#endif
