/* A summary while it is made: what it is made of, and the names in it. For the files of this folder
 * that fill in parts of a Summary. */
#ifndef SIM_OUTPUT_SUMMARY_MAKING_H
#define SIM_OUTPUT_SUMMARY_MAKING_H

#include "sim/output/summary/summary.h"

typedef struct {
    Arena *arena;
    const RunFacts *facts; /* NULL: unknown */
    const RunMetrics *run;
    const char **cluster_names; /* [ClusterId.index]; NULL: no record of its own */
    const char **job_names;     /* [JobId.index]; likewise */
    Summary *summary;           /* filled in so far */
    uint32_t problem_capacity;
} Making;

/* Whether the job has an entry of its own: jobs of workloads have none. */
bool making_lists_job(const Making *making, uint32_t job);
/* The name of the job's cluster. A forged trace may have jobs of a cluster that has no record. */
const char *making_cluster_of(const Making *making, const JobMetrics *job);
/* The state that `az batchai cluster show` prints: that of the nodes, unless the cluster is being
 * deleted. NULL: none yet. */
const char *making_cluster_state(const ClusterMetrics *cluster);

#endif
