/* From a cluster.json to a ClusterSpec. */
#ifndef SIM_SCENARIO_CLUSTER_CONFIG_H
#define SIM_SCENARIO_CLUSTER_CONFIG_H

#include "sim/scenario/mounts.h"

typedef struct {
    const char *name;
    const ClusterText *text;
    ClusterSpec *spec; /* NULL when the file was refused, or checked alone */
    Mounts mounts;
    int32_t nodes_max; /* the largest target that it is ever given */
} ClusterConfig;

/* Reads `root`; problems go to the context. Never NULL. */
ClusterConfig *cluster_config_read(const ConfigContext *context, const Json *root,
                                   const char *name);

/* Notes that the cluster is told to have `target` nodes; refuses what the quota (cores by family
 * and in total) or the service never gives. */
void cluster_config_target(const ConfigContext *context, ClusterConfig *cluster, int64_t target,
                           Place at);

#endif
