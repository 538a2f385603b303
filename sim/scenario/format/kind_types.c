#include "sim/scenario/format/kind_types.h"

#include "sim/scenario/format/batchai_types.h"

enum { KIND_NODES_MOST = 1000000 };
#define KIND_PRICE_MOST (INT64_C(1000000) * 1000000) /* micro-USD */

#define OWNER KindText
static const Field kind_fields[] = {
    NEEDED_TEXT("vm_size", vm_size, "VM size of its nodes"),
    FIELD_TEXT(
        "name", name, NULL,
        "what jobs and commands call it; the default is the VM size. Kinds of a cluster have "
        "different names"),
    FIELD_TEXT("gpu", gpu, NULL,
               "what jobs and the column gpu_type of a trace call its GPUs; the default is the GPU "
               "model of the VM size"),
    FIELD_INTEGER("nodes", nodes, 0, KIND_NODES_MOST, NULL,
                  "how many nodes; of a kind that scales automatically those at the beginning, and "
                  "the default is its minimum"),
    FIELD_INTEGER("minimum", minimum, 0, KIND_NODES_MOST, NULL,
                  "the kind scales automatically: the least number of nodes. One kind of a cluster "
                  "may. Nodes of it come for waiting jobs that do not fit on those of the other "
                  "kinds, and leave once they are idle"),
    FIELD_INTEGER("maximum", maximum, 0, KIND_NODES_MOST, NULL,
                  "needed with minimum: the largest number of nodes"),
    FIELD_CHOICE("priority", priority, vm_priority_words, NULL,
                 "low-priority nodes cost less and can be taken away; the default is the cluster's "
                 "vmPriority"),
    FIELD_ROW(MONEY, "price_per_hour", price, .minimum = 0, .maximum = KIND_PRICE_MOST,
              .doc = "price of a node, such as that of a reservation, instead of the VM size's in "
                     "the catalogue"),
    FIELD_JSON("speed", speed, SPEED_SCHEMA,
               "how fast its nodes run programs that take a stated time, such as the rows of a "
               "trace: 2 is half of that time. A job may have its own `speeds`. Trainings run as "
               "fast as the VM size says. The default is 1"),
    {0},
};
#undef OWNER
const ObjectType kind_type = {"node kind", "Nodes of one kind of a cluster.", sizeof(KindText),
                              kind_fields};
