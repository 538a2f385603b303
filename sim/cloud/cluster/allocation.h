/* Nodes of a cluster that come and go together: allocationState, resizing and steady.
 *
 * While a cluster resizes exactly one operation is under way: an allocation (is_growing), the
 * moment between a resize and nodes leaving, jobs that are waited for (retiring nodes), or a
 * release. Nodes that are lost meanwhile are asked for when it is over. */
#ifndef SIM_CLOUD_CLUSTER_ALLOCATION_H
#define SIM_CLOUD_CLUSTER_ALLOCATION_H

#include "sim/cloud/cluster/cluster.h"

/* The next allocation brings `count` nodes fewer. */
void cluster_fail_next_allocation(Cluster *cluster, int32_t count);

/* --- Events --- */

void cluster_nodes_allocated(Clusters *clusters, Cluster *cluster);
void cluster_nodes_leave(Clusters *clusters, Cluster *cluster);
void cluster_nodes_released(Clusters *clusters, Cluster *cluster);
/* Asks once more for the nodes that are missing. */
void cluster_retries(Clusters *clusters, Cluster *cluster);

/* --- For the other files of this folder --- */

/* Sets the allocation state, and records its cause. */
void allocation_set(Clusters *clusters, Cluster *cluster, AllocationState state, TraceCause cause);
/* Asks for the nodes of a new cluster, whose record is made in `record_ns`. Without nodes to ask
 * for it is steady a moment later: in the recordings both delays grow together. */
void allocation_begin(Clusters *clusters, Cluster *cluster, int64_t record_ns);
/* Asks for the nodes that are missing. Anything under way for an earlier target is stale from here
 * on. The cluster is resizing. */
void allocation_grow(Clusters *clusters, Cluster *cluster, TraceCause cause);
/* Gives the cluster another target; it resizes from here on. Nodes that an earlier resize still
 * waits for are chosen again. */
void allocation_resize(Clusters *clusters, Cluster *cluster, int32_t target, TraceCause cause);
/* The cluster is deleted: nothing is asked for any more, every node leaves. */
void allocation_end(Clusters *clusters, Cluster *cluster);
/* A node is lost: another is asked for, unless it was to leave anyway. */
void allocation_replace(Clusters *clusters, Cluster *cluster);
/* The last node that waited for its job to be done is on its way. */
void allocation_retired(Clusters *clusters, Cluster *cluster);
/* Every leaving node is gone: the number of nodes drops at once, as in the service. */
void allocation_release(Clusters *clusters, Cluster *cluster, TraceCause cause);
/* Makes nodes leave until no more than `target` would stay; none is retiring. */
void allocation_choose(Clusters *clusters, Cluster *cluster, int32_t target,
                       DeallocationOption deallocation, TraceCause cause);
/* Reports that the cluster is ready, if it is: steady, no node preparing, and at least one that can
 * run jobs. Unusable nodes do not delay it. */
void allocation_report_ready(Clusters *clusters, Cluster *cluster);
/* How many nodes are held and not on their way out. */
int32_t allocation_staying(const Cluster *cluster);

#endif
