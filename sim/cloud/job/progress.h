/* The progress of a training job: what has been done by now, and where the time of its nodes went.
 * At job fidelity this is computed on request. */
#ifndef SIM_CLOUD_JOB_PROGRESS_H
#define SIM_CLOUD_JOB_PROGRESS_H

#include "sim/cloud/job/job.h"

/* Between its first step and the end of its last epoch. */
bool job_is_training(const Job *job);
/* Epochs of a training job that are done now and not lost: whatever attempt did them. */
int64_t job_epochs_done(const Job *job, int64_t now_ns);
/* An epoch that the last attempt has begun: not one of an earlier attempt. */
EpochTimes job_epoch_times(const Job *job, int64_t epoch);
/* The result of an epoch that has ended. */
EpochResult job_epoch_result(const Job *job, int64_t epoch);
/* [step] when the steps of an epoch that the last attempt has begun ended, INT64_MAX where they
 * have not; NULL when they are as step_duration_ns says. */
const int64_t *job_step_ends(const Job *job, int64_t epoch);

/* --- For the other files of this folder --- */

/* Updates the progress of a job at job fidelity when it is interrupted. */
void epochs_settle(const Jobs *jobs, Job *job);
/* Where the node time went since training began, and the part of it that the last checkpoint of
 * this attempt keeps; startup_ns is 0. Settled before. */
void epochs_node_time(const Job *job, NodeTime *done, NodeTime *kept);

#endif
