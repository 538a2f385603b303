/* A training job's way through its epochs: steps, evaluation, checkpoint, and at the end the model
 * and the last evaluation.
 *
 * Step fidelity has one event per step of all ranks; epoch fidelity one per epoch and job fidelity
 * one for all epochs, both by the mean of what step fidelity would draw. */
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/core/world_parts.h"
#include "sim/model/bounded.h"

static const Program *program_of(const Job *job)
{
    return job->spec->program;
}

static void push(World *world, const Job *job, int64_t delay_ns, EventKind kind)
{
    world_push(world, delay_ns, kind, job->id.index, job->generation, 0);
}

static int64_t local_write_ns(const World *world, int64_t bytes)
{
    return bounded_at_rate_ns(bytes, world_service(world)->local_disk_bytes_per_s);
}

static EpochResult *epoch_now(Job *job)
{
    invariant(job->training.epoch < job->training.plan.epochs);
    return &job->training.epochs[job->training.epoch];
}

/* --- Steps --- */

static int64_t steps_before(const Training *training)
{
    return training->epoch * training->plan.steps_per_epoch + training->step;
}

static void begin_step(World *world, Job *job)
{
    const Training *t = &job->training;
    push(world, job, step_duration_ns(&t->plan, t->seed, t->address, steps_before(t)),
         EVENT_TRAINING_STEP);
}

static void begin_epoch(World *world, Job *job)
{
    Training *t = &job->training;
    *epoch_now(job) = (EpochResult){.begin_ns = world->now_ns,
                                    .end_ns = INT64_MAX,
                                    .evaluated_ns = INT64_MAX,
                                    .checkpointed_ns = INT64_MAX};
    t->step = 0;
    t->epoch_parts = (StepParts){0};
    if (world->scenario->fidelity == FIDELITY_STEP) {
        begin_step(world, job);
        return;
    }
    StepParts parts = step_parts_times(step_parts_mean(&t->plan), t->plan.steps_per_epoch);
    push(world, job, step_parts_sum(parts), EVENT_TRAINING_EPOCH);
}

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

static bool has_checkpoint(const Program *program, int64_t epochs_done)
{
    return program->checkpoint_bytes > 0 && epochs_done % program->checkpoint_every == 0;
}

static void begin_whole(World *world, Job *job)
{
    const StepPlan *plan = &job->training.plan;
    int64_t steps_ns =
        step_parts_sum(step_parts_times(step_parts_mean(plan), plan->steps_per_epoch));
    int64_t total_ns = plan->epochs * (steps_ns + plan->evaluate_ns);
    const Program *program = program_of(job);
    if (program->checkpoint_bytes > 0) {
        int64_t checkpoints = plan->epochs / program->checkpoint_every;
        total_ns =
            bounded_add(total_ns, bounded_times(checkpoints, checkpoint_alone_ns(world, job)));
    }
    push(world, job, total_ns, EVENT_TRAINING_WHOLE);
}

void train_job_begin(World *world, Job *job)
{
    const JobSpec *spec = job->spec;
    const Cluster *cluster = world_cluster(world, job->cluster);
    Training *t = &job->training;
    EpochResult *epochs = t->epochs;
    *t = (Training){
        .plan = step_plan(spec->program, cluster->spec->vm_size, spec->nodes, spec->processes),
        .seed = world->scenario->seed,
        .address = job->address};
    t->epochs = epochs ? epochs : ARENA_ARRAY(world->arena, EpochResult, t->plan.epochs);
    job->training_ns = world->now_ns;
    TraceRecord record = job_record(world, TRACE_JOB_TRAINING, job);
    record.value[0] = t->plan.ranks;
    record.value[1] = t->plan.steps_per_epoch;
    record.value[2] = t->plan.epochs;
    world_tell(world, &record);
    world_moment(world, MOMENT_JOB_TRAINING, job->path.name);
    if (world->scenario->fidelity == FIDELITY_JOB)
        begin_whole(world, job);
    else
        begin_epoch(world, job);
}

static void put_parts(TraceRecord *record, int32_t first, StepParts parts)
{
    record->value[first] = parts.input_ns;
    record->value[first + 1] = parts.compute_ns;
    record->value[first + 2] = parts.wait_ns;
    record->value[first + 3] = parts.exchange_ns;
    record->value[first + 4] = parts.update_ns;
}

static void tell_step(World *world, const Job *job, int32_t rank, StepParts parts)
{
    const Training *t = &job->training;
    TraceRecord record = job_record(world, TRACE_STEP, job);
    record.since_ns = world->now_ns - step_parts_sum(parts);
    record.node = job->nodes[job_node_of_rank(job, rank)];
    record.value[0] = t->epoch + 1;
    record.value[1] = t->step + 1;
    record.value[2] = rank;
    put_parts(&record, 3, parts);
    world_tell(world, &record);
}

static void end_epoch(World *world, Job *job)
{
    Training *t = &job->training;
    EpochResult *epoch = epoch_now(job);
    epoch->end_ns = world->now_ns;
    training_results(program_of(job), &t->plan, t->seed, t->address, t->epoch + 1, epoch);
    t->parts = step_parts_add(t->parts, t->epoch_parts);
    TraceRecord record = job_record(world, TRACE_EPOCH, job);
    record.since_ns = epoch->begin_ns;
    record.value[0] = t->epoch + 1;
    record.value[1] = t->plan.steps_per_epoch;
    put_parts(&record, 2, t->epoch_parts);
    record.value[7] = epoch->train_accuracy_ppm;
    record.value[8] = epoch->train_loss_micro;
    world_tell(world, &record);
    if (t->plan.evaluate_ns > 0)
        push(world, job, t->plan.evaluate_ns, EVENT_TRAINING_EVALUATED);
    else
        train_job_evaluated(world, job);
}

static void tell_steps(World *world, Job *job, int64_t step)
{
    const Training *t = &job->training;
    if (!job->rank_parts)
        job->rank_parts = ARENA_ARRAY(world->arena, StepParts, t->plan.ranks);
    step_parts_of_ranks(&t->plan, t->seed, t->address, step, job->rank_parts);
    for (int32_t rank = 0; rank < t->plan.ranks; rank++)
        tell_step(world, job, rank, job->rank_parts[rank]);
}

void train_job_step(World *world, Job *job)
{
    Training *t = &job->training;
    int64_t step = steps_before(t);
    StepParts parts = step_parts_of_rank(&t->plan, t->seed, t->address, step, 0);
    t->epoch_parts = step_parts_add(t->epoch_parts, parts);
    if (world_tells(world, TRACE_STEP))
        tell_steps(world, job, step);
    if (++t->step < t->plan.steps_per_epoch)
        begin_step(world, job);
    else
        end_epoch(world, job);
}

void train_job_epoch(World *world, Job *job)
{
    Training *t = &job->training;
    t->step = t->plan.steps_per_epoch;
    t->epoch_parts = step_parts_times(step_parts_mean(&t->plan), t->plan.steps_per_epoch);
    end_epoch(world, job);
}

/* --- Between epochs --- */

static void next_epoch(World *world, Job *job);

static void write_checkpoint(World *world, Job *job)
{
    const Program *p = program_of(job);
    if (p->checkpoint_place == PLACE_LOCAL)
        push(world, job, local_write_ns(world, p->checkpoint_bytes), EVENT_TRAINING_CHECKPOINTED);
    else
        transfer_start(world, job, 0, TRANSFER_FOR_CHECKPOINT,
                       world_find_share(world, p->checkpoint_share), p->checkpoint_bytes);
}

void train_job_evaluated(World *world, Job *job)
{
    Training *t = &job->training;
    EpochResult *epoch = epoch_now(job);
    epoch->evaluated_ns = world->now_ns;
    t->evaluate_total_ns += world->now_ns - epoch->end_ns;
    if (t->plan.evaluate_ns > 0) {
        TraceRecord record = job_record(world, TRACE_EVALUATION, job);
        record.since_ns = epoch->end_ns;
        record.value[0] = t->epoch + 1;
        record.value[1] = epoch->accuracy_ppm;
        record.value[2] = epoch->loss_micro;
        world_tell(world, &record);
    }
    if (has_checkpoint(program_of(job), t->epoch + 1)) {
        write_checkpoint(world, job);
        return;
    }
    epoch->checkpointed_ns = world->now_ns;
    next_epoch(world, job);
}

static void tell_file(World *world, const Job *job, const char *share, const char *path,
                      int64_t bytes)
{
    if (!share)
        return; // it lies on the node and goes with it
    TraceRecord record = job_record(world, TRACE_FILE_WRITTEN, job);
    record.share = world_find_share(world, share);
    record.bytes = bytes;
    record.name = path;
    world_tell(world, &record);
}

void train_job_checkpointed(World *world, Job *job)
{
    const Program *p = program_of(job);
    Training *t = &job->training;
    EpochResult *epoch = epoch_now(job);
    epoch->checkpointed_ns = world->now_ns;
    t->checkpoint_total_ns += world->now_ns - epoch->evaluated_ns;
    const char *path = job_fill_in(job, p->checkpoint_path, t->epoch + 1, world->arena);
    TraceRecord record = job_record(world, TRACE_CHECKPOINT, job);
    record.node = job->nodes[0];
    record.since_ns = epoch->evaluated_ns;
    record.bytes = p->checkpoint_bytes;
    record.name = path;
    record.value[0] = t->epoch + 1;
    world_tell(world, &record);
    if (p->checkpoint_place == PLACE_SHARE)
        tell_file(world, job, p->checkpoint_share, path, p->checkpoint_bytes);
    next_epoch(world, job);
}

/* --- The end --- */

static void end_training(World *world, Job *job)
{
    Training *t = &job->training;
    const EpochResult *last = &t->epochs[t->plan.epochs - 1];
    job->trained_ns = world->now_ns;
    t->final_accuracy_ppm = last->accuracy_ppm;
    t->final_loss_micro = last->loss_micro;
    TraceRecord record = job_record(world, TRACE_JOB_TRAINED, job);
    record.since_ns = job->training_ns;
    record.value[0] = t->plan.epochs * t->plan.steps_per_epoch;
    put_parts(&record, 1, t->parts);
    record.value[6] = t->evaluate_total_ns;
    record.value[7] = t->checkpoint_total_ns;
    record.value[8] = t->final_accuracy_ppm;
    record.value[9] = t->final_loss_micro;
    world_tell(world, &record);
    const Program *p = program_of(job);
    if (p->model_bytes == 0)
        train_job_saved(world, job);
    else if (p->model_share)
        transfer_start(world, job, 0, TRANSFER_FOR_MODEL, world_find_share(world, p->model_share),
                       p->model_bytes);
    else
        push(world, job, local_write_ns(world, p->model_bytes), EVENT_TRAINING_SAVED);
}

static void next_epoch(World *world, Job *job)
{
    if (++job->training.epoch < job->training.plan.epochs)
        begin_epoch(world, job);
    else
        end_training(world, job);
}

/* Job fidelity: the epochs happened one after the other, each as long as it takes on average. */
void train_job_whole(World *world, Job *job)
{
    Training *t = &job->training;
    StepParts epoch_parts = step_parts_times(step_parts_mean(&t->plan), t->plan.steps_per_epoch);
    int64_t each_checkpoint_ns = checkpoint_alone_ns(world, job);
    int64_t begin_ns = job->training_ns;
    for (t->epoch = 0; t->epoch < t->plan.epochs; t->epoch++) {
        EpochResult *epoch = epoch_now(job);
        bool is_saved = has_checkpoint(program_of(job), t->epoch + 1);
        int64_t checkpoint_ns = is_saved ? each_checkpoint_ns : 0;
        int64_t end_ns = begin_ns + step_parts_sum(epoch_parts);
        int64_t evaluated_ns = end_ns + t->plan.evaluate_ns;
        *epoch = (EpochResult){.begin_ns = begin_ns,
                               .end_ns = end_ns,
                               .evaluated_ns = evaluated_ns,
                               .checkpointed_ns = evaluated_ns + checkpoint_ns};
        training_results(program_of(job), &t->plan, t->seed, t->address, t->epoch + 1, epoch);
        t->evaluate_total_ns += t->plan.evaluate_ns;
        t->checkpoint_total_ns += checkpoint_ns;
        begin_ns = epoch->checkpointed_ns;
    }
    invariant(begin_ns == world->now_ns); // begin_whole added up the same
    t->parts = step_parts_times(epoch_parts, t->plan.epochs);
    end_training(world, job);
}

void train_job_saved(World *world, Job *job)
{
    const Program *p = program_of(job);
    job->saved_ns = world->now_ns;
    if (p->model_bytes > 0)
        tell_file(world, job, p->model_share, job_fill_in(job, p->model_path, 0, world->arena),
                  p->model_bytes);
    if (p->evaluates_at_end && job->training.plan.final_evaluate_ns > 0)
        push(world, job, job->training.plan.final_evaluate_ns, EVENT_TRAINING_SCORED);
    else
        train_job_scored(world, job);
}

void train_job_scored(World *world, Job *job)
{
    job_exit(world, job, 0);
}

void train_job_exchanged(World *world, Job *job)
{
    (void)world;
    (void)job;
}

void train_job_exchanges(World *world, Job *job)
{
    (void)world;
    (void)job;
}

void train_job_moment(World *world, Job *job, uint32_t epoch)
{
    (void)world;
    (void)job;
    (void)epoch;
}
