/* Kinds of nodes of a cluster, and the kinds that jobs allow. */
#ifndef SIM_SCENARIO_CONFIG_KIND_CONFIG_H
#define SIM_SCENARIO_CONFIG_KIND_CONFIG_H

#include "sim/scenario/config/cluster_config.h"

/* Speeds of kinds and of jobs on them: with six decimals they are parts per million. */
enum { KIND_SPEED_DECIMALS = 6 };
#define KIND_SPEED_WORDS "a number from 0.001 to 1000 with at most six decimals"
static inline bool kind_speed_is_allowed(int64_t ppm)
{
    return ppm >= PPM / 1000 && ppm <= 1000 * PPM;
}
/* The speed; 1,000,000 if it is NULL, or with a problem about `what`. */
int64_t kind_speed_read(const ConfigContext *context, const Json *speed, const char *what);

/* Puts the kinds (KindText) into the cluster's spec, with the nodes of all of them as its target.
 */
void kinds_read(const ConfigContext *context, BoundList kinds, ClusterConfig *cluster);

/* The kind that a job, a row of a trace or a command calls `name`: its name, VM size or GPU model,
 * in any case of letters. 0: no kind has the name. */
KindSet kinds_called(const ClusterSpec *spec, const char *name);
/* The same; 0 with a problem at `at`: no kind has the name. */
KindSet kinds_find(const ConfigContext *context, const ClusterSpec *spec, Place at,
                   const char *name);
/* Whether the cluster has "node_kinds"; false with a problem. */
bool kinds_are_stated(const ConfigContext *context, const ClusterConfig *cluster, const Json *at);
/* The kinds in "node_kind" of a job or workload (NULL: absent), a text or a list of texts. 0: all,
 * or with a problem: it names none. */
KindSet kinds_of_job(const ConfigContext *context, const ClusterConfig *cluster, const Json *names);
/* The index of the kind that a resize of the cluster names; KIND_UNKNOWN with a problem. */
enum { KIND_UNKNOWN = -1 };
int32_t kind_of_resize(const ConfigContext *context, const ClusterConfig *cluster, BoundText name,
                       const Json *command);
/* Notes that the kind gets `target` nodes. */
void kind_config_target(const ConfigContext *context, ClusterConfig *cluster, int32_t kind,
                        BoundInteger target);

/* The size of the nodes by which the job's program is checked: of the first kind that it allows, if
 * possible one with GPUs; NULL: not known. */
const VmSize *kinds_first_size(const ClusterConfig *cluster, KindSet kinds);
/* Whether the request may ever start on a kind that it allows, given all targets. */
bool kinds_may_run(const ClusterConfig *cluster, JobRequest request, int64_t slots_max);

#endif
