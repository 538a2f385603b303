/* Planned maintenance of a cluster. */
#ifndef SIM_SCENARIO_FORMAT_MAINTENANCE_TYPES_H
#define SIM_SCENARIO_FORMAT_MAINTENANCE_TYPES_H

#include "sim/schema/bind.h"

typedef struct {
    const Json *node;
    BoundInteger at, duration, every, nodes_at_once;
    const Json *node_kind; /* names of kinds of nodes */
} MaintenanceText;

extern const ObjectType maintenance_type;

#endif
