/* One attempt of a job: the stages of each node, the barriers where nodes wait for each other, the
 * program, and the end. */
#ifndef SIM_CLOUD_JOB_ATTEMPT_H
#define SIM_CLOUD_JOB_ATTEMPT_H

#include "sim/cloud/job/job.h"

const char *job_stage_name(JobStage stage); /* "mount" */

/* When a stage of the last attempt began and ended on the `node`-th of the job's nodes; INT64_MAX
 * before. A stage that the job does not have ends when it begins. */
int64_t job_stage_begin_ns(const Job *job, int32_t node, JobStage stage);
int64_t job_stage_end_ns(const Job *job, int32_t node, JobStage stage);
/* The index of the node on which a rank runs: ranks fill the nodes in turn, rank 0 on node 0. */
int32_t job_node_of_rank(const Job *job, int32_t rank);

/* Begins an attempt: takes nodes and begins the first stage on each. Enough nodes must be idle. */
void job_start(Jobs *jobs, Job *job);
/* Ends the job because its program ended with `exit_code`. */
void job_exit(Jobs *jobs, Job *job, int32_t exit_code);
/* The job's `node` fell silent: the job makes no progress until the service notices and
 * job_loses_nodes ends the attempt, or the user terminates the job. */
void job_stalls(Jobs *jobs, Job *job, const Node *node);
/* A fault: the program ends now with `exit_code`. False: it is not running. */
bool job_exits_now(Jobs *jobs, Job *job, int32_t exit_code);
/* A fault: makes the start of the job's next container fail. */
void job_fail_next_container(Job *job);
/* At the end of a run: emits TRACE_JOB_ATTEMPT for the attempts under way. */
void jobs_account_unfinished(Jobs *jobs);

/* --- Events --- */

void job_stage_done(Jobs *jobs, Job *job, uint32_t node);
void job_program_done(Jobs *jobs, Job *job);

/* --- For the other files of this folder --- */

/* Resets the job's JobAttempt to the state before the first stage. */
void attempt_reset(Job *job);
/* Ends the attempt: emits its record, makes its events stale, cancels its transfers and frees its
 * nodes. */
void attempt_end(Jobs *jobs, Job *job, AttemptEnd end, JobReason reason);

#endif
