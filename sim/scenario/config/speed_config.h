/* Speeds of jobs on the kinds of nodes of their cluster: "speeds" of jobs, workloads and programs.
 *
 * The speed that a job states for a kind replaces the kind's own. A kind without one keeps its own,
 * or has that of the next of: the job, or the row of a trace; its program, or the workload of the
 * row. */
#ifndef SIM_SCENARIO_CONFIG_SPEED_CONFIG_H
#define SIM_SCENARIO_CONFIG_SPEED_CONFIG_H

#include "sim/scenario/config/kind_config.h"

/* Checks that "speeds" (NULL: absent) is an object of numbers. False with a problem. */
bool speeds_check(const ConfigContext *context, const Json *speeds);

/* The speeds that `own` (NULL: absent) states, and after it `of_program`, which has been checked
 * and has no effect on a cluster without node_kinds. NULL: none, or with a problem. */
const KindSpeeds *speeds_of_job(const ConfigContext *context, const ClusterConfig *cluster,
                                const Json *own, const Json *of_program);

/* Gives the speed to the kinds that have none yet. */
void speeds_set(KindSpeeds *speeds, KindSet kinds, int64_t ppm);

#endif
