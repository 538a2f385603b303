/* The inside of clusters, for the files that change them: cluster.c (commands and the record),
 * allocation.c (nodes come and go together), autoscale.c (how many there should be), node.c (one
 * node's life). */
#ifndef SIM_CORE_CLUSTER_PARTS_H
#define SIM_CORE_CLUSTER_PARTS_H

#include "sim/cloud/world_parts.h"

/* Kinds of mishap in the addresses of RNG_CHANCE draws: append, never reorder. */
enum { CHANCE_ALLOCATION = 1, CHANCE_PREPARATION, CHANCE_MOUNT, CHANCE_SETUP };

/* --- allocation.c --- */

/* Tells of an allocation state that begins, and why. */
void allocation_set(World *world, Cluster *cluster, AllocationState state, TraceCause cause);
/* Asks for the nodes of a new cluster, whose record is made in `record_ns`. Without any to ask for
 * it is steady a moment after that: as recorded, who waited long for the one waited so long for the
 * other. */
void allocation_begin(World *world, Cluster *cluster, int64_t record_ns);
/* Asks for the nodes that are missing. Anything under way for an earlier target is stale from here
 * on. The cluster is resizing. */
void allocation_grow(World *world, Cluster *cluster, TraceCause cause);
/* The cluster is told to have `target` nodes; it resizes from here on. What an earlier resize still
 * waits for is decided anew. */
void allocation_resize(World *world, Cluster *cluster, int32_t target, TraceCause cause);
/* The cluster is deleted: nothing is asked for any more, every node leaves. */
void allocation_end(World *world, Cluster *cluster);
/* A node is gone that nobody took away: another is asked for, unless it was to leave anyway. */
void allocation_replace(World *world, Cluster *cluster);
/* The last node that waited for its job to be done is on its way. */
void allocation_retired(World *world, Cluster *cluster);
/* Every leaving node is gone: the number of nodes drops at once, as in the service. */
void allocation_release(World *world, Cluster *cluster, TraceCause cause);
/* Makes nodes leave until no more than `target` would stay; none is retiring. */
void allocation_choose(World *world, Cluster *cluster, int32_t target,
                       DeallocationOption deallocation, TraceCause cause);
/* Tells that the cluster is ready, if it is: steady, no node preparing, and at least one that can
 * run jobs. Unusable ones do not hold it up. */
void allocation_tell_if_ready(World *world, Cluster *cluster);
/* How many nodes are held and not on their way out. */
int32_t allocation_staying(const Cluster *cluster);

/* --- autoscale.c --- */

/* To be called whenever something changed that an evaluation looks at: one is due from here on
 * exactly if it could change something (when others take cores meanwhile it may find that it
 * cannot). */
void autoscale_look(World *world, Cluster *cluster);
bool autoscale_could_act(const World *world, const Cluster *cluster);
/* Somebody else decides how many nodes there are. */
void autoscale_turn_off(World *world, Cluster *cluster);
/* What leaves when a cluster scales itself down, a moment after the evaluation: nodes that became
 * busy since stay, and lower the target less. */
void autoscale_choose(World *world, Cluster *cluster);
void autoscale_tell(World *world, const Cluster *cluster);

/* --- node.c --- */

/* A new node at the lowest free place, preparing itself. */
void node_add(World *world, Cluster *cluster, TraceCause cause);
void node_leaves(World *world, Cluster *cluster, Node *node, TraceCause cause);
/* Ends the attempt of the job that runs on a node, if any; the caller gives the node its next state
 * at once. */
void node_withdraw(World *world, Node *node, DeallocationOption deallocation, TraceCause cause);
void node_set_retiring(Cluster *cluster, Node *node, bool is_retiring);
/* It is gone and billed; its place is free. */
void node_release(World *world, Cluster *cluster, Node *node, TraceCause cause);
void node_bill(World *world, const Node *node, const char *why);

/* --- quota.c --- */

/* How many of `nodes` more nodes of a cluster's size the subscription's cores have room for. */
int32_t quota_room(const World *world, const Cluster *cluster, int32_t nodes);
/* In plain words, which quota stands in the way of one more node; NULL when none does. In the
 * world's arena. */
const char *quota_words(World *world, const Cluster *cluster);
/* Cores came free: clusters that scale by themselves and lack some may act. */
void quota_freed(World *world, const Cluster *cluster);

#endif
