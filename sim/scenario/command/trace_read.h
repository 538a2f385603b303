/* Workloads whose jobs are the rows of a workload file. Private to sim/scenario. */
#ifndef SIM_SCENARIO_COMMAND_TRACE_READ_H
#define SIM_SCENARIO_COMMAND_TRACE_READ_H

#include "sim/scenario/command/creators.h"

/* Reads the file of a workload that has a "trace", which is relative to the scenario's, and finds
 * the clusters of its jobs. Problems go to the binder's context; it warns of jobs that need more
 * than their cluster may ever have. `workload` has its name and path. */
void trace_read(const CommandBinder *binder, const WorkloadText *text, Workload *workload);

/* Warns of columns of the workload's list that no part of the world takes into account, at `trace`,
 * which names the list. */
void trace_warn_of_unused(const Workload *workload, const Json *trace, Problems *warnings);

#endif
