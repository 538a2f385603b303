/* The speeds of the jobs of a workload file on the kinds of nodes of their clusters: its column
 * "speeds", and the member of the workload. */
#ifndef SIM_SCENARIO_COMMAND_TRACE_SPEEDS_H
#define SIM_SCENARIO_COMMAND_TRACE_SPEEDS_H

#include "sim/scenario/command/bind.h"

/* Sets Workload.speeds_of_word; `clusters` [count] are those of the words of
 * Workload.cluster_of_row. Adds problems; a name of the column that no cluster has is a warning,
 * because a log may state more kinds than are planned. */
void trace_speeds_read(const ConfigContext *context, const WorkloadText *text,
                       const ClusterConfig *const *clusters, int32_t count, Workload *workload);

#endif
