/* The input of a report: a run's summary.json and trace.tsv, read once and joined.
 *
 * Figures that a summary has are taken from there, never computed a second time; the trace gives
 * the times. Members that a run does not have are ABSENT or NULL. Everything lives
 * in the arena of facts_read. */
#ifndef REPORTS_FACTS_H
#define REPORTS_FACTS_H

#include "sim/base/status.h"
#include "sim/cloud/cluster/cluster.h"
#include "sim/output/summary/attribution.h"
#include "sim/output/trace/tsv.h"

#define ABSENT INT64_MAX

typedef enum {
    PART_INPUT,
    PART_COMPUTE,
    PART_WAIT,
    PART_EXCHANGE,
    PART_UPDATE,
    PART_STEP_COUNT, /* parts before belong to a step, parts after it are between steps */
    PART_EVALUATE = PART_STEP_COUNT,
    PART_CHECKPOINT,
    PART_COUNT
} TimePart;

typedef struct {
    const char *name; /* as in the summary: short where that is enough */
    const char *path; /* "workspace/cluster" */
    const char *state;
    const char *vm_size;
    const char *priority;
    int64_t created_ns;
    int64_t steady_ns; /* first */
    int64_t ready_ns;  /* first */
    int64_t nodes_max;
    Wide held_ns;   /* node time, ABSENT as the others */
    Wide billed_ns; /* node time */
    int64_t cost_micro_usd;
    Wide use_ns[USE_COUNT]; /* ABSENT in summaries of old, as below */
    int64_t use_micro_usd[USE_COUNT];
} ReportCluster;

typedef struct {
    const char *name;
    const char *path;    /* "workspace/experiment/job" */
    const char *cluster; /* its name */
    const char *state;
    int64_t nodes;
    const char *error_message;
    int64_t submitted_ns;
    int64_t ended_ns;
    int64_t queue_ns;
    int64_t prep_ns;
    int64_t start_ns; /* duration from there to the first step */
    int64_t train_ns;
    int64_t finish_ns;
    int64_t run_ns;
    int64_t epochs;
    int64_t step_mean_ns;
    int64_t step_p95_ns;
    int64_t part_ns[PART_COUNT]; /* over the whole training */
    int64_t val_accuracy_ppm;
    int64_t val_loss_micro;
    Wide gpu_ns;
    int64_t restarts;
    int64_t lost_ns; /* node time whose work was thrown away */
    int64_t goodput_ppm;
    uint32_t epochs_told, evaluations_told; /* rows of these kinds */
} ReportJob;

/* From its submission to its end, waits and all attempts included; ABSENT while it has not ended.
 */
int64_t job_turnaround_ns(const ReportJob *job);

/* Jobs that are not listed one by one. */
typedef struct {
    const char *name;
    int64_t jobs, succeeded, failed, unfinished, restarts;
    int64_t queue_p50_ns, queue_p95_ns, queue_max_ns, run_p50_ns;
    int64_t turnaround_p50_ns, turnaround_p95_ns;
    int64_t last_ended_ns;
    int64_t waiting; /* still, at the end; ABSENT: none */
    int64_t goodput_ppm;
    Wide lost_ns;
} ReportWorkload;

typedef struct {
    const char *cluster;
    const char *of; /* "cluster" or "nodes" */
    const char *what;
    int64_t count, first_ns, last_ns;
} ReportError;

typedef struct {
    const char *name;
    uint32_t cluster;     /* index in Facts.clusters, or ID_NONE */
    int32_t number;       /* 1, 2, ... in its cluster, by appearance */
    int64_t allocated_ns; /* ABSENT when the trace does not say */
    int64_t released_ns;  /* ABSENT while held */
    int64_t billed_ns;    /* ABSENT without a bill */
    int64_t micro_usd_per_hour;
} ReportNode;

/* A state that a node was in; in order of their ends, those that last to the end of the run last.
 */
typedef struct {
    uint32_t node;
    NodeState state;
    uint32_t job; /* index in Facts.jobs while it ran one, or ID_NONE */
    int64_t begin_ns;
    int64_t end_ns;
} NodeSpan;

typedef struct {
    const char *scenario;
    const char *version;
    const char *fidelity;
    const char *fingerprint;
    const char *seed;
    TraceLevel level;
    int64_t start_unix_ms; /* simulated time 0 on the calendar */
    int64_t end_ns;        /* of the run */
    int64_t cost_micro_usd;
    int64_t storage_micro_usd;
    int64_t held_nodes; /* when the run ended */
    int64_t held_micro_usd_per_hour;
    int64_t utilisation_ppm;
    ReportCluster *clusters;
    uint32_t cluster_count;
    ReportJob *jobs;
    uint32_t job_count;
    ReportNode *nodes; /* by NodeId of the rows */
    uint32_t node_count;
    NodeSpan *spans;
    uint32_t span_count;
    TraceRow *rows; /* all but single steps and transfers, in order of time; record.cluster and
                       record.job are indexes in `clusters` and `jobs` here, or ID_NONE */
    uint32_t row_count;
    ReportWorkload *workloads;
    uint32_t workload_count;
    ReportError *errors; /* of clusters and nodes, with their reasons */
    uint32_t error_count;
    const char **problems; /* one sentence for each */
    uint32_t problem_count;
} Facts;

/* Reads the files of `run_directory`. With the first of their problems, STATUS_NOT_FOUND when one
 * is missing, STATUS_BAD_INPUT when one is not what `trainyard run` writes. NULL on failure. */
Facts *facts_read(Arena *arena, const char *run_directory, Status *status);

/* Whether the run has a row of `kind`. */
bool facts_has(const Facts *facts, TraceKind kind);

/* A sentence that says why a plot of epochs cannot be drawn although a job began to train. */
const char *facts_no_epochs(const Facts *facts);

#endif
