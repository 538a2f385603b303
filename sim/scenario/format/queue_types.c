#include "sim/scenario/format/queue_types.h"

#define OWNER QueueText
static const Field queue_fields[] = {
    NEEDED_NAME("name", name,
                "its name, as jobs and the column `queue` of a workload file state it"),
    FIELD_INTEGER("gpus", gpus, 0, INT32_MAX, "0",
                  "the GPUs that it is guaranteed; of a cluster without GPUs, the nodes. While its "
                  "jobs wait for them, no other queue gets more than its own"),
    FIELD_INTEGER("gpus_max", gpus_max, 0, INT32_MAX, NULL,
                  "the most GPUs, or nodes, that its jobs have at once; the default is the whole "
                  "cluster"),
    {0},
};
#undef OWNER
const ObjectType queue_type = {"queue", "A queue (virtual cluster) of a cluster's jobs.",
                               sizeof(QueueText), queue_fields};
