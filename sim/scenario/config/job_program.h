/* The program that stands for a job's command line. */
#ifndef SIM_SCENARIO_CONFIG_JOB_PROGRAM_H
#define SIM_SCENARIO_CONFIG_JOB_PROGRAM_H

#include "sim/scenario/config/program_config.h"

/* Finds the program that the job runs. Checks that its counts, each valid alone, are not too large
 * together. `is_custom`: its toolkit runs the command line once. */
void job_program_find(const ConfigContext *context, const JobText *job, const ToolkitText *toolkit,
                      bool is_custom, JobShape shape, const Variables *variables, JobSpec *spec);
/* False for a program with a problem, which program_check has reported where the program is. */
bool job_program_is_whole(const Program *program);
/* The training that the job's command line runs; NULL unless the trainer knows its network. */
const Program *job_program_training(const ConfigContext *context, const ToolkitText *settings,
                                    JobShape shape, const Variables *variables,
                                    const JobSpec *spec);

#endif
