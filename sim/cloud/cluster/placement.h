/* Placement policies, which choose the node that gives a job GPUs. A policy is a pure function of
 * the free GPUs, and a row in PLACEMENTS (sim/cloud/spec/scenario.h).
 *
 * All policies divide a job among nodes in the same way (sim/cloud/spec/request.h), so whether a
 * job fits does not depend on the policy. A whole node, and the only node of a job, is always the
 * lowest place among the equals that a policy names.
 *
 * first-fit    the lowest place with enough free GPUs
 * best-fit     the fullest node: the fewest free GPUs, but enough of them
 * spread       the emptiest node: the most free GPUs
 * consolidate  as best-fit; but the remainder of a job on several nodes goes to the emptiest node.
 *              The rules of the simulator of Hu et al., "Characterization and prediction of deep
 *              learning workloads in large-scale GPU datacenters", SC 2021
 *
 * In a cluster of several kinds the policy chooses among nodes of all kinds on which the whole job
 * fits; the first node that it chooses is of the job's kind (cluster_choose_kind).
 *
 * Each choice takes as many steps as a node has GPUs, however many nodes there are. For a job that
 * asks for cores or memory it passes over nodes with too few of them, one by one. */
#ifndef SIM_CLOUD_CLUSTER_PLACEMENT_H
#define SIM_CLOUD_CLUSTER_PLACEMENT_H

#include "sim/cloud/spec/scenario.h"

typedef struct {
    NodeShare need;    /* on this node */
    bool is_remainder; /* of a job that takes whole nodes too */
} PlacementPart;

typedef struct {
    const char *name;
    const char *what;
    /* The place of a node that can give the part among Room.places; -1: no node can. */
    int32_t (*choose)(const Room *room, PlacementPart part);
} Placement;

const Placement *placement_of(PlacementKind kind);

/* A node that a policy would choose among those of one kind. */
typedef struct {
    int64_t rank; /* the smaller is better */
    int32_t place;
} PlacementChoice;

PlacementChoice placement_choice(PlacementKind kind, const Room *room, PlacementPart part);
/* Whether the policy prefers the node to that of another kind; among equals the lowest place. */
bool placement_is_before(PlacementChoice choice, PlacementChoice other);

int32_t placement_first_fit(const Room *room, PlacementPart part);
int32_t placement_best_fit(const Room *room, PlacementPart part);
int32_t placement_spread(const Room *room, PlacementPart part);
int32_t placement_consolidate(const Room *room, PlacementPart part);

#endif
