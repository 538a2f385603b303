/* Quotas: the cores that a subscription may hold, by family and priority. Nodes that clusters hold
 * or request count, so the cluster that requests nodes first gets the cores. */
#ifndef SIM_CLOUD_CLUSTER_QUOTA_H
#define SIM_CLOUD_CLUSTER_QUOTA_H

#include "sim/cloud/cluster/cluster.h"

/* The cores of a family (FAMILY_OF_ALL: of all) that clusters hold or request, as in usages. */
int64_t quota_vcpus_used(const Clusters *clusters, const char *family, bool is_low_priority);
/* The present state of the quota at `index` in Scenario.quotas. */
const CoreQuota *quota_at(const Clusters *clusters, int32_t index);
/* Changes the cores of a quota; no cluster loses nodes. False: the family has no quota. */
bool quota_change(Clusters *clusters, const char *family, bool is_low_priority, int32_t vcpus);

/* --- For the other files of this folder --- */

/* Copies the quotas of the scenario; once, before any event. */
void quotas_prepare(Clusters *clusters);
/* Notes which quotas count the cores of the kind; once, when its cluster is created. */
void quota_note_kind(const Clusters *clusters, ClusterKind *kind);
/* How many more nodes of the kind, up to `nodes`, the quotas have room for. */
int32_t quota_room(const Clusters *clusters, const ClusterKind *kind, int32_t nodes);
/* A message about the quota that prevents one more node of the kind; NULL: none does. In the run's
 * arena. */
const char *quota_words(Clusters *clusters, const ClusterKind *kind);
/* To be called when cores of the cluster's kinds become free: clusters that lack cores may scale
 * up. */
void quota_freed(Clusters *clusters, const Cluster *cluster);

/* Checks that all clusters together hold and request no more cores than each quota has, or than
 * were used when the quota became smaller. */
void quotas_check(const Clusters *clusters);

#endif
