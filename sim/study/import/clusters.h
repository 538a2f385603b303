/* The clusters of an imported log, and a scenario that runs its jobs on them. */
#ifndef SIM_STUDY_IMPORT_CLUSTERS_H
#define SIM_STUDY_IMPORT_CLUSTERS_H

#include "sim/study/import/import.h"
#include "sim/study/import/prices.h"

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
    ImportTexts nodes;     /* "24": of each cluster; "dev=2": of that of a queue; "dev=2x4": with
                              4 GPUs each */
    int32_t gpus_per_node; /* of the others; 0: 8 */
    bool is_pool;          /* one cluster for all queues */
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

/* `piece_ns` is "resample" of the workload; 0: the list is replayed. */
Json *import_scenario(Arena *arena, const Import *import, const ImportClusters *clusters,
                      const ImportPrices *prices, const ImportScenarioNames *names,
                      int64_t piece_ns);
/* The VM size of such nodes in that catalogue. */
const char *import_size_name(Arena *arena, const ImportCluster *cluster);
/* The catalogue of that scenario: its VM sizes, and a service without delays and small quotas. */
Json *import_scenario_catalog(Arena *arena, const ImportClusters *clusters,
                              const ImportPrices *prices);

/* --- Parts of scenarios on such a cluster --- */

/* The parameter of that name with the number of nodes of the cluster. */
void import_put_nodes(Arena *arena, Json *parameters, const char *name,
                      const ImportCluster *cluster);
/* The parameter "size" if there are offers, and if there is a price of low-priority nodes
 * "priority" and those of checkpoints. */
void import_put_price_parameters(Arena *arena, Json *parameters, const ImportCluster *cluster,
                                 const ImportPrices *prices);
/* The parameter "policy", and the policy of the scenario. */
void import_put_policy(Arena *arena, Json *root, Json *parameters, const ImportFormat *format);
/* The checkpoints of a program or list, if there is a price of low-priority nodes. */
void import_put_checkpoint(Arena *arena, Json *object, const ImportPrices *prices);
/* The command that makes such a cluster, with the number of nodes in the parameter `nodes`, or with
 * its own (NULL). Returns its "properties". */
Json *import_put_create(Arena *arena, Json *commands, const ImportCluster *cluster,
                        const ImportPrices *prices, const char *nodes);
/* The catalogues, and the preemption of low-priority nodes. */
void import_put_catalogs(Arena *arena, Json *root, const ImportScenarioNames *names,
                         const ImportPrices *prices);
/* "until", if pieces of the list are drawn, or if nodes are taken away. */
void import_put_until(Arena *arena, Json *root, const JobList *list, int64_t piece_ns,
                      const ImportPrices *prices);
/* Whether one VM size describes all clusters: offers need it. */
bool import_has_one_size(const ImportClusters *clusters);

#endif
