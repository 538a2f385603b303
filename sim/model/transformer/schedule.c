#include "sim/model/transformer/schedule.h"

#include <stdlib.h>

#include "sim/base/invariant.h"
#include "sim/base/memory.h"

/* Periods of `ranks` micro batches that are executed. */
enum { PERIODS_EXECUTED = 6 };

/* Forward passes of a rank before its first backward pass. */
static int64_t filling_passes(const PipelineSchedule *schedule, int32_t rank)
{
    const int64_t all = schedule->micro_batches * schedule->chunks;
    const int64_t behind = schedule->ranks - rank - 1;
    const int64_t passes = schedule->chunks == 1
                               ? behind
                               : 2 * behind + (schedule->chunks - 1) * (int64_t)schedule->ranks;
    return passes < all ? passes : all;
}

double schedule_in_flight(int32_t ranks, int32_t chunks, int64_t micro_batches, int32_t rank)
{
    const PipelineSchedule schedule = {
        .ranks = ranks, .chunks = chunks, .micro_batches = micro_batches};
    const int64_t all = micro_batches * chunks;
    const int64_t passes = filling_passes(&schedule, rank) + 1;
    return (double)(passes < all ? passes : all) / chunks;
}

/* --- Execution --- */

typedef struct {
    const PipelineSchedule *plan;
    double *forward_end_s; /* by stage and micro batch; < 0: not yet */
    double *backward_end_s;
    int64_t done[SCHEDULE_STAGES_MOST]; /* passes of each rank */
    double free_s[SCHEDULE_STAGES_MOST];
} Execution;

/* The `index`-th forward or backward pass of a rank. */
typedef struct {
    bool is_forward;
    int32_t stage;
    int64_t micro_batch;
} Pass;

static Pass pass_in_order(const PipelineSchedule *plan, int32_t rank, bool is_forward,
                          int64_t index)
{
    const int64_t group = (int64_t)plan->ranks * plan->chunks;
    const int32_t chunk = plan->chunks == 1 ? 0 : (int32_t)(index % group / plan->ranks);
    const int64_t micro_batch =
        plan->chunks == 1 ? index : index / group * plan->ranks + index % plan->ranks;
    const int32_t at = is_forward ? chunk : plan->chunks - 1 - chunk;
    return (Pass){is_forward, rank + at * plan->ranks, micro_batch};
}

/* The pass that follows `done` others on the rank. */
static Pass next_pass(const PipelineSchedule *plan, int32_t rank, int64_t done)
{
    const int64_t all = plan->micro_batches * plan->chunks;
    const int64_t filling = filling_passes(plan, rank);
    if (done < filling)
        return pass_in_order(plan, rank, true, done);
    const int64_t later = done - filling;
    const int64_t pairs = all - filling;
    if (later < 2 * pairs)
        return pass_in_order(plan, rank, later % 2 == 0,
                             later % 2 == 0 ? filling + later / 2 : later / 2);
    return pass_in_order(plan, rank, false, later - pairs);
}

/* When the input of `pass` is there; < 0: not known yet. */
static double input_s(const Execution *run, Pass pass)
{
    const PipelineSchedule *plan = run->plan;
    const int64_t last = (int64_t)plan->ranks * plan->chunks - 1;
    const int64_t m = plan->micro_batches;
    if (pass.is_forward && pass.stage == 0)
        return 0;
    if (!pass.is_forward && pass.stage == last)
        return run->forward_end_s[pass.stage * m + pass.micro_batch];
    const double end_s = pass.is_forward
                             ? run->forward_end_s[(pass.stage - 1) * m + pass.micro_batch]
                             : run->backward_end_s[(pass.stage + 1) * m + pass.micro_batch];
    return end_s < 0 ? end_s : end_s + plan->send_s;
}

/* Performs the passes of a rank whose inputs are known; returns whether there was one. */
static bool rank_advance(Execution *run, int32_t rank)
{
    const PipelineSchedule *plan = run->plan;
    const int64_t all = 2 * plan->micro_batches * plan->chunks;
    const int64_t before = run->done[rank];
    for (; run->done[rank] < all; run->done[rank]++) {
        const Pass pass = next_pass(plan, rank, run->done[rank]);
        const double ready_s = input_s(run, pass);
        if (ready_s < 0)
            break;
        const double begin_s = ready_s > run->free_s[rank] ? ready_s : run->free_s[rank];
        const double *lasts_s = pass.is_forward ? plan->forward_s : plan->backward_s;
        run->free_s[rank] = begin_s + lasts_s[pass.stage];
        double *ends_s = pass.is_forward ? run->forward_end_s : run->backward_end_s;
        ends_s[pass.stage * plan->micro_batches + pass.micro_batch] = run->free_s[rank];
    }
    return run->done[rank] > before;
}

static double execute_s(const PipelineSchedule *plan)
{
    const int64_t cells = plan->micro_batches * plan->ranks * plan->chunks;
    Execution run = {.plan = plan};
    run.forward_end_s = memory_zeroed((size_t)cells * 2 * sizeof(double));
    run.backward_end_s = run.forward_end_s + cells;
    for (int64_t i = 0; i < 2 * cells; i++)
        run.forward_end_s[i] = -1;
    for (bool advances = true; advances;) {
        advances = false;
        for (int32_t rank = 0; rank < plan->ranks; rank++)
            advances |= rank_advance(&run, rank);
    }
    double end_s = 0;
    for (int32_t rank = 0; rank < plan->ranks; rank++) {
        invariant(run.done[rank] == 2 * plan->micro_batches * plan->chunks);
        end_s = run.free_s[rank] > end_s ? run.free_s[rank] : end_s;
    }
    free(run.forward_end_s);
    return end_s;
}

double schedule_time_s(const PipelineSchedule *schedule)
{
    invariant((int64_t)schedule->ranks * schedule->chunks <= SCHEDULE_STAGES_MOST);
    if (schedule->ranks == 1)
        return schedule_busiest_s(schedule);
    const int64_t executed = (int64_t)PERIODS_EXECUTED * schedule->ranks;
    if (schedule->micro_batches <= executed)
        return execute_s(schedule);
    // The executed part has as many micro batches in its last, incomplete period as the whole.
    PipelineSchedule part = *schedule;
    part.micro_batches = executed - schedule->ranks + schedule->micro_batches % schedule->ranks;
    const double before_s = execute_s(&part);
    part.micro_batches += schedule->ranks;
    const double after_s = execute_s(&part);
    const int64_t periods = (schedule->micro_batches - part.micro_batches) / schedule->ranks;
    return after_s + (double)periods * (after_s - before_s);
}

/* --- Bounds --- */

double schedule_busiest_s(const PipelineSchedule *schedule)
{
    double busiest_s = 0;
    for (int32_t rank = 0; rank < schedule->ranks; rank++) {
        double passes_s = 0;
        for (int32_t chunk = 0; chunk < schedule->chunks; chunk++) {
            const int32_t stage = rank + chunk * schedule->ranks;
            passes_s += schedule->forward_s[stage] + schedule->backward_s[stage];
        }
        busiest_s = passes_s > busiest_s ? passes_s : busiest_s;
    }
    return busiest_s * (double)schedule->micro_batches;
}

/* A rank's first pass waits for the first chunks of the ranks before it, and after its last pass
 * these perform the backward passes of theirs. */
double schedule_least_s(const PipelineSchedule *schedule)
{
    double least_s = 0, around_s = 0;
    for (int32_t rank = 0; rank < schedule->ranks; rank++) {
        double passes_s = 0;
        for (int32_t chunk = 0; chunk < schedule->chunks; chunk++) {
            const int32_t stage = rank + chunk * schedule->ranks;
            passes_s += schedule->forward_s[stage] + schedule->backward_s[stage];
        }
        const double rank_s = around_s + passes_s * (double)schedule->micro_batches;
        least_s = rank_s > least_s ? rank_s : least_s;
        around_s += schedule->forward_s[rank] + schedule->backward_s[rank] + 2 * schedule->send_s;
    }
    return least_s;
}
