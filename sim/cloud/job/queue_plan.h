/* Private to sim/cloud/job: the jobs of a queue in the order in which policies that see the whole
 * queue (POLICY_SEES_QUEUE) read them. */
#ifndef SIM_CLOUD_JOB_QUEUE_PLAN_H
#define SIM_CLOUD_JOB_QUEUE_PLAN_H

#include "sim/cloud/job/tables.h"
#include "sim/cloud/policy/policy.h"

/* The arrays of the PolicyView. */
typedef struct QueuePlan {
    RunningJob *running; /* the queue's jobs with nodes, by expected end, then id */
    int32_t running_count, running_capacity;
    WaitingJob *waiting; /* the jobs of JobQueue.waiting in order, from `waiting_begin` on */
    int32_t waiting_begin, waiting_count, waiting_capacity;
    bool is_by_time;       /* `waiting` is in the order of expected times */
    int64_t *used_node_us; /* as of the present pass */
    uint32_t used_capacity;
    PolicyStep *steps; /* see PolicyView.steps */
    uint32_t step_capacity;
} QueuePlan;

QueuePlan *queue_plan_create(Jobs *jobs);
/* A job that waits, as policies see it. */
WaitingJob queue_plan_waiting_job(const Jobs *jobs, const Job *job);
void queue_plan_add_waiting(Jobs *jobs, QueuePlan *plan, const Job *job);
void queue_plan_remove_waiting(const Jobs *jobs, QueuePlan *plan, const Job *job);
/* The job is about to start. */
void queue_plan_add_running(Jobs *jobs, QueuePlan *plan, const Job *job);
/* The job has started before. */
void queue_plan_add_started(Jobs *jobs, QueuePlan *plan, const Job *job);
void queue_plan_remove_running(const Jobs *jobs, QueuePlan *plan, const Job *job);
/* Lists the use of owners up to now and reserves PolicyView.steps: valid until a job is added. */
void queue_plan_prepare(Jobs *jobs, QueuePlan *plan, int32_t kind_count);
/* Sets the members of `view` that come from the plan. */
void queue_plan_view(const QueuePlan *plan, PolicyView *view);
/* Waiting and running jobs are listed in order. */
void queue_plan_check(const Jobs *jobs, const QueuePlan *plan, ClusterId cluster);

#endif
