/* Facts about a run that are not in its records: how clusters, jobs and shares are specified. A
 * summary combines them with the metrics. */
#ifndef SIM_OUTPUT_RUN_FACTS_H
#define SIM_OUTPUT_RUN_FACTS_H

#include "sim/cloud/world.h"
#include "sim/output/metrics/waiting.h"

typedef struct {
    const char *name;
    const char *vm_size; /* "STANDARD_NC6" */
    bool is_low_priority;
    const NodePower *power; /* NULL: not known */
} KindFacts;

typedef struct {
    const char *vm_size;    /* of several kinds "STANDARD_NC6 + STANDARD_NC24" */
    const char *priority;   /* "dedicated", "lowpriority", "mixed" */
    const NodePower *power; /* of nodes of one kind; NULL: not known */
    uint32_t kind_count;    /* 0: all nodes are of one kind */
    const KindFacts *kinds;
    uint32_t queue_count;
    const QueueSpec *queues;
} ClusterFacts;

/* A job that ran outside of the world. */
typedef struct {
    int32_t ranks;         /* number of ranks of a training; 0: it is not a training */
    RealTraining training; /* the results that were reported */
} RealFacts;

typedef struct {
    const char *tool;
    int32_t nodes;
    const char *output_path; /* on the share: "account/share/prefix/segment"; NULL: none */
    uint32_t workload;       /* 1 + index in RunFacts.workloads; 0: listed in the scenario */
    const RealFacts *real;   /* NULL: the job was modelled */
    JobPriority priority;
    int32_t size;               /* its GPUs; its nodes if they have no GPU */
    int32_t user, queue;        /* indexes in the words of its workload's list; -1: unknown */
    int32_t gpus_per_node;      /* of the kind of its nodes */
    const Program *transformer; /* its program, if that trains a transformer; or NULL */
    bool saves_on_notice;       /* as Program.saves_on_notice */
    bool saves_work;            /* its program only takes time, and writes checkpoints */
} JobFacts;

typedef struct {
    int64_t micro_usd_per_gib_month;
    int64_t
        paid_bytes; /* the provisioned size, if that is billed; 0: the stored bytes are billed */
    int64_t existed_ns; /* from creation to deletion or the end of the run */
} ShareFacts;

typedef struct {
    const char *scenario;
    const char *description; /* the question that it answers; "": none */
    const RunGiven *given;   /* NULL: not known */
    uint64_t seed;
    const char *version;
    const char *fidelity;
    PolicyKind policy;
    int64_t start_unix_ms;
    MeasureWindow measure;
    bool has_queue_limit;
    EnergyTerms energy;
    int64_t wait_target_ns;       /* 0: the scenario has none */
    const ClusterFacts *clusters; /* [ClusterId.index], for all clusters of the metrics */
    const ClusterWaits *waits;    /* [wait_count], ClusterId.index; NULL: unknown */
    uint32_t wait_count;          /* clusters without an entry had no waiting job */
    const JobFacts *jobs;
    uint32_t workload_count;
    const char *const *workloads; /* their names */
    const ShareFacts *shares;     /* [ShareId.index], for all shares of the metrics ... */
    uint32_t share_count;         /* ... and those without a file */
} RunFacts;

/* The size of a job by which classes of jobs are formed: its GPUs, or its nodes if they have no
 * GPU. */
int32_t job_size(JobRequest request, const VmSize *vm_size);

/* The facts of a world after its run; `version` is trainyard's. `waiting` NULL: the causes of
 * waiting are not known. */
RunFacts run_facts_of_world(Arena *arena, const World *world, const WaitingFold *waiting,
                            const char *version);

#endif
