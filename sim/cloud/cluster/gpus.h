/* Private to sim/cloud/cluster: the GPUs of nodes, and the nodes that take jobs.
 *
 * Invariants: a node's GPUs are its free ones and those of its jobs; a job with the whole node has
 * all of them. A node is in the set of its kind (ClusterKind.places_by_free) for its free GPUs if it
 * takes jobs, and in no set otherwise. */
#ifndef SIM_CLOUD_CLUSTER_GPUS_H
#define SIM_CLOUD_CLUSTER_GPUS_H

#include "sim/cloud/cluster/cluster.h"

/* The sets of a new cluster, without any place; and room for places below `capacity` in them. */
void gpus_create(Clusters *clusters, Cluster *cluster);
void gpus_reserve(Clusters *clusters, Cluster *cluster, int32_t capacity);

/* Whether a job runs on the node. */
bool node_has_job(const Node *node);
/* Puts the node into the set where it belongs. To be called when its state, jobs or free GPUs have
 * changed, or whether it retires. */
void node_offer(Cluster *cluster, Node *node);
/* Removes the node, which is in a set, until the next node_offer. */
void node_withhold(Cluster *cluster, Node *node);

/* No job has a part of the node any more. */
void node_set_free(const Cluster *cluster, Node *node);
/* `job` takes the whole node, which is idle; or GPUs of a node that has so many free. */
void node_give(Node *node, JobId job);
void node_share(Clusters *clusters, Cluster *cluster, Node *node, NodeJob job);
/* `job` on the node gives its GPUs back. */
void node_take_back(Cluster *cluster, Node *node, JobId job);

#endif
