/* The metrics of a run: a fold over its records. The same fold serves a running world, an old
 * trace.tsv and a measured run.
 *
 * Everything is counted in integers; summary.h turns the metrics into summary.json. Times are
 * ns since the start, METRIC_NEVER for what has not happened. TRACE_RUN_ENDED closes open spans:
 * without it the sums lack them. Sums over nodes have 128 bits. Other sums stop at INT64_MAX
 * instead of overflowing, which happens only for forged traces. */
#ifndef SIM_OUTPUT_METRICS_H
#define SIM_OUTPUT_METRICS_H

#include "sim/base/arena.h"
#include "sim/base/wide.h"
#include "sim/cloud/job/job.h"
#include "sim/output/metrics/attribution.h"
#include "sim/output/trace/row.h"

#define METRIC_NEVER INT64_MAX

/* A queue of a cluster. */
typedef struct {
    int64_t reclaims;          /* its jobs that started in place of jobs of other queues */
    int64_t notices;           /* that jobs got of being stopped for it ... */
    int64_t notices_withdrawn; /* ... and those of them that did not end with the stop or the end
                                  of the job */
    int64_t stopped;           /* how often its own jobs were stopped so ... */
    Wide lost_ns; /* ... and their work that was lost: time of nodes, or of GPUs if the jobs ask
                     for GPUs */
} QueueMetrics;

/* Node time by hour of the week (UTC, from Monday); by hour of the day, the first 24, if the price
 * and the emissions of a kWh are those of each day. The work of an attempt is spread evenly over
 * its span. */
typedef struct {
    Wide held_ns[HOURS_A_WEEK];
    Wide compute_ns[HOURS_A_WEEK];  /* useful and lost; of GPUs as ClusterMetrics.attempt_ns */
    Wide exchange_ns[HOURS_A_WEEK]; /* likewise */
} HourMetrics;

typedef struct ClusterMetrics {
    const char *path;         /* "workspace/cluster" */
    const char *provisioning; /* the last state: "succeeded"; NULL before the first */
    const char *allocation;   /* "steady" */
    int64_t created_ns;
    int64_t steady_ns; /* first time */
    int64_t ready_ns;  /* first time that the cluster was steady with every node prepared */
    int64_t deleted_ns;
    int32_t nodes_now, nodes_max;     /* held at once */
    Wide state_ns[NODE_STATE_COUNT];  /* node time spent in each state */
    Wide drained_ns;                  /* that of unusable nodes that are drained and did not fail */
    Wide held_ns;                     /* node time from allocation to release */
    Wide billed_ns;                   /* the billed part of it */
    int64_t cost_micro_usd;           /* sum over nodes, each rounded down; without those ... */
    bool is_unpriced;                 /* ... whose price is not known, if there are any */
    Wide use_ns[USE_COUNT];           /* time of nodes that run no job; see cluster_uses */
    Wide attempt_ns[USE_OF_ATTEMPTS]; /* time of nodes that run jobs, of attempts that have ended */
    /* Once a job has asked for GPUs, use_ns and attempt_ns count the time of GPUs. */
    int32_t gpus_per_node;   /* 0: all jobs so far have whole nodes */
    int32_t shared_nodes;    /* nodes that jobs share now */
    int64_t shared_gpus;     /* GPUs of these that jobs have */
    int64_t shared_since_ns; /* the free ones are counted up to here ... */
    Wide shared_free_ns;     /* ... and in use_ns */
    Wide measured_free_ns;   /* their part within RunMetrics.measure */
    HourMetrics *hours;      /* NULL: none, or not counted (metrics_fold_measure) */
    uint32_t queue_count;    /* up to the last queue that reclaimed or was reclaimed from */
    QueueMetrics *queues;
    uint32_t queue_capacity;
    /* The nodes of a cluster of several kinds: the times and costs are in `kinds`, and those above
     * are 0. A kind uses only the members from nodes_now on. */
    uint32_t kind_count; /* 0: all nodes are of one kind */
    struct ClusterMetrics *kinds;
    uint32_t kind_capacity;
    const char *kind_name; /* of a kind ... */
    int32_t gpus_of_kind;  /* ... and the GPUs of its nodes */
} ClusterMetrics;

/* The times and costs of nodes of all kinds; use_ns and attempt_ns are left out. */
ClusterMetrics cluster_total(const ClusterMetrics *cluster);

/* Divides all node time of the cluster by use: the parts add up to held_ns. False when they do
 * not, because the rows contradict each other; rows of a simulated run never do. Times of GPUs are
 * converted to node time by largest remainder. */
bool cluster_uses(const ClusterMetrics *cluster, Wide *use_ns);
/* The node time in which nodes ran jobs. A shared node counts by the part of its GPUs that jobs
 * had, rounded down.
 */
Wide cluster_busy_ns(const ClusterMetrics *cluster);

typedef struct {
    int64_t ranks;
    int64_t steps_per_epoch;
    int64_t epochs_planned;
    int64_t epochs;      /* known from records: all once trained, else those at level epochs */
    int64_t epochs_kept; /* by attempts that have ended */

    /* Once trained: sums over all epochs, of rank 0. */
    int64_t steps;
    StepParts parts;
    int64_t evaluate_ns, checkpoint_ns;
    int64_t accuracy_ppm, loss_micro;

    int64_t begun_ns;   /* the first step began; this and the next: of the latest attempt */
    int64_t trained_ns; /* the last epoch ended */

    int64_t *step_ns; /* [step_count]: every step of rank 0, if steps are recorded */
    uint32_t step_count, step_capacity;
} TrainingMetrics;

/* The part of a job's metrics that most jobs of a list do not need. */
typedef struct {
    const char *error;   /* "JobFailed: Job failed with non-zero exit code"; NULL */
    int64_t prepared_ns; /* the last node finished mounts, image, container and job preparation */
    int64_t use_ns[USE_OF_ATTEMPTS]; /* but not USE_USEFUL: see job_use_ns */
    int64_t saves;                   /* checkpoints on notice of preemption, of all attempts */
    TrainingMetrics *training;       /* NULL unless the job trains */
} JobDetails;

/* Ordered to be small: a run may have millions. */
typedef struct {
    const char *path; /* "workspace/experiment/job"; NULL: no row mentioned the job */
    int64_t submitted_ns;
    int64_t started_ns; /* this and ended_ns: of the latest attempt */
    int64_t ended_ns;
    int64_t queue_ns;        /* time in the queue, all attempts together */
    int64_t queued_since_ns; /* METRIC_NEVER unless the job waits now ... */
    int64_t node_ns;         /* node time, all attempts; GPU time if it asks for GPUs */
    int64_t useful_ns;       /* the part that was kept, of attempts that have ended */
    JobDetails *details;     /* NULL: none; job_details reads them */
    ClusterId cluster;
    uint32_t queue_cluster; /* ... on this cluster */
    int32_t restarts;       /* how often the job returned to the queue */
    int32_t attempts;       /* attempts that took nodes and have ended */
    int32_t nodes_now, nodes_max;
    int32_t gpus_now;      /* that it has of shared nodes */
    int32_t gpus_per_node; /* of the shared nodes; 0: it has had whole nodes only */
    int32_t exit_code;     /* -1: no exit code */
    uint8_t state;    /* a JobState; JOB_STATE_COUNT before the first, or for an unknown name */
    bool is_rejected; /* by a full queue; its state is "failed" */
    bool is_deferred; /* it waits until maintenance is over */
    uint8_t kind;     /* of its last nodes: index in ClusterMetrics.kinds */
} JobMetrics;

/* A file on a share, in the order of first writing. */
typedef struct {
    ShareId share;
    const char *path; /* path on the share */
    int64_t bytes;
    int64_t written_ns; /* the latest time */
    bool is_gone;       /* deleted since, alone or with its share */
} FileMetrics;

typedef struct {
    const char *name;   /* "account/share"; NULL when no row mentioned it */
    Wide stored_gib_ns; /* GiB times ns, each version of a file rounded down */
} ShareMetrics;

/* A command that was refused or skipped. */
typedef struct {
    int64_t at_ns;
    bool is_refusal;  /* otherwise the command's moment never came */
    const char *what; /* "cluster.create gpu: ..." */
} RefusedCommand;

/* An error of a cluster or its nodes, with its reason; equal errors are counted. */
typedef struct {
    ClusterId cluster;
    const char *what; /* "AZFMountError: ..." */
    TraceCause cause; /* cause of the first occurrence */
    bool is_of_nodes; /* otherwise of the cluster */
    int64_t count;
    int64_t first_ns, last_ns;
} ErrorMetrics;

enum { ERRORS_KEPT = 1000 }; /* different errors; messages that contain names may all differ */

typedef struct {
    const char *name;
    int64_t billed_ns;
    int64_t cost_micro_usd; /* rounded down */
    bool is_unpriced;       /* its price is not known */
} FileServerMetrics;

enum { JOBS_A_PIECE = 64 }; /* jobs keep their places, so that growing copies none */

typedef struct {
    uint32_t cluster_count, job_count, share_count, file_count, refused_count, error_count,
        file_server_count;
    ClusterMetrics *clusters;  /* [ClusterId.index] */
    JobMetrics **job_pieces;   /* JOBS_A_PIECE jobs each; run_job reads them */
    const char **job_clusters; /* [ClusterId.index] paths of the clusters that jobs have */
    ShareMetrics *shares;      /* [ShareId.index] */
    FileMetrics *files;
    RefusedCommand *refused;
    ErrorMetrics *errors;    /* in the order of first occurrence */
    int64_t errors_left_out; /* occurrences of those beyond ERRORS_KEPT */
    FileServerMetrics *file_servers;
    bool is_measured; /* the window below is a part of the run */
    MeasureWindow measure;
    Wide measured_held_ns, measured_running_ns; /* node time within it, of all clusters */
    int64_t measured_micro_usd; /* of nodes: each bill in proportion to time, rounded down */
    int64_t draws;              /* random words drawn; known once ended */
    int64_t held_nodes;         /* when the run ended ... */
    int64_t held_micro_usd_per_hour;
    bool is_unpriced; /* the price of a node or of a file server is not known */
    bool is_ended;
    const char *given_up; /* why the run ended early; NULL */
    int64_t ended_ns;     /* time of the last row */
    int64_t events;       /* known once ended */
} RunMetrics;

/* measured_running_ns, in which a shared node counts as in cluster_busy_ns. */
Wide run_measured_busy_ns(const RunMetrics *run);

/* The job `id`, below RunMetrics.job_count. */
static inline const JobMetrics *run_job(const RunMetrics *run, uint32_t id)
{
    return &run->job_pieces[id / JOBS_A_PIECE][id % JOBS_A_PIECE];
}

/* The details of the job, or those of a job without any. */
const JobDetails *job_details(const JobMetrics *job);
/* The node time or GPU time of the attempts that have ended, by use. */
int64_t job_use_ns(const JobMetrics *job, NodeUse use);
/* The checkpoints that the job wrote on notice of preemption. */
static inline int64_t job_saves(const JobMetrics *job)
{
    return job->details != NULL ? job->details->saves : 0;
}

/* A time of the job, of its nodes or of its GPUs, as node time; rounded down. */
int64_t job_node_time_ns(const JobMetrics *job, int64_t time_ns);

typedef struct MetricsFold MetricsFold;

MetricsFold *metrics_fold_create(Arena *arena);
/* Before the first row: counts the node time within the scenario's `measure` separately, and that
 * of each hour of the day if its energy needs it. */
void metrics_fold_measure(MetricsFold *fold, const Scenario *scenario);
/* `level` limits the rows: percentiles of step times need TRACE_LEVEL_STEPS. */
TraceListener metrics_fold_listener(MetricsFold *fold, TraceLevel level);
/* The metrics after the last row, valid until the next row. They live in the fold's arena. */
const RunMetrics *metrics_fold_result(const MetricsFold *fold);

#endif
