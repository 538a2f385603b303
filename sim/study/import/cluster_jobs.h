/* Private to sim/study/import: the jobs of a log on its clusters. */
#ifndef SIM_STUDY_IMPORT_CLUSTER_JOBS_H
#define SIM_STUDY_IMPORT_CLUSTER_JOBS_H

#include "sim/study/import/clusters.h"

/* Returns the index of the cluster that has this name, or -1. */
int32_t import_cluster_find(const ImportClusters *clusters, const char *name);
/* Its name in the scenario; the same for all kinds of nodes of one cluster. */
const char *import_cluster_name(const ImportClusters *clusters, int32_t index);

/* Chooses the main cluster. Counts the jobs that are wider than their cluster, and notes the kinds
 * of GPUs that have no effect. False with a problem if a job has no cluster. */
MUST_CHECK bool import_cluster_jobs_check(Arena *arena, Import *import, ImportClusters *clusters,
                                          Problems *problems);

#endif
