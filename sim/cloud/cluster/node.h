/* One node's life: from its allocation to its release, with its failures.
 *
 *     node:  (allocated) -> preparing -> idle <-> running
 *                            |  ^  |       |         |
 *                            |  |  +-------+---------+--> leaving -> (released)
 *                            |  |  |       |         |        ^
 *                            +--|--+-------+---------+--> unusable
 *                               +--------(repaired)----------+
 *
 * Unusable is a node whose preparation failed or that fell silent: held and billed until it is
 * repaired, replaced or taken away. A preempted node is released at once, from any state. */
#ifndef SIM_CLOUD_CLUSTER_NODE_H
#define SIM_CLOUD_CLUSTER_NODE_H

#include "sim/cloud/record/recorder.h"
#include "sim/cloud/spec/scenario.h"
#include "sim/model/price.h"

typedef struct Clusters Clusters;
typedef struct Cluster Cluster;

typedef enum {
    NODE_PREPARING,
    NODE_IDLE,
    NODE_RUNNING,
    NODE_LEAVING,
    NODE_UNUSABLE,
    NODE_STATE_COUNT, /* a node that does not exist yet, or no more */
} NodeState;

const char *node_state_name(NodeState state); /* "preparing"; NODE_STATE_COUNT: "released" */

/* A container image once pulled stays on the node. */
typedef struct CachedImage {
    const ContainerImage *image;
    const struct CachedImage *next;
} CachedImage;

/* Why a node does not work, and how it recovers. */
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
    TraceCause notice;       /* why it is going to be preempted; CAUSE_NONE: it is not */
    bool is_silent;          /* has crashed; its state is the old one until the service notices */
    bool is_retiring;        /* leaves as soon as its job is done (waitforjobcompletion) */
    bool is_withdrawn;       /* while its job is notified that it loses this node */
    bool is_in_setup;        /* prepared but for the set-up task, which runs */
    int64_t setup_began_ns;  /* its set-up task, the last time; INT64_MAX: never */
    int64_t setup_ended_ns;  /* INT64_MAX before */
    int32_t setup_exit_code; /* once it has ended; -1: something else ended it */
    NodeId set_up_before;    /* see Cluster.set_up_last */
    const char *name;        /* "tvm-676767296_1-20180718t174802z-p" */
    const struct CachedImage *images; /* pulled so far, newest first */
    uint64_t address;                 /* of its random draws */
} Node;

/* A preparation that is going to fail (cluster_fail_next_preparation). */
typedef struct FailingPreparation {
    int32_t place; /* -1: at any */
    NodeFailure failure;
    struct FailingPreparation *next;
} FailingPreparation;

uint32_t node_count(const Clusters *clusters); /* released ones included */
const Node *node_by_id(const Clusters *clusters, NodeId node);
/* For the calls below: only node.c and allocation.c change a node. */
Node *node_row(Clusters *clusters, NodeId node);
/* It is held and not on its way out. */
bool node_is_in_service(const Clusters *clusters, const Node *node);
/* It could fall silent: it is in service, answers, and is not unusable. */
bool node_works(const Clusters *clusters, const Node *node);
/* The bill of a node of `cluster` that was allocated then and is released now. */
Bill node_bill_now(const Clusters *clusters, ClusterId cluster, int64_t allocated_ns);
TraceRecord node_trace(const Clusters *clusters, TraceKind kind, const Node *node);

/* --- Failures. Each may be called for a held node in any state. --- */

/* It falls silent: a job on it stalls (job_stalls), and after the service's detection time the node
 * is unusable (cluster_node_missed). A node that does not run is noticed in the same way. */
void cluster_node_crashes(Clusters *clusters, Node *node, NodeFailure failure);
void cluster_node_missed(Clusters *clusters, Node *node);
/* Its repair time is over: prepared again, or released and replaced, once the region is up. */
void cluster_node_repaired(Clusters *clusters, Node *node);
/* It is going to be taken away: after `notice_ns` cluster_node_preempted. */
void cluster_node_warned(Clusters *clusters, Node *node, int64_t notice_ns, TraceCause cause);
void cluster_node_preempted(Clusters *clusters, Node *node);
void cluster_node_reboots(Clusters *clusters, Node *node, TraceCause cause);
void cluster_set_node_speed(Clusters *clusters, Node *node, int64_t speed_ppm);
/* The next preparation of a node at `place` (-1: any) fails for that reason. */
void cluster_fail_next_preparation(Clusters *clusters, Cluster *cluster, int32_t place,
                                   NodeFailure failure);
/* --- For jobs --- */

/* Takes `count` idle nodes for `job`, lowest places first, into `taken`. So many are idle. */
void cluster_take_nodes(Clusters *clusters, Cluster *cluster, JobId job, int32_t count,
                        NodeId *taken);
/* The node's job is over: idle again, or leaving when its retirement waited for that. */
void cluster_node_freed(Clusters *clusters, Node *node);
bool node_has_image(const Node *node, const ContainerImage *image);
void node_keep_image(Clusters *clusters, Node *node, const ContainerImage *image);

/* --- Events --- */

void cluster_node_prepared(Clusters *clusters, Node *node);

/* --- For the other files of this folder --- */

/* A new node at the lowest free place, preparing itself. */
void node_add(Clusters *clusters, Cluster *cluster, TraceCause cause);
void node_leaves(Clusters *clusters, Cluster *cluster, Node *node, TraceCause cause);
/* Ends the attempt of the job that runs on a node, if any; the caller gives the node its next state
 * at once. */
void node_withdraw(Clusters *clusters, Node *node, DeallocationOption deallocation,
                   TraceCause cause);
void node_set_retiring(Cluster *cluster, Node *node, bool is_retiring);
/* It is gone and billed; its place is free. */
void node_release(Clusters *clusters, Cluster *cluster, Node *node, TraceCause cause);
void node_bill(Clusters *clusters, const Node *node, const char *why);

#endif
