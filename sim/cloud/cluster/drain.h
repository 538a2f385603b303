/* Drained nodes, as `scontrol update state=drain` of Slurm makes them
 * (https://slurm.schedmd.com/scontrol.html). A drained node takes no new job. Its jobs run to
 * their end; then, or at once if it runs no job, the node is unusable for the time of the work on
 * it, and is prepared again.
 *
 * - A node that is under repair waits for the end of the repair. A failure that the service has not
 *   noticed yet is mended by the work.
 * - A reboot of a node takes it from its jobs, and the work begins. A reboot during the
 *   work changes nothing.
 * - A node that fails while its jobs still run is repaired first. If a health check had drained it,
 *   that was the failure, and the drain ends.
 * - A node that leaves, is preempted or replaced is no longer drained, nor is its replacement.
 *
 * Policies do not count drained nodes (Room.unusable_nodes), and the parts of jobs that run on them
 * do not become free (RunningJob.kept_back). */
#ifndef SIM_CLOUD_CLUSTER_DRAIN_H
#define SIM_CLOUD_CLUSTER_DRAIN_H

#include "sim/cloud/cluster/cluster.h"

/* Whether the node is in service and not drained; and whether it is drained. */
bool node_can_drain(const Clusters *clusters, const Node *node);
bool node_is_drained(const Clusters *clusters, const Node *node);

/* Drains a node that can be drained. If a health check drains it, its jobs get notice, and those
 * that save on notice write a checkpoint. `work` is what happens once it runs nothing: with
 * RECOVERY_STAYS until cluster_node_resumed. The crews of the scenario do the work. */
void cluster_node_drained(Clusters *clusters, Node *node, NodeFailure work);
/* A drained node returns to service: at once if the work has not begun, else the node is prepared.
 */
void cluster_node_resumed(Clusters *clusters, Node *node);

/* --- For the other files of this folder --- */

/* The node, which runs nothing any more or was repaired: the work begins, if it is drained. Returns
 * whether it is. */
bool drain_begins_work(Clusters *clusters, Cluster *cluster, Node *node);
/* Ends the drain of the node, if it is drained, after its jobs; the caller gives the node its next
 * state. A job that has ended may still be on the node until then. */
void drain_ends(Clusters *clusters, Cluster *cluster, Node *node);
/* The same for a node whose jobs continue. */
void drain_is_lifted(Clusters *clusters, Cluster *cluster, Node *node);

#endif
