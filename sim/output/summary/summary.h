/* summary.json: what a run amounts to, for people, scripts and expectations.
 *
 *     {"scenario": "cifar10-horovod", "seed": 20180718, "version": "0.1.0", "rng": "...",
 *      "simulated_s": 4112.5, "events": 39240, "draws": 21, "fidelity": "step",
 *      "start": "2018-07-18T17:45:00Z",
 *      "clusters": {"nc6cluster": {"path": "batchaidev/nc6cluster", "state": "steady",
 *          "vm_size": "STANDARD_NC6", "priority": "dedicated",
 *          "created_s": 0, "steady_s": 134.2, "ready_s": 281.9, "deleted_s": null,
 *          "nodes_max": 4, "node_s": 14230, "billed_node_s": 14160, "cost_usd": 3.54,
 *          "preparing_s": ..., "idle_s": ..., "running_s": ..., "leaving_s": ..., "unusable_s":
 * ..., "attribution": {"useful_s": ..., "useful_usd": ..., "exchange_s": ..., ...}}}, "jobs":
 * {"cifar_distributed": {"path": "batchaidev/cifar/cifar_distributed", "cluster": "nc6cluster",
 * "tool": "horovod", "nodes": 4, "ranks": 4, "state": "succeeded", "exit_code": 0, "error":
 * {"code": ..., "message": ...}, "submitted_s": ..., "started_s": ..., "ended_s": ..., "queue_s":
 * ..., "prep_s": ..., "start_s": ..., "train_s": ..., "finish_s": ..., "run_s": ..., "steps":
 * 39075, "step_ms": {"mean": 92.1, "p50": 92, "p95": 94}, "split_s": {"input", "compute", "wait",
 * "exchange", "update", "evaluate", "checkpoint"}, "epochs": 25, "val_accuracy": 0.75, "val_loss":
 * 0.73, "node_s": ..., "gpu_s": ..., "restarts": 0, "attempts": 1, "lost_node_s": 0,
 * "wasted_gpu_s": 0, "goodput": 0.91, "output_path": "..."}}, "workloads": {"night": {"jobs": 812,
 * "succeeded": 800, "failed": 10, "unfinished": 2, "queue_s": {"mean", "p50", "p95", "p99", "max"},
 * "run_s": {...}, "turnaround_s": {...}, "last_ended_s": ..., "restarts": 31, "lost_node_s": ...,
 * "goodput": ...}}, "queue_s": {"mean", "p50", "p95", "p99", "max"}, "cost_usd": {"total": 3.54,
 * "clusters": {"nc6cluster": 3.54}, "file_servers": {}, "storage": 0.000012}, "held_nodes": 0,
 * "held_usd_per_h": 0, "attribution": {"useful_s": ..., "useful_usd": ...,
 * ...}, "utilisation": 0.93, "problems": ["job b was still queued when the run ended"], "errors":
 * [{"cluster": "gpu", "of": "nodes", "what": "AZFMountError: ...", "cause": "mount_failure",
 * "count": 2, "first_s": ..., "last_s": ...}], "fingerprint":
 * "events:.../times:.../nodes:.../jobs:.../bills:.../files:.../draws:..."}
 *
 * Every number is exact: an integer that was counted, or such an integer with its decimal point
 * moved (means and shares: rounded down). Times are seconds since the start; null where something
 * has not happened. A key that does not apply (step_ms of a job that does not train, error of one
 * that went well, workloads of a scenario that has none) is absent.
 *
 * Of a job: queue_s is all its waiting; the rest belongs to the latest attempt: prep_s from its
 * start until the last node ended mounts, image, container and job preparation; start_s from there
 * to the first step; train_s to the end of the last epoch; finish_s to its end (saving the model);
 * run_s is their sum. split_s is the time of rank 0, p50 and p95 of step_ms need a trace of steps.
 * attempts are those that took nodes and are over. lost_node_s is node time whose work had to be
 * thrown away, wasted_gpu_s the same in GPU time. goodput is the share of the node time of all
 * attempts that brought the job on: useful, exchange, input and checkpoint; not startup, waiting
 * for other nodes and what was lost. null before an attempt is over.
 *
 * A job that ran outside of the world has "execution": "real", and of steps, epochs, val_accuracy
 * and val_loss what somebody told (job.ran): how many its training had done in all attempts
 * together, and how good it was then.
 *
 * Jobs of workloads are not listed: their experiment may have 100,000 of them. queue_s at the top
 * is of all jobs, theirs included; a job that still waits has
 * waited longer than all others: "waiting" says how many do (absent when none does), and the mean
 * and the percentiles that depend on them are null. turnaround_s, from submission to end, is the
 * same of jobs that are not over. run_s is of jobs that are over. Percentiles are by nearest rank.
 *
 * Of a cluster: node_s is node time from allocation to release, billed_node_s what is paid of it.
 * attribution divides both node_s and cost_usd by use (sim/output/summary/attribution.h), so that
 * each adds up; the bill is divided in proportion to time. At the top it is the sum over clusters;
 * storage and file servers are no node time. utilisation is the share of all node_s in which nodes
 * ran jobs. held_nodes were held when the run ended, which is its last event or, where there are
 * more to come, "until": up to there they are billed, and held_usd_per_h is what goes on.
 * cost_usd.storage is the price of what is stored, or of a share's whole size where that is what is
 * provisioned and paid (tier premium). errors are those of clusters and nodes, with their reasons.
 * Things are called by their short names; where two have the same, by their paths; and where those
 * are the same too (deleted and made again), "#2" and so on follows. */
#ifndef SIM_OUTPUT_SUMMARY_H
#define SIM_OUTPUT_SUMMARY_H

#include "sim/json/json.h"
#include "sim/output/summary/metrics.h"
#include "sim/output/summary/run_facts.h"

/* A number or node time of the structs below that is not known: it has not happened, there is
 * nothing to measure, or it does not apply. In summary.json it is null or has no key. */
#define SUMMARY_NEVER METRIC_NEVER

/* Parts of the time of rank 0. */
typedef enum {
    PART_INPUT,
    PART_COMPUTE,
    PART_WAIT,
    PART_EXCHANGE,
    PART_UPDATE,
    PART_STEP_COUNT, /* parts of a step end here */
    PART_EVALUATE = PART_STEP_COUNT,
    PART_CHECKPOINT,
    PART_COUNT
} TimePart;

/* Node time and money by use. */
typedef struct {
    Wide ns[USE_COUNT];
    int64_t micro_usd[USE_COUNT];
} SummaryUses;

/* How long many jobs took. */
typedef struct {
    int64_t mean_ns, p50_ns, p95_ns, p99_ns, max_ns;
    int64_t waiting; /* jobs that still wait; SUMMARY_NEVER: none */
    bool is_empty;   /* there were no jobs: null in the file */
} SummarySpread;

typedef struct {
    const char *name; /* the key: short where that is enough */
    const char *path; /* "workspace/cluster" */
    const char *state;
    const char *vm_size;
    const char *priority;
    int64_t created_ns;
    int64_t steady_ns; /* first */
    int64_t ready_ns;  /* first */
    int64_t deleted_ns;
    int64_t nodes_max;
    Wide held_ns; /* node time, as the next ones */
    Wide billed_ns;
    int64_t cost_micro_usd;
    Wide state_ns[NODE_STATE_COUNT];
    SummaryUses uses;
} SummaryCluster;

typedef struct {
    const char *name;
    const char *path;    /* "workspace/experiment/job" */
    const char *cluster; /* its name */
    bool is_described;   /* its RunFacts are known. Not read */
    bool trains;         /* likewise */
    const char *tool;
    int64_t nodes;
    int64_t ranks;
    const char *state;
    int64_t exit_code;
    const char *error_code;
    const char *error_message;
    int64_t submitted_ns;
    int64_t started_ns;
    int64_t ended_ns;
    int64_t queue_ns;
    int64_t prep_ns;
    int64_t start_ns; /* duration from the end of the preparation to the first step */
    int64_t train_ns;
    int64_t finish_ns;
    int64_t run_ns;
    const char *execution; /* "real", or NULL */
    int64_t real_ranks;    /* of a training that ran for real */
    int64_t steps;
    int64_t step_mean_ns, step_p50_ns, step_p95_ns;
    int64_t part_ns[PART_COUNT]; /* over the whole training */
    int64_t epochs;
    int64_t val_accuracy_ppm;
    int64_t val_loss_micro;
    Wide node_ns;
    Wide gpu_ns;
    int64_t restarts;
    int64_t attempts;
    int64_t lost_ns; /* node time whose work was thrown away */
    Wide wasted_gpu_ns;
    int64_t goodput_ppm;
    const char *output_path;
} SummaryJob;

/* Jobs that are not listed one by one. */
typedef struct {
    const char *name;
    int64_t jobs, succeeded, failed, unfinished;
    SummarySpread queue, run, turnaround;
    int64_t last_ended_ns;
    int64_t restarts;
    Wide lost_ns;
    int64_t goodput_ppm;
} SummaryWorkload;

typedef struct {
    const char *cluster; /* its name */
    const char *of;      /* "cluster" or "nodes" */
    const char *what;
    const char *cause;
    int64_t count, first_ns, last_ns;
} SummaryError;

typedef struct {
    const char *name;
    int64_t cost_micro_usd; /* of all file servers that had the name */
} SummaryFileServer;

typedef struct {
    const char *scenario;
    const char *seed; /* in digits: it may exceed int64_t */
    const char *version;
    const char *rng;
    int64_t end_ns;
    int64_t events;
    int64_t draws;
    const char *fidelity;
    const char *start;
    SummaryCluster *clusters;
    uint32_t cluster_count;
    SummaryJob *jobs;
    uint32_t job_count;
    SummaryWorkload *workloads;
    uint32_t workload_count;
    SummarySpread queue;
    int64_t cost_micro_usd;
    SummaryFileServer *file_servers;
    uint32_t file_server_count;
    int64_t storage_micro_usd;
    int64_t held_nodes;
    int64_t held_micro_usd_per_hour;
    SummaryUses uses;
    int64_t utilisation_ppm;
    const char **problems; /* a sentence each */
    uint32_t problem_count;
    SummaryError *errors;
    uint32_t error_count;
    const char *fingerprint;
} Summary;

/* `facts` NULL: the members that need them are absent (metrics of a trace file alone).
 * `fingerprint` may be NULL. Sorts the step times of `metrics`. Lives in `arena`; names are
 * borrowed from `facts` and `metrics`. */
const Summary *summary_of_run(Arena *arena, const RunFacts *facts, const RunMetrics *metrics,
                              const char *fingerprint);

/* summary.json. */
Json *summary_json(Arena *arena, const Summary *summary);
/* Reads summary.json into `summary`, which borrows the tree: what is missing or null is
 * SUMMARY_NEVER or NULL. Not read are the file servers' costs. Adds a problem for each member that
 * is not as `summary_json` writes it. */
void summary_read(Arena *arena, const Json *root, Summary *summary, Problems *problems);

#endif
