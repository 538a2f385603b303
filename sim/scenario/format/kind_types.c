#include "sim/scenario/format/kind_types.h"

#include "sim/scenario/format/batchai_types.h"

#define OWNER KindText
static const Field kind_fields[] = {
    NEEDED_TEXT("vm_size", vm_size, "VM size of its nodes"),
    FIELD_TEXT("name", name, NULL,
               "what jobs and commands call it; the default is the VM size. Kinds of a cluster have "
               "different names"),
    FIELD_TEXT("gpu", gpu, NULL,
               "what jobs and the column gpu_type of a trace call its GPUs; the default is the GPU "
               "model of the VM size"),
    NEEDED_INTEGER("nodes", nodes, 0, 1000000, "how many nodes"),
    FIELD_CHOICE("priority", priority, vm_priority_words, NULL,
                 "low-priority nodes cost less and can be taken away; the default is the cluster's "
                 "vmPriority"),
    FIELD_JSON("speed", speed, "{\"type\": \"number\", \"minimum\": 0.001, \"maximum\": 1000}",
               "how fast its nodes run programs that take a stated time, such as the rows of a "
               "trace: 2 is half of that time. Trainings run as fast as the VM size says. The "
               "default is 1"),
    {0},
};
#undef OWNER
const ObjectType kind_type = {"node kind", "Nodes of one kind of a cluster.", sizeof(KindText),
                              kind_fields};
