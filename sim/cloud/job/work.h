/* Programs that only take time (PROGRAM_FIXED, and jobs of lists): their duration in an attempt,
 * their checkpoints, and the work that the next attempt need not repeat.
 *
 * An attempt first pays Job.owed_ns: the cost of preemption, or of continuing from a checkpoint.
 * Then the program works and writes checkpoints (WorkCheckpoints) in turn (sim/model/work.h), which
 * is computed on request and takes no events. On notice (notice.h) it stops at once and writes
 * one more, unless one is being written or has just been written; then it continues. A lost attempt
 * keeps the work in its last checkpoint; one that the scheduler stops keeps all of its work. */
#ifndef SIM_CLOUD_JOB_WORK_H
#define SIM_CLOUD_JOB_WORK_H

#include "sim/cloud/job/job.h"

/* Whether the job's program only takes time. */
bool job_keeps_work(const Job *job);

/* The program begins: decides whether the job writes checkpoints, and sets the duration of the
 * program (JobAttempt.command_ns). */
void work_begin(Jobs *jobs, Job *job);
/* Whether a checkpoint on notice may make JobAttempt.command_ns longer. */
bool work_may_be_delayed(const Job *job);
/* Whether such a program has not yet taken all of its time, because a checkpoint on notice has
 * delayed its end. */
bool work_is_delayed(const Jobs *jobs, const Job *job);
/* The job has got notice. */
void work_on_notice(Jobs *jobs, Job *job);
/* The checkpoint on notice is written. */
void work_saved(Jobs *jobs, Job *job);

/* Job.carried_ns and owed_ns of the next attempt. */
typedef struct {
    int64_t carried_ns;
    int64_t owed_ns;
} WorkCarried;

/* The same if the present attempt ended now: `is_lost` with its nodes, otherwise because the
 * scheduler stops it, whose cost is not included. */
WorkCarried work_carried(const Jobs *jobs, const Job *job, bool is_lost);
/* How much of Job.owed_ns this attempt has paid so far. 0 if its program has not begun, or since a
 * node fell silent. */
int64_t work_paid_ns(const Jobs *jobs, const Job *job);
/* The time of the job's nodes, each counted once, since Job.owed_ns was paid: all of it, and the
 * part that the last checkpoint keeps. Nothing for jobs that write no such checkpoints. */
void work_node_time(const Jobs *jobs, const Job *job, NodeTime *done, NodeTime *kept);

#endif
