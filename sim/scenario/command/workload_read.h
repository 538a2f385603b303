/* The workloads of a scenario: from text to core Workloads, with a job for each of their shapes.
 * Private to sim/scenario. */
#ifndef SIM_SCENARIO_WORKLOAD_READ_H
#define SIM_SCENARIO_WORKLOAD_READ_H

#include "sim/scenario/command/creators.h"

/* One number of nodes or GPUs that the jobs of a workload may have. */
typedef struct {
    const WorkloadText *workload;
    BoundInteger nodes;
    BoundInteger gpus; /* node NULL: whole nodes */
    int64_t probability_ppm;
    const JobConfig *job;
} WorkloadShape;

typedef struct {
    int32_t count;
    const Workload *items;
    int32_t shape_count; /* of all workloads together */
    const WorkloadShape *shapes;
} ScenarioWorkloads;

/* All workloads in the order of the file; problems go to the binder's context. Texts with the job's
 * name ($AZ_BATCHAI_JOB_NAME, mount paths) have the workload's name instead. Traces are read
 * through the binder's files. */
ScenarioWorkloads workloads_read(const CommandBinder *binder);

/* The group, workspace and experiment of a workload's jobs; the name is NULL. */
ResourcePath workload_path(const ScenarioText *text, const WorkloadText *workload);

/* The path of a job of a workload by its name, "load-17"; false when no workload makes it. */
bool workload_job_path(const ScenarioText *text, const char *name, ResourcePath *path);
/* Whether a workload may make a job called `name`: "load-17". */
bool workload_makes(const ScenarioText *text, const char *name);

#endif
