/* Kinds of nodes of a cluster. */
#ifndef SIM_SCENARIO_FORMAT_KIND_TYPES_H
#define SIM_SCENARIO_FORMAT_KIND_TYPES_H

#include "sim/schema/bind.h"

typedef struct {
    const Json *node;
    BoundText vm_size;
    BoundText name;        /* absent: the VM size */
    BoundText gpu;         /* absent: the GPU model of the VM size */
    BoundInteger nodes;    /* absent: `minimum` */
    BoundInteger priority; /* absent: as the cluster */
    BoundInteger minimum;  /* absent: it does not scale automatically, as the next one */
    BoundInteger maximum;
    BoundInteger price; /* micro-USD an hour; absent: that of the VM size */
    const Json *speed;
} KindText;

extern const ObjectType kind_type;

/* The JSON Schema of the kinds that a job allows. */
#define NODE_KIND_SCHEMA                                                                           \
    "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 1, \"items\": "      \
    "{\"type\": \"string\"}}]}"

/* The JSON Schema of a speed, and that of the speeds of a job on kinds of nodes, each of which may
 * be a parameter. */
#define SPEED_SCHEMA "{\"type\": \"number\", \"minimum\": 0.001, \"maximum\": 1000}"
#define SPEEDS_SCHEMA                                                                              \
    "{\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": {\"anyOf\": "          \
    "[" SPEED_SCHEMA ", {\"type\": \"string\", \"pattern\": \"^\\\\$\\\\{[^}]+\\\\}$\"}]}}"

#endif
