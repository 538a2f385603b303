/* Workloads of a scenario: jobs that arrive without a command. */
#ifndef SIM_SCENARIO_FORMAT_WORKLOAD_TYPES_H
#define SIM_SCENARIO_FORMAT_WORKLOAD_TYPES_H

#include "sim/cloud/spec/scenario.h"
#include "sim/scenario/format/checkpoint_types.h"

typedef struct {
    const Json *node;
    BoundText name;
    const Json
        *cluster;    /* a name, or {"queue": "*"} or {"gpu_type": "*"}: the cluster of that name */
    BoundText trace; /* a workload file (sim/scenario/joblist) */
    BoundInteger stop_at_requested; /* trace */
    BoundInteger resample;          /* trace: a duration, 0: replay */
    const Json *load;               /* trace: a number */
    BoundText experiment, workspace, resource_group;
    const Json *config; /* job.json or its content */
    BoundInteger begin; /* durations since the start */
    BoundInteger end;
    BoundInteger jobs;
    BoundInteger arrivals; /* ArrivalKind */
    BoundInteger count, within;
    BoundText rate;       /* "12/h", "200/7d" */
    const Json *hours;    /* diurnal: 24 factors, or 168 */
    const Json *weekdays; /* diurnal: 7 factors */
    BoundInteger burst;
    const Json *nodes; /* {"1": "70%", "4": "30%"}: overrides the config's nodeCount */
    const Json *gpus;  /* a number, or the same for GPUs in total */
    BoundInteger gpus_per_node;
    BoundInteger cpus, memory;
    BoundInteger cores_and_memory; /* trace: whether they bind */
    BoundText queue;
    const Json *node_kind;      /* names */
    const Json *speeds;         /* on kinds of nodes */
    BoundInteger gpu_type;      /* trace: whether it binds */
    CheckpointText *checkpoint; /* trace */
    BoundInteger expected;
} WorkloadText;

enum { CORES_IGNORED, CORES_BIND }; /* WorkloadText.cores_and_memory, gpu_type */

extern const ObjectType workload_type;

#endif
