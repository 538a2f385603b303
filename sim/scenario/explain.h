/* What `trainyard explain` says about a scenario: every effective value and where it came from.
 * Private to sim/scenario. */
#ifndef SIM_SCENARIO_SCENARIO_EXPLAIN_H
#define SIM_SCENARIO_SCENARIO_EXPLAIN_H

#include "sim/scenario/command/workload_read.h"
#include "sim/schema/explanation.h"

/* The scenario's own values, those of its clusters, jobs and workloads with what was worked out
 * from them, and the catalogue's values that the run uses. */
Explanation scenario_explain(Arena *arena, const ScenarioText *text, const Catalog *catalog,
                             const ScenarioCommands *commands, const ScenarioWorkloads *workloads);

#endif
