/* A fitted workload as a scenario with random arrivals. */
#ifndef SIM_STUDY_FIT_FIT_SCENARIO_H
#define SIM_STUDY_FIT_FIT_SCENARIO_H

#include "sim/study/fit/fit.h"
#include "sim/study/import/clusters.h"

/* The members "programs" and "workloads", a cluster with `nodes` nodes, and what they need, so that
 * the scenario runs without changes. Its catalogue is import_scenario_catalog. */
Json *fit_scenario(Arena *arena, const Import *import, const WorkloadFit *fit,
                   const ImportClusters *clusters, const ImportScenarioNames *names);

#endif
