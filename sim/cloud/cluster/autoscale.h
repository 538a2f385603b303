/* Clusters that scale automatically.
 *
 * The rule is read off the recorded sessions (batchai-service notes, "Autoscale"): the service
 * evaluates once per period, counted from the first moment at which the cluster was steady,
 * whenever automatic scaling was turned on; it wants as many nodes as waiting and running jobs ask
 * for together, within the limits; it takes away only nodes that are idle at the evaluation. Not
 * recorded, and ours: all missing or spare nodes change in one step; unusable nodes count as spare
 * and go first; busy nodes go only when there are more than the maximum; while the cluster resizes
 * an evaluation does nothing, and the next one looks again.
 *
 * An evaluation is an event only when it could change something, so that a run ends. */
#ifndef SIM_CLOUD_CLUSTER_AUTOSCALE_H
#define SIM_CLOUD_CLUSTER_AUTOSCALE_H

#include "sim/cloud/cluster/cluster.h"

/* The nodes that jobs waiting or running ask for have changed by `nodes`: autoscale may act at its
 * next evaluation. */
void cluster_demand_changes(Clusters *clusters, Cluster *cluster, int32_t nodes);
/* Event: an evaluation is due. */
void cluster_autoscale_tick(Clusters *clusters, Cluster *cluster);

/* --- For the other files of this folder --- */

/* To be called whenever a value changed that an evaluation depends on: an evaluation is due from
 * here on exactly if it could change something (when others take cores meanwhile it may find that
 * it cannot). */
void autoscale_update(Clusters *clusters, Cluster *cluster);
bool autoscale_could_act(const Clusters *clusters, const Cluster *cluster);
/* A resize decides the number of nodes from now on. */
void autoscale_turn_off(Clusters *clusters, Cluster *cluster);
/* Chooses the nodes that leave when a cluster scales down, a moment after the evaluation: nodes
 * that became busy since then stay, and lower the target less. */
void autoscale_choose(Clusters *clusters, Cluster *cluster);
void autoscale_emit(Clusters *clusters, const Cluster *cluster);

#endif
