/* What a training spent its time on, from what its ranks noted (trainer/record/timeline.h).
 *
 * A step of a rank lasts from the first beginning of its phases to their last end, and each instant
 * of it counts once: where phases overlap, the arithmetic hides what goes on beside it, so that of
 * an exchange only that is counted which the rank had to stand still for. That time is divided by
 * when the slowest rank had its gradients: before, the rank waited; behind, it exchanged. So the
 * parts of a step mean the same on every rank, whichever of them asked the others whether they were
 * ready, and the same as in a prediction (sim/cloud/training/training.h). */
#ifndef REAL_MEASURED_H
#define REAL_MEASURED_H

#include "sim/base/arena.h"
#include "trainer/record/timeline.h"

typedef enum {
    SPENT_LOAD,
    SPENT_AUGMENT,
    SPENT_FORWARD,
    SPENT_BACKWARD,
    SPENT_WAIT,
    SPENT_EXCHANGE,
    SPENT_UPDATE,
    SPENT_WHOLE, /* of a backend that shows no phases */
    SPENT_REST,  /* in none of the phases */
    SPENT_COUNT
} Spent;
extern const char *const spent_names[]; /* "load", ..., ended by NULL */

typedef struct {
    int64_t step;
    int64_t begin_ns, end_ns;
    int64_t spent_ns[SPENT_COUNT]; /* they add up to the step */
} MeasuredStep;

/* One training, from its beginning or from a checkpoint. */
typedef struct {
    int32_t ranks;
    int64_t step_count;   /* of those that every rank noted */
    MeasuredStep **steps; /* [rank][step_count], in order of their numbers */
    int64_t evaluate_count, checkpoint_count;
    int64_t *evaluate_ns, *checkpoint_ns; /* of rank 0: each */
    int64_t began_ns, ended_ns; /* of any rank: first beginning and last end of what belongs to
                                   epochs. The test behind the last one, of the saved model, does
                                   not. */
} MeasuredRun;

/* From one timeline of each of `ranks` >= 1 ranks, in their order. Everything in `arena`. */
MeasuredRun measured_run(Arena *arena, const TimelineFile *files, int32_t ranks);

/* How long the steps of epoch `epoch` took on rank 0, with all between them, where an epoch has
 * `steps_per_epoch` >= 1; false when the run lacks one of them. */
bool measured_epoch_ns(const MeasuredRun *run, int64_t steps_per_epoch, int64_t epoch,
                       int64_t *took_ns);

#endif
