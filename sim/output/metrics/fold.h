/* Private to sim/output/metrics: the state of the fold, and its functions for the records of each
 * kind, by subject. */
#ifndef SIM_OUTPUT_METRICS_FOLD_H
#define SIM_OUTPUT_METRICS_FOLD_H

#include "sim/base/capped.h"
#include "sim/base/name_table.h"
#include "sim/output/metrics/metrics.h"

/* A node as the fold sees it. */
typedef struct {
    NodeState state; /* NODE_STATE_COUNT before and after its life */
    int64_t since_ns;
    int64_t waited_ns[SHORTAGE_COUNT]; /* QueueClock of its cluster when it became idle */
    uint32_t cluster;
    bool is_shared;
    bool is_drained; /* it is unusable because it is drained */
    uint32_t job;    /* ID_NONE unless it has the whole node */
    uint8_t kind;    /* index in ClusterMetrics.kinds */
} NodeTrack;

enum { QUEUES_MAX = 1 << 16 }; /* a forged trace may have any numbers */

/* The first job of a queue of a cluster. */
typedef struct {
    uint32_t job; /* 1 + its index; 0: none is known */
    Shortage shortage;
} QueueFirst;

/* How long at least one job has waited on a cluster, by shortage. The time that
 * an idle node waits for its gang is the difference of two readings, however many jobs come and go
 * in between. */
typedef struct {
    int32_t queued;    /* jobs that wait now ... */
    int32_t deferred;  /* (of them, those that maintenance defers) */
    Shortage shortage; /* ... for this */
    int64_t since_ns;
    int64_t waited_ns[SHORTAGE_COUNT]; /* up to since_ns */
    QueueFirst *firsts;                /* [queue], if the records name them */
    uint32_t first_count, first_capacity;
    uint32_t stopped_job;   /* 1 + the job of the last TRACE_JOB_RECLAIMED, whose attempt ends next;
                               0: none ... */
    uint32_t stopped_queue; /* ... and its queue */
} QueueClock;

struct MetricsFold {
    Arena *arena;
    const char *node_states[NODE_STATE_COUNT + 1]; /* their names in records, and "released" */
    const char *job_states[JOB_STATE_COUNT];
    const char *job_stages[STAGE_COUNT];
    const char *shortages[SHORTAGE_COUNT];
    int32_t cycle_hours;   /* HOURS_A_DAY or HOURS_A_WEEK of HourMetrics; 0: none are counted ... */
    int64_t start_unix_ms; /* ... by this clock */
    RunMetrics run;
    uint32_t cluster_capacity, piece_capacity, job_cluster_capacity, share_capacity, file_capacity,
        refused_capacity;
    NodeTrack *nodes; /* [NodeId.index] */
    uint32_t node_count, node_capacity;
    QueueClock *clocks; /* [ClusterId.index], zero until a job waits there */
    uint32_t clock_capacity;
    uint32_t error_capacity, file_server_capacity;
    NameTable *file_index;  /* "account/share/path" -> index in run.files */
    NameTable *error_index; /* "cluster/what" -> index in run.errors */
};

/* --- What records mention, made when it is first mentioned --- */

/* The rare parts of the functions below. */
__attribute__((noinline)) void fold_make_clusters(MetricsFold *fold, uint32_t id);
__attribute__((noinline)) void fold_make_nodes(MetricsFold *fold, uint32_t id);
__attribute__((noinline)) void fold_make_job(MetricsFold *fold);
__attribute__((noinline)) void fold_job_is_on(MetricsFold *fold, JobMetrics *job,
                                              const TraceRow *row);

static inline void add(int64_t *sum, int64_t value)
{
    *sum = capped_sum(*sum, value);
}

static inline ClusterMetrics *cluster_of(MetricsFold *fold, const TraceRow *row)
{
    RunMetrics *run = &fold->run;
    const uint32_t id = row->record.cluster.index;
    if (id >= run->cluster_count)
        fold_make_clusters(fold, id);
    run->clusters[id].path = row->cluster;
    return &run->clusters[id];
}

static inline JobMetrics *job_at(MetricsFold *fold, uint32_t id)
{
    return &fold->run.job_pieces[id / JOBS_A_PIECE][id % JOBS_A_PIECE];
}

static inline JobMetrics *job_of(MetricsFold *fold, const TraceRow *row)
{
    const uint32_t id = row->record.job.index;
    while (fold->run.job_count <= id)
        fold_make_job(fold);
    JobMetrics *job = job_at(fold, id);
    job->path = row->job;
    if (job->cluster.index != row->record.cluster.index)
        fold_job_is_on(fold, job, row);
    return job;
}

static inline NodeTrack *node_of(MetricsFold *fold, const TraceRow *row)
{
    const uint32_t id = row->record.node.index;
    if (id >= fold->node_count)
        fold_make_nodes(fold, id);
    fold->nodes[id].cluster = row->record.cluster.index;
    return &fold->nodes[id];
}

/* The account of nodes of a kind: of the cluster itself if it has one kind only. */
static inline ClusterMetrics *account_of(MetricsFold *fold, uint32_t cluster, uint8_t kind)
{
    ClusterMetrics *all = &fold->run.clusters[cluster];
    return kind < all->kind_count ? &all->kinds[kind] : all;
}

/* Adds the time for which a node was held, or the work of an attempt, to the hours of the account.
 * Only if MetricsFold.cycle_hours > 0. */
void fold_held_hours(const MetricsFold *fold, ClusterMetrics *account, const TraceRecord *billed);
void fold_attempt_hours(const MetricsFold *fold, ClusterMetrics *account,
                        const TraceRecord *attempt, int32_t slots);
/* The time of nodes becomes that of their GPUs. */
void fold_hours_of_gpus(ClusterMetrics *account, int32_t gpus_per_node);

static inline void note_first(int64_t *moment_ns, int64_t at_ns)
{
    if (*moment_ns == METRIC_NEVER)
        *moment_ns = at_ns;
}

/* The index of `name` in `names`; `count`: it is not one of them. */
int fold_name_index(const char *const *names, int count, const char *name);

/* --- Functions for records --- */

/* fold_nodes.c: clusters and nodes. */
void fold_cluster_provisioning(MetricsFold *fold, const TraceRow *row);
void fold_cluster_allocation(MetricsFold *fold, const TraceRow *row);
void fold_cluster_ready(MetricsFold *fold, const TraceRow *row);
void fold_node_kind(MetricsFold *fold, const TraceRow *row);
void fold_node_state(MetricsFold *fold, const TraceRow *row);
void fold_node_billed(MetricsFold *fold, const TraceRow *row);
void fold_nodes_end(MetricsFold *fold, int64_t at_ns);
/* Counts the free GPUs of the shared nodes of a cluster up to now. */
void fold_shared_until(MetricsFold *fold, uint32_t cluster, int64_t at_ns);
/* The first job of a cluster asks for GPUs of a node with `gpus_per_node`. */
void fold_count_gpus(ClusterMetrics *cluster, int32_t gpus_per_node, int64_t at_ns);
/* A job begins (change 1) or ends (change -1) to wait. */
void fold_clock_turn(MetricsFold *fold, uint32_t cluster, uint32_t job, int64_t at_ns,
                     int32_t change);
/* Brings the clock and the accounts that depend on it up to date, before it changes. */
QueueClock *fold_clock_stop(MetricsFold *fold, uint32_t cluster, int64_t at_ns);
QueueClock *fold_clock_of(MetricsFold *fold, uint32_t cluster);
/* The shortage of the first jobs of the queues. */
Shortage fold_clock_shortage(const QueueClock *clock);

/* fold_jobs.c: jobs and trainings. */
void fold_job_waits(MetricsFold *fold, const TraceRow *row);
void fold_job_deferred(MetricsFold *fold, const TraceRow *row);
void fold_queue_reclaims(MetricsFold *fold, const TraceRow *row);
void fold_job_reclaimed(MetricsFold *fold, const TraceRow *row);
void fold_job_notice(MetricsFold *fold, const TraceRow *row);
void fold_job_placed(MetricsFold *fold, const TraceRow *row);
void fold_job_attempt(MetricsFold *fold, const TraceRow *row);
void fold_job_state(MetricsFold *fold, const TraceRow *row);
void fold_job_provisioning(MetricsFold *fold, const TraceRow *row);
void fold_job_error(MetricsFold *fold, const TraceRow *row);
void fold_job_stage(MetricsFold *fold, const TraceRow *row);
void fold_job_training(MetricsFold *fold, const TraceRow *row);
void fold_job_trained(MetricsFold *fold, const TraceRow *row);
void fold_epoch(MetricsFold *fold, const TraceRow *row);
void fold_job_saved(MetricsFold *fold, const TraceRow *row);
void fold_step(MetricsFold *fold, const TraceRow *row);
void fold_jobs_end(MetricsFold *fold, int64_t at_ns);
void fold_job_forget_attempt(JobMetrics *job);

/* fold_files.c: shares, their files, file servers. */
void fold_file_written(MetricsFold *fold, const TraceRow *row);
void fold_file_deleted(MetricsFold *fold, const TraceRow *row);
void fold_resource_deleted(MetricsFold *fold, const TraceRow *row);
void fold_file_server_billed(MetricsFold *fold, const TraceRow *row);
void fold_files_end(MetricsFold *fold, int64_t at_ns);

/* fold_errors.c. */
void fold_error(MetricsFold *fold, const TraceRow *row);

#endif
