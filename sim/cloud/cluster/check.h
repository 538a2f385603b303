/* Everything that must be true of clusters and nodes between two events. */
#ifndef SIM_CLOUD_CLUSTER_CHECK_H
#define SIM_CLOUD_CLUSTER_CHECK_H

#include "sim/cloud/cluster/cluster.h"

/* Aborts with the broken promise. Returns how many clusters are counted by containers. */
int64_t clusters_check(const Clusters *clusters);

#endif
