#include "sim/scenario/scenario_types.h"

static const Field network_fields[] = {
    {0},
};
const ObjectType network_type = {"network", "Wires that jobs share.", sizeof(NetworkText),
                                 network_fields};
