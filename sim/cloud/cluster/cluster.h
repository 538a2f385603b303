/* Clusters and their nodes.
 *
 * Two machines run side by side, as in the service: provisioningState (the record) and
 * allocationState (the nodes). Nodes are counted in five states that always add up to the current
 * number of nodes. Only the files of cluster_parts.h (cluster.c, allocation.c, autoscale.c, node.c)
 * change a cluster or a node.
 *
 *     node:  (allocated) -> preparing -> idle <-> running
 *                            |  ^  |       |         |
 *                            |  |  +-------+---------+--> leaving -> (released)
 *                            |  |  |       |         |        ^
 *                            +--|--+-------+---------+--> unusable
 *                               +--------(repaired)----------+
 *
 * Unusable is a node whose preparation failed or that fell silent: held and billed until it is
 * repaired, replaced or taken away. A preempted node is released at once, from any state.
 *
 * Nodes have places in their cluster, from 0. A new node takes the lowest free place, so the
 * replacement of a lost one takes its place: racks and groups of nodes are ranges of places. */
#ifndef SIM_CORE_CLUSTER_H
#define SIM_CORE_CLUSTER_H

#include <stdbool.h>

#include "sim/base/status.h"
#include "sim/cloud/record/ids.h"
#include "sim/cloud/record/trace_record.h"
#include "sim/cloud/spec/command.h"
#include "sim/cloud/spec/scenario.h"
#include "sim/engine/place_set.h"

typedef enum {
    PROVISIONING_CREATING,
    PROVISIONING_SUCCEEDED,
    PROVISIONING_FAILED,
    PROVISIONING_DELETING,
    PROVISIONING_DELETED, /* ours: GET answers 404 */
} ProvisioningState;

typedef enum { ALLOCATION_RESIZING, ALLOCATION_STEADY } AllocationState;

typedef enum {
    NODE_PREPARING,
    NODE_IDLE,
    NODE_RUNNING,
    NODE_LEAVING,
    NODE_UNUSABLE,
    NODE_STATE_COUNT, /* a node that does not exist yet, or no more */
} NodeState;

const char *provisioning_state_name(ProvisioningState state); /* "creating" */
const char *allocation_state_name(AllocationState state);
/* "STANDARD_NC6": the service answers in capitals, whatever was asked for. In `arena`. */
const char *vm_size_in_capitals(Arena *arena, const char *vm_size);
const char *node_state_name(NodeState state); /* "preparing"; NODE_STATE_COUNT: "released" */

/* A container image once pulled stays on the node. */
typedef struct CachedImage {
    const ContainerImage *image;
    const struct CachedImage *next;
} CachedImage;

/* Why a node does not work, and what becomes of it. */
typedef struct {
    TraceCause cause;
    const char
        *code; /* as the service's cluster errors say: "AZFMountError"; NULL: InternalError */
    const char *reason; /* in plain words */
    NodeRecovery recovery;
    int64_t repair_ns; /* INT64_MAX: never */
} NodeFailure;

typedef struct {
    NodeId id;
    ClusterId cluster;
    int32_t number; /* 1, 2, ... over the cluster's life, never reused */
    int32_t place;  /* index in Cluster.nodes while it is held */
    uint32_t life;  /* grows when it fails, is repaired or released: dates its failure, the notice
                       that the service takes of it, and its repair */
    int64_t speed_ppm;          /* 1,000,000 = as modelled */
    const NodeFailure *failure; /* why it is silent or unusable: its last; NULL */
    NodeFailure last_failure;
    int64_t failed_ns; /* since when */
    NodeState state;
    int32_t preparations; /* begun so far: addresses random draws */
    int64_t state_since_ns;
    int64_t allocated_ns;    /* billing begins */
    int64_t released_ns;     /* INT64_MAX while it is held */
    JobId job;               /* running here; ID_NONE otherwise */
    uint32_t generation;     /* grows when events under way for this state become stale */
    TraceCause notice;       /* why it is going to be preempted; CAUSE_NONE: nobody said so */
    bool is_silent;          /* has crashed; its state is the old one until the service notices */
    bool is_retiring;        /* leaves as soon as its job is done (waitforjobcompletion) */
    bool is_withdrawn;       /* while its job is told that it loses this node */
    bool is_in_setup;        /* prepared but for the set-up task, which runs */
    int64_t setup_began_ns;  /* its set-up task, the last time; INT64_MAX: never */
    int64_t setup_ended_ns;  /* INT64_MAX before */
    int32_t setup_exit_code; /* once it has ended; -1: something else ended it */
    NodeId set_up_before;    /* see Cluster.set_up_last */
    const char *name;        /* "tvm-676767296_1-20180718t174802z-p" */
    const struct CachedImage *images; /* pulled so far, newest first */
    uint64_t address;                 /* of its random draws */
} Node;

/* A preparation that is going to fail (cluster_spoil_preparation). */
typedef struct SpoiledPreparation {
    int32_t place; /* -1: at any */
    NodeFailure failure;
    struct SpoiledPreparation *next;
} SpoiledPreparation;

/* The jobs that wait, in the service's order: by priority, then by submission, in which ids are
 * given. */
typedef struct {
    PlaceSet waiting[PRIORITY_COUNT]; /* of job ids */
    int32_t length;
    struct QueuePlan *plan; /* what policies that look at the whole queue need; NULL for others */
} JobQueue;

typedef struct {
    ClusterId id;
    ResourcePath path;
    const ClusterSpec *spec;
    int32_t target_nodes; /* starts as the spec's, changed by resize and autoscale */
    bool is_automatic;    /* as the next two, starts as the spec's */
    int32_t minimum_nodes;
    int32_t maximum_nodes;
    int64_t first_steady_ns;  /* evaluations of autoscale are counted from here; INT64_MAX before */
    uint32_t tick_generation; /* of the evaluation that is due */
    bool is_tick_due;
    int64_t ticked_ns;    /* the last evaluation; INT64_MAX: none yet */
    int64_t demand_nodes; /* of its jobs that wait or run */

    /* The allocation under way, or the last one. Of the nodes that are missing when it begins, so
     * many are asked for as the quota has room for; their cores are taken from then on. */
    TraceCause allocation_cause;
    bool is_growing; /* nodes are being allocated */
    int64_t growing_since_ns;
    int32_t missing_nodes;    /* when it began */
    int32_t asked_nodes;      /* of them; 0 when no allocation is under way */
    int32_t allocation_count; /* without creation and resizes: addresses random draws */
    int64_t asked_count;      /* nodes asked for so far, over all allocations: the same */
    int32_t spoiled_nodes;    /* that the next allocation does not bring */
    SpoiledPreparation *spoiled_preparations; /* in the order in which they were asked for */
    const char *quota_message;                /* of the quota that the allocation ran into; NULL */
    bool is_short_of_cores; /* steady with fewer nodes than its target, because of a quota */
    const char *error_code; /* "AccountCoreQuotaReached"; NULL once an allocation is whole */
    const char *error_message;
    DeallocationOption deallocation;
    ProvisioningState provisioning;
    AllocationState allocation;
    int64_t created_ns;
    int64_t recorded_ns;           /* its creation was over; INT64_MAX before */
    int64_t provisioning_since_ns; /* time of the last transition */
    int64_t allocation_since_ns;
    int32_t node_count[NODE_STATE_COUNT];
    int32_t current_nodes;  /* the sum of node_count */
    int32_t retiring_nodes; /* of those running: see Node.is_retiring */
    int32_t next_node_number;
    uint32_t generation;  /* as Node.generation */
    int32_t resize_count; /* without creation: addresses random draws */
    uint64_t address;
    uint32_t opaque_number;                /* the number in node ids */
    NodeId *nodes;                         /* [place]; ID_NONE: free */
    int32_t node_capacity;                 /* length of `nodes` */
    int32_t place_count;                   /* no node at or after this place */
    PlaceSet places[NODE_STATE_COUNT + 1]; /* by state of the node there; the last: free places */
    JobQueue queue;
    NodeId set_up_last;   /* of the nodes whose set-up task has begun, by Node.set_up_before; nodes
                             that are gone are among them */
    uint32_t setup_count; /* set-up tasks begun so far */
    bool is_pass_due;     /* a scheduling pass is under way at this instant */
    int64_t eligible_ns;  /* when the job submitted last enters the queue: later ones not before */
} Cluster;

/* "{sub}/{rg}/workspaces/{w}/clusters/{c}/{guid}": where the output of its set-up task goes, below
 * what the cluster asks for. The GUID is drawn at the cluster's address. In `arena`. */
const char *cluster_output_segment(const Scenario *scenario, const Cluster *cluster, Arena *arena);

struct World;

/* --- Commands; each checks first and changes nothing when it fails. --- */

MUST_CHECK bool cluster_create(struct World *world, const Command *command, Status *status);
/* Nothing where just that is under way. */
MUST_CHECK bool cluster_resize(struct World *world, Cluster *cluster, int32_t target_nodes,
                               DeallocationOption deallocation, Status *status);
/* Scales by itself between the two from now on; the next evaluation acts. */
MUST_CHECK bool cluster_autoscale(struct World *world, Cluster *cluster, int32_t minimum_nodes,
                                  int32_t maximum_nodes, Status *status);
MUST_CHECK bool cluster_delete(struct World *world, Cluster *cluster, Status *status);

/* --- Events --- */

void cluster_recorded(struct World *world, Cluster *cluster);
void cluster_nodes_allocated(struct World *world, Cluster *cluster);
void cluster_nodes_leave(struct World *world, Cluster *cluster);
void cluster_nodes_released(struct World *world, Cluster *cluster);
void cluster_deleted(struct World *world, Cluster *cluster);
void cluster_node_prepared(struct World *world, Node *node);

/* An evaluation of autoscale is due. */
void cluster_autoscale_tick(struct World *world, Cluster *cluster);
/* Asks once more for the nodes that are missing. */
void cluster_retries(struct World *world, Cluster *cluster);

/* --- What goes wrong with nodes. Each may be called for a held node in any state. --- */

/* It falls silent: a job on it stalls (job_stalls), and after the service's detection time the node
 * is unusable (cluster_node_missed). A node that does not run is noticed in the same way. */
void cluster_node_crashes(struct World *world, Node *node, NodeFailure failure);
void cluster_node_missed(struct World *world, Node *node);
/* Its repair time is over: prepared again, or released and replaced, once the region is up. */
void cluster_node_repaired(struct World *world, Node *node);
/* It is going to be taken away: after `notice_ns` cluster_node_preempted. */
void cluster_node_warned(struct World *world, Node *node, int64_t notice_ns, TraceCause cause);
void cluster_node_preempted(struct World *world, Node *node);
void cluster_node_reboots(struct World *world, Node *node, TraceCause cause);
void cluster_set_node_speed(struct World *world, Node *node, int64_t speed_ppm);
/* The next allocation brings `count` nodes fewer. */
void cluster_spoil_allocation(Cluster *cluster, int32_t count);
/* The next preparation of a node at `place` (-1: any) fails for that reason. */
void cluster_spoil_preparation(struct World *world, Cluster *cluster, int32_t place,
                               NodeFailure failure);
/* The node at a place, or NULL when it is free. */
Node *cluster_node_at(struct World *world, const Cluster *cluster, int32_t place);

/* --- For jobs --- */

/* STATUS_CONFLICT at `at` where the cluster is being deleted. */
MUST_CHECK bool cluster_is_kept(const Cluster *cluster, Place at, Status *status);
/* The nodes that jobs waiting or running ask for have changed by `nodes`: autoscale may act at its
 * next evaluation. */
void cluster_demand_changes(struct World *world, Cluster *cluster, int32_t nodes);
/* Takes `count` idle nodes for `job`, lowest places first, into `taken`. So many are idle. */
void cluster_take_nodes(struct World *world, Cluster *cluster, JobId job, int32_t count,
                        NodeId *taken);
/* The node's job is over: idle again, or leaving when its retirement waited for that. */
void cluster_node_freed(struct World *world, Node *node);
bool node_has_image(const Node *node, const ContainerImage *image);
void node_keep_image(struct World *world, Node *node, const ContainerImage *image);

/* Bills what is still held when a run ends. */
void cluster_bill_held_nodes(struct World *world, Cluster *cluster);

#endif
