/* Divides the time of a training into parts, from the timelines of its ranks
 * (trainer/record/timeline.h).
 *
 * A step of a rank lasts from the first beginning of its phases to their last end. Each instant
 * counts once: where phases overlap, arithmetic hides the other phases. So an exchange counts only
 * while the rank does not compute. That time is divided at the moment when the slowest rank had its
 * gradients: until then the rank waited, and after it the rank exchanged. So the parts of a step
 * mean the same on every rank, no matter which rank asked the others whether they were ready. They
 * also mean the same as in a prediction (sim/cloud/training/training.h). */
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
    SPENT_WHOLE, /* the whole step, of a backend without phases */
    SPENT_REST,  /* outside all phases */
    SPENT_COUNT
} Spent;
extern const char *const spent_names[]; /* "load", ..., ended by NULL */

typedef struct {
    int64_t step;
    int64_t begin_ns, end_ns;
    int64_t spent_ns[SPENT_COUNT]; /* their sum is the step */
} MeasuredStep;

/* One training, from its beginning or from a checkpoint. */
typedef struct {
    int32_t ranks;
    int64_t step_count;   /* steps that every rank recorded */
    MeasuredStep **steps; /* [rank][step_count], in order of their numbers */
    int64_t evaluate_count, checkpoint_count;
    int64_t *evaluate_ns, *checkpoint_ns; /* of rank 0, in order */
    int64_t began_ns, ended_ns; /* of all ranks: the first beginning and the last end of an epoch.
                                   The test of the saved model after the last epoch is excluded. */
} MeasuredRun;

/* Reads one timeline for each of `ranks` >= 1 ranks, in their order. The result is in `arena`. */
MeasuredRun measured_run(Arena *arena, const TimelineFile *files, int32_t ranks);

/* Computes the time from the first step of an epoch on rank 0 to the end of its last step. An epoch
 * has `steps_per_epoch` >= 1 steps. False if the run lacks one of them. */
bool measured_epoch_ns(const MeasuredRun *run, int64_t steps_per_epoch, int64_t epoch,
                       int64_t *took_ns);

#endif
