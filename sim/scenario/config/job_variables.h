/* The environment that the service gives to a job. */
#ifndef SIM_SCENARIO_JOB_VARIABLES_H
#define SIM_SCENARIO_JOB_VARIABLES_H

#include "sim/scenario/config/variables.h"
#include "sim/scenario/format/batchai_types.h"

typedef struct {
    const JobText *text;
    Toolkit toolkit;
    int32_t nodes;
    ResourcePath path;
    const VmSize *vm_size; /* NULL when unknown */
} JobSurroundings;

/* The service's documented variables, with the values that the job's master sees, then the job's
 * own variables. Problems of directories and names are added to the context. */
Variables job_variables(const ConfigContext *context, const Mounts *mounts,
                        const JobSurroundings *job);
/* Adds the variables that a job or set-up task defines itself. */
void job_variables_own(Variables *variables, const BoundList *list, bool is_secret);

#endif
