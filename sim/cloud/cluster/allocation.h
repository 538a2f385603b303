/* The allocation state of a cluster: how nodes are allocated and released together.
 *
 * While a cluster resizes, exactly one operation is under way: an allocation (is_growing), the
 * delay from a resize to nodes leaving, the wait for jobs (retiring nodes), or a release. Nodes
 * that are lost meanwhile are requested again after the operation. */
#ifndef SIM_CLOUD_CLUSTER_ALLOCATION_H
#define SIM_CLOUD_CLUSTER_ALLOCATION_H

#include "sim/cloud/cluster/cluster.h"

/* Makes the cluster's next allocation bring `count` nodes fewer. */
void cluster_fail_next_allocation(Cluster *cluster, int32_t count);

/* --- Events --- */

void cluster_nodes_allocated(Clusters *clusters, Cluster *cluster);
void cluster_nodes_leave(Clusters *clusters, Cluster *cluster);
void cluster_nodes_released(Clusters *clusters, Cluster *cluster);
/* Requests the missing nodes once more. */
void cluster_retries(Clusters *clusters, Cluster *cluster);

/* --- For the other files of this folder --- */

/* Sets the allocation state and its cause, and emits TRACE_CLUSTER_ALLOCATION. */
void allocation_set(Clusters *clusters, Cluster *cluster, AllocationState state, TraceCause cause);
/* Requests the nodes of a new cluster, whose record is made in `record_ns`. A cluster without nodes
 * is steady some time after its record: in the recordings both delays grow together. */
void allocation_begin(Clusters *clusters, Cluster *cluster, int64_t record_ns);
/* The only way to change the target of a kind. */
void allocation_set_target(Cluster *cluster, int32_t kind, int32_t target);
/* To be called when the limits of automatic scaling change, or whether the cluster has it: gives
 * rooms the most nodes that they may have. */
void allocation_note_most(Cluster *cluster);
/* Gives the nodes of one kind a new target and begins to resize the cluster. Nodes that an earlier
 * resize waits for no longer retire; the new resize chooses again. */
void allocation_resize(Clusters *clusters, Cluster *cluster, int32_t kind, int32_t target,
                       TraceCause cause);
/* The cluster is being deleted: sets its target to 0 and makes every node leave. */
void allocation_end(Clusters *clusters, Cluster *cluster);
/* After the loss of a node: requests another if the cluster now has fewer nodes than its target. */
void allocation_replace(Clusters *clusters, Cluster *cluster);
/* The last retiring node leaves or is lost: begins the release. */
void allocation_retired(Clusters *clusters, Cluster *cluster);
/* Releases all leaving nodes at once, as the service does. */
void allocation_release(Clusters *clusters, Cluster *cluster, TraceCause cause);
/* Makes nodes leave or retire until no more of each kind would stay than its target. No node may be
 * retiring before. */
void allocation_choose(Clusters *clusters, Cluster *cluster, DeallocationOption deallocation,
                       TraceCause cause);
/* Reports that the cluster is ready, if it is: steady, no node preparing, and at least one node
 * that can run jobs. Unusable nodes do not count. */
void allocation_report_ready(Clusters *clusters, Cluster *cluster);
/* The number of nodes of the kind that are held and not leaving. */
int32_t allocation_staying(const ClusterKind *kind);

#endif
