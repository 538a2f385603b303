/* Planned maintenance of a cluster's nodes, of two sorts.
 *
 * Of all nodes at once, like a maintenance reservation of Slurm
 * (https://slurm.schedmd.com/reservations.html, flag MAINT). Room.closes_ns says when the next one
 * of each kind of nodes begins; the scheduler starts no job that would run into it
 * (policy_last_start_ns), nor during it. Nothing happens to the nodes themselves: jobs that run
 * longer than their owners expected keep them.
 *
 * Rolling (MaintenanceSpec.nodes_at_once), as `scontrol reboot asap` of Slurm works on nodes: so
 * many nodes at a time are drained (drain.h), lowest places first. A node has had its turn when it
 * is prepared again after the work, or is gone, has failed or was resumed. The maintenance ends
 * when all nodes that were there at its begin have had their turn. A node that is drained for
 * another reason when its turn comes is passed over. If it is under way when it would begin again,
 * that begin is left out. */
#ifndef SIM_CLOUD_CLUSTER_MAINTENANCE_H
#define SIM_CLOUD_CLUSTER_MAINTENANCE_H

#include "sim/cloud/cluster/cluster.h"

/* Once, for a new cluster. */
void maintenance_create(Clusters *clusters, Cluster *cluster);

/* The node no longer has its turn in a rolling maintenance, if it had. */
void maintenance_turn_ends(Clusters *clusters, Cluster *cluster, Node *node);

/* --- Events --- */

/* Nodes have had their turn. */
void maintenance_rolls(Clusters *clusters, Cluster *cluster);
/* Maintenance begins or ends. */
void maintenance_turns(Clusters *clusters, Cluster *cluster);

#endif
