/* A training job's way through its epochs: steps, evaluation, checkpoint, and at the end the model
 * and the last evaluation.
 *
 * Step fidelity has one event per step of all ranks, and two where the exchange is on a wire that
 * others share; epoch fidelity has one per epoch and job fidelity one for all epochs, both by the
 * mean of what step fidelity would draw. What a slow node or a crowded wire does is looked at when
 * a step, an epoch or the training begins, as the fidelity is. */
#include "sim/base/invariant.h"
#include "sim/cloud/job/parts.h"
#include "sim/model/bounded.h"

static const Program *program_of(const Job *job)
{
    return job->spec->program;
}

static Training *training_of(const Job *job)
{
    return job->attempt->training;
}

static void push(World *world, const Job *job, int64_t delay_ns, EventKind kind)
{
    world_push(world, delay_ns, kind, job->id.index, job->generation, 0);
}

static int64_t local_write_ns(const World *world, int64_t bytes)
{
    return bounded_at_rate_ns(bytes, world_service(world)->local_disk_bytes_per_s);
}

static EpochTimes *times_now(const Job *job)
{
    const Training *t = training_of(job);
    invariant(t->epoch < t->plan.epochs);
    return &t->progress->epochs[t->epoch];
}

/* Time that all nodes of the job spend together. */
static int64_t of_all_nodes_ns(const Job *job, int64_t span_ns)
{
    return bounded_times(job->spec->nodes, span_ns);
}

static bool has_checkpoint(const Program *program, int64_t epochs_done)
{
    return program->checkpoint_bytes > 0 && epochs_done % program->checkpoint_every == 0;
}

/* --- Steps --- */

static int64_t steps_before(const Training *training)
{
    return training->epoch * training->plan.steps_per_epoch + training->step;
}

static void begin_step(World *world, Job *job)
{
    Training *t = training_of(job);
    TrainingProgress *p = t->progress;
    const int64_t *speed_ppm = pace_of_ranks(world, job, &p->rank_speed_ppm, world->arena);
    int64_t step_ns = step_parts_of_ranks(&t->plan, t->seed, t->step_address, steps_before(t),
                                          speed_ppm, p->rank_parts);
    bool shares_wires = pace_shares_wires(world, job);
    p->is_drawn_alone = !speed_ppm && !shares_wires;
    if (shares_wires) {
        const StepParts *any = &p->rank_parts[0];
        int64_t own_ns = bounded_add(bounded_add(any->input_ns, any->compute_ns), any->wait_ns);
        push(world, job, own_ns, EVENT_TRAINING_EXCHANGE);
    } else {
        push(world, job, step_ns, EVENT_TRAINING_STEP);
    }
}

void train_job_exchanges(World *world, Job *job)
{
    const Training *t = training_of(job);
    t->progress->exchange_since_ns = world->now_ns;
    network_begin(world, job, t->plan.wire_bytes, t->plan.wire_bytes_per_s);
}

void train_job_exchanged(World *world, Job *job)
{
    const Training *t = training_of(job);
    TrainingProgress *p = t->progress;
    int64_t rest_ns = t->plan.exchange_ns - t->plan.wire_ns;
    int64_t wire_ns = world->now_ns - p->exchange_since_ns;
    for (int32_t rank = 0; rank < t->plan.ranks; rank++)
        p->rank_parts[rank].exchange_ns = bounded_add(rest_ns, wire_ns);
    push(world, job, bounded_add(rest_ns, t->plan.update_ns), EVENT_TRAINING_STEP);
}

/* Where steps are no events: when the next one ends that somebody waits for, from step `from` of
 * all epochs on. Below job fidelity an epoch is foreseen when it begins. */
static void await_step(World *world, const Job *job, int64_t from)
{
    const Training *t = training_of(job);
    const int64_t steps = t->plan.steps_per_epoch;
    const int64_t step = world_next_awaited(world, MOMENT_JOB_STEP, job->path.name, from);
    if (step == INT64_MAX)
        return;
    const int64_t epoch = (step - 1) / steps, in_epoch = (step - 1) % steps + 1;
    if (epoch >= t->plan.epochs || (t->progress && epoch > t->epoch))
        return;
    const int64_t begin_ns =
        t->progress ? t->progress->epochs[epoch].begin_ns
                    : bounded_add(job->attempt->training_ns, pace_until_ns(job, epoch));
    const int64_t at_ns =
        bounded_add(begin_ns, bounded_part(step_parts_sum(t->epoch_parts), in_epoch, steps));
    world_push(world, at_ns - world->now_ns, EVENT_JOB_STEP, job->id.index, job->generation,
               (uint32_t)step);
}

void train_job_step_reached(World *world, Job *job, int64_t step)
{
    const Training *t = training_of(job);
    world_moment_nth(world, MOMENT_JOB_STEP, job->path.name, step);
    if (!t->progress || step % t->plan.steps_per_epoch != 0)
        await_step(world, job, step + 1);
}

static void begin_epoch(World *world, Job *job)
{
    Training *t = training_of(job);
    *times_now(job) = (EpochTimes){.begin_ns = world->now_ns,
                                   .end_ns = INT64_MAX,
                                   .evaluated_ns = INT64_MAX,
                                   .checkpointed_ns = INT64_MAX};
    t->step = 0;
    t->epoch_parts = (StepParts){0};
    world_moment_nth(world, MOMENT_JOB_EPOCH, job->path.name, t->epoch + 1);
    if (world->scenario->fidelity == FIDELITY_STEP) {
        begin_step(world, job);
        return;
    }
    pace_foresee_epoch(world, job);
    push(world, job, step_parts_sum(t->epoch_parts), EVENT_TRAINING_EPOCH);
    await_step(world, job, t->epoch * t->plan.steps_per_epoch + 1);
}

/* --- Job fidelity: all epochs at once --- */

/* What a job of coarse fidelity does after its steps, alone on its share: the same formulas, in one
 * sum. */
static int64_t checkpoint_alone_ns(World *world, const Job *job)
{
    const Program *p = program_of(job);
    if (p->checkpoint_bytes == 0)
        return 0;
    if (p->checkpoint_place == PLACE_LOCAL)
        return local_write_ns(world, p->checkpoint_bytes);
    ShareId share = world_find_share(world, p->checkpoint_share);
    const ShareTier *tier = share_tier(world_share(world, share));
    return share_alone_ns(tier, TRANSFER_WRITE, p->checkpoint_bytes);
}

/* The next moment of that kind that somebody waits for, from epoch `from` on. */
static void await_moment(World *world, const Job *job, Moment moment, int64_t from)
{
    const Training *t = training_of(job);
    bool is_checkpoint = moment == MOMENT_JOB_CHECKPOINT;
    int64_t epoch = world_next_awaited(world, moment, job->path.name, from);
    while (is_checkpoint && epoch <= t->plan.epochs && !has_checkpoint(program_of(job), epoch))
        epoch = world_next_awaited(world, moment, job->path.name, epoch + 1);
    if (epoch > t->plan.epochs)
        return;
    int64_t at_ns = bounded_add(job->attempt->training_ns,
                                pace_until_ns(job, is_checkpoint ? epoch : epoch - 1));
    world_push(world, at_ns - world->now_ns, EVENT_JOB_MOMENT, job->id.index, job->generation,
               (uint32_t)epoch << 1 | is_checkpoint);
}

void train_job_moment(World *world, Job *job, uint32_t epoch_and_kind)
{
    Moment moment = epoch_and_kind & 1 ? MOMENT_JOB_CHECKPOINT : MOMENT_JOB_EPOCH;
    int64_t epoch = epoch_and_kind >> 1;
    world_moment_nth(world, moment, job->path.name, epoch);
    await_moment(world, job, moment, epoch + 1);
}

static void begin_whole(World *world, Job *job)
{
    Training *t = training_of(job);
    pace_foresee_epoch(world, job);
    t->checkpoint_ns = checkpoint_alone_ns(world, job);
    push(world, job, pace_until_ns(job, t->plan.epochs), EVENT_TRAINING_WHOLE);
    await_moment(world, job, MOMENT_JOB_EPOCH, t->first_epoch + 1);
    await_moment(world, job, MOMENT_JOB_CHECKPOINT, t->first_epoch + 1);
    await_step(world, job, t->first_epoch * t->plan.steps_per_epoch + 1);
}

/* --- Beginning --- */

static TrainingProgress *new_progress(Arena *arena, const StepPlan *plan)
{
    TrainingProgress *progress = ARENA_NEW(arena, TrainingProgress);
    progress->epochs = ARENA_ARRAY(arena, EpochTimes, plan->epochs);
    progress->rank_parts = ARENA_ARRAY(arena, StepParts, plan->ranks);
    return progress;
}

/* In the room of earlier attempts. */
static TrainingProgress *begin_progress(World *world, TrainingProgress *progress,
                                        const StepPlan *plan)
{
    if (!progress)
        return new_progress(world->arena, plan);
    for (int64_t e = 0; progress->step_end_ns && e < plan->epochs; e++)
        progress->step_end_ns[e] = NULL;
    *progress = (TrainingProgress){.epochs = progress->epochs,
                                   .step_end_ns = progress->step_end_ns,
                                   .rank_parts = progress->rank_parts,
                                   .rank_speed_ppm = progress->rank_speed_ppm};
    return progress;
}

static void end_training(World *world, Job *job);

static void train_job_begin(World *world, Job *job)
{
    const JobSpec *spec = job->spec;
    const Cluster *cluster = world_cluster(world, job->cluster);
    Training *t = training_of(job);
    *t = (Training){.plan = step_plan(spec->program, cluster->spec->vm_size,
                                      rank_places_spread(spec->nodes, spec->processes)),
                    .seed = world->scenario->seed,
                    .address = job->address,
                    .step_address = training_step_address(job->address, job->starts),
                    .first_epoch = job->epochs_kept,
                    .epoch = job->epochs_kept,
                    .progress = t->progress};
    bool is_coarse = world->scenario->fidelity == FIDELITY_JOB;
    if (!is_coarse)
        t->progress = begin_progress(world, t->progress, &t->plan);
    job->attempt->training_ns = world->now_ns;
    TraceRecord record = job_record(world, TRACE_JOB_TRAINING, job);
    record.job_training.ranks = t->plan.ranks;
    record.job_training.steps = t->plan.steps_per_epoch;
    record.job_training.epochs = t->plan.epochs;
    world_tell(world, &record);
    world_moment(world, MOMENT_JOB_TRAINING, job->path.name);
    if (t->epoch == t->plan.epochs)
        end_training(world, job); // only the model was missing
    else if (is_coarse)
        begin_whole(world, job);
    else
        begin_epoch(world, job);
}

void train_job_ready(World *world, Job *job)
{
    const Program *p = program_of(job);
    if (job->epochs_kept > 0)
        transfer_start(world, job, 0, TRANSFER_FOR_RESUME,
                       world_find_share(world, p->checkpoint_share), p->checkpoint_bytes);
    else
        train_job_begin(world, job);
}

void train_job_tell_resumed(World *world, const Job *job, const Program *program)
{
    TraceRecord record = job_record(world, TRACE_JOB_RESUMED, job);
    record.name =
        job_fill_in(world->scenario, job, program->checkpoint_path, job->epochs_kept, world->arena);
    record.job_resumed.epochs = job->epochs_kept;
    world_tell(world, &record);
}

void train_job_resumed(World *world, Job *job)
{
    train_job_tell_resumed(world, job, program_of(job));
    train_job_begin(world, job);
}

/* --- The end of a step and of an epoch --- */

static void tell_step(World *world, const Job *job, int32_t rank, StepParts parts)
{
    const Training *t = training_of(job);
    TraceRecord record = job_record(world, TRACE_STEP, job);
    record.since_ns = world->now_ns - step_parts_sum(parts);
    record.node = job->nodes[job_node_of_rank(job, rank)];
    record.step.epoch = t->epoch + 1;
    record.step.step = t->step + 1;
    record.step.rank = rank;
    record.step.parts = parts;
    world_tell(world, &record);
}

static void end_epoch(World *world, Job *job)
{
    Training *t = training_of(job);
    TrainingProgress *p = t->progress;
    times_now(job)->end_ns = world->now_ns;
    EpochResult result =
        training_results(program_of(job), &t->plan, t->seed, t->address, t->epoch + 1);
    p->parts = step_parts_add(p->parts, t->epoch_parts);
    TraceRecord record = job_record(world, TRACE_EPOCH, job);
    record.since_ns = times_now(job)->begin_ns;
    record.epoch.epoch = t->epoch + 1;
    record.epoch.steps = t->plan.steps_per_epoch;
    record.epoch.parts = t->epoch_parts;
    record.epoch.train_accuracy_ppm = result.train_accuracy_ppm;
    record.epoch.train_loss_micro = result.train_loss_micro;
    world_tell(world, &record);
    t->evaluate_ns = pace_of_slowest_ns(world, job, t->plan.evaluate_ns);
    if (t->plan.evaluate_ns > 0)
        push(world, job, t->evaluate_ns, EVENT_TRAINING_EVALUATED);
    else
        train_job_evaluated(world, job);
}

/* The steps of an epoch so far, as they were drawn; the first of the others is the present one. */
static int64_t *begin_step_ends(World *world, const Job *job)
{
    const Training *t = training_of(job);
    int64_t steps = t->plan.steps_per_epoch;
    int64_t *step_end_ns = ARENA_ARRAY(world->arena, int64_t, steps);
    int64_t end_ns = times_now(job)->begin_ns;
    for (int64_t step = 0; step < steps; step++) {
        if (step < t->step)
            end_ns += step_duration_ns(&t->plan, t->seed, t->step_address, t->epoch * steps + step);
        step_end_ns[step] = step < t->step ? end_ns : INT64_MAX;
    }
    return step_end_ns;
}

/* Logs draw the steps again; where something slowed them down they have to be written down. */
static void note_step_end(World *world, const Job *job)
{
    const Training *t = training_of(job);
    TrainingProgress *p = t->progress;
    int64_t **ends = p->step_end_ns ? &p->step_end_ns[t->epoch] : NULL;
    if (p->is_drawn_alone && !(ends && *ends))
        return;
    if (!ends) {
        p->step_end_ns = ARENA_ARRAY(world->arena, int64_t *, t->plan.epochs);
        ends = &p->step_end_ns[t->epoch];
    }
    if (!*ends)
        *ends = begin_step_ends(world, job);
    (*ends)[t->step] = world->now_ns;
}

void train_job_step(World *world, Job *job)
{
    Training *t = training_of(job);
    TrainingProgress *p = t->progress;
    t->epoch_parts = step_parts_add(t->epoch_parts, p->rank_parts[0]);
    p->done = node_time_add(p->done, training_node_time(p->rank_parts, (StepParts){0},
                                                        t->plan.ranks, job->spec->nodes));
    if (world_tells(world, TRACE_STEP))
        for (int32_t rank = 0; rank < t->plan.ranks; rank++)
            tell_step(world, job, rank, p->rank_parts[rank]);
    note_step_end(world, job);
    world_moment_nth(world, MOMENT_JOB_STEP, job->path.name, steps_before(t) + 1);
    if (++t->step < t->plan.steps_per_epoch)
        begin_step(world, job);
    else
        end_epoch(world, job);
}

void train_job_epoch(World *world, Job *job)
{
    Training *t = training_of(job);
    t->step = t->plan.steps_per_epoch;
    t->progress->done = node_time_add(t->progress->done, t->epoch_nodes);
    end_epoch(world, job);
}

/* --- Between epochs --- */

static void next_epoch(World *world, Job *job)
{
    Training *t = training_of(job);
    if (++t->epoch < t->plan.epochs)
        begin_epoch(world, job);
    else
        end_training(world, job);
}

static void write_checkpoint(World *world, Job *job)
{
    const Program *p = program_of(job);
    if (p->checkpoint_place == PLACE_LOCAL)
        push(world, job, local_write_ns(world, p->checkpoint_bytes), EVENT_TRAINING_CHECKPOINTED);
    else
        transfer_start(world, job, 0, TRANSFER_FOR_CHECKPOINT,
                       world_find_share(world, p->checkpoint_share), p->checkpoint_bytes);
}

static void tell_evaluation(World *world, const Job *job)
{
    const Training *t = training_of(job);
    EpochResult result = job_epoch_result(job, t->epoch);
    TraceRecord record = job_record(world, TRACE_EVALUATION, job);
    record.since_ns = times_now(job)->end_ns;
    record.evaluation.epoch = t->epoch + 1;
    record.evaluation.accuracy_ppm = result.accuracy_ppm;
    record.evaluation.loss_micro = result.loss_micro;
    world_tell(world, &record);
}

void train_job_evaluated(World *world, Job *job)
{
    Training *t = training_of(job);
    TrainingProgress *p = t->progress;
    EpochTimes *times = times_now(job);
    int64_t evaluation_ns = world->now_ns - times->end_ns;
    times->evaluated_ns = world->now_ns;
    t->evaluate_total_ns += evaluation_ns;
    p->done.kept_ns = bounded_add(p->done.kept_ns, of_all_nodes_ns(job, evaluation_ns));
    if (t->plan.evaluate_ns > 0 && world_tells(world, TRACE_EVALUATION))
        tell_evaluation(world, job);
    if (has_checkpoint(program_of(job), t->epoch + 1)) {
        write_checkpoint(world, job);
        return;
    }
    times->checkpointed_ns = world->now_ns;
    next_epoch(world, job);
}

static void tell_file(World *world, const Job *job, const char *share, const char *path,
                      int64_t bytes)
{
    if (!share)
        return; // it lies on the node and goes with it
    TraceRecord record = job_record(world, TRACE_FILE_WRITTEN, job);
    record.bytes = bytes;
    record.name = path;
    world_write_file(world, record, world_find_share(world, share), NULL);
}

static void tell_checkpoint(World *world, const Job *job)
{
    const Program *p = program_of(job);
    const Training *t = training_of(job);
    const char *path =
        job_fill_in(world->scenario, job, p->checkpoint_path, t->epoch + 1, world->arena);
    TraceRecord record = job_record(world, TRACE_CHECKPOINT, job);
    record.node = job->nodes[0];
    record.since_ns = times_now(job)->evaluated_ns;
    record.bytes = p->checkpoint_bytes;
    record.name = path;
    record.checkpoint.epoch = t->epoch + 1;
    world_tell(world, &record);
    if (p->checkpoint_place == PLACE_SHARE)
        tell_file(world, job, p->checkpoint_share, path, p->checkpoint_bytes);
}

/* While rank 0 writes, all others wait: the time of every node goes into the checkpoint. */
void train_job_checkpointed(World *world, Job *job)
{
    Training *t = training_of(job);
    TrainingProgress *p = t->progress;
    EpochTimes *times = times_now(job);
    int64_t writing_ns = world->now_ns - times->evaluated_ns;
    times->checkpointed_ns = world->now_ns;
    t->checkpoint_total_ns += writing_ns;
    p->done.checkpoint_ns = bounded_add(p->done.checkpoint_ns, of_all_nodes_ns(job, writing_ns));
    if (program_can_resume(program_of(job))) {
        p->kept = p->done;
        job->epochs_kept = t->epoch + 1;
    }
    tell_checkpoint(world, job);
    world_moment_nth(world, MOMENT_JOB_CHECKPOINT, job->path.name, t->epoch + 1);
    next_epoch(world, job);
}

/* --- The end --- */

static void tell_trained(World *world, const Job *job)
{
    const Training *t = training_of(job);
    EpochResult last = job_epoch_result(job, t->plan.epochs - 1);
    int64_t epochs = t->plan.epochs - t->first_epoch;
    TraceRecord record = job_record(world, TRACE_JOB_TRAINED, job);
    record.since_ns = job->attempt->training_ns;
    record.job_trained.steps = epochs * t->plan.steps_per_epoch;
    record.job_trained.parts =
        t->progress ? t->progress->parts : step_parts_times(t->epoch_parts, epochs);
    record.job_trained.evaluate_ns = t->evaluate_total_ns;
    record.job_trained.checkpoint_ns = t->checkpoint_total_ns;
    record.job_trained.accuracy_ppm = last.accuracy_ppm;
    record.job_trained.loss_micro = last.loss_micro;
    world_tell(world, &record);
}

static void end_training(World *world, Job *job)
{
    job->attempt->trained_ns = world->now_ns;
    tell_trained(world, job);
    const Program *p = program_of(job);
    if (p->model_bytes == 0)
        train_job_saved(world, job);
    else if (p->model_share)
        transfer_start(world, job, 0, TRANSFER_FOR_MODEL, world_find_share(world, p->model_share),
                       p->model_bytes);
    else
        push(world, job, local_write_ns(world, p->model_bytes), EVENT_TRAINING_SAVED);
}

/* Job fidelity: the epochs happened one after the other, each as long as it takes on average. */
void train_job_whole(World *world, Job *job)
{
    Training *t = training_of(job);
    int64_t epochs = t->plan.epochs - t->first_epoch;
    t->epoch = t->plan.epochs;
    t->evaluate_total_ns = epochs * t->evaluate_ns;
    t->checkpoint_total_ns = world->now_ns - job->attempt->training_ns -
                             epochs * bounded_add(step_parts_sum(t->epoch_parts), t->evaluate_ns);
    if (has_checkpoint(program_of(job), t->epoch))
        world_moment_nth(world, MOMENT_JOB_CHECKPOINT, job->path.name, t->epoch);
    end_training(world, job);
}

void train_job_saved(World *world, Job *job)
{
    const Program *p = program_of(job);
    Training *t = training_of(job);
    job->attempt->saved_ns = world->now_ns;
    if (p->model_bytes > 0 && p->model_share)
        tell_file(world, job, p->model_share,
                  job_fill_in(world->scenario, job, p->model_path, 0, world->arena),
                  p->model_bytes);
    t->final_evaluate_ns = pace_of_slowest_ns(world, job, t->plan.final_evaluate_ns);
    if (p->evaluates_at_end && t->final_evaluate_ns > 0)
        push(world, job, t->final_evaluate_ns, EVENT_TRAINING_SCORED);
    else
        train_job_scored(world, job);
}

void train_job_scored(World *world, Job *job)
{
    job_exit(world, job, 0);
}
