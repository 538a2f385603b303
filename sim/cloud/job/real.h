/* Jobs of real execution: their commands run outside the world, and commands of the world report
 * how they went. */
#ifndef SIM_CLOUD_JOB_REAL_H
#define SIM_CLOUD_JOB_REAL_H

#include "sim/cloud/job/job.h"

/* Whether a command of real execution is at work whose end is not reported yet: the program (0), or
 * the preparation on a node (1 + its index). Never while the job is stalled or being terminated. */
bool job_runs_outside(const Job *job, uint32_t whose);
/* The reported end of the program in the last attempt; NULL: none was reported. */
const JobRan *job_program_ran(const Job *job);
/* When that began. */
int64_t job_outside_since_ns(const Job *job, uint32_t whose);

/* --- Commands; each checks first and changes nothing when it fails. --- */

/* COMMAND_JOB_RAN: the command ends when it has taken the reported time, at once if that has
 * passed. */
MUST_CHECK bool job_ran_outside(Jobs *jobs, Job *job, const Command *command, Status *status);
/* COMMAND_JOB_REACHED: the moments of the program's steps up to the reported one come when it has
 * taken the reported time, at once if that has passed. The epochs kept by then are not lost with
 * the attempt: STATUS_CONFLICT if the program does not resume from a checkpoint on a share. */
MUST_CHECK bool job_reached_outside(Jobs *jobs, Job *job, const Command *command, Status *status);

/* --- Events --- */

/* At the end of an awaited step, where steps are not events. */
void job_step_reached(Jobs *jobs, Job *job, int64_t step);
/* A checkpoint of so many epochs was written outside. */
void job_kept_outside(Jobs *jobs, Job *job, int64_t epochs);

/* --- For the other files of this folder --- */

bool job_is_real(const Job *job);
/* Its preparation is run where its program is. */
bool job_prepares_outside(const Job *job);
/* The report about a command; NULL: there is none, or the job is not of real execution. */
const JobRan *job_command_report(const Job *job, uint32_t whose);

#endif
