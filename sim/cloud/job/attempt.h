/* One attempt of a job: the stages that each node goes through, the barriers where nodes wait for
 * each other, the program, and the end. */
#ifndef SIM_CLOUD_JOB_ATTEMPT_H
#define SIM_CLOUD_JOB_ATTEMPT_H

#include "sim/cloud/job/job.h"

const char *job_stage_name(JobStage stage); /* "mount" */

/* When a stage of the present attempt begins and ends on the `node`-th of the job's nodes;
 * INT64_MAX before. A stage that the job does not have ends when it begins. */
int64_t job_stage_begin_ns(const Job *job, int32_t node, JobStage stage);
int64_t job_stage_end_ns(const Job *job, int32_t node, JobStage stage);
/* Which of its nodes a rank runs on: ranks fill the nodes in turn, rank 0 on node 0. */
int32_t job_node_of_rank(const Job *job, int32_t rank);

/* Takes nodes and begins the first stage on each; the scheduler has seen that they are idle. */
void job_start(Jobs *jobs, Job *job);
/* The program ended, with `exit_code`. */
void job_exit(Jobs *jobs, Job *job, int32_t exit_code);
/* One of its nodes fell silent: the job makes no more progress, until the service notices and
 * job_loses_nodes ends the attempt, or the user terminates the job. */
void job_stalls(Jobs *jobs, Job *job, const Node *node);
/* A fault: the program ends now, with this code. False when it is not running. */
bool job_exits_now(Jobs *jobs, Job *job, int32_t exit_code);
/* A fault: the job's next container does not start. */
void job_fail_next_container(Job *job);
/* The run ends: reports where the node time of the attempts under way went so far. */
void jobs_account_unfinished(Jobs *jobs);

/* --- Events --- */

void job_stage_done(Jobs *jobs, Job *job, uint32_t node);
void job_program_done(Jobs *jobs, Job *job);

/* --- For the other files of this folder --- */

/* As before the first stage of any attempt. */
void attempt_reset(Job *job);
/* Stops the attempt: its events become stale, its transfers are cancelled, its record is emitted,
 * its nodes come free. */
void attempt_end(Jobs *jobs, Job *job, AttemptEnd end, JobReason reason);

#endif
