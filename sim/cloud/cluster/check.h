/* The invariants of clusters and nodes between two events. */
#ifndef SIM_CLOUD_CLUSTER_CHECK_H
#define SIM_CLOUD_CLUSTER_CHECK_H

#include "sim/cloud/cluster/cluster.h"

/* Aborts if an invariant is broken. Returns the number of clusters that containers count. */
int64_t clusters_check(const Clusters *clusters);

#endif
