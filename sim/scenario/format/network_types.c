#include "sim/scenario/format/network_types.h"

#define OWNER NetworkText
static const Field network_fields[] = {
    NEEDED_INTEGER("rack_nodes", rack_nodes, 1, 1000000,
                   "how many consecutive places of a cluster share a rack"),
    NEEDED_TEXT("rack_uplink_rate", rack_uplink_rate,
                "rate of the link from a rack to all others, each way, such as \"10Gbit/s\""),
    {0},
};
#undef OWNER
const ObjectType network_type = {"network",
                                 "Wires that jobs share: each rack has one to all others.",
                                 sizeof(NetworkText), network_fields};
