/* Clusters and their nodes.
 *
 * As in the service, a cluster has two independent states: provisioningState (of the record) and
 * allocationState (of the nodes). The counts of nodes in five states always add up to the current
 * number of nodes. Only the files of this folder change a cluster or a node.
 *
 * Nodes have places in their cluster, from 0. A new node takes the lowest free place, so the
 * replacement of a lost node takes its place. Racks and groups of nodes are ranges of places.
 *
 * A cluster has nodes of one or several kinds, each with its target. A place belongs to
 * the kind of its first node for ever; the nodes of a new cluster come in the order of its kinds.
 */
#ifndef SIM_CLOUD_CLUSTER_CLUSTER_H
#define SIM_CLOUD_CLUSTER_CLUSTER_H

#include "sim/base/status.h"
#include "sim/cloud/cluster/node.h"
#include "sim/cloud/resource/resource.h"
#include "sim/cloud/resource/subject.h"
#include "sim/cloud/storage/storage.h"
#include "sim/engine/place_set.h"

enum { KIND_NONE = -1 };

typedef enum { ALLOCATION_RESIZING, ALLOCATION_STEADY } AllocationState;

const char *allocation_state_name(AllocationState state); /* "steady" */
/* "STANDARD_NC6": the service's answers show sizes in capitals. In `arena`. */
const char *vm_size_in_capitals(Arena *arena, const char *vm_size);
/* The same of all kinds of nodes: "STANDARD_NC6 + STANDARD_NC24"; of kinds of one size with their
 * names, "STANDARD_NC6 + STANDARD_NC6 (spot)". */
const char *vm_sizes_in_capitals(Arena *arena, const ClusterSpec *spec);

/* Waiting jobs of equal requests (kind_demand.h). */
typedef struct {
    JobRequest request; /* divided for the scaling kind, without cores and memory; its kinds are
                           those that the jobs allow and on which they fit */
    int64_t jobs;       /* more than 0 */
} WaitingGroup;

typedef struct {
    WaitingGroup *items; /* the largest requests first, all different */
    uint32_t count, capacity;
} WaitingGroups;

/* The nodes of one kind. */
typedef struct {
    NodeKind spec;   /* its target is that of the cluster's creation */
    NodeShare whole; /* a node */
    int32_t *quotas; /* [quota_count] those of Scenario.quotas that count its cores */
    int32_t quota_count;
    int32_t target_nodes; /* the first three: see the members of Cluster */
    int32_t current_nodes;
    int32_t missing_nodes, asked_nodes;
    int32_t node_count[NODE_STATE_COUNT];
    int32_t shared_nodes;     /* running nodes that no job has as a whole */
    int32_t draining_nodes;   /* running nodes that are drained */
    PlaceSet *places_by_free; /* [free GPUs, 0 to the number that a node has]: the nodes there that
                                 take jobs now: idle or shared ones that do not retire */
    int64_t *gaps;            /* [free GPUs], twice: room for automatic scaling to count nodes in */
    Room room;
} ClusterKind;

/* A planned maintenance (maintenance.h). */
typedef struct {
    int64_t since_ns; /* INT64_MAX: it is not under way */
    /* Members of a rolling one that is under way: */
    int32_t next_place; /* the nodes at lower places have had their turn, or have it */
    int32_t end_number; /* nodes with this number and later ones came after its begin; 0: it begins
                           at this instant */
    int32_t in_turn;    /* nodes that have their turn: drained for it, or prepared again */
} MaintenanceRun;

struct Cluster {
    ClusterId id;
    ResourcePath path;
    const ClusterSpec *spec;
    int32_t kind_count; /* at least 1 */
    ClusterKind *kinds;
    /* The next four start as in the spec. The counts of nodes are those of all kinds. */
    int32_t target_nodes; /* changed by resize and autoscale: cluster_set_target */
    bool is_automatic;
    int32_t minimum_nodes; /* of its scaling kind, as the next one */
    int32_t maximum_nodes;
    int32_t scaling_kind;     /* as in the spec */
    int64_t first_steady_ns;  /* begin of the first autoscale period; INT64_MAX before */
    uint32_t tick_generation; /* of the evaluation that is due */
    bool is_tick_due;
    int64_t ticked_ns;       /* the last evaluation; INT64_MAX: none yet */
    WaitingGroups waiting;   /* of a cluster of several kinds, in place of the next five */
    int64_t demand_nodes;    /* whole nodes of the jobs that wait or run */
    int64_t *waiting_parts;  /* [GPUs on one node]: how many such parts the jobs have that wait for
                                GPUs; without jobs that do not fit on empty nodes */
    int64_t *waiting_widths; /* [nodes, up to WIDTH_MAX]: how many of those jobs run on so many */
    uint32_t width_capacity;
    int64_t sharing_jobs;        /* how many of those jobs there are */
    MaintenanceRun *maintenance; /* [spec->maintenance_count] */

    /* The allocation under way, or the last one. It requests as many of the missing nodes as the
     * quota has room for; their cores are taken from then on. */
    TraceCause allocation_cause;
    bool is_growing; /* nodes are being allocated */
    int64_t growing_since_ns;
    int32_t missing_nodes;    /* when the allocation began */
    int32_t asked_nodes;      /* requested nodes; 0 when no allocation is under way */
    int32_t allocation_count; /* without creation and resizes; addresses random draws */
    int64_t asked_count;      /* nodes requested in all allocations; addresses random draws */
    int64_t failing_nodes;    /* that the next allocation does not bring, because of a fault */
    FailingPreparation *failing_preparations; /* because of faults, in their order */
    const char *quota_message;                /* of the quota that refused nodes; NULL: none did */
    bool is_short_of_cores; /* steady with fewer nodes than its target, because of a quota */
    const char *error_code; /* "AccountCoreQuotaReached"; NULL: the last steady state was whole */
    const char *error_message;
    DeallocationOption deallocation;
    ProvisioningState provisioning;
    AllocationState allocation;
    int64_t created_ns;
    int64_t recorded_ns;           /* the end of its creation; INT64_MAX before */
    int64_t provisioning_since_ns; /* time of the last transition */
    int64_t allocation_since_ns;
    int32_t node_count[NODE_STATE_COUNT];
    int32_t current_nodes;  /* the sum of node_count */
    int32_t retiring_nodes; /* see Node.is_retiring */
    int32_t next_node_number;
    uint32_t generation;  /* as Node.generation */
    int32_t resize_count; /* without creation; addresses random draws */
    uint64_t address;
    uint32_t opaque_number;                /* the number in node ids */
    NodeId *nodes;                         /* [place]; ID_NONE: free */
    int32_t node_capacity;                 /* length of `nodes` */
    int32_t place_count;                   /* all nodes are below this place */
    PlaceSet places[NODE_STATE_COUNT + 1]; /* [state of the node there]; the last: free places */
    NodeShare *free;      /* [place] of the node there, free of jobs; whole unless jobs share it */
    int8_t *place_kinds;  /* [place] the kind to which it belongs; KIND_NONE: no node had it yet */
    NodeId set_up_last;   /* the last node whose set-up task has begun: head of a list by
                             Node.set_up_before, which includes released nodes */
    uint32_t setup_count; /* set-up tasks begun so far */
};

/* Whether the nodes of that kind scale automatically now. */
static inline bool cluster_kind_scales(const Cluster *cluster, int32_t kind)
{
    return cluster->is_automatic && kind == cluster->scaling_kind;
}

/* A limit of the scaling kind as one of the whole cluster: with the targets of the other kinds. */
static inline int32_t cluster_limit(const Cluster *cluster, int32_t nodes)
{
    return cluster->target_nodes - cluster->kinds[cluster->scaling_kind].target_nodes + nodes;
}

/* The functions of jobs that clusters call; filled in by sim/cloud/job. */
typedef struct {
    void *jobs;
    /* The node is taken from a job on it. The job gives back all its nodes during the call. */
    void (*node_taken)(void *jobs, JobId job, const Node *node, DeallocationOption deallocation,
                       TraceCause cause);
    /* The node of a job has got notice of preemption, or a health check expects it to fail. */
    void (*node_warned)(void *jobs, JobId job, TraceCause cause);
    /* The node of a job has crashed; the service has not noticed it yet. */
    void (*node_fell_silent)(void *jobs, JobId job, const Node *node);
    /* The node of a job is drained, or no longer. */
    void (*node_drains)(void *jobs, JobId job);
    /* Nodes have become idle, or a job has left the queue: other jobs may start. */
    void (*nodes_changed)(void *jobs, ClusterId cluster);
    /* A node has become unusable or is drained: a policy that counted on it may let other jobs
     * start. */
    void (*node_failed)(void *jobs, ClusterId cluster);
} ClusterJobs;

/* The functions of chance failures that clusters call; filled in by sim/cloud/fault. */
typedef struct {
    void *faults;
    /* The node is new or repaired: its next failure is drawn. */
    void (*node_begins)(void *faults, Node *node);
} ClusterFaults;

/* Lives as long as `run`. */
Clusters *cluster_tables_create(Arena *run, Engine *engine, TraceRecorder *recorder,
                                const Scenario *scenario, Names *names, Resources *resources,
                                Subjects *subjects, Storage *storage);
/* Once, before the first cluster. */
void clusters_connect(Clusters *clusters, ClusterJobs jobs, ClusterFaults faults);

uint32_t cluster_count(const Clusters *clusters); /* deleted ones included */
/* The index of the first cluster from `cluster` on that is not forgotten; cluster_count: there is
 * none. */
uint32_t cluster_next(const Clusters *clusters, uint32_t cluster);
/* Forgets a deleted cluster, to which no event, node or job belongs. */
void cluster_forget(Clusters *clusters, ClusterId cluster);
/* NULL: the cluster is forgotten. */
const Cluster *cluster_by_id(const Clusters *clusters, ClusterId cluster);
/* For arguments of the functions below: only this folder changes a cluster. */
Cluster *cluster_row(Clusters *clusters, ClusterId cluster);
/* The existing cluster with that path, whose experiment is ignored; NULL: there is none. */
Cluster *cluster_find(Clusters *clusters, ResourcePath path);
/* The GPUs that each of its nodes has; of several kinds those of the first. */
int32_t cluster_gpus_per_node(const Cluster *cluster);
/* The nodes of the first kind that take jobs now. */
const Room *cluster_room(const Cluster *cluster);
/* The kind of a running job; of a waiting one the first that it allows. */
const ClusterKind *cluster_kind_of(const Cluster *cluster, JobRequest request);
/* The kind of a node, which may be released. */
const ClusterKind *cluster_kind_of_node(const Cluster *cluster, const Node *node);
/* The index of the kind with that name; KIND_NONE. */
int32_t cluster_find_kind(const Cluster *cluster, const char *name);
/* The node at a place; NULL: the place is free. */
Node *cluster_node_at(Clusters *clusters, const Cluster *cluster, int32_t place);
/* "{sub}/{rg}/workspaces/{w}/clusters/{c}/{guid}": the folder of the set-up task's output, below
 * the directory that the cluster names. The GUID is drawn at the cluster's address. In `arena`. */
const char *cluster_output_segment(const Scenario *scenario, const Cluster *cluster, Arena *arena);
/* Begins a record of `kind` about the cluster (recorder_begin). */
TraceRecord *cluster_trace(const Clusters *clusters, TraceKind kind, const Cluster *cluster);

/* --- Commands; each checks first and changes nothing when it fails. --- */

MUST_CHECK bool cluster_create(Clusters *clusters, const Command *command, Status *status);
/* The number of nodes of one kind. Does nothing if the same resize is under way. */
MUST_CHECK bool cluster_resize(Clusters *clusters, Cluster *cluster, int32_t kind,
                               int32_t target_nodes, DeallocationOption deallocation,
                               Status *status);
/* The cluster, whose nodes are of one kind, scales automatically between the two limits from now
 * on; the next evaluation acts. */
MUST_CHECK bool cluster_autoscale(Clusters *clusters, Cluster *cluster, int32_t minimum_nodes,
                                  int32_t maximum_nodes, Status *status);
MUST_CHECK bool cluster_delete(Clusters *clusters, Cluster *cluster, Status *status);
/* Begins to delete all clusters inside a container that is deleted. */
MUST_CHECK bool clusters_delete_inside(Clusters *clusters, ResourcePath scope, Status *status);

/* --- Events --- */

void cluster_recorded(Clusters *clusters, Cluster *cluster);
void cluster_deleted(Clusters *clusters, Cluster *cluster);

/* --- For jobs --- */

/* Returns false with STATUS_CONFLICT at `at` if the cluster is being deleted. */
MUST_CHECK bool cluster_check_not_deleting(const Cluster *cluster, Place at, Status *status);
/* Bills the nodes that are still held when a run ends. */
void clusters_bill_held_nodes(Clusters *clusters);

#endif
