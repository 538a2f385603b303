/* A fitted workload as a scenario with random arrivals. */
#ifndef SIM_STUDY_FIT_FIT_SCENARIO_H
#define SIM_STUDY_FIT_FIT_SCENARIO_H

#include "sim/study/fit/fit.h"
#include "sim/study/import/clusters.h"

/* The members "programs" and "workloads", the cluster with the most GPUs, and what they need, so
 * that the scenario runs without changes. It has the cluster's parameters of import_scenario. Its
 * catalogue is import_scenario_catalog. */
Json *fit_scenario(Arena *arena, const Import *import, const WorkloadFit *fit,
                   const ImportClusters *clusters, const ImportPrices *prices,
                   const ImportScenarioNames *names);

#endif
