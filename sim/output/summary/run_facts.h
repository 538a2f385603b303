/* What records do not tell because it does not happen: how clusters, jobs and shares were
 * described. A summary takes these beside what was counted. */
#ifndef SIM_OUTPUT_RUN_FACTS_H
#define SIM_OUTPUT_RUN_FACTS_H

#include "sim/cloud/world.h"

typedef struct {
    const char *vm_size; /* "STANDARD_NC6" */
    bool is_low_priority;
    int32_t gpus_per_node;
} ClusterFacts;

/* Of a job that ran outside of the world. */
typedef struct {
    int32_t ranks;         /* of a training; 0: it is none */
    RealTraining training; /* what it came to, as somebody told */
} RealFacts;

typedef struct {
    const char *tool;
    int32_t nodes;
    const char *output_path; /* on the share: "account/share/prefix/segment"; NULL: none */
    uint32_t workload;       /* 1 + index in RunFacts.workloads; 0: listed in the scenario */
    const RealFacts *real;   /* NULL: it was modelled */
    JobPriority priority;
} JobFacts;

typedef struct {
    int64_t micro_usd_per_gib_month;
    int64_t paid_bytes; /* its provisioned size, where that is what is paid; 0: what is stored */
    int64_t existed_ns; /* from creation to deletion or the end of the run */
} ShareFacts;

typedef struct {
    const char *scenario;
    uint64_t seed;
    const char *version;
    const char *fidelity;
    PolicyKind policy;
    int64_t start_unix_ms;
    const ClusterFacts *clusters; /* [ClusterId.index] of all that the metrics have */
    const JobFacts *jobs;
    uint32_t workload_count;
    const char *const *workloads; /* their names */
    const ShareFacts *shares;     /* [ShareId.index] of all that the metrics have */
    uint32_t share_count;         /* ... and of those that nobody wrote to */
} RunFacts;

/* The facts of a world after its run; `version` is trainyard's. */
RunFacts run_facts_of_world(Arena *arena, const World *world, const char *version);

#endif
