/* Jobs of real execution: their programs and preparations run outside the world, and the commands
 * COMMAND_JOB_RAN and COMMAND_JOB_REACHED report their progress.
 *
 * `task` numbers the commands of a job: 0 is the program, 1 + i the preparation on node i. */
#ifndef SIM_CLOUD_JOB_REAL_H
#define SIM_CLOUD_JOB_REAL_H

#include "sim/cloud/job/job.h"

/* Whether a task runs whose end is not reported yet. Never while the job is stalled or being
 * terminated. */
bool job_runs_outside(const Job *job, uint32_t task);
/* The reported end of the program in the last attempt; NULL: none was reported. */
const JobRan *job_program_ran(const Job *job);
/* When the task began. */
int64_t job_outside_since_ns(const Job *job, uint32_t task);

/* --- Commands; each checks first and changes nothing when it fails. --- */

/* COMMAND_JOB_RAN: the task ends when it has taken the reported time, at once if that has passed.
 */
MUST_CHECK bool job_ran_outside(Jobs *jobs, Job *job, const Command *command, Status *status);
/* COMMAND_JOB_REACHED: when the program has taken the reported time (at once if that has passed),
 * the moments of its steps up to the reported one happen. The reported epochs and
 * steps are then kept after the loss of the attempt. STATUS_CONFLICT if there are any and the
 * program does not resume from a checkpoint on a share. */
MUST_CHECK bool job_reached_outside(Jobs *jobs, Job *job, const Command *command, Status *status);

/* --- Events --- */

/* An awaited step has ended, for jobs whose steps are not events. */
void job_step_reached(Jobs *jobs, Job *job, int64_t step);
/* The program has written a checkpoint of `epochs` epochs, and then of `steps` steps of the next.
 */
void job_kept_outside(Jobs *jobs, Job *job, int64_t epochs);
void job_steps_kept_outside(Jobs *jobs, Job *job, int64_t steps);

/* --- For the other files of this folder --- */

bool job_is_real(const Job *job);
/* Whether the job's preparation is of real execution too. */
bool job_prepares_outside(const Job *job);
/* The reported result of a task; NULL: none was reported. */
const JobRan *job_command_report(const Job *job, uint32_t task);

#endif
