#include "sim/scenario/scenario_types.h"

static const Field group_fields[] = {
    {0},
};
const ObjectType group_type = {"group", "Nodes that go together.", sizeof(GroupText), group_fields};

static const Field failures_fields[] = {
    {0},
};
const ObjectType failures_type = {"failures", "What goes wrong by itself.", sizeof(FailuresText),
                                  failures_fields};

static const Field fault_fields[] = {
    {0},
};
const ObjectType fault_type = {"fault", "Something that goes wrong on request.", sizeof(FaultText),
                               fault_fields};
