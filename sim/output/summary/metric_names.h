/* The names that clusters, jobs, workloads, file servers and classes of jobs may have in the
 * summaries of a scenario's runs. */
#ifndef SIM_OUTPUT_SUMMARY_METRIC_NAMES_H
#define SIM_OUTPUT_SUMMARY_METRIC_NAMES_H

#include "sim/cloud/spec/scenario.h"

typedef struct {
    const char **items;
    int32_t count;
} NameList;

/* The names of the items of the summary's list `key`: "clusters", "jobs", "workloads",
 * "file_servers", or "kinds" of the cluster that the summary calls `owner` (otherwise not used).
 * The names that a summary prefers come first, then paths and short names, which
 * are used if not all commands are applied. */
NameList metric_item_names(Arena *arena, const Scenario *scenario, const char *key,
                           const char *owner);
/* How many of these are the names of a run in which all commands are applied. */
int32_t metric_item_count(Arena *arena, const Scenario *scenario, const char *key,
                          const char *owner);

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
} JobClasses;

JobClasses metric_job_classes(Arena *arena, const Scenario *scenario, const Workload *workload,
                              JobClassKind kind);

/* NULL: the scenario has no such workload. */
const Workload *metric_workload(const Scenario *scenario, const char *name);

#endif
