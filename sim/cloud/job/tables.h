/* Private to sim/cloud/job: the tables that it keeps. */
#ifndef SIM_CLOUD_JOB_TABLES_H
#define SIM_CLOUD_JOB_TABLES_H

#include "sim/base/row_table.h"
#include "sim/cloud/job/job.h"
#include "sim/cloud/policy/job_heap.h"
#include "sim/cloud/spec/event.h"

/* The jobs that wait in a queue of a cluster, in the service's order: by priority, then by
 * submission. Ids are assigned in the order of submission. */
typedef struct {
    const QueueSpec
        *spec;         /* the present one; NULL: the only queue of its cluster, without limits */
    int64_t top_slots; /* used_slots when its spec last changed: it may be beyond the limit */
    JobHeap waiting;
    struct QueuePlan *plan; /* for policies that see the queue; else NULL */
    int64_t used_slots;     /* of its jobs that have nodes; counted if there is a spec */
    JobId reported;         /* the job of its last TRACE_JOB_WAITS ... */
    Shortage shortage;      /* ... and what kept the job then */
    int64_t owed_since_ns;  /* it waits for its guarantee, which it may reclaim; INT64_MAX: not */
    JobId
        *within; /* [within_count] its waiting jobs that its limit lets start; of a limited queue */
    JobId *next_within; /* memory for the next list */
    uint32_t within_count, within_capacity, next_capacity;
    uint32_t claim; /* the generation of the event at which it may */
    JobId *noticed; /* [noticed_count] the jobs that have notice that they are stopped for it, in
                       the order of their notices */
    uint32_t noticed_count, noticed_capacity;
    struct Victims
        *victims; /* NULL before the first choice of a policy that stops jobs (notice.c) */
} JobQueue;

/* The queues of a cluster. */
typedef struct {
    JobQueue *items;
    int32_t count;
    int32_t *order;          /* [count] as queue_is_before has it */
    struct Reclaim *reclaim; /* NULL: no queue reclaims its guarantee */
    JobHeapWalk walk;        /* memory to look at waiting jobs in their order */
    int32_t waiting;         /* jobs in all of them */
    bool is_pass_due;        /* a scheduling pass is due at this instant */
    int64_t defers_ns;       /* the time of the last EVENT_QUEUE_DEFERS that was pushed */
    int32_t deferred;        /* jobs with Job.is_deferred */
    int64_t eligible_ns; /* when the last submitted job enters its queue; later jobs not before */
} ClusterQueues;

enum { USE_PARTS = 1680 }; /* divisible by 1 to 8, 10, 12, 14, 15 and 16 */

/* For policies that see the queue: node time used by the jobs of an owner up to `until_ns`, and
 * what they hold since then. An owner is a user of a list, or an experiment. */
typedef struct {
    int64_t node_us;
    double decayed_us;  /* the same before rounding, if use decays (fair_share_half_life_ns) */
    int64_t rest;       /* of a microsecond of a node, in 1 / USE_PARTS of it */
    int64_t parts_held; /* a node has USE_PARTS parts, which its GPUs share */
    int64_t until_ns;
} OwnerUse;

enum { SPARE_NODES_MAX = 16 }; /* attempts on more nodes are not used again */

struct Jobs {
    Arena *arena;
    Engine *engine;
    TraceRecorder *recorder;
    const Scenario *scenario;
    PolicyKind policy; /* the scenario's, or that of the last policy.change */
    Names *names;
    Resources *resources;
    Subjects *subjects;
    Storage *storage;
    Clusters *clusters;
    RowTable rows;   /* Job */
    RowTable queues; /* ClusterQueues, by cluster */
    OwnerUse *uses;  /* [owner] */
    uint32_t use_count, use_capacity;
    uint32_t *owner_of; /* [row of an experiment (resource_index)] 1 + the owner; 0: none yet */
    uint32_t owner_of_capacity;
    TransferWay *ways; /* room for the links of a transfer */
    uint32_t way_capacity;
    struct Exchanges *exchanges;        /* NULL until the first exchange on a shared wire */
    struct WorkloadProgress *workloads; /* [scenario->workload_count] */
    struct ListProgress *lists;         /* the same for workloads with lists; NULL: there is none */
    /* Jobs of lists that have ended, if they are forgotten (world_forget_ended), and their memory.
     */
    bool forgets_ended;
    ListedRow *forgotten; /* [job] */
    uint32_t forgotten_capacity;
    Job *spare_jobs;                                 /* by Job.next_spare */
    JobAttempt *spare_attempts[SPARE_NODES_MAX + 1]; /* [nodes] by JobAttempt.next_spare */
};

Cluster *job_cluster(Jobs *jobs, const Job *job);
/* The queues of a cluster; empty before the first job. */
ClusterQueues *scheduler_queues(Jobs *jobs, ClusterId cluster);
/* NULL: no job was ever submitted to the cluster. */
ClusterQueues *scheduler_find_queues(const Jobs *jobs, ClusterId cluster);
/* Pushes an event of the job's present attempt, `delay_ns` from now. */
void job_push(Jobs *jobs, const Job *job, int64_t delay_ns, EventKind kind, uint32_t detail);
/* Reports a moment of the job; `ordinal` is 0 for moments without one. */
void job_moment(const Jobs *jobs, const Job *job, Moment moment, int64_t ordinal);
/* The lowest awaited ordinal >= `from` of the moment; INT64_MAX: none. */
int64_t job_next_awaited(const Jobs *jobs, const Job *job, Moment moment, int64_t from);

#endif
