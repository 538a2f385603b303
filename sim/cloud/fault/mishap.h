/* Failures by chance: the random failures of nodes and of groups of nodes. */
#ifndef SIM_CLOUD_FAULT_MISHAP_H
#define SIM_CLOUD_FAULT_MISHAP_H

#include "sim/cloud/job/job.h"

typedef struct Faults Faults;

/* Lives as long as `run`. */
Faults *faults_create(Arena *run, Engine *engine, TraceRecorder *recorder, const Scenario *scenario,
                      Names *names, Storage *storage, Clusters *clusters, Jobs *jobs);
/* The functions that clusters call (ClusterFaults). */
ClusterFaults faults_of_clusters(Faults *faults);
/* Pushes the first failure of each group; once, before any event. */
void mishaps_prepare(Faults *faults);
/* Draws the failures and lifetimes that are still to come again, from the present seed, given that
 * none of them has happened so far. */
void mishaps_draw_again(Faults *faults);

/* --- Events --- */

void mishap_node_fails(Faults *faults, Node *node);
/* Drains the node for the repair of the failure that is to come, unless it is drained already or
 * does not work. */
void mishap_node_shows_signs(Faults *faults, Node *node);
void mishap_node_lifetime(Faults *faults, Node *node);
void mishap_group_fails(Faults *faults, uint32_t group);

/* --- For fault.c --- */

typedef bool NodeTest(const Clusters *clusters, const Node *node);
/* The `*count` nodes at the places of a group that pass the test, in the order of its members; in
 * the run's arena. */
NodeId *mishap_group_nodes(Faults *faults, const NodeGroup *group, NodeTest *counts,
                           int32_t *count);
/* Emits TRACE_GROUP_STRUCK, before the records of the nodes. */
void mishap_emit_struck(Faults *faults, const char *name, int32_t nodes, TraceCause cause);

#endif
