/* summary.json: the results of a run, for people, scripts and expectations. scenarios/FORMAT.md
 * lists its members; the tables are in summary_members.c.
 *
 * Jobs of workloads are not listed, because an experiment may have 100,000 of them. Keys are short
 * names. If two clusters or jobs have the same short name, the keys are their paths; if the paths
 * are the same too (deleted and created again), "#2" and so on is appended. */
#ifndef SIM_OUTPUT_SUMMARY_H
#define SIM_OUTPUT_SUMMARY_H

#include "sim/json/json.h"
#include "sim/output/metrics/metrics.h"
#include "sim/output/summary/run_facts.h"
#include "sim/output/summary/spread.h"
#include "sim/schema/plain.h"

/* A number or node time of the structs below that is not known: it has not happened, there is
 * nothing to measure, or it does not apply. In summary.json it is null or has no key. */
#define SUMMARY_NEVER PLAIN_UNKNOWN
_Static_assert(PLAIN_UNKNOWN == METRIC_NEVER, "metrics are copied into summaries");

/* Parts of the training time of rank 0. */
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

/* Time of jobs in the queue by cause. */
typedef struct {
    bool is_known;
    Wide ns[WAIT_CAUSE_COUNT];
} SummaryWaits;

/* The nodes of one kind of a cluster of several kinds. */
typedef struct {
    const char *name;
    const char *vm_size;
    const char *priority;
    int64_t nodes_max;
    Wide held_ns; /* this and the next ones: node time */
    Wide running_ns;
    int64_t utilisation_ppm;
    int64_t cost_micro_usd;
    int64_t micro_kwh; /* without cooling */
    SummaryUses uses;
} SummaryKind;

/* A queue of a cluster. */
typedef struct {
    const char *name;
    bool has_grace; /* jobs get notice before they are stopped for it */
    int64_t reclaims;
    int64_t notices;
    int64_t notices_withdrawn;
    int64_t stopped;
    Wide lost_ns;
} SummaryQueue;

typedef struct {
    const char *name; /* the key: short where that is enough */
    const char *path; /* "workspace/cluster" */
    const char *state;
    const char *vm_size;
    const char *priority;
    int64_t created_ns;
    int64_t steady_ns; /* first time */
    int64_t ready_ns;  /* first time */
    int64_t deleted_ns;
    int64_t nodes_max;
    Wide held_ns; /* this and the next ones: node time */
    Wide billed_ns;
    int64_t cost_micro_usd;
    int64_t micro_kwh; /* of its nodes, without cooling */
    Wide state_ns[NODE_STATE_COUNT];
    SummaryUses uses;
    SummaryWaits waits;
    SummaryQueue *queues; /* [queue_count] */
    uint32_t queue_count;
    SummaryKind *kinds;  /* [kind_count] */
    uint32_t kind_count; /* 0: all nodes are of one kind */
} SummaryCluster;

typedef struct {
    const char *name;
    const char *path;    /* "workspace/experiment/job" */
    const char *cluster; /* its name */
    bool is_described;   /* its RunFacts are known */
    bool trains;         /* it has begun to train */
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
    int64_t tokens; /* this and the next ones: of a transformer's training */
    int64_t tokens_per_s;
    int64_t mfu_ppm;
    int64_t checkpoint_ns; /* node time of all attempts */
    bool saves_on_notice;
    int64_t notice_checkpoints;
    const char *output_path;
} SummaryJob;

/* Many jobs together: those of a workload, or of one class in it. */
typedef struct {
    const char *name; /* of the class */
    int64_t jobs, succeeded, failed, unfinished;
    int64_t rejected; /* by a full queue */
    SummarySpread queue, run, turnaround;
} SummaryClass;

/* Jobs that are not listed one by one. */
typedef struct {
    const char *name;
    SummaryClass all;
    bool has_queue_limit;
    int64_t last_ended_ns;
    int64_t restarts;
    bool saves_on_notice; /* one of its jobs does */
    bool saves_work;
    Wide checkpoint_ns; /* node time of all attempts, shown if saves_work */
    int64_t notice_checkpoints;
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

/* An expectation of the scenario and its result in this run. */
typedef struct {
    const char *text;
    const char *result;   /* "met", "missed", or "not judged": it is about several runs */
    const char *expected; /* this and the next one are NULL unless it was missed */
    const char *got;
} SummaryExpectation;

/* The part of the run that "measure" of the scenario selects; all unknown without it. */
typedef struct {
    int64_t from_ns, until_ns;
    Wide held_ns, running_ns; /* node time */
    int64_t utilisation_ppm;
    int64_t micro_usd; /* of nodes */
} SummaryMeasured;

/* The energy of all nodes; all unknown unless their power is known. */
typedef struct {
    int64_t micro_kwh;       /* of the site: with cooling and losses ... */
    int64_t nodes_micro_kwh; /* ... and without them */
    int64_t peak_mw;         /* of the site, if the most nodes were all busy at once */
    /* The energy of nodes, each hour's times the factor of the hour on the price and on the CO2e
     * of a kWh; nodes_micro_kwh if all hours are alike. */
    int64_t priced_micro_kwh, emitting_micro_kwh;
    int64_t carbon_mg;
    int64_t micro_usd; /* unknown unless the catalogue has a price of a kWh */
} SummaryEnergy;

typedef struct {
    const char *scenario;
    const char *description; /* the scenario's; NULL: none */
    int64_t seed;            /* below 2^53 */
    const char *version;
    RunGiven given;
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
    int64_t wait_target_ns;                           /* the scenario's */
    int64_t submitted, succeeded, failed, unfinished; /* jobs */
    bool has_queue_limit;
    int64_t rejected; /* of them: by a full queue */
    int64_t cost_micro_usd;
    SummaryFileServer *file_servers;
    uint32_t file_server_count;
    int64_t storage_micro_usd;
    int64_t micro_usd_per_trillion_tokens; /* of all transformers */
    SummaryEnergy energy;
    int64_t held_nodes;
    int64_t held_micro_usd_per_hour;
    SummaryUses uses;
    SummaryWaits waits;
    int64_t utilisation_ppm;
    SummaryMeasured measured;
    const char **problems; /* a sentence each */
    uint32_t problem_count;
    SummaryError *errors;
    uint32_t error_count;
    SummaryExpectation *expectations; /* added by the caller of summary_of_run */
    uint32_t expectation_count;
    const char *const *story; /* added by the caller: lines of `run --why JOB --json` */
    uint32_t story_count;
    const char *fingerprint;
} Summary;

/* The results of an expectation. */
#define EXPECTATION_MET "met"
#define EXPECTATION_MISSED "missed"
#define EXPECTATION_NOT_JUDGED "not judged"

/* `facts` NULL: the members that need them are absent (metrics of a trace file alone).
 * `fingerprint` may be NULL. Sorts the step times of `metrics`. Lives in `arena`; names are
 * borrowed from `facts` and `metrics`. */
Summary *summary_of_run(Arena *arena, const RunFacts *facts, const RunMetrics *metrics,
                        const char *fingerprint);

/* The jobs together. They are borrowed. */
SummaryClass summary_class(Arena *arena, const JobTimes *jobs, uint32_t job_count);

/* The table of summary.json. */
extern const ObjectType summary_type;

Json *summary_json(Arena *arena, const Summary *summary);
/* Reads summary.json into `summary`, which borrows the tree; lists live in `arena`. A missing or
 * null member becomes SUMMARY_NEVER or NULL. Adds a problem for each member that is not in the form
 * that `summary_json` writes. */
void summary_read(Arena *arena, const Json *root, Summary *summary, Problems *problems);

#endif
