/* Outages of the region, in which no node can be allocated or repaired. */
#ifndef SIM_CLOUD_CLUSTER_REGION_H
#define SIM_CLOUD_CLUSTER_REGION_H

#include "sim/cloud/cluster/cluster.h"

/* Begins an outage of `duration_ns` (INT64_MAX: for ever). If outages overlap, the region is up
 * again after the last. */
void region_goes_out(Clusters *clusters, int64_t duration_ns);
bool region_is_out(const Clusters *clusters);
/* The end of the outage; INT64_MAX: never; the present time if there is no outage. */
int64_t region_up_ns(const Clusters *clusters);
/* Event: an outage is over. */
void region_up(Clusters *clusters);

#endif
