/* Repair crews: at most Failures.repair_crews failed nodes are repaired or replaced at once; the
 * others wait in the order of their failures, and among equals of their ids. 0: as many crews as
 * nodes.
 *
 * All clusters share the crews. A crew comes when the service notices the failure, or later when
 * the crew before it is free. The repair time counts from the failure if a crew was free, otherwise
 * from the crew's coming. Nodes that stay unusable need no crew. */
#ifndef SIM_CLOUD_CLUSTER_CREW_H
#define SIM_CLOUD_CLUSTER_CREW_H

#include "sim/cloud/cluster/node.h"

typedef struct {
    int32_t busy;    /* crews at work */
    NodeId *waiting; /* [waiting_count] in the order in which they get a crew */
    int32_t waiting_count;
    int32_t capacity;
} Crews;

/* The node is unusable from now on and recovers by repair or replacement: EVENT_NODE_REPAIRED comes
 * at the end of its repair. */
void crew_called(Clusters *clusters, Node *node);
/* The node is no longer unusable, repaired or not: its crew goes to the next node, or it no longer
 * waits for one. Does nothing for a node that called no crew. */
void crew_dismissed(Clusters *clusters, Node *node);
/* Checks that no crew is idle while a node waits, and that counts and order are right. */
void crews_check(const Clusters *clusters);

#endif
