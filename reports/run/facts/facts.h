/* The input of a report: a run's summary and the rows of its trace, joined.
 *
 * `trainyard run` passes both from memory; `trainyard report` reads them from
 * summary.json and trace.tsv. Figures that a summary has are taken from there, never computed a
 * second time; the trace gives the times. Members that a run does not have are ABSENT or NULL. */
#ifndef REPORTS_FACTS_H
#define REPORTS_FACTS_H

#include "sim/base/status.h"
#include "sim/base/units.h"
#include "sim/cloud/cluster/cluster.h"
#include "sim/output/summary/summary.h"
#include "sim/output/trace/tsv.h"

#define ABSENT SUMMARY_NEVER

/* The wait target of a report if the scenario has none. */
#define WAIT_TARGET_DEFAULT_NS (30 * NS_PER_MIN)

/* From its submission to its end, waits and all attempts included; ABSENT while it has not ended.
 */
int64_t job_turnaround_ns(const SummaryJob *job);

typedef struct {
    const char *name;
    uint32_t cluster;     /* index in Summary.clusters, or ID_NONE */
    int32_t number;       /* 1, 2, ... in its cluster, by appearance */
    int64_t allocated_ns; /* ABSENT when the trace does not say */
    int64_t released_ns;  /* ABSENT while held */
    int64_t billed_ns;    /* ABSENT without a bill */
    int64_t micro_usd_per_hour;
    int32_t gpus; /* of its kind, in a cluster of several kinds; 0: as all nodes of its cluster */
} ReportNode;

/* A job of the run, listed or of a workload, by its id in the trace. */
typedef struct {
    const char *name;  /* the last part of its path; NULL: the trace has no row of it */
    uint32_t listed;   /* index in Summary.jobs, or ID_NONE */
    uint32_t workload; /* index in Summary.workloads, or ID_NONE */
    uint32_t cluster;  /* index in Summary.clusters, or ID_NONE */
    int32_t size;      /* its most nodes at once ... */
    bool is_of_gpus;   /* ... or GPUs, if a job of its cluster asks for GPUs */
    int64_t submitted_ns;
    int64_t wait_ns; /* in the queue so far, all attempts together */
    bool is_waiting; /* when the run ended */
    bool has_ended;
    bool is_rejected; /* by a full queue: then it has no times */
} ReportJob;

/* A time in which a job waited (or, otherwise, ran). */
typedef struct {
    uint32_t job; /* index in Facts.jobs */
    bool is_wait;
    int64_t begin_ns, end_ns;
} JobSpan;

/* A time in which a job had GPUs of a node that it shares. */
typedef struct {
    uint32_t node;
    uint32_t job; /* index in Facts.jobs */
    int32_t gpus;
    int64_t begin_ns, end_ns;
} GpuSpan;

/* A state that a node was in; in order of their ends, those that last to the end of the run last.
 */
typedef struct {
    uint32_t node;
    NodeState state;
    uint32_t job;    /* index in Summary.jobs while it ran one, or ID_NONE */
    uint32_t worker; /* the same in Facts.jobs */
    int64_t begin_ns;
    int64_t end_ns;
} NodeSpan;

/* How many rows of a kind a job has. */
typedef struct {
    uint32_t epochs, evaluations;
} JobRows;

typedef struct {
    const Summary *run;
    int64_t wait_target_ns; /* jobs should not wait longer: the share within it is a key figure */
    JobRows *job_rows;      /* [Summary.job_count] */
    TraceLevel level;
    int64_t start_unix_ms; /* simulated time 0 on the calendar */
    ReportNode *nodes;     /* by NodeId of the rows */
    uint32_t node_count;
    NodeSpan *spans;
    uint32_t span_count;
    ReportJob *jobs; /* by JobId of the rows */
    uint32_t job_count;
    JobSpan *job_spans; /* in order of their ends, those that last to the end of the run last */
    uint32_t job_span_count;
    GpuSpan *gpu_spans; /* in order of their begins */
    uint32_t gpu_span_count;
    int32_t *gpus_per_node; /* [Summary.cluster_count]; 0: no job asked for GPUs there */
    bool has_no_rows;       /* the trace was not written */
    TraceRow *rows; /* all but single steps and transfers, in order of time; record.cluster and
                       record.job are indexes in `run`, or ID_NONE */
    uint32_t row_count;
} Facts;

/* The rows of a trace that a report needs, as they come. */
typedef struct {
    Arena *arena;
    TraceRow *items;
    uint32_t count, capacity;
} ReportRows;

/* Keeps rows of at most `level` in `rows`, whose arena is set. */
TraceListener report_rows_listener(ReportRows *rows, TraceLevel level);

/* Joins a summary, which is borrowed, with the rows of its trace, which are taken over. */
const Facts *facts_join(const Summary *summary, ReportRows *rows, const TraceHeader *header);

/* Reads the files of `run_directory`. With the first of their problems, STATUS_NOT_FOUND when one
 * is missing, STATUS_BAD_INPUT when one is not what `trainyard run` writes. NULL on failure. */
const Facts *facts_read(Arena *arena, const char *run_directory, Status *status);

/* Whether the report is about many jobs: then it shows times of classes and slots for nodes. */
bool facts_are_of_many(const Facts *facts);
/* Whether a job that the scenario lists began to train. */
bool facts_have_training(const Facts *facts);
/* Whether the job trains a transformer, whose learning is not modelled. */
bool job_is_transformer(const SummaryJob *job);
/* Whether a job trains something else. */
bool facts_have_learning(const Facts *facts);

/* Whether the run has a row of `kind`. */
bool facts_has(const Facts *facts, TraceKind kind);

/* A sentence that says why a plot of jobs or nodes has nothing to draw. */
const char *facts_no_rows(const Facts *facts);
/* A sentence that says why a plot of costs cannot be drawn. */
const char *facts_no_bill(const Facts *facts);
/* A sentence that says why a plot of epochs cannot be drawn although a job began to train. */
const char *facts_no_epochs(const Facts *facts);

/* The GPUs of a node; 0: no job asked for GPUs in its cluster. */
int32_t facts_gpus_of_node(const Facts *facts, uint32_t node);

#endif
