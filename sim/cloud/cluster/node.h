/* Nodes: their states from allocation to release, and their failures.
 *
 *     node:  (allocated) -> preparing -> idle <-> running
 *                            |  ^  |       |         |
 *                            |  |  +-------+---------+--> leaving -> (released)
 *                            |  |  |       |         |        ^
 *                            +--|--+-------+---------+--> unusable
 *                               +--------(repaired)----------+
 *
 * A node is unusable if its preparation failed, it fell silent or it is drained and runs nothing:
 * it is held and billed until it is repaired, replaced or removed. A preempted node is released at
 * once, from any state. */
#ifndef SIM_CLOUD_CLUSTER_NODE_H
#define SIM_CLOUD_CLUSTER_NODE_H

#include "sim/cloud/record/recorder.h"
#include "sim/cloud/spec/scenario.h"
#include "sim/cloud/storage/links.h"
#include "sim/model/price.h"

typedef struct Clusters Clusters;
typedef struct Cluster Cluster;

typedef enum {
    NODE_PREPARING,
    NODE_IDLE,
    NODE_RUNNING,
    NODE_LEAVING,
    NODE_UNUSABLE,
    NODE_STATE_COUNT, /* new or released */
} NodeState;

const char *node_state_name(NodeState state); /* "preparing"; NODE_STATE_COUNT: "released" */

/* A container image that was pulled; it stays on the node. */
typedef struct CachedImage {
    const ContainerImage *image;
    const struct CachedImage *next;
} CachedImage;

/* The failure of a node, and how the node recovers. */
typedef struct {
    TraceCause cause;
    const char *code;   /* of the service's cluster error, "AZFMountError"; NULL: InternalError */
    const char *reason; /* in plain words */
    NodeRecovery recovery;
    int64_t repair_ns; /* INT64_MAX: never */
} NodeFailure;

/* A job that shares a node. */
typedef struct {
    JobId job;
    NodeShare share;
} NodeJob;

/* Whether a failed node has a repair crew (sim/cloud/cluster/crew.h). */
typedef enum { REPAIR_NONE, REPAIR_WAITS, REPAIR_BEGUN } NodeRepair;

/* Whether a node is drained (sim/cloud/cluster/drain.h). Until the work on it begins, its jobs run,
 * or it is under repair. */
typedef enum { DRAIN_NONE, DRAIN_WAITS, DRAIN_BEGUN } NodeDrain;

typedef struct {
    NodeId id;
    ClusterId cluster;
    int32_t number;    /* 1, 2, ... over the cluster's life, never reused */
    int32_t place;     /* index in Cluster.nodes while it is held */
    int32_t kind;      /* index in Cluster.kinds */
    uint32_t life;     /* grows when the node fails, is repaired or released; the generation of the
                          events of its failure, detection and repair */
    int64_t speed_ppm; /* 1,000,000 = as modelled */
    const NodeFailure *failure; /* &last_failure while it is silent or unusable; else NULL */
    NodeFailure last_failure;
    int64_t failed_ns; /* the time of last_failure */
    NodeState state;
    NodeRepair repair;
    NodeDrain drain;
    NodeFailure drain_work;    /* of the last drain: the work, as a failure that begins later */
    int64_t drained_ns;        /* the begin of the last drain */
    int32_t maintenance_after; /* 1 + the index of the rolling maintenance in which it has its turn;
                                  0: none */
    int32_t preparations;      /* begun so far; addresses random draws */
    int64_t state_since_ns;
    int64_t life_ns;      /* the begin of its present life: allocation, or the last repair */
    int64_t allocated_ns; /* billing begins */
    int64_t released_ns;  /* INT64_MAX while it is held */
    JobId job;            /* has the whole node; ID_NONE: no job has */
    NodeJob *shared;      /* [shared_count] jobs that share the node, in the order of their start */
    int32_t shared_count, shared_capacity;
    int32_t free_gpus;   /* that no job holds */
    int32_t offered;     /* the set of Cluster.places_by_free that it is in; -1: it takes no job */
    uint32_t generation; /* grows when pending events of its state become stale */
    TraceCause notice;   /* the cause of its announced preemption; CAUSE_NONE: none */
    bool is_silent;      /* has crashed; it keeps its state until the service notices */
    bool is_retiring;    /* leaves when its job ends (waitforjobcompletion) */
    bool is_withdrawn;   /* during the call that takes the node from its job */
    bool is_in_setup;    /* its set-up task runs, the last part of its preparation */
    int64_t setup_began_ns;           /* the last begin of its set-up task; INT64_MAX: never */
    int64_t setup_ended_ns;           /* INT64_MAX before */
    int32_t setup_exit_code;          /* after the end; -1: the task was interrupted */
    NodeId set_up_before;             /* see Cluster.set_up_last */
    const char *name;                 /* "tvm-676767296_1-20180718t174802z-p" */
    const struct CachedImage *images; /* pulled so far, newest first */
    uint64_t address;                 /* of its random draws */
    NodeLink link;                    /* for transfers to and from shares */
} Node;

/* A preparation that will fail (cluster_fail_next_preparation). */
typedef struct FailingPreparation {
    int32_t place; /* -1: any */
    NodeFailure failure;
    struct FailingPreparation *next;
} FailingPreparation;

uint32_t node_count(const Clusters *clusters); /* released ones included */
/* The index of the first node from `node` on that is not forgotten; node_count: there is none. */
uint32_t node_next(const Clusters *clusters, uint32_t node);
const Node *node_by_id(const Clusters *clusters, NodeId node);
/* For arguments of the functions below: only this folder changes a node. */
Node *node_row(Clusters *clusters, NodeId node);
/* The jobs on the node: the one that has all of it, or those that share it. */
static inline int32_t node_job_count(const Node *node)
{
    return node->job.index != ID_NONE ? 1 : node->shared_count;
}
static inline JobId node_job_at(const Node *node, int32_t index)
{
    return node->job.index != ID_NONE ? node->job : node->shared[index].job;
}
/* Whether the node is held and not leaving. */
bool node_is_in_service(const Clusters *clusters, const Node *node);
/* Whether the node is in service, not silent and not unusable. */
bool node_works(const Clusters *clusters, const Node *node);
/* The bill of a node of one kind of `cluster` that was allocated at `allocated_ns` and is released
 * now. */
Bill node_bill_now(const Clusters *clusters, ClusterId cluster, int32_t kind, int64_t allocated_ns);
/* Begins a record of `kind` about the node (recorder_begin). */
TraceRecord *node_trace(const Clusters *clusters, TraceKind kind, const Node *node);

/* Forgets a released node, to which no event and no job belongs. */
void node_forget(Clusters *clusters, NodeId node);

/* --- Failures. Each may be called for a node in any state. --- */

/* The node falls silent: a job on it stalls (job_stalls). After the service's detection time the
 * node is unusable (cluster_node_missed), also if it runs no job. */
void cluster_node_crashes(Clusters *clusters, Node *node, NodeFailure failure);
void cluster_node_missed(Clusters *clusters, Node *node);
/* The repair time has passed: once the region is up, the node is prepared again, or released and
 * replaced. */
void cluster_node_repaired(Clusters *clusters, Node *node);
/* Announces that the node will be preempted after `notice_ns` (cluster_node_preempted). */
void cluster_node_warned(Clusters *clusters, Node *node, int64_t notice_ns, TraceCause cause);
void cluster_node_preempted(Clusters *clusters, Node *node);
void cluster_node_reboots(Clusters *clusters, Node *node, TraceCause cause);
void cluster_set_node_speed(Clusters *clusters, Node *node, int64_t speed_ppm);
/* Makes the next preparation of a node at `place` (-1: any) fail. */
void cluster_fail_next_preparation(Clusters *clusters, Cluster *cluster, int32_t place,
                                   NodeFailure failure);
/* --- For jobs --- */

/* The kind of nodes on which the scenario's placement policy starts a job that fits: that of the
 * first node that it chooses, among nodes of all kinds on which the whole job fits within the limit
 * of its queue. For whole nodes this is the idle node at the lowest place. */
int32_t cluster_choose_kind(const Clusters *clusters, const Cluster *cluster, JobRequest request,
                            SlotLimit limit);
/* Takes what `job` asks for, which must fit (request_fits), of the kind of the request, and lists
 * its nodes in `taken`: idle nodes, lowest places first; or GPUs of nodes that the scenario's
 * placement policy chooses. */
void cluster_take(Clusters *clusters, Cluster *cluster, JobId job, JobRequest request,
                  NodeId *taken);
/* The attempt of `job` on the node has ended. If it was the last job there, the node becomes idle,
 * or leaves if it is retiring. */
void cluster_node_freed(Clusters *clusters, Node *node, JobId job);
bool node_has_image(const Node *node, const ContainerImage *image);
void node_keep_image(Clusters *clusters, Node *node, const ContainerImage *image);

/* --- Events --- */

void cluster_node_prepared(Clusters *clusters, Node *node);

/* --- For the other files of this folder --- */

void node_set_state(Clusters *clusters, Cluster *cluster, Node *node, NodeState state,
                    TraceCause cause);
enum { SETUP_CUT_OFF = -1 };
/* Ends the node's set-up task, if it runs. */
void node_setup_ends(const Clusters *clusters, Node *node, int32_t exit_code);
void node_begin_preparation(Clusters *clusters, Cluster *cluster, Node *node, TraceCause cause,
                            int64_t reboot_ns);
/* Adds the node to the nodes of its kind that are drained and still run jobs, or removes it (change
 * -1). */
void node_count_draining(Cluster *cluster, const Node *node, int32_t change);
/* Gives the jobs on the node notice. */
void node_warn_jobs(Clusters *clusters, const Node *node, TraceCause cause);
void node_set_failure(Clusters *clusters, Node *node, NodeFailure failure);
/* The service has noticed `node->failure`. */
void node_become_unusable(Clusters *clusters, Cluster *cluster, Node *node);
/* If the node is retiring, it leaves now, because its job has ended. */
bool node_leaves_instead(Clusters *clusters, Cluster *cluster, Node *node);
/* Adds a new node of a kind at its lowest free place and begins its preparation. */
void node_add(Clusters *clusters, Cluster *cluster, int32_t kind, TraceCause cause);
void node_leaves(Clusters *clusters, Cluster *cluster, Node *node, TraceCause cause);
/* Ends the attempts of all jobs on a node; the caller gives the node its next state
 * at once. */
void node_withdraw(Clusters *clusters, Node *node, DeallocationOption deallocation,
                   TraceCause cause);
void node_set_retiring(Cluster *cluster, Node *node, bool is_retiring);
/* Releases and bills the node, and frees its place. */
void node_release(Clusters *clusters, Cluster *cluster, Node *node, TraceCause cause);
void node_bill(Clusters *clusters, const Node *node, const char *why);

#endif
