#include "sim/scenario/format/maintenance_types.h"

#include "sim/scenario/format/kind_types.h"

#define OWNER MaintenanceText
static const Field maintenance_fields[] = {
    NEEDED_DURATION("at", at, "when it begins, from the start of the scenario"),
    NEEDED_DURATION("duration", duration, "how long it takes"),
    FIELD_DURATION("every", every, NULL,
                   "it begins again and again after each such time; \"until\" must end the "
                   "scenario. The default is once"),
    FIELD_INTEGER(
        "nodes_at_once", nodes_at_once, 1, INT32_MAX, NULL,
        "it is rolling: so many nodes at a time are drained, worked on for `duration` and "
        "prepared again; the default is maintenance of all nodes at once"),
    FIELD_JSON(
        "node_kind", node_kind, NODE_KIND_SCHEMA,
        "the kinds of nodes that it is of, on a cluster with node_kinds, by name, VM size or "
        "GPU model; the default is all nodes"),
    {0},
};
#undef OWNER
const ObjectType maintenance_type = {
    "maintenance",
    "Planned maintenance of a cluster's nodes, as Slurm's `scontrol create reservation "
    "flags=maint` "
    "plans it. A job starts only if it is expected to end before the next maintenance of its nodes "
    "begins: by the time that its owner states (`expected`, or the column requested_s of a "
    "workload "
    "file, or without it run_s), or else by its time limit (maxWallClockTime, which the service "
    "sets "
    "to 7 days). A job that would run into it waits for its end. Under every policy other jobs "
    "pass it, so shorter "
    "jobs fill the time before. Nothing happens to the nodes, which stay billed, and a job that "
    "runs longer than expected keeps its own. To take nodes away, resize the cluster. "
    "Rolling maintenance (`nodes_at_once`) keeps no job waiting for its begin: nodes are drained "
    "in "
    "the order of their places. A node takes no new job, its jobs end, it is unusable for the "
    "`duration`, and when it is prepared again the next node has its turn. It ends when all nodes "
    "that were there at its begin have had their turn; a node that is drained already is passed "
    "over, and a begin while it is under way is left out. Slurm: `scontrol reboot asap`.",
    sizeof(MaintenanceText), maintenance_fields};
