#include "sim/base/units.h"
#include "sim/scenario/types.h"

#define AT(member) .offset = offsetof(NetworkText, member)
static const Field network_fields[] = {
    {.name = "rack_nodes",
     .kind = FIELD_INTEGER,
     AT(rack_nodes),
     .is_required = true,
     .minimum = 1,
     .maximum = 1000000,
     .doc = "how many places of a cluster in a row share a rack"},
    {.name = "rack_uplink_rate",
     .kind = FIELD_TEXT,
     AT(rack_uplink_rate),
     .is_required = true,
     .doc = "what a rack's wire to all others carries each way, such as \"10Gbit/s\""},
    {0},
};
#undef AT
const ObjectType network_type = {"network",
                                 "Wires that jobs share: each rack has one to all others.",
                                 sizeof(NetworkText), network_fields};

NetworkTopology network_read(const NetworkText *text, Problems *problems)
{
    NetworkTopology topology = {0};
    Status status = {0};
    if (text == NULL || text->rack_nodes.is_refused || text->rack_uplink_rate.is_refused)
        return topology;
    topology.nodes_per_rack = (int32_t)text->rack_nodes.value;
    Place at = json_at(text->rack_uplink_rate.node);
    if (!rate_parse(text->rack_uplink_rate.value, at, &topology.uplink_bytes_per_s, &status))
        problems_add_status(problems, &status);
    else if (topology.uplink_bytes_per_s < topology.nodes_per_rack)
        // Otherwise a job could be left with nothing of it, and never end.
        problems_add(problems, STATUS_BAD_INPUT, at,
                     "rack_uplink_rate \"%s\" is less than one byte per second for each node",
                     text->rack_uplink_rate.value);
    return topology;
}
