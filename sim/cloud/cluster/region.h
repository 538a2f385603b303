/* Outages of the region, in which no node can be allocated or repaired. */
#ifndef SIM_CLOUD_CLUSTER_REGION_H
#define SIM_CLOUD_CLUSTER_REGION_H

#include "sim/cloud/cluster/cluster.h"

/* No node can be allocated for `duration_ns` (INT64_MAX: for ever). An outage during another ends
 * with the longer one. */
void region_goes_out(Clusters *clusters, int64_t duration_ns);
bool region_is_out(const Clusters *clusters);
/* When the region is up again; now, unless it is out; INT64_MAX: never. */
int64_t region_up_ns(const Clusters *clusters);
/* Event: an outage is over. */
void region_up(Clusters *clusters);

#endif
