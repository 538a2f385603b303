/* From a job.json to a JobSpec.
 *
 * Everything that users of the service found out a quarter of an hour after submitting is checked
 * here: paths under no mount, ids that are used but not declared, scripts that are not on their
 * share, more nodes than the cluster ever has, processes that do not fit. */
#ifndef SIM_SCENARIO_JOB_CONFIG_H
#define SIM_SCENARIO_JOB_CONFIG_H

#include "sim/scenario/cluster_config.h"

typedef struct {
    const JobText *text;
    JobSpec *spec; /* NULL when the file was refused */
} JobConfig;

/* Reads `root` as the job `path` (its workspace and experiment appear in the variables) on
 * `cluster`. Problems go to the context. Never NULL. */
JobConfig *job_config_read(const ConfigContext *context, const Json *root, ResourcePath path,
                           const ClusterConfig *cluster);

/* Checks `root` alone, as far as that goes without a cluster, a catalogue or programs. */
void job_config_check(const ConfigContext *context, const Json *root);

/* The name of the cluster in {"cluster": {"id": ...}}, the last part of the id; NULL when the file
 * has none. `root` may be anything. */
const char *job_config_cluster(const Json *root);

#endif
