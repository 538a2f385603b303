#include "sim/scenario/scenario_types.h"

static const Field workload_fields[] = {
    {0},
};
const ObjectType workload_type = {"workload", "Jobs that come by themselves.", sizeof(WorkloadText),
                                  workload_fields};
