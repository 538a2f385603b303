/* Clusters that scale automatically.
 *
 * The recorded sessions show these rules (batchai-service notes, "Autoscale"). The service
 * evaluates once per period, counted from the first time at which the cluster was steady, even if
 * automatic scaling was turned on later. It wants as many nodes as waiting and running jobs need
 * together, within the limits. It removes only nodes that are idle at the evaluation.
 *
 * Jobs that ask for GPUs need the nodes on which they run, and for those that wait what first fit
 * decreasing counts: the parts of all jobs, largest first, go to the fullest shared node with room,
 * or else to a new node.
 *
 * Of several kinds of nodes at most one scales; the targets of the others are fixed. It wants the
 * nodes on which jobs run now, and those for waiting jobs that do not fit on other kinds
 * (kind_demand.h).
 *
 * A job that the limit of its queue holds back needs no nodes (sim/cloud/job/scheduler.h): more of
 * them would not let it start.
 *
 * Assumptions: all missing or spare nodes change in one step. Unusable nodes count as spare and
 * leave first. Busy nodes leave only if there are more than the maximum. An evaluation during a
 * resize does nothing.
 *
 * Only an evaluation that could change something is an event, so that a run ends. */
#ifndef SIM_CLOUD_CLUSTER_AUTOSCALE_H
#define SIM_CLOUD_CLUSTER_AUTOSCALE_H

#include "sim/cloud/cluster/cluster.h"

/* Whether demand on the cluster is counted: it scales automatically, or a command may let it. */
bool cluster_counts_demand(const Cluster *cluster);
/* Whether a job with that request is a demand while it runs, too: it asks for whole nodes, and all
 * nodes are of one kind. */
bool cluster_demand_lasts(const Cluster *cluster, JobRequest request);
/* Adds `jobs` (may be negative) jobs with that request to the demand: jobs that wait, and jobs that
 * run if their demand lasts; without those that a limit holds back. On a cluster of several kinds
 * the request has all kinds that the jobs allow. */
void cluster_demand_changes(Clusters *clusters, Cluster *cluster, JobRequest request, int32_t jobs);
/* Event: an evaluation is due. */
void cluster_autoscale_tick(Clusters *clusters, Cluster *cluster);

/* --- For the other files of this folder --- */

/* Pushes the next evaluation, or makes the pushed one stale, so that an evaluation is due exactly
 * if it could change something. Must be called whenever a value changes on which this depends. (If
 * other clusters take cores, an evaluation may find that it cannot act.) */
void autoscale_update(Clusters *clusters, Cluster *cluster);
/* Whether an evaluation could change the cluster, now or later. */
bool autoscale_could_act(const Clusters *clusters, const Cluster *cluster);
/* The nodes of another kind are resized: nodes that an evaluation would have let leave stay. */
void autoscale_keep(Cluster *cluster);
/* Turns automatic scaling off. */
void autoscale_turn_off(Clusters *clusters, Cluster *cluster);
/* Chooses the nodes that leave when a cluster scales down, some time after the evaluation. Nodes
 * that have become busy since then stay, and the target is raised to include them. */
void autoscale_choose(Clusters *clusters, Cluster *cluster);
/* Emits TRACE_CLUSTER_SCALING. */
void autoscale_emit(Clusters *clusters, const Cluster *cluster);

#endif
