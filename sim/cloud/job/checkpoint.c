#include "sim/cloud/job/checkpoint.h"

#include "sim/base/invariant.h"
#include "sim/cloud/job/epochs.h"
#include "sim/cloud/job/job_name.h"
#include "sim/cloud/job/pace.h"
#include "sim/cloud/job/progress.h"
#include "sim/cloud/job/tables.h"
#include "sim/cloud/job/transfers.h"
#include "sim/cloud/job/work.h"
#include "sim/model/bounded.h"

bool checkpoint_follows(const Program *program, TrainingPoint point)
{
    return program->checkpoint_bytes > 0 &&
           program_steps_at(program, point) % program_checkpoint_steps(program) == 0;
}

/* --- Points --- */

TrainingPoint checkpoint_kept(const Job *job)
{
    const Training *t = job->attempt->training; // NULL: it is of real execution
    return (TrainingPoint){.epochs = job->epochs_kept,
                           .steps = t != NULL ? t->kept_steps : job->attempt->kept_steps};
}

bool checkpoint_keep(Job *job, TrainingPoint point)
{
    if (!program_can_resume(job_program(job)) ||
        !training_point_is_later(point, checkpoint_kept(job)))
        return false;
    job->epochs_kept = point.epochs;
    job_training(job)->kept_steps = point.steps;
    return true;
}

/* --- Writing --- */

/* The files of the node with the most of a checkpoint's files. */
static int32_t files_of_node(const Job *job)
{
    return (int32_t)divide_up(program_checkpoint_files(job_program(job)), job->request.nodes);
}

/* A checkpoint on the nodes' own disks: the node with the most of its files is the last. */
static int64_t local_checkpoint_ns(const Jobs *jobs, const Job *job)
{
    const Program *p = job_program(job);
    const int64_t each = divide_up(p->checkpoint_bytes, program_checkpoint_files(p));
    return job_local_write_ns(jobs, bounded_times(each, files_of_node(job)));
}

int64_t checkpoint_alone_ns(Jobs *jobs, const Job *job)
{
    const Program *p = job_program(job);
    if (p->checkpoint_bytes == 0)
        return 0;
    if (p->checkpoint_place == PLACE_LOCAL)
        return local_checkpoint_ns(jobs, job);
    ShareId share = storage_find_share(jobs->storage, p->checkpoint_share);
    const ShareTier *tier = share_tier(storage_share(jobs->storage, share));
    return share_alone_ns(tier, TRANSFER_WRITE, p->checkpoint_bytes, program_checkpoint_files(p),
                          files_of_node(job),
                          job_kind(jobs, job)->spec.vm_size->network_bytes_per_s);
}

static void write_checkpoint(Jobs *jobs, Job *job)
{
    const Program *p = job_program(job);
    if (p->checkpoint_place == PLACE_LOCAL)
        job_push(jobs, job, local_checkpoint_ns(jobs, job), EVENT_TRAINING_CHECKPOINTED, 0);
    else
        job_transfer(jobs, job, 0, TRANSFER_FOR_CHECKPOINT, p->checkpoint_share,
                     p->checkpoint_bytes);
}

/* All ranks wait for the checkpoint after the last step, and for one on notice. */
static bool is_written_behind(const Job *job)
{
    const Training *t = job_training(job);
    return job_program(job)->writes_behind && t->epoch + 1 < t->plan.epochs &&
           !t->save.is_under_way;
}

static void begin(Jobs *jobs, Job *job)
{
    if (is_written_behind(job))
        job_push(jobs, job, job_program(job)->checkpoint_blocks_ns, EVENT_TRAINING_CHECKPOINTED, 0);
    else
        write_checkpoint(jobs, job);
}

void checkpoint_begin(Jobs *jobs, Job *job)
{
    TrainingProgress *p = job_training(job)->progress;
    p->is_warned = false;
    p->awaits_writing = p->is_writing;
    if (!p->is_writing)
        begin(jobs, job);
}

/* The path of the checkpoint of that point. */
static const char *path_of(const Jobs *jobs, const Job *job, TrainingPoint point)
{
    return job_checkpoint_path(jobs->scenario, job, job_program(job), point, jobs->arena);
}

/* Begins a record of `kind` about the checkpoint of that point. */
static TraceRecord *trace_of(Jobs *jobs, const Job *job, TraceKind kind, int64_t since_ns,
                             const char *path)
{
    TraceRecord *record = job_trace(jobs, kind, job);
    record->node = job->nodes[0];
    record->since_ns = since_ns;
    record->bytes = job_program(job)->checkpoint_bytes;
    record->name = path;
    return record;
}

static void write_checkpoint_file(Jobs *jobs, const Job *job, const char *path)
{
    const Program *p = job_program(job);
    if (p->checkpoint_place == PLACE_SHARE)
        job_write_file(jobs, job, p->checkpoint_share, path, p->checkpoint_bytes);
}

void checkpoint_moments(Jobs *jobs, const Job *job, int64_t steps)
{
    for (int64_t n = 0; (n = job_next_awaited(jobs, job, MOMENT_JOB_SAVED, n + 1)) <= steps;)
        job_moment(jobs, job, MOMENT_JOB_SAVED, n);
}

/* The checkpoint after epoch `epoch` (from 1) is written. `keeps` is the node time that it keeps.
 */
static void checkpoint_is_written(Jobs *jobs, Job *job, int64_t epoch, int64_t since_ns,
                                  NodeTime keeps)
{
    const TrainingPoint point = {.epochs = epoch};
    const char *path = path_of(jobs, job, point);
    if (checkpoint_keep(job, point))
        job_training(job)->progress->kept = keeps;
    trace_of(jobs, job, TRACE_CHECKPOINT, since_ns, path)->checkpoint.epoch = epoch;
    recorder_emit(jobs->recorder);
    write_checkpoint_file(jobs, job, path);
    job_moment(jobs, job, MOMENT_JOB_CHECKPOINT, epoch);
    checkpoint_moments(jobs, job, program_steps_at(job_program(job), point));
}

/* While ranks write, all others wait: the time of every node counts as checkpoint. */
static void count_wait(Jobs *jobs, Job *job, int64_t since_ns)
{
    Training *t = job_training(job);
    const int64_t waited_ns = jobs->engine->now_ns - since_ns;
    t->checkpoint_total_ns += waited_ns;
    t->progress->done.checkpoint_ns =
        bounded_add(t->progress->done.checkpoint_ns, bounded_times(job->request.nodes, waited_ns));
}

static void count_checkpoint(Jobs *jobs, Job *job)
{
    EpochTimes *times = epochs_times_now(job);
    times->checkpointed_ns = jobs->engine->now_ns;
    count_wait(jobs, job, times->evaluated_ns);
}

/* All ranks continue: the checkpoint is written during the next steps. */
static void write_behind(Jobs *jobs, Job *job)
{
    const Training *t = job_training(job);
    TrainingProgress *p = t->progress;
    count_checkpoint(jobs, job);
    p->is_writing = true;
    p->writing_epoch = t->epoch + 1;
    p->writing_ns = jobs->engine->now_ns;
    p->writing_keeps = p->done;
    write_checkpoint(jobs, job);
    epochs_next(jobs, job);
}

static void saved(Jobs *jobs, Job *job);

void checkpoint_done(Jobs *jobs, Job *job)
{
    if (job_keeps_work(job)) {
        work_saved(jobs, job);
        return;
    }
    const Training *t = job_training(job);
    if (t->save.is_under_way) {
        saved(jobs, job);
        return;
    }
    if (is_written_behind(job)) {
        write_behind(jobs, job);
        return;
    }
    count_checkpoint(jobs, job);
    checkpoint_is_written(jobs, job, t->epoch + 1, epochs_times_now(job)->evaluated_ns,
                          t->progress->done);
    epochs_next(jobs, job);
}

void checkpoint_written(Jobs *jobs, Job *job)
{
    TrainingProgress *p = job_training(job)->progress;
    if (!p->is_writing) {
        checkpoint_done(jobs, job);
        return;
    }
    p->is_writing = false;
    checkpoint_is_written(jobs, job, p->writing_epoch, p->writing_ns, p->writing_keeps);
    if (p->awaits_writing) {
        p->awaits_writing = false;
        begin(jobs, job);
    }
}

/* --- Notice --- */

void checkpoint_save(Jobs *jobs, Job *job, TrainingPoint point)
{
    Training *t = job_training(job);
    const bool is_due = checkpoint_follows(job_program(job), point);
    t->save = (TrainingSave){true, !is_due, jobs->engine->now_ns, point};
    t->progress->is_interrupted = true;
    checkpoint_begin(jobs, job);
}

static void emit_saved(Jobs *jobs, const Job *job, const TrainingSave *save, const char *path)
{
    const TraceKind kind = save->is_on_notice ? TRACE_JOB_SAVED : TRACE_CHECKPOINT_WITHIN;
    TraceRecord *record = trace_of(jobs, job, kind, save->since_ns, path);
    if (save->is_on_notice) {
        record->cause = job->attempt->warned_by;
        record->job_saved.point = save->at;
    } else {
        record->checkpoint_within.point = save->at;
    }
    recorder_emit(jobs->recorder);
}

/* The checkpoint is written. At job fidelity it is one on notice, and a later one of the training
 * may have been written during it: then this one does not count. */
static void saved(Jobs *jobs, Job *job)
{
    Training *t = job_training(job);
    const TrainingSave save = t->save;
    t->save.is_under_way = false;
    epochs_settle(jobs, job);
    if (t->progress)
        count_wait(jobs, job, save.since_ns);
    const bool counts = checkpoint_keep(job, save.at);
    if (counts || !save.is_on_notice) {
        const char *path = path_of(jobs, job, save.at);
        emit_saved(jobs, job, &save, path);
        if (t->progress)
            write_checkpoint_file(jobs, job, path);
    }
    if (counts && t->progress)
        t->progress->kept = t->progress->done;
    checkpoint_moments(jobs, job, program_steps_at(job_program(job), save.at));
    if (!t->progress)
        return;
    if (save.at.steps > 0) {
        epochs_continue(jobs, job);
        return;
    }
    epochs_times_now(job)->checkpointed_ns = jobs->engine->now_ns;
    epochs_next(jobs, job);
}

/* Job fidelity: finds the point of the training at which the step or evaluation under way ends, and
 * the time of that end after the beginning of the training. Returns false if a checkpoint is due
 * then anyway, or is under way. */
static bool next_point(const Jobs *jobs, const Job *job, int64_t *after_ns, TrainingPoint *point)
{
    const Training *t = job_training(job);
    const int64_t now_ns = jobs->engine->now_ns - job->attempt->training_ns;
    const int64_t epoch = pace_epochs_done(job, jobs->engine->now_ns);
    if (epoch == t->plan.epochs)
        return false;
    *point = (TrainingPoint){epoch, pace_step_under_way(job, epoch, now_ns)};
    *after_ns = pace_until_step_ns(job, *point);
    const bool has_begun = *after_ns - step_parts_sum(t->step_parts) <= now_ns;
    if (point->steps == plan_epoch_steps(&t->plan, epoch)) {
        *point = (TrainingPoint){epoch + 1, 0};
        *after_ns = bounded_add(*after_ns, t->evaluate_ns);
    }
    return has_begun && now_ns <= *after_ns && !checkpoint_follows(job_program(job), *point);
}

static void warn_whole(Jobs *jobs, Job *job)
{
    Training *t = job_training(job);
    int64_t after_ns = 0;
    TrainingPoint point;
    if (t->save.is_under_way || !next_point(jobs, job, &after_ns, &point))
        return;
    if (job_program(job)->writes_behind && point.epochs > t->first_epoch) {
        const int64_t written_ns = pace_until_written_ns(job, point.epochs);
        after_ns = written_ns > after_ns ? written_ns : after_ns;
    }
    const int64_t begin_ns = bounded_add(job->attempt->training_ns, after_ns);
    t->save = (TrainingSave){true, true, begin_ns, point};
    job_push(jobs, job, bounded_add(begin_ns - jobs->engine->now_ns, t->checkpoint_ns),
             EVENT_TRAINING_CHECKPOINTED, 0);
}

void checkpoint_on_notice(Jobs *jobs, Job *job)
{
    const Training *t = job->attempt->training;
    if (!job_trains(job) || !job_program(job)->saves_on_notice || job->state != JOB_RUNNING ||
        job_is_stalled(job) || !job_is_training(job))
        return;
    if (!t->progress) {
        warn_whole(jobs, job);
        return;
    }
    const bool is_saved_anyway =
        t->save.is_under_way || epochs_times_now(job)->evaluated_ns != INT64_MAX;
    if (is_saved_anyway || t->progress->is_warned)
        return;
    t->progress->is_warned = true;
    if (jobs->scenario->fidelity == FIDELITY_EPOCH && epochs_times_now(job)->end_ns == INT64_MAX)
        epochs_end_after_step(jobs, job);
}
