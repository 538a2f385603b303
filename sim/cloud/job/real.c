#include "sim/cloud/job/real.h"

#include "sim/base/invariant.h"
#include "sim/cloud/job/attempt.h"
#include "sim/cloud/job/checkpoint.h"
#include "sim/cloud/job/epochs.h"
#include "sim/cloud/job/tables.h"
#include "sim/model/bounded.h"

bool job_is_real(const Job *job)
{
    return job->spec->program->kind == PROGRAM_REAL;
}

bool job_prepares_outside(const Job *job)
{
    return job_is_real(job) && !job->spec->program->training;
}

const JobRan *job_command_report(const Job *job, uint32_t task)
{
    const JobRan *ran = job->attempt->ran ? &job->attempt->ran[task] : NULL;
    return ran && ran->is_reported ? ran : NULL;
}

/* Whether the task has begun and, in the world, not ended; its end may have been reported. */
static bool is_at_work(const Job *job, uint32_t task)
{
    if (!job_is_real(job) || job->state != JOB_RUNNING || job_is_stalled(job))
        return false;
    if (task == 0)
        return job->attempt->program_ns != INT64_MAX && job->attempt->stage[0] == STAGE_COUNT;
    return job_prepares_outside(job) && job->spec->has_preparation &&
           job->attempt->stage[task - 1] == STAGE_PREPARATION;
}

bool job_runs_outside(const Job *job, uint32_t task)
{
    return is_at_work(job, task) && !job->attempt->ran[task].is_reported;
}

const JobRan *job_program_ran(const Job *job)
{
    return job->attempt ? job_command_report(job, 0) : NULL;
}

int64_t job_outside_since_ns(const Job *job, uint32_t task)
{
    return task == 0 ? job->attempt->program_ns
                     : job_stage_begin_ns(job, (int32_t)task - 1, STAGE_PREPARATION);
}

/* Checks that a report about the task is possible. */
static bool check_at_work(const Job *job, uint32_t task, const Command *command, Status *status)
{
    if (is_at_work(job, task))
        return true;
    status_fail(status, STATUS_CONFLICT, command_place(command),
                "job \"%s\" is %s and its %s is not running", job->path.name,
                job_state_name(job->state), task == 0 ? "program" : "preparation");
    if (!job_is_real(job))
        status_hint(status, "only jobs of \"execution\": \"real\" take reports");
    return false;
}

/* The time until the task has taken `took_ns`; 0: it has. */
static int64_t delay_until_ns(const Jobs *jobs, const Job *job, uint32_t task, int64_t took_ns)
{
    int64_t end_ns = bounded_add(job_outside_since_ns(job, task), took_ns);
    return end_ns > jobs->engine->now_ns ? end_ns - jobs->engine->now_ns : 0;
}

bool job_ran_outside(Jobs *jobs, Job *job, const Command *command, Status *status)
{
    const uint32_t task = (uint32_t)command->as.job_ran.node;
    if (command->as.job_ran.node > job->request.nodes)
        return status_fail(status, STATUS_NOT_FOUND, command_place(command),
                           "job \"%s\" has %d nodes, and no preparation on node %d", job->path.name,
                           (int)job->request.nodes, (int)task);
    if (!check_at_work(job, task, command, status))
        return false;
    JobRan *ran = &job->attempt->ran[task];
    if (ran->is_reported)
        return status_fail(status, STATUS_CONFLICT, command_place(command),
                           "the end of the %s of job \"%s\" has been reported already",
                           task == 0 ? "program" : "preparation", job->path.name);
    *ran = (JobRan){.is_reported = true,
                    .exit_code = command->as.job_ran.exit_code,
                    .reason = command->as.job_ran.reason,
                    .training = command->as.job_ran.training};
    int64_t delay_ns = delay_until_ns(jobs, job, task, command->as.job_ran.took_ns);
    if (task == 0)
        job_push(jobs, job, delay_ns, EVENT_JOB_PROGRAM_DONE, 0);
    else
        job_push(jobs, job, delay_ns, EVENT_JOB_STAGE_DONE, task - 1);
    return true;
}

bool job_reached_outside(Jobs *jobs, Job *job, const Command *command, Status *status)
{
    const Program *training = job->spec->program->training;
    const int64_t kept = command->as.job_reached.kept;
    const int64_t kept_steps = command->as.job_reached.kept_steps;
    const bool keeps = kept > 0 || kept_steps > 0;
    if (!check_at_work(job, 0, command, status))
        return false;
    if (keeps && (!training || !program_can_resume(training)))
        return status_fail(
            status, STATUS_CONFLICT, command_place(command),
            "job \"%s\" does not resume from a checkpoint on a share, and keeps none",
            job->path.name);
    const int64_t delay_ns = delay_until_ns(jobs, job, 0, command->as.job_reached.took_ns);
    if (keeps) {
        job_push(jobs, job, delay_ns, EVENT_JOB_KEPT, (uint32_t)kept);
        job_push(jobs, job, delay_ns, EVENT_JOB_KEPT_STEPS, (uint32_t)kept_steps);
    }
    job_push(jobs, job, delay_ns, EVENT_JOB_STEP, (uint32_t)command->as.job_reached.step);
    return true;
}

void job_kept_outside(Jobs *jobs, Job *job, int64_t epochs)
{
    job->attempt->kept_point_epochs = epochs;
    if (job_is_stalled(job) || epochs <= job->epochs_kept)
        return;
    job->attempt->kept_steps = 0;
    job->attempt->kept_epochs += epochs - job->epochs_kept;
    job->attempt->kept_ns = jobs->engine->now_ns;
    job->epochs_kept = epochs;
}

void job_steps_kept_outside(Jobs *jobs, Job *job, int64_t steps)
{
    JobAttempt *attempt = job->attempt;
    if (job_is_stalled(job))
        return;
    const TrainingPoint point = {.epochs = attempt->kept_point_epochs, .steps = steps};
    checkpoint_moments(jobs, job, program_steps_at(job->spec->program->training, point));
    if (point.epochs != job->epochs_kept || steps <= attempt->kept_steps)
        return;
    attempt->kept_steps = steps;
    attempt->kept_ns = jobs->engine->now_ns;
}

void job_step_reached(Jobs *jobs, Job *job, int64_t step)
{
    if (job_trains(job)) {
        epochs_step_reached(jobs, job, step);
        return;
    }
    // A reported step includes all steps before it.
    for (int64_t n = 0; (n = job_next_awaited(jobs, job, MOMENT_JOB_STEP, n + 1)) <= step;)
        job_moment(jobs, job, MOMENT_JOB_STEP, n);
}
