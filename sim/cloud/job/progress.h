/* The progress of a training job and the use of its node time. At job fidelity both are computed on
 * request. */
#ifndef SIM_CLOUD_JOB_PROGRESS_H
#define SIM_CLOUD_JOB_PROGRESS_H

#include "sim/cloud/job/job.h"

/* Whether the time is between the first step and the end of the last epoch. */
bool job_is_training(const Job *job);
/* The epochs that are done now and not lost, over all attempts; 0 if the job does not train. */
int64_t job_epochs_done(const Job *job, int64_t now_ns);
/* The times of an epoch that the last attempt has begun. */
EpochTimes job_epoch_times(const Job *job, int64_t epoch);
/* The result of an epoch that has ended. */
EpochResult job_epoch_result(const Job *job, int64_t epoch);
/* The ends [step] of the steps of an epoch that the last attempt has begun; INT64_MAX for steps
 * that have not ended. NULL: the steps took the times of step_duration_ns. */
const int64_t *job_step_ends(const Job *job, int64_t epoch);

/* --- For the other files of this folder --- */

static inline const Program *job_program(const Job *job)
{
    return job->spec->program;
}

/* The training of the last attempt. NULL: it does not train. */
static inline Training *job_training(const Job *job)
{
    return job->attempt->training;
}

/* The times of the present epoch. Not at job fidelity. */
EpochTimes *epochs_times_now(const Job *job);
/* Job fidelity: updates the progress of a job before its attempt ends. */
void epochs_settle(const Jobs *jobs, Job *job);
/* The use of node time since training began, and the part of it that the last checkpoint of this
 * attempt keeps; startup_ns is 0. Must be called after epochs_settle. */
void epochs_node_time(const Job *job, NodeTime *done, NodeTime *kept);

#endif
