/* From a job.json to a JobSpec.
 *
 * The reader checks what users of the service found out a quarter of an hour after submitting:
 * paths that are not under a mount, ids that are used but not declared, scripts that are not on
 * their share, more nodes than the cluster ever has, processes that do not fit. */
#ifndef SIM_SCENARIO_JOB_CONFIG_H
#define SIM_SCENARIO_JOB_CONFIG_H

#include "sim/scenario/config/cluster_config.h"

typedef struct {
    const JobText *text;
    const ClusterConfig *cluster;
    JobSpec spec; /* whole when there was no problem */
} JobConfig;

/* Reads `text` as the job `path` (its workspace and experiment appear in the variables) on
 * `cluster`. Problems go to the context. Never NULL. */
JobConfig *job_config_read(const ConfigContext *context, const JobText *text, ResourcePath path,
                           const ClusterConfig *cluster, JobExecution execution);

/* A copy of the spec, so that a job does not keep the text that it was read from. In a session,
 * which may have many jobs, it lacks the folders in its environment, and what equals parts of
 * the earlier job's spec is that job's (job_spec_reuse). */
const JobSpec *job_config_spec(const ConfigContext *context, const JobConfig *job);

/* The name of the cluster in {"cluster": {"id": ...}}, the last part of the id; NULL when the job
 * has none, or it was refused. */
const char *job_config_cluster(const JobText *text);

/* The same, with group and workspace if the id contains them. In `arena`. */
ResourcePath job_config_cluster_path(Arena *arena, const JobText *text);

#endif
