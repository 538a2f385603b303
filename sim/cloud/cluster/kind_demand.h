/* The demand of waiting jobs on a cluster of several kinds of nodes, of which one scales
 * automatically.
 *
 * Only jobs that do not fit elsewhere are a demand on the scaling kind, as in the cluster
 * autoscalers of the field (Kubernetes' scales up for pods that no present or upcoming node can
 * take). First fit decreasing decides: the waiting jobs, largest first, are put on the nodes of the
 * other kinds that are idle, shared or being prepared, in the order of the kinds. A job needs the
 * scaling kind as a whole if it fits on none of them.
 *
 * Whether the policy lets a job start where it fits is not asked: it may keep nodes free for
 * another job. As everywhere in automatic scaling, GPUs count and cores and memory do not; but a
 * job whose cores and memory a whole node of a kind cannot give does not count as fitting there. A
 * job that could not run on the maximum of the scaling kind needs none of its nodes. */
#ifndef SIM_CLOUD_CLUSTER_KIND_DEMAND_H
#define SIM_CLOUD_CLUSTER_KIND_DEMAND_H

#include "sim/cloud/cluster/cluster.h"

/* The nodes of the scaling kind that waiting jobs need in addition to its running nodes. */
typedef struct {
    int64_t whole_nodes;  /* of jobs that ask for whole nodes */
    int64_t sharing_jobs; /* jobs that ask for GPUs; Cluster.waiting_parts has their parts */
    int64_t widest;       /* the nodes of the widest such job */
} KindDemand;

/* Whether jobs with that request are counted: one of the kinds that they allow could run them. */
bool kind_demand_counts(const Cluster *cluster, JobRequest request);
/* Adds `jobs` (may be negative) waiting jobs with that request, as they asked. */
void kind_demand_add(Clusters *clusters, Cluster *cluster, JobRequest request, int32_t jobs);
/* The nodes count up to the maximum of the scaling kind: more may be needed then. */
KindDemand kind_demand_find(const Cluster *cluster);

#endif
