/* Planned maintenance of a cluster's nodes, like a maintenance reservation of Slurm
 * (https://slurm.schedmd.com/reservations.html, flag MAINT). Room.closes_ns says when the next one
 * of each kind of nodes begins; the scheduler starts no job that would run into it. Nothing happens
 * to the nodes themselves: jobs that run longer than their owners expected keep them. */
#ifndef SIM_CLOUD_CLUSTER_MAINTENANCE_H
#define SIM_CLOUD_CLUSTER_MAINTENANCE_H

#include "sim/cloud/cluster/cluster.h"

/* Once, for a new cluster. */
void maintenance_create(Clusters *clusters, Cluster *cluster);

/* Event: maintenance begins or ends. */
void maintenance_turns(Clusters *clusters, Cluster *cluster);

#endif
