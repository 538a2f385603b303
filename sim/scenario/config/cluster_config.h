/* From a cluster.json to a ClusterSpec. */
#ifndef SIM_SCENARIO_CLUSTER_CONFIG_H
#define SIM_SCENARIO_CLUSTER_CONFIG_H

#include "sim/scenario/config/mounts.h"

#define NODES_UNKNOWN INT32_MAX

typedef struct {
    const char *name;
    const ClusterText *text; /* NULL when unread */
    ClusterSpec spec;        /* whole when there was no problem; the vm_size NULL when unknown */
    Mounts mounts;
    int32_t nodes_max;      /* the largest target that it is ever given, or NODES_UNKNOWN */
    bool queues_may_change; /* a fault of the scenario changes a queue of a cluster */
    int32_t *kinds_max;     /* [spec.kind_count] the same for each kind; NULL: one kind */
} ClusterConfig;

/* Reads `root`, and the kinds of nodes (KindText) that the command states, if any; problems go to
 * the context. Never NULL. */
ClusterConfig *cluster_config_read(const ConfigContext *context, const Json *root, const char *name,
                                   BoundList kinds);

/* A cluster whose values are not known. Any job fits on it. */
ClusterConfig *cluster_config_unread(Arena *arena, const char *name);

/* The most nodes that the service allows in one cluster; NODES_UNKNOWN without a catalogue. */
int32_t cluster_nodes_limit(const ConfigContext *context);
/* Adds to a problem how a scenario lifts that limit to `nodes`. */
void cluster_nodes_limit_hint(Status *problem, int64_t nodes);

/* Refuses limits that contradict each other. */
void cluster_check_limits(Problems *problems, const AutoScaleText *automatic);

/* Warns if so many nodes of a kind exceed a quota (cores by family and in total). */
void cluster_check_quotas(const ConfigContext *context, const ClusterConfig *cluster, NodeKind kind,
                          BoundInteger target);

/* Records that the cluster gets `target` nodes, or up to `target` nodes. Refuses more nodes than
 * the service allows, and warns if they exceed a quota (cores by family and in total). */
void cluster_config_target(const ConfigContext *context, ClusterConfig *cluster,
                           BoundInteger target);

#endif
