/* Planned maintenance of a cluster. */
#ifndef SIM_SCENARIO_CONFIG_MAINTENANCE_CONFIG_H
#define SIM_SCENARIO_CONFIG_MAINTENANCE_CONFIG_H

#include "sim/scenario/config/cluster_config.h"

/* Puts the maintenance (MaintenanceText) into the cluster's spec. Refuses one that takes no time or
 * begins again before it ends, and any on a cluster that scales automatically. */
void maintenance_read(const ConfigContext *context, BoundList maintenance, ClusterConfig *cluster);

/* Warns of a job, at `at`, that is expected to take longer than the time from one maintenance of
 * its nodes to the next. */
void maintenance_warn_of_job(const ConfigContext *context, const ClusterConfig *cluster,
                             const JobSpec *job, const Json *at);

#endif
