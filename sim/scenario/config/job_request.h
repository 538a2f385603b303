/* The request of a job to its cluster: nodes or GPUs, cores, memory, a queue. A request that can
 * never be met is warned of: the service accepts such a job, and it waits for ever. */
#ifndef SIM_SCENARIO_CONFIG_JOB_REQUEST_H
#define SIM_SCENARIO_CONFIG_JOB_REQUEST_H

#include "sim/scenario/config/cluster_config.h"

/* Puts the request for nodes or GPUs into the spec, except for its nodes, which are returned:
 * nodeCount, or as many as its GPUs are on. `spec->kinds` is set. */
BoundInteger job_request_read(const ConfigContext *context, const JobText *text,
                              const ClusterConfig *cluster, JobSpec *spec);
/* Adds the problems and warnings of that request. */
void job_request_check(const ConfigContext *context, const JobText *text,
                       const ClusterConfig *cluster, BoundInteger nodes);
/* Puts cores, memory and queue into the spec, whose nodes are set. `has_shape`: they are known. */
void job_request_read_rest(const ConfigContext *context, const JobText *text,
                           const ClusterConfig *cluster, bool has_shape, JobSpec *spec);

#endif
