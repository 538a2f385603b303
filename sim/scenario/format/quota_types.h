/* A quota of cores, as a scenario states it. */
#ifndef SIM_SCENARIO_FORMAT_QUOTA_TYPES_H
#define SIM_SCENARIO_FORMAT_QUOTA_TYPES_H

#include "sim/schema/bind.h"

typedef struct {
    const Json *node;
    BoundInteger dedicated;
    BoundInteger low_priority;
} QuotaText;

extern const ObjectType quota_type;

#endif
