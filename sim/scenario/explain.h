/* The output of `trainyard explain` for a scenario: each effective value and where it came from. */
#ifndef SIM_SCENARIO_SCENARIO_EXPLAIN_H
#define SIM_SCENARIO_SCENARIO_EXPLAIN_H

#include "sim/scenario/command/commands.h"
#include "sim/scenario/command/workload_read.h"
#include "sim/scenario/parameters.h"
#include "sim/schema/explanation.h"

/* The scenario's parameters with the places that use them, its values, those of its clusters, jobs
 * and workloads with the values derived from them, and the catalogue's values that the run uses. */
Explanation scenario_explain(Arena *arena, const ScenarioText *text, const Parameters *parameters,
                             const Catalog *catalog, const ScenarioCommands *commands,
                             const ScenarioWorkloads *workloads);

#endif
