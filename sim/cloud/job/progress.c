#include "sim/cloud/job/progress.h"

#include "sim/base/invariant.h"
#include "sim/cloud/job/checkpoint.h"
#include "sim/cloud/job/epochs.h"
#include "sim/cloud/job/pace.h"
#include "sim/cloud/job/tables.h"
#include "sim/model/bounded.h"

void epochs_settle(const Jobs *jobs, Job *job)
{
    Training *t = job->attempt->training;
    if (!t || t->progress || job->attempt->training_ns == INT64_MAX)
        return;
    const bool is_stalled = job->attempt->stalled_ns < jobs->engine->now_ns;
    const int64_t at_ns = is_stalled ? job->attempt->stalled_ns : jobs->engine->now_ns;
    if (job->attempt->trained_ns == INT64_MAX)
        t->epoch = pace_epochs_done(job, at_ns);
    if (program_can_resume(job->spec->program))
        (void)checkpoint_keep(job, pace_kept(job, at_ns));
}

EpochTimes *epochs_times_now(const Job *job)
{
    const Training *t = job_training(job);
    invariant(t->epoch < t->plan.epochs);
    return &t->progress->epochs[t->epoch];
}

bool job_is_training(const Job *job)
{
    return job_is_active(job) && job->attempt->training_ns != INT64_MAX &&
           job->attempt->trained_ns == INT64_MAX;
}

int64_t job_epochs_done(const Job *job, int64_t now_ns)
{
    if (!job->attempt || !job_training(job))
        return 0;
    const Training *t = job_training(job);
    bool counts = job_is_active(job) || job->state == JOB_SUCCEEDED;
    if (!counts || job->attempt->training_ns == INT64_MAX)
        return job->epochs_kept;
    bool is_known = t->progress || job->attempt->trained_ns != INT64_MAX || !job_is_active(job);
    if (is_known)
        return t->epoch;
    bool is_stalled = job->attempt->stalled_ns < now_ns;
    return pace_epochs_done(job, is_stalled ? job->attempt->stalled_ns : now_ns);
}

EpochTimes job_epoch_times(const Job *job, int64_t epoch)
{
    const Training *t = job_training(job);
    invariant(epoch >= t->first_epoch);
    invariant(epoch < t->plan.epochs);
    if (t->progress)
        return t->progress->epochs[epoch];
    bool is_over = epoch < t->epoch;
    const TrainingPoint end = {epoch, plan_epoch_steps(&t->plan, epoch)};
    int64_t begin_ns = job->attempt->training_ns + pace_until_ns(job, epoch);
    int64_t end_ns = bounded_add(job->attempt->training_ns, pace_until_step_ns(job, end));
    return (EpochTimes){.begin_ns = begin_ns,
                        .end_ns = is_over ? end_ns : INT64_MAX,
                        .evaluated_ns = is_over ? end_ns + t->evaluate_ns : INT64_MAX,
                        .checkpointed_ns =
                            is_over ? job->attempt->training_ns + pace_until_ns(job, epoch + 1)
                                    : INT64_MAX};
}

EpochResult job_epoch_result(const Job *job, int64_t epoch)
{
    const Training *t = job_training(job);
    return training_results(job->spec->program, &t->plan, t->seed, t->address, epoch + 1);
}

const int64_t *job_step_ends(const Job *job, int64_t epoch)
{
    const TrainingProgress *progress = job_training(job)->progress;
    return progress && progress->step_end_ns ? progress->step_end_ns[epoch] : NULL;
}

/* --- Node time --- */

/* Job fidelity: node time of this attempt up to a point, with the evaluations after its epochs and
 * the checkpoints that are due until then. */
static NodeTime coarse_node_time(const Job *job, TrainingPoint point)
{
    const Training *t = job_training(job);
    const int64_t nodes = job->request.nodes, epoch = point.epochs;
    const int64_t more = point.steps - training_steps_before(t, epoch);
    const int64_t steps = training_steps_until(t, epoch) + (more > 0 ? more : 0);
    NodeTime time = node_time_times(t->step_nodes, steps);
    int64_t steps_ns = bounded_times(step_parts_sum(t->step_parts), steps);
    int64_t evaluations_ns = bounded_times(t->evaluate_ns, epoch - t->first_epoch);
    int64_t checkpoints_ns = pace_until_step_ns(job, point) - bounded_add(steps_ns, evaluations_ns);
    if (more > 0 && checkpoint_follows(job_program(job), point))
        checkpoints_ns = bounded_add(checkpoints_ns, t->checkpoint_ns);
    time.kept_ns = bounded_add(time.kept_ns, bounded_times(nodes, evaluations_ns));
    time.checkpoint_ns = bounded_times(nodes, checkpoints_ns);
    return time;
}

void epochs_node_time(const Job *job, NodeTime *done, NodeTime *kept)
{
    const Training *t = job_training(job);
    *done = *kept = (NodeTime){0};
    if (!t || t->plan.ranks == 0)
        return;
    if (t->progress) {
        *done = t->progress->done;
        *kept = t->progress->kept;
        return;
    }
    *done = coarse_node_time(job, (TrainingPoint){.epochs = t->epoch});
    if (training_point_is_later(checkpoint_kept(job),
                                (TrainingPoint){t->first_epoch, t->first_step}))
        *kept = coarse_node_time(job, checkpoint_kept(job));
}
