#include "trainer/run/step.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"
#include "trainer/data/shuffle.h"

/* --- Values that are not finite --- */

/* All ranks call this in the same step, because they have summed the same gradients and updated the
 * same weights. */
static bool fail_not_finite(Trainer *trainer, int64_t step, double loss_sum, Status *status)
{
    Comm *comm = trainer->comm;
    double *losses = memory_zeroed((size_t)comm_size(comm) * sizeof *losses);
    Text ranks = {0};
    losses[comm_rank(comm)] = loss_sum;
    if (comm_sum_doubles(comm, losses, comm_size(comm), status)) {
        for (int32_t i = 0; i < comm_size(comm); i++)
            if (!isfinite(losses[i]))
                text_printf(&ranks, "%s%" PRId32, ranks.length > 0 ? ", " : "", i);
        if (ranks.length > 0)
            status_fail(status, STATUS_MACHINE, place_in("trainyard", 0, 0),
                        "the loss is not a number in step %" PRId64 " (rank %s)", step,
                        text_string(&ranks));
        else
            status_fail(status, STATUS_MACHINE, place_in("trainyard", 0, 0),
                        "weights are not numbers after step %" PRId64, step);
        trainer->has_diverged = true;
    }
    text_free(&ranks);
    free(losses);
    return false;
}

/* --- A step --- */

static void add_phase(Trainer *trainer, Phase phase, int64_t step, int64_t *begin_ns, int64_t bytes)
{
    if (!trainer->timeline)
        return;
    int64_t end_ns = machine_clock_ns();
    timeline_add(trainer->timeline, phase, step, *begin_ns, end_ns, bytes);
    *begin_ns = end_ns;
}

/* Sums the gradients on the GPU if possible, else on the processor. */
static bool sum_gradients(Trainer *trainer, Status *status)
{
    const Backend *backend = trainer->backend;
    if (backend->exchange && comm_sums_on_gpu(trainer->comm))
        return backend->exchange(trainer->model, trainer->comm, status);
    float *gradients = backend->arena(trainer->model, ARENA_GRADIENTS, status);
    if (!gradients || !comm_sum(trainer->comm, gradients, trainer->net->parameter_count, status))
        return false;
    backend->arena_changed(trainer->model, ARENA_GRADIENTS);
    return true;
}

static bool exchange(Trainer *trainer, int64_t step, int64_t *clock_ns, Status *status)
{
    Comm *comm = trainer->comm;
    const int64_t count = trainer->net->parameter_count;
    if (comm_size(comm) == 1)
        return true;
    int64_t profile_ns = profile_clock_ns(trainer->profile);
    bool notes_ready = trainer->timeline && comm_rank(comm) == 0;
    if (!comm_ready(comm, step, notes_ready ? trainer->ready_ns : NULL, status))
        return false;
    if (notes_ready) {
        timeline_add_ready(trainer->timeline, step, trainer->ready_ns);
        add_phase(trainer, PHASE_NEGOTIATE, step, clock_ns, 0);
    }
    if (!sum_gradients(trainer, status))
        return false;
    profile_note(trainer->profile, PROFILE_EXCHANGE, &profile_ns);
    add_phase(trainer, PHASE_ALLREDUCE, step, clock_ns, count * (int64_t)sizeof(float));
    return true;
}

bool trainer_step(Trainer *trainer, const Batch *batch, Score *score, Status *status)
{
    const Backend *backend = trainer->backend;
    void *model = trainer->model;
    const int64_t step = (int64_t)batch->step;
    int64_t clock_ns = trainer->timeline ? machine_clock_ns() : 0;

    backend->gather(model, batch);
    add_phase(trainer, PHASE_LOAD, step, &clock_ns, (int64_t)batch->count * IMAGE_BYTES);
    backend->augment(model, batch);
    add_phase(trainer, PHASE_AUGMENT, step, &clock_ns, 0);
    if (!backend->forward(model, true, score, status))
        return false;
    add_phase(trainer, PHASE_FORWARD, step, &clock_ns, 0);
    if (!backend->backward(model, status))
        return false;
    add_phase(trainer, PHASE_BACKWARD, step, &clock_ns, 0);
    if (!exchange(trainer, step, &clock_ns, status))
        return false;
    const bool is_finite =
        backend->update(model, &trainer->optimizer, rmsprop_rate(&trainer->optimizer, step),
                        1.0f / (float)comm_size(trainer->comm));
    if (!is_finite)
        return fail_not_finite(trainer, step, score->loss_sum, status);
    add_phase(trainer, PHASE_UPDATE, step, &clock_ns, 0);
    return true;
}

/* --- Steps --- */

bool trainer_makes_whole_steps(const Trainer *trainer)
{
    const bool has_phases = trainer->timeline && !trainer->has_whole_steps && !trainer->is_profiled;
    return trainer->backend->steps && !has_phases &&
           (comm_size(trainer->comm) == 1 || comm_sums_on_gpu(trainer->comm));
}

/* Makes the first step of a run phase by phase. */
static bool step_alone(Trainer *trainer, const StepRun *run, Score *score, Status *status)
{
    const int32_t images = run->set->count;
    const int64_t first = run->first * run->batch_size;
    const Batch batch = {
        .set = run->set,
        .indices = trainer->order + first,
        .count = (int32_t)(images - first < run->batch_size ? images - first : run->batch_size),
        .step = run->step,
        .is_augmented = run->is_augmented};
    if (trainer->ordered != run->epoch + 1)
        shuffle_order(trainer->seed, (uint32_t)comm_rank(trainer->comm), run->epoch, images,
                      trainer->order);
    trainer->ordered = run->epoch + 1;
    return trainer_step(trainer, &batch, score, status);
}

/* The number of steps that take a tenth of a second, if `count` steps took `took_ns`. */
static int64_t steps_to_time(int64_t count, int64_t took_ns)
{
    const int64_t wanted_ns = 100 * NS_PER_MS, most = 4096;
    const int64_t steps = took_ns > 0 ? count * wanted_ns / took_ns : most;
    return steps < 1 ? 1 : steps > most ? most : steps;
}

/* Makes all ranks use the same number of steps and the same first bad step. */
static bool agree_on_steps(Trainer *trainer, int64_t *bad_step, Status *status)
{
    int64_t first_bad = *bad_step < 0 ? INT64_MAX : *bad_step;
    if (comm_size(trainer->comm) == 1)
        return true;
    if (!comm_min(trainer->comm, &trainer->steps_at_once, status) ||
        !comm_min(trainer->comm, &first_bad, status))
        return false;
    *bad_step = first_bad == INT64_MAX ? -1 : first_bad;
    return true;
}

/* Profiled steps are made one by one. Their time is not used to choose the number of later
 * steps. */
static int64_t steps_wanted(const Trainer *trainer)
{
    enum { FIRST_STEPS = 64 };
    if (trainer->is_profiled)
        return 1;
    return trainer->steps_at_once > 0 ? trainer->steps_at_once : FIRST_STEPS;
}

static void add_whole_steps(const Trainer *trainer, int64_t first, int64_t count, int64_t begin_ns)
{
    const int64_t took_ns = machine_clock_ns() - begin_ns;
    for (int64_t i = 0; trainer->timeline && i < count; i++)
        timeline_add(trainer->timeline, PHASE_WHOLE, first + i, begin_ns + took_ns * i / count,
                     begin_ns + took_ns * (i + 1) / count, 0);
}

static bool steps_at_once(Trainer *trainer, const StepRun *run, int64_t *done, Score *score,
                          Status *status)
{
    Comm *comm = trainer->comm;
    const int64_t wanted = steps_wanted(trainer);
    StepRun part = *run;
    int64_t bad_step = -1;
    part.count = wanted < run->count ? wanted : run->count;
    part.optimizer = &trainer->optimizer;
    part.gradient_scale = 1.0f / (float)comm_size(comm);
    if (comm_size(comm) > 1 && !comm_ready(comm, (int64_t)run->step, NULL, status))
        return false;
    const int64_t begin_ns = machine_clock_ns();
    if (!trainer->backend->steps(trainer->model, &part, comm, score, &bad_step, status))
        return false;
    add_whole_steps(trainer, (int64_t)run->step, part.count, begin_ns);
    if (!trainer->is_profiled)
        trainer->steps_at_once = steps_to_time(part.count, machine_clock_ns() - begin_ns);
    if (!agree_on_steps(trainer, &bad_step, status))
        return false;
    *done = part.count;
    return bad_step < 0 || fail_not_finite(trainer, bad_step, score->loss_sum, status);
}

bool trainer_steps(Trainer *trainer, const StepRun *run, int64_t *done, Score *score,
                   Status *status)
{
    bool is_done;
    *done = 1;
    if (trainer->is_profiled)
        profile_begin(trainer->profile, (int64_t)run->step);
    if (trainer_makes_whole_steps(trainer))
        is_done = steps_at_once(trainer, run, done, score, status);
    else
        is_done = step_alone(trainer, run, score, status);
    profile_end(trainer->profile);
    return is_done;
}

/* --- Between epochs --- */

int32_t trainer_evaluates_at_once(const Trainer *trainer, int32_t batch_size)
{
    enum { BATCHES = 8, GPU_BATCHES = 128 };
    const int64_t images =
        (int64_t)batch_size * (trainer->backend->evaluate ? GPU_BATCHES : BATCHES);
    return (int32_t)(images < INT32_MAX ? images : INT32_MAX);
}

bool trainer_evaluate(Trainer *trainer, const ImageSet *set, int32_t first, int32_t count,
                      int32_t batch_size, Score *score, Status *status)
{
    const Backend *backend = trainer->backend;
    if (backend->evaluate)
        return backend->evaluate(trainer->model, set, first, count, batch_size, score, status);
    int32_t *indices = memory_zeroed((size_t)batch_size * sizeof *indices);
    bool is_fine = true;
    *score = (Score){0};
    for (int32_t done = 0; is_fine && done < count; done += batch_size) {
        Batch batch = {.set = set,
                       .indices = indices,
                       .count = count - done < batch_size ? count - done : batch_size};
        for (int32_t i = 0; i < batch.count; i++)
            indices[i] = first + done + i;
        Score more;
        backend->gather(trainer->model, &batch);
        backend->augment(trainer->model, &batch);
        is_fine = backend->forward(trainer->model, false, &more, status);
        if (is_fine)
            score_add(score, more);
    }
    free(indices);
    return is_fine;
}

static bool broadcast_arena(Trainer *trainer, ArenaKind kind, Status *status)
{
    const int64_t bytes = trainer->net->parameter_count * (int64_t)sizeof(float);
    float *values = trainer->backend->arena(trainer->model, kind, status);
    if (!values || !comm_broadcast(trainer->comm, values, bytes, status))
        return false;
    trainer->backend->arena_changed(trainer->model, kind);
    return true;
}

bool trainer_broadcast(Trainer *trainer, Status *status)
{
    return broadcast_arena(trainer, ARENA_WEIGHTS, status) &&
           broadcast_arena(trainer, ARENA_ACCUMULATORS, status);
}
