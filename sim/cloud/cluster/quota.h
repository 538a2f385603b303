/* Cores that a subscription may hold, by family and priority: counted over the nodes that all
 * clusters hold or ask for, so the cluster that asks first has them. */
#ifndef SIM_CLOUD_CLUSTER_QUOTA_H
#define SIM_CLOUD_CLUSTER_QUOTA_H

#include "sim/cloud/cluster/cluster.h"

/* Cores that clusters hold or ask for, by family (FAMILY_OF_ALL: all), as usages shows them. */
int64_t quota_vcpus_used(const Clusters *clusters, const char *family, bool is_low_priority);
/* The present state of the quota at `index` in Scenario.quotas. */
const CoreQuota *quota_at(const Clusters *clusters, int32_t index);
/* Gives the quota other cores; nodes that are held stay. False: no quota is on that family. */
bool quota_change(Clusters *clusters, const char *family, bool is_low_priority, int32_t vcpus);

/* --- For the other files of this folder --- */

/* Takes the quotas of the scenario; once, before any event. */
void quotas_prepare(Clusters *clusters);
/* How many of `nodes` more nodes of a cluster's size the subscription's cores have room for. */
int32_t quota_room(const Clusters *clusters, const Cluster *cluster, int32_t nodes);
/* In plain words, which quota prevents one more node; NULL: none does. In the run's arena. */
const char *quota_words(Clusters *clusters, const Cluster *cluster);
/* Cores came free: clusters that scale automatically and lack some may act. */
void quota_freed(Clusters *clusters, const Cluster *cluster);

/* No cluster ever holds or asks for more cores than a quota has, or than were held when the quota
 * became smaller. */
void quotas_check(const Clusters *clusters);

#endif
