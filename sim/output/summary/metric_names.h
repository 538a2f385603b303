/* The names that clusters, jobs, workloads, file servers and classes of jobs may have in the
 * summaries of a scenario's runs. */
#ifndef SIM_OUTPUT_SUMMARY_METRIC_NAMES_H
#define SIM_OUTPUT_SUMMARY_METRIC_NAMES_H

#include "sim/base/name_table.h"
#include "sim/cloud/spec/scenario.h"

/* The names of a list. Those that a summary prefers come first: the names of a run in which all
 * commands are applied. Paths and short names, which it uses otherwise, follow. */
typedef struct {
    const char **items;
    int32_t count, preferred_count;
    NameTable *places; /* the index of each name, the first of equal ones */
} NameList;

/* The names of one scenario. Each list is made when it is first asked for, so that many metrics
 * cost no more than their own names. */
typedef struct MetricNames MetricNames;

MetricNames *metric_names_create(Arena *arena, const Scenario *scenario);
const Scenario *metric_names_scenario(const MetricNames *names);
/* The names of the items of the summary's list `key`: "clusters", "jobs", "workloads",
 * "file_servers", or "kinds" or "queues" of the cluster that the summary calls `owner` (otherwise
 * not used). */
NameList metric_item_names(MetricNames *names, const char *key, const char *owner);

/* Classes of the jobs of a workload. X(ENUM, key, word for one, description) */
#define JOB_CLASSES(X)                                                                             \
    X(SIZE, "sizes", "size", "jobs by their GPUs, or nodes if these have no GPU")                  \
    X(USER, "users", "user", "jobs of a workload file by their user")                              \
    X(QUEUE, "queues", "queue", "jobs of a workload file by their queue")

typedef enum {
#define X(name, key, one, what) CLASS_OF_##name,
    JOB_CLASSES(X)
#undef X
        JOB_CLASS_COUNT
} JobClassKind;

const char *job_class_key(JobClassKind kind);
const char *job_class_word(JobClassKind kind);
const char *job_class_doc(JobClassKind kind);

/* The classes that jobs of a workload can have: their names, and the values by which JobTimes
 * belong to them. */
typedef struct {
    const char **names;
    const int32_t *values;
    int32_t count;
    NameTable *places; /* the index of each name */
} JobClasses;

JobClasses metric_job_classes(Arena *arena, const Scenario *scenario, const Workload *workload,
                              JobClassKind kind);

/* NULL: the scenario has no such workload. */
const Workload *metric_workload(const Scenario *scenario, const char *name);

#endif
