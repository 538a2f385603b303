/* The use of the node time of an attempt: each nanosecond of each node belongs to one heading. For
 * a job that asks for GPUs it is the time of each of its GPUs (TRACE_JOB_PLACED).
 *
 * Before training, a node is in a stage (start-up, or input while it fetches data), or waits for
 * the others at a barrier. Afterwards all nodes advance together (training_node_time). If an
 * attempt is lost, only the work in its last checkpoint counts as kept. A stalled attempt counts as
 * lost. */
#ifndef SIM_CLOUD_JOB_ACCOUNT_H
#define SIM_CLOUD_JOB_ACCOUNT_H

#include "sim/cloud/job/job.h"

/* Emits the record of the attempt that ends now. */
void attempt_account(Jobs *jobs, const Job *job, AttemptEnd end, JobReason reason);

#endif
