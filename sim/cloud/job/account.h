/* Where the node time of an attempt went: every nanosecond of every node under one heading.
 *
 * Until training begins a node is in a stage (start-up, or input where it fetches data), or waits
 * at a barrier for the others. From then on all nodes go together (training_node_time). If an
 * attempt is lost, only the work in its last checkpoint counts as kept; a stalled attempt will be
 * lost. */
#ifndef SIM_CLOUD_JOB_ACCOUNT_H
#define SIM_CLOUD_JOB_ACCOUNT_H

#include "sim/cloud/job/job.h"

/* Emits the record of the attempt that ends now. */
void attempt_account(Jobs *jobs, const Job *job, AttemptEnd end, JobReason reason);

#endif
