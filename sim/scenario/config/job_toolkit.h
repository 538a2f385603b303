/* The toolkit of a job, one of nine, and what it starts. */
#ifndef SIM_SCENARIO_CONFIG_JOB_TOOLKIT_H
#define SIM_SCENARIO_CONFIG_JOB_TOOLKIT_H

#include "sim/scenario/config/cluster_config.h"

/* The toolkit of the job. It is a problem if there are several, when the first is returned, or
 * none, when TOOLKIT_COUNT is returned. */
Toolkit job_toolkit(const ConfigContext *context, const JobText *text);
/* Adds the problems of its words, scripts and configuration files. */
void job_toolkit_check(const ConfigContext *context, Toolkit toolkit, const ToolkitText *text);
/* The command that the toolkit starts on one rank; NULL when a part of it is missing or refused. */
const char *job_toolkit_command(Arena *arena, Toolkit toolkit, const ToolkitText *text);
/* How many processes (ranks) the toolkit starts over all nodes. The service's default is one on
 * each node; a job that asks for GPUs has one on each GPU. */
int32_t job_toolkit_processes(const ConfigContext *context, const ToolkitText *text,
                              BoundInteger nodes, const JobSpec *spec,
                              const ClusterConfig *cluster);

#endif
