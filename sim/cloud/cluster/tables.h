/* Private to sim/cloud/cluster: the tables that it keeps. */
#ifndef SIM_CLOUD_CLUSTER_TABLES_H
#define SIM_CLOUD_CLUSTER_TABLES_H

#include "sim/base/row_table.h"
#include "sim/cloud/cluster/cluster.h"
#include "sim/cloud/cluster/crew.h"
#include "sim/cloud/spec/event.h"

struct Clusters {
    Arena *arena;
    Engine *engine;
    TraceRecorder *recorder;
    const Scenario *scenario;
    Names *names;
    Resources *resources;
    Subjects *subjects;
    Storage *storage;
    ClusterJobs jobs;
    ClusterFaults faults;
    RowTable rows;         /* Cluster */
    RowTable nodes;        /* Node, of all clusters */
    int32_t living_count;  /* clusters that are not deleted */
    CoreQuota *quotas;     /* [scenario->quota_count] the present quotas */
    CoreQuota *quota_tops; /* [scenario->quota_count] limits for quotas_check: the present quota, or
                              the cores used when it changed if that is more */
    int64_t region_up_ns;  /* no node can be allocated before */
    Crews crews;
};

/* Kinds of mishap in the addresses of RNG_CHANCE draws: append, never reorder. */
enum { CHANCE_ALLOCATION = 1, CHANCE_PREPARATION, CHANCE_MOUNT, CHANCE_SETUP };

/* Reports a moment of the cluster. */
void cluster_moment(const Clusters *clusters, const Cluster *cluster, Moment moment);

#endif
