/* The input of a run as plain values: the service's behaviour, the commands and the failures.
 * sim/scenario fills it from files, the emulator from its settings, tests directly. Borrowed by the
 * world and unchanged while the world lives. */
#ifndef SIM_CLOUD_SPEC_SCENARIO_H
#define SIM_CLOUD_SPEC_SCENARIO_H

#include "sim/base/units.h"
#include "sim/cloud/spec/command.h"
#include "sim/cloud/spec/given.h"
#include "sim/cloud/spec/job_list.h"
#include "sim/cloud/spec/resample.h"
#include "sim/model/arrival_rate.h"

typedef enum { FIDELITY_STEP, FIDELITY_EPOCH, FIDELITY_JOB } Fidelity;

/* Failures by chance. A chance is in ppm and drawn once per occurrence, at the address of the node,
 * job or group that may fail. One more node, job or group does not change the draws of the others.
 */
typedef struct {
    int64_t rate_ppm; /* scales all rates and chances: 1,000,000: as modelled; 0: no failures */
    const FailureModel *nodes;      /* every node; NULL: none fails */
    int64_t detected_ppm;           /* share of these failures that a health check expects ... */
    int64_t warning_ns;             /* ... so long before them: the node is drained then */
    const FailureModel *preemption; /* every low-priority node: `between` is its lifetime from
                                       allocation; repair and recovery do not count */
    int32_t preemption_count;       /* without `preemption`: the model of its VM family */
    const Preemption *preemptions;
    int32_t group_count;
    const NodeGroup *const *groups;          /* [group_count]; the nodes of a group fail together */
    const FailureModel *const *group_models; /* [group_count] */
    int64_t allocation_ppm;                  /* a requested node is not allocated */
    int64_t preparation_ppm;                 /* a node's preparation fails */
    int64_t setup_ppm;                       /* the set-up task of a node fails */
    int64_t mount_ppm;                       /* a mount of a node or job fails */
    int64_t container_ppm;                   /* a container does not start */
    int64_t file_server_ppm;                 /* a file server is not created */
    int64_t slow_node_ppm;                   /* a node is slow from its allocation on ... */
    int64_t slow_node_speed_ppm;             /* ... with this speed; 1,000,000 = as modelled */
    int32_t repair_crews; /* failed nodes that are repaired at once; 0: all of them */
} Failures;

/* How a cluster's queue chooses the next job (sim/cloud/policy/policy.h). X(ENUM, function, name,
 * PolicySight, Policy.first, Policy.victim, description) */
#define POLICIES(X)                                                                                \
    X(SERVICE, service, "service", HEAD, NULL, NULL,                                               \
      "priority, then submission; no job overtakes another")                                       \
    X(BACKFILL, backfill, "backfill", QUEUE, policy_backfill_first, NULL,                          \
      "as the service, but a job may overtake if it does not delay the first one")                 \
    X(SHORTEST, shortest, "shortest", QUEUE, policy_shortest_first, NULL,                          \
      "the job with the shortest expected time goes first")                                        \
    X(FAIR_SHARE, fair_share, "fair-share", QUEUE, policy_fair_share_first, NULL,                  \
      "the experiment, or the user of a trace, that has used least node time goes first")          \
    X(SRTF, srtf, "srtf", QUEUE_BY_TIME, NULL, policy_srtf_victim,                                 \
      "shortest remaining time first: the jobs with the least expected time left run, as many as " \
      "have room, and others are stopped for them")                                                \
    X(CONSERVATIVE, conservative, "conservative", QUEUE, NULL, NULL,                               \
      "as the service, but a job may overtake if it delays no earlier job")                        \
    X(PRIORITY_PREEMPTIVE, service, "priority-preemptive", QUEUE, NULL, policy_priority_victim,    \
      "as the service, and running jobs of lower priority are stopped for the first waiting job, " \
      "the newest first")

typedef enum {
#define X(name, function, text, sight, first, victim, what) POLICY_##name,
    POLICIES(X)
#undef X
        POLICY_COUNT,
    POLICY_OUTSIDE = POLICY_COUNT /* Scenario.outside; no word of scenarios names it */
} PolicyKind;

typedef struct PolicyOutside PolicyOutside; /* sim/cloud/policy/outside.h */

/* On which node a job gets its GPUs (sim/cloud/cluster/placement.h). X(ENUM, function, name,
 * description) */
#define PLACEMENTS(X)                                                                              \
    X(FIRST_FIT, first_fit, "first-fit", "the first node with enough free GPUs")                   \
    X(BEST_FIT, best_fit, "best-fit", "the fullest node with enough free GPUs")                    \
    X(SPREAD, spread, "spread", "the node with the most free GPUs")                                \
    X(CONSOLIDATE, consolidate, "consolidate",                                                     \
      "as best-fit, but the remainder of a job on several nodes goes to the one with the most "    \
      "free GPUs")

typedef enum {
#define X(name, function, text, what) PLACEMENT_##name,
    PLACEMENTS(X)
#undef X
        PLACEMENT_COUNT
} PlacementKind;

/* On which kind of nodes a job starts if it fits on several. X(ENUM, name, description) */
#define KIND_CHOICES(X)                                                                            \
    X(BY_PLACEMENT, "placement", "that of the node that `placement` chooses among all of them")    \
    X(FASTEST, "fastest",                                                                          \
      "the one on which the job runs fastest (`speeds`, or else `speed` of the kind); among "      \
      "equals the first of `node_kinds`")

typedef enum {
#define X(name, text, what) KIND_CHOICE_##name,
    KIND_CHOICES(X)
#undef X
        KIND_CHOICE_COUNT
} KindChoice;

/* The cost of stopping a job in favour of another and of continuing it later, by the slots of the
 * job (sim/cloud/spec/request.h). It is added to the time that the program still needs. */
typedef struct {
    int64_t one_ns;   /* 1 slot, or none */
    int64_t eight_ns; /* 2 to 8 slots */
    int64_t more_ns;  /* more than 8 */
} PreemptionCost;

/* Racks in every cluster: `nodes_per_rack` consecutive places share a rack. Its uplink carries the
 * exchanges between its nodes and other racks. */
typedef struct {
    int32_t nodes_per_rack;     /* 0: no racks, and no shared wires */
    int64_t uplink_bytes_per_s; /* of a rack, each way */
} NetworkTopology;

/* X(ENUM, name) */
#define ARRIVALS(X)                                                                                \
    X(POISSON, "poisson") /* at `rate`, at any hour */                                             \
    X(DIURNAL, "diurnal") /* Poisson, its rate times factors[hour of the week] */                  \
    X(BURSTS, "bursts")   /* Poisson bursts of `burst_jobs` jobs at one instant each */

typedef enum {
#define X(name, text) ARRIVALS_##name,
    ARRIVALS(X)
#undef X
        ARRIVALS_COUNT
} ArrivalKind;

/* Jobs that arrive by a random process, or at the times of a list, named "NAME-1", "NAME-2", ...
 *
 * At random: the shape (`specs`) of a job and the duration of its program are drawn at an address
 * of the job. From a list: the number of a job is its row, from 1. The row has the job's request,
 * the run time of its program, its priority and the time that its owner expects; the only shape
 * has all else. `end_ns`, `jobs_max` and all below them up to the shapes are not used. */
typedef struct {
    const char *name;
    ResourcePath path;             /* of its jobs, down to the experiment; name: NULL */
    ResourcePath cluster;          /* on which its jobs run */
    const JobList *list;           /* NULL: they arrive at random */
    const int32_t *cluster_of_row; /* a column of the list, by which each job has its cluster among
                                      `clusters`; NULL: all run on `cluster` */
    const ResourcePath *clusters;  /* [cluster_count] */
    int32_t cluster_count;
    bool asks_for_cores; /* list: cores and memory of its rows bind */
    /* list: [cluster's word * (kinds of GPUs + 1) + 1 + kind of GPU] the kinds of nodes of the
     * cluster that rows with that kind of GPU (the first: with none) allow; NULL: all of them */
    const KindSet *kinds_of_gpu_type;
    /* list: [cluster's word * (words of the column "speeds" + 1) + 1 + word] the speeds of rows
     * with that word (the first: with none) on the nodes of that cluster. NULL, or an item that is
     * NULL: as the kinds say */
    const KindSpeeds *const *speeds_of_word;
    bool stops_at_requested; /* list: a job that runs longer than its owner asked for is stopped */
    Resample resample;       /* list: a world draws it anew from its seed */
    int64_t begin_ns;        /* list: its times count from here */
    int64_t end_ns;   /* no job arrives at or after this time; INT64_MAX: jobs_max is the limit */
    int64_t jobs_max; /* INT64_MAX: until `end_ns` */
    ArrivalKind arrivals;
    ArrivalRate rate;       /* mean rate of arrivals (or bursts); unused if there is a `count` */
    int64_t count;          /* exactly so many arrivals (or bursts) ...; 0: by `rate` */
    int64_t within_ns;      /* ... in each period of this length, the first from `begin_ns` */
    const int64_t *factors; /* DIURNAL: [HOURS_A_WEEK] on the rate, by hour of the week
                               (sim/model/week_hours.h), not all 0; NULL: all hours are alike */
    int32_t burst_jobs;     /* BURSTS */
    int32_t spec_count;
    const JobSpec *const *specs;    /* [spec_count] the shapes of its jobs */
    const int64_t *probability_ppm; /* [spec_count] of each shape; the sum is 1,000,000 */
} Workload;

/* The request of a row of the workload's list on nodes of `gpus_per_node`. */
static inline JobRequest workload_request(const Workload *workload, int64_t row,
                                          int32_t gpus_per_node)
{
    JobRequest request = job_list_request(workload->list, row, gpus_per_node);
    if (workload->asks_for_cores)
        job_list_add_cores(workload->list, row, &request);
    return request;
}

/* The kinds of nodes that a row allows of those of its cluster, which are `all`. */
static inline KindSet workload_kinds(const Workload *workload, int64_t row, KindSet all)
{
    const JobList *list = workload->list;
    const int32_t type = list->gpu_type != NULL ? list->gpu_type[row] : JOB_LIST_UNKNOWN;
    const int32_t word = workload->cluster_of_row != NULL ? workload->cluster_of_row[row] : 0;
    return workload->kinds_of_gpu_type == NULL || all == 0
               ? all
               : workload->kinds_of_gpu_type[word * (list->gpu_types.count + 1) + 1 + type];
}

/* The speeds of a row on the kinds of nodes of its cluster; NULL: as the kinds say. */
static inline const KindSpeeds *workload_speeds(const Workload *workload, int64_t row)
{
    const JobList *list = workload->list;
    const int32_t own = list->speeds != NULL ? list->speeds[row] : JOB_LIST_UNKNOWN;
    const int32_t word = workload->cluster_of_row != NULL ? workload->cluster_of_row[row] : 0;
    return workload->speeds_of_word == NULL
               ? NULL
               : workload->speeds_of_word[word * (list->speed_words.count + 1) + 1 + own];
}

/* The part of the run that metrics of many jobs are about. It changes nothing in the world. */
typedef struct {
    int64_t from_ns;  /* the end of the warm-up */
    int64_t until_ns; /* 0: the end of the run */
} MeasureWindow;

/* Whether the window contains `at_ns`. */
static inline bool measure_has(MeasureWindow window, int64_t at_ns)
{
    return at_ns >= window.from_ns && (window.until_ns == 0 || at_ns < window.until_ns);
}

typedef struct {
    const char *name; /* "cifar10-horovod": file name or folder */
    const char *description;
    uint64_t seed;
    RunGiven given;        /* the inputs of which the other members were made */
    int64_t start_unix_ms; /* simulated time 0 on the calendar */
    const char *region;
    const char *subscription;
    int64_t until_ns; /* the latest end; INT64_MAX: the run ends when no awaited event is left */
    MeasureWindow measure;
    int64_t wait_target_ns; /* for reports; 0: none is stated */
    Fidelity fidelity;
    bool is_of_session; /* of an emulator's session: the run ends at `until_ns` even if the last
                           event was earlier, and nodes held then are billed up to it. It follows
                           four bytes, so that the padding after it never looks like an address,
                           which a snapshot would respect */
    ServiceModel service;
    EnergyTerms energy;
    int32_t quota_count;
    const CoreQuota *quotas; /* a family that is not listed has no limit */
    Failures failures;
    PolicyKind policy;
    PolicyOutside *outside; /* POLICY_OUTSIDE; else NULL */
    PreemptionCost preemption_cost;
    int64_t fair_share_half_life_ns; /* after which used node time counts half; 0: for ever */
    PlacementKind placement;         /* of jobs that ask for GPUs */
    KindChoice kind_choice;          /* of clusters with nodes of several kinds */
    bool refuses_wide_jobs; /* a job that could never start on its cluster is refused when it is
                               submitted; otherwise it waits, and may block the queue */
    bool has_queue_limit;
    int32_t queue_limit; /* the most jobs that may wait for a cluster; a job that joins a full queue
                            and cannot start at once fails with CAUSE_FULL_QUEUE */
    NetworkTopology network;
    int32_t workload_count;
    const Workload *workloads;
    int32_t command_count;
    const Command *commands; /* in the order of the file */
    uint64_t shuffle_seed;   /* see EngineSettings */
} Scenario;

/* The next command from `*from` on that creates a cluster, and moves `*from` past it; NULL: none
 * is left. */
static inline const Command *scenario_next_cluster(const Scenario *scenario, int32_t *from)
{
    while (*from < scenario->command_count)
        if (scenario->commands[(*from)++].kind == COMMAND_CLUSTER_CREATE)
            return &scenario->commands[*from - 1];
    return NULL;
}

/* Simulated time on the calendar, rounded down to milliseconds. */
static inline int64_t scenario_unix_ms(const Scenario *scenario, int64_t at_ns)
{
    return scenario->start_unix_ms + at_ns / NS_PER_MS;
}

#endif
