/* The input of a summary and the part that is filled in so far, for the files of this folder. */
#ifndef SIM_OUTPUT_SUMMARY_MAKING_H
#define SIM_OUTPUT_SUMMARY_MAKING_H

#include "sim/output/summary/summary.h"

typedef struct {
    Arena *arena;
    const RunFacts *facts; /* NULL: unknown */
    const RunMetrics *run;
    const char **cluster_names; /* [ClusterId.index]; NULL: the trace has no record of it */
    const char **job_names;     /* [JobId.index]; likewise, and NULL if no job is listed */
    Summary *summary;           /* the parts that are filled in so far */
    uint32_t problem_capacity;
} Making;

/* Tables of parts of summary.json. */
extern const ObjectType summary_spread_type, summary_waits_type, summary_class_type,
    summary_workload_type;

/* The energy of a cluster, whose kinds are known already, and its part of the summary's. Needs
 * `facts`. */
void making_add_energy_of(const Making *making, uint32_t id, SummaryCluster *cluster);
/* The summary's energy, once it has the parts of all clusters. */
void making_add_energy(Making *making);
/* Whether the job is listed: jobs of workloads are not. */
bool making_lists_job(const Making *making, uint32_t job);
/* The name of the job's cluster. A forged trace may have jobs of a cluster without records. */
const char *making_cluster_of(const Making *making, const JobMetrics *job);
/* The state that `az batchai cluster show` prints: the allocation state, or the provisioning
 * state once the cluster is being deleted. NULL before the first. */
const char *making_cluster_state(const ClusterMetrics *cluster);

#endif
