#include "real/compare/predicted.h"

#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/cloud/job/checkpoint.h"
#include "sim/cloud/training/step_compute.h"
#include "sim/model/bounded.h"

/* --- Steps of all attempts --- */

struct PredictedSteps {
    Arena *arena;
    int64_t *done; /* [JobId.index] < count */
    uint32_t count, capacity;
};

PredictedSteps *predicted_steps_create(Arena *arena)
{
    PredictedSteps *steps = ARENA_NEW(arena, PredictedSteps);
    steps->arena = arena;
    return steps;
}

static void count_steps(void *listener, const TraceRow *row)
{
    PredictedSteps *steps = listener;
    if (row->record.kind != TRACE_STEP || row->record.step.rank != 0)
        return;
    const uint32_t job = row->record.job.index;
    if (job >= steps->count) {
        steps->done =
            array_room(steps->arena, steps->done, job + 1, &steps->capacity, sizeof *steps->done);
        steps->count = job + 1;
    }
    steps->done[job]++;
}

TraceListener predicted_steps_listener(PredictedSteps *steps)
{
    return (TraceListener){.listener = steps, .level = TRACE_LEVEL_STEPS, .row = count_steps};
}

/* The steps that were repeated: all steps except those of finished epochs and of the current epoch.
 */
static int64_t steps_lost(const PredictedSteps *steps, const Job *job)
{
    const Training *training = job->attempt->training;
    const int64_t epochs = training->epoch * training->plan.steps_per_epoch;
    const int64_t kept = epochs + (training->epoch < training->plan.epochs ? training->step : 0);
    const int64_t done = job->id.index < steps->count ? steps->done[job->id.index] : 0;
    return done > kept ? done - kept : 0;
}

/* --- From a world --- */

PredictedJob predicted_program(const Program *program, const VmSize *vm_size, int32_t nodes,
                               int32_t ranks)
{
    const RankPlaces places = rank_places_spread(nodes, ranks);
    const StepCompute compute = step_compute(program, vm_size, places.ranks_on_fullest);
    return (PredictedJob){.program = program,
                          .vm_size = vm_size,
                          .plan = step_plan(program, vm_size, places),
                          .input_ns = step_compute_input_ns(&compute),
                          .backward_ns = step_compute_backward_ns(&compute)};
}

/* The time of the checkpoint of the last epoch that wrote one. */
static int64_t checkpoint_ns(const Job *job)
{
    const Training *training = job->attempt->training;
    for (int64_t epoch = training->plan.epochs - 1; epoch >= training->first_epoch; epoch--) {
        const EpochTimes times = job_epoch_times(job, epoch);
        if (times.checkpointed_ns != INT64_MAX && times.checkpointed_ns > times.evaluated_ns)
            return times.checkpointed_ns - times.evaluated_ns;
    }
    return 0;
}

static PredictedJob prediction_of_job(const World *world, const Job *job, const JobMetrics *metrics,
                                      const PredictedSteps *steps)
{
    const Training *training = job->attempt->training;
    PredictedJob prediction =
        predicted_program(job->spec->program, world_cluster(world, job->cluster)->spec->vm_size,
                          job->request.nodes, training->plan.ranks);
    prediction.job = job->path.name;
    prediction.path = metrics->path;
    prediction.seed = training->seed;
    prediction.step_address = training->step_address;
    prediction.checkpoint_ns = checkpoint_ns(job);
    prediction.succeeds = job->state == JOB_SUCCEEDED;
    prediction.restarts = metrics->restarts;
    prediction.steps_lost = steps_lost(steps, job);
    return prediction;
}

PredictedJob *predicted_jobs(Arena *arena, const World *world, const RunMetrics *metrics,
                             const PredictedSteps *steps, int32_t *count)
{
    PredictedJob *predictions = ARENA_ARRAY(arena, PredictedJob, world_job_count(world));
    *count = 0;
    for (uint32_t j = 0; j < world_job_count(world); j++) {
        const Job *job = world_job(world, (JobId){j});
        if (job->spec->program->kind == PROGRAM_TRAIN && job->attempt &&
            job->attempt->training->plan.ranks > 0)
            predictions[(*count)++] = prediction_of_job(world, job, run_job(metrics, j), steps);
    }
    return predictions;
}

/* --- As timelines --- */

typedef struct {
    TimelineFile file;
    TimelineSpan *spans;
    int64_t now_ns;
} Recorder;

static void record(Recorder *recorder, Phase phase, int64_t step, int64_t took_ns, int64_t bytes)
{
    const int64_t end_ns = bounded_add(recorder->now_ns, took_ns);
    recorder->spans[recorder->file.count++] = (TimelineSpan){.phase = phase,
                                                             .rank = recorder->file.rank,
                                                             .step = step,
                                                             .begin_ns = recorder->now_ns,
                                                             .end_ns = end_ns,
                                                             .bytes = bytes};
    recorder->now_ns = end_ns;
}

/* Records the phases of a rank's step in the trainer's order. */
static void record_step(const PredictedJob *prediction, Recorder *recorder, int64_t step,
                        StepParts parts)
{
    const StepPlan *plan = &prediction->plan;
    const int64_t whole_ns = plan->compute_ns > 0 ? plan->compute_ns : 1;
    const int64_t input_ns = bounded_part(parts.compute_ns, prediction->input_ns, whole_ns);
    const int64_t backward_ns = bounded_part(parts.compute_ns, prediction->backward_ns, whole_ns);
    const int64_t forward_ns = parts.compute_ns - input_ns - backward_ns;
    record(recorder, PHASE_LOAD, step, bounded_add(parts.input_ns, input_ns), 0);
    record(recorder, PHASE_FORWARD, step, forward_ns > 0 ? forward_ns : 0, 0);
    record(recorder, PHASE_BACKWARD, step, backward_ns, 0);
    if (plan->ranks > 1) {
        record(recorder, PHASE_NEGOTIATE, step, parts.wait_ns, 0);
        record(recorder, PHASE_ALLREDUCE, step, parts.exchange_ns,
               prediction->program->network->gradient_bytes);
    }
    record(recorder, PHASE_UPDATE, step, parts.update_ns, 0);
}

/* All ranks continue together when rank 0 has written the checkpoint. */
static void record_epoch_end(const PredictedJob *prediction, Recorder *recorders, int64_t step)
{
    const Program *program = prediction->program;
    const int64_t epoch = (step + 1) / prediction->plan.steps_per_epoch;
    const bool is_kept = prediction->checkpoint_ns > 0 &&
                         checkpoint_follows(program, (TrainingPoint){.epochs = epoch});
    for (int32_t rank = 0; rank < prediction->plan.ranks; rank++) {
        Recorder *recorder = &recorders[rank];
        if (prediction->plan.evaluate_ns > 0)
            record(recorder, PHASE_EVALUATE, step, prediction->plan.evaluate_ns, 0);
        if (!is_kept)
            continue;
        if (rank == 0)
            record(recorder, PHASE_CHECKPOINT, step, prediction->checkpoint_ns,
                   program->checkpoint_bytes);
        else
            recorder->now_ns = bounded_add(recorder->now_ns, prediction->checkpoint_ns);
    }
}

static Recorder *recorders_create(Arena *arena, int32_t ranks, int64_t steps)
{
    enum { SPANS_PER_STEP = 8 }; // includes an evaluation and a checkpoint after each step
    Recorder *recorders = ARENA_ARRAY(arena, Recorder, ranks);
    for (int32_t rank = 0; rank < ranks; rank++)
        recorders[rank] =
            (Recorder){.file = {.rank = rank, .ranks = ranks},
                       .spans = ARENA_ARRAY(arena, TimelineSpan, SPANS_PER_STEP * (size_t)steps)};
    return recorders;
}

const TimelineFile *predicted_timeline(Arena *arena, const PredictedJob *prediction, int64_t steps)
{
    const StepPlan *plan = &prediction->plan;
    Recorder *recorders = recorders_create(arena, plan->ranks, steps);
    StepParts *parts = ARENA_ARRAY(arena, StepParts, plan->ranks);
    for (int64_t step = 0; step < steps; step++) {
        step_parts_of_ranks(plan, prediction->seed, prediction->step_address, step, NULL, parts);
        for (int32_t rank = 0; rank < plan->ranks; rank++)
            record_step(prediction, &recorders[rank], step, parts[rank]);
        if (plan->steps_per_epoch > 0 && (step + 1) % plan->steps_per_epoch == 0)
            record_epoch_end(prediction, recorders, step);
    }
    TimelineFile *files = ARENA_ARRAY(arena, TimelineFile, plan->ranks);
    for (int32_t rank = 0; rank < plan->ranks; rank++) {
        files[rank] = recorders[rank].file;
        files[rank].spans = recorders[rank].spans;
    }
    return files;
}
