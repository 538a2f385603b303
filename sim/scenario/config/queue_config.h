/* The queues of a cluster, and the queue that a job states. */
#ifndef SIM_SCENARIO_QUEUE_CONFIG_H
#define SIM_SCENARIO_QUEUE_CONFIG_H

#include "sim/scenario/config/cluster_config.h"

/* Puts the queues (QueueText) into the cluster's spec. Refuses two of one name, and a limit below
 * the guarantee, and one that reclaims no guarantee unless it `may_change` (queue.change). */
void queues_read(const ConfigContext *context, BoundList queues, bool may_change,
                 ClusterConfig *cluster);
/* Warns if the guarantees of queues exceed what the cluster ever has, and of a queue that reclaims
 * its guarantee although no other queue may borrow. */
void queues_warn(const ConfigContext *context, BoundList queues, const ClusterConfig *cluster);
/* Refuses, at `at`, a queue that the cluster does not have, and a missing one (NULL) if the cluster
 * has queues. Returns the index of the queue; QUEUE_UNKNOWN. */
int32_t queue_check(const ConfigContext *context, const ClusterConfig *cluster, const char *queue,
                    Place at);
/* The most slots that a job in that queue can ever have; INT64_MAX: no limit, or not known, or the
 * limit may change. */
int64_t queue_most(const ClusterConfig *cluster, int32_t queue);

#endif
