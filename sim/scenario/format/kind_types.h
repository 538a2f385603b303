/* Kinds of nodes of a cluster. */
#ifndef SIM_SCENARIO_FORMAT_KIND_TYPES_H
#define SIM_SCENARIO_FORMAT_KIND_TYPES_H

#include "sim/schema/bind.h"

typedef struct {
    const Json *node;
    BoundText vm_size;
    BoundText name; /* absent: the VM size */
    BoundText gpu;  /* absent: the GPU model of the VM size */
    BoundInteger nodes;
    BoundInteger priority; /* absent: as the cluster */
    const Json *speed;
} KindText;

extern const ObjectType kind_type;

/* The JSON Schema of the kinds that a job allows. */
#define NODE_KIND_SCHEMA                                                                           \
    "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 1, \"items\": "      \
    "{\"type\": \"string\"}}]}"

#endif
