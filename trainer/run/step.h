/* Training steps and evaluations of a rank: the calls to backend and communication in their order,
 * with their times on the timeline. */
#ifndef TRAINER_STEP_H
#define TRAINER_STEP_H

#include "trainer/comm/comm.h"
#include "trainer/compute/backend.h"
#include "trainer/record/timeline.h"

typedef struct {
    const Backend *backend;
    void *model; /* belongs to the backend */
    const Net *net;
    Comm *comm;
    Timeline *timeline;   /* or NULL */
    bool has_whole_steps; /* on the timeline, where the backend makes them; else their phases */
    int64_t *ready_ns;    /* [ranks], for the timeline of rank 0; may be NULL without a timeline */
    RmsProp optimizer;
    uint64_t seed;         /* of the order of images in each epoch */
    int32_t *order;        /* [images]: order of the epoch, for steps made one by one */
    Profile *profile;      /* the profile given to the model, or NULL */
    bool is_profiled;      /* the next steps are measured; equal on all ranks */
    uint64_t ordered;      /* 1 + the epoch of `order`; 0: `order` is not filled */
    int64_t steps_at_once; /* in the next call of the backend's steps; 0: not timed yet */
    bool has_diverged;     /* trainer_step failed because a value was not finite, on all ranks */
} Trainer;

/* Trains on one batch; batch->step is the iteration. `score` is this rank's, before the update. If
 * the loss of a rank or a weight is not finite, fails with STATUS_MACHINE on all ranks in the same
 * step. The model is then unusable, the message names ranks and step, and `has_diverged` is set.
 * Any other failure concerns this rank only. */
MUST_CHECK bool trainer_step(Trainer *trainer, const Batch *batch, Score *score, Status *status);

/* Makes the first steps of `run`, at least one. If the backend makes whole steps, it makes as many
 * as take about a tenth of a second, so that signals are handled and bars are updated. A profiled
 * call makes one step. `*done` is the number of steps, equal on all ranks. `score` is their score
 * on this rank. Ignores the optimizer and gradient_scale of `run`. Fails like trainer_step. */
MUST_CHECK bool trainer_steps(Trainer *trainer, const StepRun *run, int64_t *done, Score *score,
                              Status *status);
/* True if trainer_steps makes whole steps in the backend, in which the processor cannot distinguish
 * phases. False if a timeline records phases of steps that are not profiled, or if gradients are
 * summed on the processor. On a timeline, whole steps that are made at once have equal parts of
 * their time. */
bool trainer_makes_whole_steps(const Trainer *trainer);

/* The number of images that a call of trainer_evaluate should have at most, so that signals are
 * handled and bars are updated. */
int32_t trainer_evaluates_at_once(const Trainer *trainer, int32_t batch_size);
/* The score of images [first, first + count) of `set`, without dropout and augmentation,
 * `batch_size` at once (at most the model's). Not collective. */
MUST_CHECK bool trainer_evaluate(Trainer *trainer, const ImageSet *set, int32_t first,
                                 int32_t count, int32_t batch_size, Score *score, Status *status);

/* Sends rank 0's weights and accumulators to all ranks. */
MUST_CHECK bool trainer_broadcast(Trainer *trainer, Status *status);

#endif
