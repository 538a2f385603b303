/* The clusters of an imported log, and a scenario that runs its jobs on them. */
#ifndef SIM_STUDY_IMPORT_CLUSTERS_H
#define SIM_STUDY_IMPORT_CLUSTERS_H

#include "sim/study/import/import.h"

typedef struct {
    const char *name; /* of its queue, or of its kind of machine */
    int32_t nodes;    /* at time 0 */
    int32_t gpus_per_node;
    const char *gpu;          /* the model, as the list of machines states it; NULL: it does not */
    int32_t cpus, memory_mib; /* of a node; 0: not known */
} ImportCluster;

typedef struct {
    int64_t at_ns; /* since time 0 of the workload */
    int32_t cluster;
    int32_t nodes;
} ImportResize;

typedef struct {
    int32_t count;
    ImportCluster *clusters;
    uint32_t resize_count;
    ImportResize *resizes; /* in order of time */
    bool is_per_queue;     /* a cluster for each queue; otherwise the jobs run on `main` ... */
    int32_t main;          /* ... the cluster with the most GPUs ... */
    bool are_kinds;        /* ... or on one cluster, of whose nodes `clusters` are the kinds */
    bool types_bind;       /* each kind of GPU that jobs ask for is that of a kind of nodes */
    bool cores_bind;       /* jobs and machines state cores or memory */
} ImportClusters;

/* How the clusters are described: by a file in the layout that belongs to the log's format (a
 * machine list, GPUs of virtual clusters by day, a table of nodes), or by numbers. */
typedef struct {
    const ImportFile *machines; /* NULL: none */
    int32_t nodes;              /* of each cluster; 0: not given */
    int32_t gpus_per_node;      /* 0: 8 */
    bool is_pool;               /* one cluster for all queues */
} ImportClusterChoices;

/* False with problems. Counts the jobs that are wider than their cluster in the log. */
MUST_CHECK bool import_clusters_read(Arena *arena, Import *import,
                                     const ImportClusterChoices *choices, ImportClusters *clusters,
                                     Problems *problems);

/* Names of the files of a scenario, all in one folder. */
typedef struct {
    const char *name;    /* of the workload */
    const char *list;    /* "philly.csv" */
    const char *catalog; /* "philly.catalog.json" */
} ImportScenarioNames;

#define IMPORT_PRICE_UNKNOWN (-1)

/* The price of each node. */
typedef struct {
    int64_t micro_usd_per_hour; /* IMPORT_PRICE_UNKNOWN: the costs of runs are unknown too */
    bool is_per_gpu;            /* a node costs this for each of its GPUs */
} ImportPrice;

Json *import_scenario(Arena *arena, const Import *import, const ImportClusters *clusters,
                      const ImportScenarioNames *names);
/* The VM size of such nodes in that catalogue. */
const char *import_size_name(Arena *arena, const ImportCluster *cluster);
/* The catalogue of that scenario: its VM sizes, and a service without delays and small quotas. */
Json *import_scenario_catalog(Arena *arena, const ImportClusters *clusters, ImportPrice price);

#endif
