#include "sim/cloud/job/epochs.h"

#include "sim/base/invariant.h"
#include "sim/cloud/job/attempt.h"
#include "sim/cloud/job/checkpoint.h"
#include "sim/cloud/job/exchange.h"
#include "sim/cloud/job/job_name.h"
#include "sim/cloud/job/notice.h"
#include "sim/cloud/job/pace.h"
#include "sim/cloud/job/progress.h"
#include "sim/cloud/job/real.h"
#include "sim/cloud/job/tables.h"
#include "sim/cloud/job/transfers.h"
#include "sim/model/bounded.h"

/* --- Steps --- */

static int64_t steps_before(const Training *training)
{
    return training->epoch * training->plan.steps_per_epoch + training->step;
}

static void begin_step(Jobs *jobs, Job *job)
{
    Training *t = job_training(job);
    TrainingProgress *p = t->progress;
    const int64_t *speed_ppm = pace_of_ranks(jobs, job, &p->rank_speed_ppm, jobs->arena);
    int64_t step_ns = step_parts_of_ranks(&t->plan, t->seed, t->step_address, steps_before(t),
                                          speed_ppm, p->rank_parts);
    bool shares_wires = pace_shares_wires(jobs, job);
    p->is_as_drawn = !speed_ppm && !shares_wires && !p->is_interrupted;
    if (shares_wires) {
        const StepParts *any = &p->rank_parts[0];
        int64_t own_ns = bounded_add(bounded_add(any->input_ns, any->compute_ns), any->wait_ns);
        job_push(jobs, job, own_ns, EVENT_TRAINING_EXCHANGE, 0);
    } else {
        job_push(jobs, job, step_ns, EVENT_TRAINING_STEP, 0);
    }
}

void epochs_exchange_begins(Jobs *jobs, Job *job)
{
    const Training *t = job_training(job);
    t->progress->exchange_since_ns = jobs->engine->now_ns;
    exchange_begin(jobs, job, t->plan.wire_bytes, t->plan.wire_bytes_per_s);
}

void epochs_exchange_done(Jobs *jobs, Job *job)
{
    const Training *t = job_training(job);
    TrainingProgress *p = t->progress;
    int64_t rest_ns = t->plan.exchange_ns - t->plan.wire_ns;
    int64_t wire_ns = jobs->engine->now_ns - p->exchange_since_ns;
    for (int32_t rank = 0; rank < t->plan.ranks; rank++)
        p->rank_parts[rank].exchange_ns = bounded_add(rest_ns, wire_ns);
    job_push(jobs, job, bounded_add(rest_ns, t->plan.update_ns), EVENT_TRAINING_STEP, 0);
}

/* If steps are not events: pushes the end of the next awaited step from `from` on, counted over all
 * epochs. At epoch fidelity only steps of the present piece are pushed. */
static void await_step(Jobs *jobs, const Job *job, int64_t from)
{
    Training *t = job_training(job);
    t->awaited_ns = INT64_MAX;
    const int64_t steps = t->plan.steps_per_epoch;
    const int64_t step = job_next_awaited(jobs, job, MOMENT_JOB_STEP, from);
    if (step > plan_steps(&t->plan, 0, t->plan.epochs))
        return;
    const int64_t epoch = (step - 1) / steps, in_epoch = (step - 1) % steps + 1;
    if (t->progress && (epoch > t->epoch || in_epoch > t->step + t->piece_steps))
        return;
    const int64_t in_piece_ns = bounded_times(step_parts_sum(t->step_parts), in_epoch - t->step);
    t->awaited_ns = t->progress
                        ? bounded_add(t->piece_begin_ns, in_piece_ns)
                        : bounded_add(job->attempt->training_ns,
                                      pace_until_step_ns(job, (TrainingPoint){epoch, in_epoch}));
    job_push(jobs, job, t->awaited_ns - jobs->engine->now_ns, EVENT_JOB_STEP, (uint32_t)step);
}

void epochs_step_reached(Jobs *jobs, Job *job, int64_t step)
{
    const Training *t = job_training(job);
    if (jobs->engine->now_ns != t->awaited_ns)
        return; // a checkpoint within the epoch has delayed the step
    job_moment(jobs, job, MOMENT_JOB_STEP, step);
    await_step(jobs, job, step + 1);
}

/* Epoch fidelity: the piece of steps that has begun ends after `steps` of them. */
static void end_piece_after(Jobs *jobs, Job *job, int64_t steps)
{
    Training *t = job_training(job);
    const StepParts parts = step_parts_times(t->step_parts, steps);
    t->epoch_parts = step_parts_add(t->parts_before_piece, parts);
    t->piece_steps = steps;
    t->piece_end_ns = bounded_add(t->piece_begin_ns, step_parts_sum(parts));
    job_push(jobs, job, t->piece_end_ns - jobs->engine->now_ns, EVENT_TRAINING_EPOCH, 0);
    if (t->awaited_ns > t->piece_end_ns)
        t->awaited_ns = INT64_MAX;
}

/* The steps to the end of the epoch, or to the next checkpoint within it. */
static int64_t steps_of_piece(const Job *job)
{
    const Training *t = job_training(job);
    const Program *program = job_program(job);
    const int64_t rest = plan_epoch_steps(&t->plan, t->epoch) - t->step;
    if (program->checkpoint_bytes == 0)
        return rest;
    const int64_t every = program_checkpoint_steps(program);
    const int64_t until_due = every - steps_before(t) % every;
    return until_due < rest ? until_due : rest;
}

void epochs_continue(Jobs *jobs, Job *job)
{
    Training *t = job_training(job);
    if (jobs->scenario->fidelity == FIDELITY_STEP) {
        begin_step(jobs, job);
        return;
    }
    pace_estimate(jobs, job);
    t->piece_begin_ns = jobs->engine->now_ns;
    t->parts_before_piece = t->epoch_parts;
    end_piece_after(jobs, job, steps_of_piece(job));
    if (t->awaited_ns != jobs->engine->now_ns) // else that step is reached at this instant
        await_step(jobs, job, steps_before(t) + 1);
}

void epochs_end_after_step(Jobs *jobs, Job *job)
{
    Training *t = job_training(job);
    const int64_t step_ns = step_parts_sum(t->step_parts);
    const int64_t since_ns = jobs->engine->now_ns - t->piece_begin_ns;
    const int64_t steps = step_ns > 0 && since_ns > 0 ? divide_up(since_ns, step_ns) : 1;
    if (steps < t->piece_steps)
        end_piece_after(jobs, job, steps);
}

static void begin_epoch(Jobs *jobs, Job *job)
{
    Training *t = job_training(job);
    *epochs_times_now(job) = (EpochTimes){.begin_ns = jobs->engine->now_ns,
                                          .end_ns = INT64_MAX,
                                          .evaluated_ns = INT64_MAX,
                                          .checkpointed_ns = INT64_MAX};
    t->step = training_steps_before(t, t->epoch);
    t->epoch_parts = (StepParts){0};
    t->progress->is_interrupted = t->step > 0;
    job_moment(jobs, job, MOMENT_JOB_EPOCH, t->epoch + 1);
    epochs_continue(jobs, job);
}

/* --- Job fidelity: all epochs at once --- */

/* Pushes the next awaited moment of that kind, from epoch `from` on. */
static void await_moment(Jobs *jobs, const Job *job, Moment moment, int64_t from)
{
    const Training *t = job_training(job);
    bool is_checkpoint = moment == MOMENT_JOB_CHECKPOINT;
    int64_t epoch = job_next_awaited(jobs, job, moment, from);
    while (is_checkpoint && epoch <= t->plan.epochs &&
           !checkpoint_follows(job_program(job), (TrainingPoint){.epochs = epoch}))
        epoch = job_next_awaited(jobs, job, moment, epoch + 1);
    if (epoch > t->plan.epochs)
        return;
    const int64_t after_ns =
        is_checkpoint ? pace_until_written_ns(job, epoch) : pace_until_ns(job, epoch - 1);
    const int64_t at_ns = bounded_add(job->attempt->training_ns, after_ns);
    job_push(jobs, job, at_ns - jobs->engine->now_ns, EVENT_JOB_MOMENT,
             (uint32_t)epoch << 1 | is_checkpoint);
}

/* Pushes the next awaited checkpoint of `from` steps or more, counted over all epochs. */
static void await_saved(Jobs *jobs, const Job *job, int64_t from)
{
    const Training *t = job_training(job);
    const Program *program = job_program(job);
    const int64_t awaited = job_next_awaited(jobs, job, MOMENT_JOB_SAVED, from);
    const TrainingPoint end = {.epochs = t->plan.epochs};
    if (program->checkpoint_bytes == 0 || awaited > program_steps_at(program, end))
        return;
    const TrainingPoint point = pace_checkpoint_from(job, awaited);
    if (training_point_is_later(point, end))
        return;
    const int64_t at_ns = bounded_add(job->attempt->training_ns, pace_until_saved_ns(job, point));
    job_push(jobs, job, at_ns - jobs->engine->now_ns, EVENT_JOB_SAVED,
             (uint32_t)program_steps_at(program, point));
}

void epochs_saved(Jobs *jobs, Job *job, int64_t steps)
{
    checkpoint_moments(jobs, job, steps);
    await_saved(jobs, job, steps + 1);
}

void epochs_moment(Jobs *jobs, Job *job, uint32_t epoch_and_kind)
{
    Moment moment = epoch_and_kind & 1 ? MOMENT_JOB_CHECKPOINT : MOMENT_JOB_EPOCH;
    int64_t epoch = epoch_and_kind >> 1;
    job_moment(jobs, job, moment, epoch);
    await_moment(jobs, job, moment, epoch + 1);
}

static void begin_whole(Jobs *jobs, Job *job)
{
    Training *t = job_training(job);
    pace_estimate(jobs, job);
    t->checkpoint_ns = checkpoint_alone_ns(jobs, job);
    job_push(jobs, job, pace_until_ns(job, t->plan.epochs), EVENT_TRAINING_WHOLE, 0);
    await_moment(jobs, job, MOMENT_JOB_EPOCH, t->first_epoch + 1);
    await_moment(jobs, job, MOMENT_JOB_CHECKPOINT, t->first_epoch + 1);
    const int64_t first = t->first_epoch * t->plan.steps_per_epoch + t->first_step + 1;
    await_saved(jobs, job, first);
    await_step(jobs, job, first);
}

/* --- Beginning --- */

static TrainingProgress *new_progress(Arena *arena, const StepPlan *plan)
{
    TrainingProgress *progress = ARENA_NEW(arena, TrainingProgress);
    progress->epochs = ARENA_ARRAY(arena, EpochTimes, plan->epochs);
    progress->rank_parts = ARENA_ARRAY(arena, StepParts, plan->ranks);
    return progress;
}

/* Resets the progress, reusing the arrays of earlier attempts. */
static TrainingProgress *begin_progress(Jobs *jobs, TrainingProgress *progress,
                                        const StepPlan *plan)
{
    if (!progress)
        return new_progress(jobs->arena, plan);
    for (int64_t e = 0; progress->step_end_ns && e < plan->epochs; e++)
        progress->step_end_ns[e] = NULL;
    *progress = (TrainingProgress){.epochs = progress->epochs,
                                   .step_end_ns = progress->step_end_ns,
                                   .rank_parts = progress->rank_parts,
                                   .rank_speed_ppm = progress->rank_speed_ppm};
    return progress;
}

static void end_training(Jobs *jobs, Job *job);

/* Whether the job or a node of it has got notice. */
static bool is_warned(const Jobs *jobs, const Job *job)
{
    int32_t n = 0;
    if (notice_is_given(job))
        return true;
    while (n < job->request.nodes &&
           node_by_id(jobs->clusters, job->nodes[n])->notice == CAUSE_NONE)
        n++;
    return n < job->request.nodes;
}

static void begin_training(Jobs *jobs, Job *job)
{
    const JobSpec *spec = job->spec;
    const VmSize *vm_size = job_kind(jobs, job)->spec.vm_size;
    Training *t = job_training(job);
    *t = (Training){.plan = step_plan(spec->program, vm_size,
                                      rank_places_spread(job->request.nodes, spec->processes)),
                    .seed = engine_seed(jobs->engine),
                    .address = job->address,
                    .step_address = training_step_address(job->address, job->starts),
                    .kept_steps = t->kept_steps,
                    .first_epoch = job->epochs_kept,
                    .first_step = t->kept_steps,
                    .epoch = job->epochs_kept,
                    .progress = t->progress};
    bool is_coarse = jobs->scenario->fidelity == FIDELITY_JOB;
    if (!is_coarse)
        t->progress = begin_progress(jobs, t->progress, &t->plan);
    job->attempt->training_ns = jobs->engine->now_ns;
    TraceRecord *record = job_trace(jobs, TRACE_JOB_TRAINING, job);
    record->job_training.ranks = t->plan.ranks;
    record->job_training.steps = t->plan.steps_per_epoch;
    record->job_training.epochs = t->plan.epochs;
    recorder_emit(jobs->recorder);
    job_moment(jobs, job, MOMENT_JOB_TRAINING, 0);
    if (t->epoch == t->plan.epochs) {
        end_training(jobs, job); // the checkpoint has all epochs; only the model is missing
        return;
    }
    if (is_coarse)
        begin_whole(jobs, job);
    else
        begin_epoch(jobs, job);
    if (is_warned(jobs, job))
        checkpoint_on_notice(jobs, job);
}

void epochs_data_ready(Jobs *jobs, Job *job)
{
    const Program *p = job_program(job);
    if (job->epochs_kept > 0 || job_training(job)->kept_steps > 0)
        job_transfer(jobs, job, 0, TRANSFER_FOR_RESUME, p->checkpoint_share, p->checkpoint_bytes);
    else
        begin_training(jobs, job);
}

void epochs_emit_resumed(Jobs *jobs, const Job *job, const Program *program)
{
    const TrainingPoint kept = checkpoint_kept(job);
    const bool is_within = kept.steps > 0;
    TraceRecord *record =
        job_trace(jobs, is_within ? TRACE_JOB_RESUMED_WITHIN : TRACE_JOB_RESUMED, job);
    record->name = job_checkpoint_path(jobs->scenario, job, program, kept, jobs->arena);
    if (is_within) {
        record->job_resumed_within.point = kept;
    } else {
        record->job_resumed.epochs = kept.epochs;
    }
    recorder_emit(jobs->recorder);
}

void epochs_resumed(Jobs *jobs, Job *job)
{
    epochs_emit_resumed(jobs, job, job_program(job));
    begin_training(jobs, job);
}

/* --- The end of a step and of an epoch --- */

static void emit_step(Jobs *jobs, const Job *job, int32_t rank, StepParts parts)
{
    const Training *t = job_training(job);
    TraceRecord *record = job_trace(jobs, TRACE_STEP, job);
    record->since_ns = jobs->engine->now_ns - step_parts_sum(parts);
    record->node = job->nodes[job_node_of_rank(job, rank)];
    record->step.epoch = t->epoch + 1;
    record->step.step = t->step + 1;
    record->step.rank = rank;
    record->step.parts = parts;
    recorder_emit(jobs->recorder);
}

static void end_epoch(Jobs *jobs, Job *job)
{
    Training *t = job_training(job);
    TrainingProgress *p = t->progress;
    epochs_times_now(job)->end_ns = jobs->engine->now_ns;
    EpochResult result =
        training_results(job_program(job), &t->plan, t->seed, t->address, t->epoch + 1);
    p->parts = step_parts_add(p->parts, t->epoch_parts);
    TraceRecord *record = job_trace(jobs, TRACE_EPOCH, job);
    record->since_ns = epochs_times_now(job)->begin_ns;
    record->epoch.epoch = t->epoch + 1;
    record->epoch.steps = plan_epoch_steps(&t->plan, t->epoch) - training_steps_before(t, t->epoch);
    record->epoch.parts = t->epoch_parts;
    record->epoch.train_accuracy_ppm = result.train_accuracy_ppm;
    record->epoch.train_loss_micro = result.train_loss_micro;
    recorder_emit(jobs->recorder);
    t->evaluate_ns = pace_of_slowest_ns(jobs, job, t->plan.evaluate_ns);
    if (t->plan.evaluate_ns > 0)
        job_push(jobs, job, t->evaluate_ns, EVENT_TRAINING_EVALUATED, 0);
    else
        epochs_evaluated(jobs, job);
}

/* The ends of the epoch's earlier steps, computed from their draws; INT64_MAX for the others. */
static int64_t *begin_step_ends(Jobs *jobs, const Job *job)
{
    const Training *t = job_training(job);
    const int64_t steps = plan_epoch_steps(&t->plan, t->epoch);
    const int64_t before = t->epoch * t->plan.steps_per_epoch;
    int64_t *step_end_ns = ARENA_ARRAY(jobs->arena, int64_t, steps);
    int64_t end_ns = epochs_times_now(job)->begin_ns;
    for (int64_t step = 0; step < steps; step++) {
        if (step < t->step && step >= training_steps_before(t, t->epoch))
            end_ns += step_duration_ns(&t->plan, t->seed, t->step_address, before + step);
        step_end_ns[step] = step < t->step ? end_ns : INT64_MAX;
    }
    return step_end_ns;
}

/* Stores the end of the present step if it, or an earlier step of the epoch, differs from its draw.
 * Emulated logs draw all other steps again. */
static void note_step_end(Jobs *jobs, const Job *job)
{
    const Training *t = job_training(job);
    TrainingProgress *p = t->progress;
    int64_t **ends = p->step_end_ns ? &p->step_end_ns[t->epoch] : NULL;
    if (p->is_as_drawn && !(ends && *ends))
        return;
    if (!ends) {
        p->step_end_ns = ARENA_ARRAY(jobs->arena, int64_t *, t->plan.epochs);
        ends = &p->step_end_ns[t->epoch];
    }
    if (!*ends)
        *ends = begin_step_ends(jobs, job);
    (*ends)[t->step] = jobs->engine->now_ns;
}

/* Steps have ended: the next one, a checkpoint, or the end of the epoch. */
static void steps_are_done(Jobs *jobs, Job *job)
{
    const Training *t = job_training(job);
    const TrainingPoint now = {t->epoch, t->step};
    if (t->step == plan_epoch_steps(&t->plan, t->epoch))
        end_epoch(jobs, job);
    else if (t->progress->is_warned || checkpoint_follows(job_program(job), now))
        checkpoint_save(jobs, job, now);
    else
        epochs_continue(jobs, job);
}

void epochs_step_done(Jobs *jobs, Job *job)
{
    Training *t = job_training(job);
    TrainingProgress *p = t->progress;
    t->epoch_parts = step_parts_add(t->epoch_parts, p->rank_parts[0]);
    p->done = node_time_add(p->done, training_node_time(p->rank_parts, (StepParts){0},
                                                        t->plan.ranks, job->request.nodes));
    if (recorder_takes(jobs->recorder, TRACE_STEP))
        for (int32_t rank = 0; rank < t->plan.ranks; rank++)
            emit_step(jobs, job, rank, p->rank_parts[rank]);
    note_step_end(jobs, job);
    job_moment(jobs, job, MOMENT_JOB_STEP, steps_before(t) + 1);
    t->step++;
    steps_are_done(jobs, job);
}

void epochs_epoch_done(Jobs *jobs, Job *job)
{
    Training *t = job_training(job);
    if (jobs->engine->now_ns != t->piece_end_ns)
        return; // the piece ends earlier, or has ended
    t->piece_end_ns = INT64_MAX;
    t->step += t->piece_steps;
    t->progress->done =
        node_time_add(t->progress->done, node_time_times(t->step_nodes, t->piece_steps));
    t->piece_steps = 0;
    steps_are_done(jobs, job);
}

/* --- Between epochs --- */

void epochs_next(Jobs *jobs, Job *job)
{
    Training *t = job_training(job);
    if (++t->epoch < t->plan.epochs)
        begin_epoch(jobs, job);
    else
        end_training(jobs, job);
}

static void emit_evaluation(Jobs *jobs, const Job *job)
{
    const Training *t = job_training(job);
    EpochResult result = job_epoch_result(job, t->epoch);
    TraceRecord *record = job_trace(jobs, TRACE_EVALUATION, job);
    record->since_ns = epochs_times_now(job)->end_ns;
    record->evaluation.epoch = t->epoch + 1;
    record->evaluation.accuracy_ppm = result.accuracy_ppm;
    record->evaluation.loss_micro = result.loss_micro;
    recorder_emit(jobs->recorder);
}

void epochs_evaluated(Jobs *jobs, Job *job)
{
    Training *t = job_training(job);
    TrainingProgress *p = t->progress;
    EpochTimes *times = epochs_times_now(job);
    int64_t evaluation_ns = jobs->engine->now_ns - times->end_ns;
    times->evaluated_ns = jobs->engine->now_ns;
    t->evaluate_total_ns += evaluation_ns;
    p->done.kept_ns =
        bounded_add(p->done.kept_ns, bounded_times(job->request.nodes, evaluation_ns));
    if (t->plan.evaluate_ns > 0 && recorder_takes(jobs->recorder, TRACE_EVALUATION))
        emit_evaluation(jobs, job);
    if (checkpoint_follows(job_program(job), (TrainingPoint){.epochs = t->epoch + 1})) {
        checkpoint_begin(jobs, job);
    } else if (p->is_warned) {
        checkpoint_save(jobs, job, (TrainingPoint){t->epoch + 1, 0});
    } else {
        times->checkpointed_ns = jobs->engine->now_ns;
        epochs_next(jobs, job);
    }
}

/* --- The end --- */

static void emit_trained(Jobs *jobs, const Job *job)
{
    const Training *t = job_training(job);
    EpochResult last = job_epoch_result(job, t->plan.epochs - 1);
    const int64_t steps = training_steps_until(t, t->plan.epochs);
    TraceRecord *record = job_trace(jobs, TRACE_JOB_TRAINED, job);
    record->since_ns = job->attempt->training_ns;
    record->job_trained.steps = steps;
    record->job_trained.parts =
        t->progress ? t->progress->parts : step_parts_times(t->step_parts, steps);
    record->job_trained.evaluate_ns = t->evaluate_total_ns;
    record->job_trained.checkpoint_ns = t->checkpoint_total_ns;
    record->job_trained.accuracy_ppm = last.accuracy_ppm;
    record->job_trained.loss_micro = last.loss_micro;
    recorder_emit(jobs->recorder);
}

static void end_training(Jobs *jobs, Job *job)
{
    job->attempt->trained_ns = jobs->engine->now_ns;
    emit_trained(jobs, job);
    const Program *p = job_program(job);
    if (p->model_bytes == 0)
        epochs_model_saved(jobs, job);
    else if (p->model_share)
        job_transfer(jobs, job, 0, TRANSFER_FOR_MODEL, p->model_share, p->model_bytes);
    else
        job_push(jobs, job, job_local_write_ns(jobs, p->model_bytes), EVENT_TRAINING_SAVED, 0);
}

/* Job fidelity: each epoch took the mean time. */
void epochs_all_done(Jobs *jobs, Job *job)
{
    Training *t = job_training(job);
    int64_t epochs = t->plan.epochs - t->first_epoch;
    t->epoch = t->plan.epochs;
    t->evaluate_total_ns = epochs * t->evaluate_ns;
    const int64_t steps = training_steps_until(t, t->plan.epochs);
    t->checkpoint_total_ns = jobs->engine->now_ns - job->attempt->training_ns -
                             steps * step_parts_sum(t->step_parts) - t->evaluate_total_ns;
    if (checkpoint_follows(job_program(job), (TrainingPoint){.epochs = t->epoch}))
        job_moment(jobs, job, MOMENT_JOB_CHECKPOINT, t->epoch);
    end_training(jobs, job);
}

void epochs_model_saved(Jobs *jobs, Job *job)
{
    const Program *p = job_program(job);
    Training *t = job_training(job);
    job->attempt->saved_ns = jobs->engine->now_ns;
    if (p->model_bytes > 0 && p->model_share)
        job_write_file(jobs, job, p->model_share,
                       job_fill_in(jobs->scenario, job, p->model_path, 0, jobs->arena),
                       p->model_bytes);
    t->final_evaluate_ns = pace_of_slowest_ns(jobs, job, t->plan.final_evaluate_ns);
    if (p->evaluates_at_end && t->final_evaluate_ns > 0)
        job_push(jobs, job, t->final_evaluate_ns, EVENT_TRAINING_SCORED, 0);
    else
        epochs_scored(jobs, job);
}

void epochs_scored(Jobs *jobs, Job *job)
{
    job_exit(jobs, job, 0);
}
