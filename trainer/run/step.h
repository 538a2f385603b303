/* Training steps of a rank, and an evaluation: the calls to backend and communication in their
 * order, with the time of each on the timeline. */
#ifndef TRAINER_STEP_H
#define TRAINER_STEP_H

#include "trainer/comm/comm.h"
#include "trainer/compute/backend.h"
#include "trainer/record/timeline.h"

typedef struct {
    const Backend *backend;
    void *model; /* of the backend */
    const Net *net;
    Comm *comm;
    Timeline *timeline; /* or NULL */
    int64_t *ready_ns;  /* [ranks], for the timeline of rank 0; may be NULL without one */
    RmsProp optimizer;
    uint64_t seed;         /* of the order of images in each epoch */
    int32_t *order;        /* [images]: of the epoch, where steps go one by one */
    Profile *profile;      /* that the model was opened with, or NULL */
    bool is_profiled;      /* whether the next steps are measured for it, on all ranks alike */
    uint64_t ordered;      /* epochs up to the one that `order` is of; 0: none yet */
    int64_t steps_at_once; /* of the next call of the backend's steps; 0: none was timed yet */
    bool has_diverged;     /* why trainer_step failed, on all ranks */
} Trainer;

/* Trains on one batch: batch->step is the iteration. `score` is this rank's, before the update.
 * STATUS_MACHINE, on all ranks in the same step, when the loss of a rank or a weight is not finite:
 * the model is good for nothing then, the message names ranks and step, `has_diverged` is set.
 * Any other failure is of this rank alone. */
MUST_CHECK bool trainer_step(Trainer *trainer, const Batch *batch, Score *score, Status *status);

/* Trains on the first of the steps that `run` is of, at least on one: where the backend makes whole
 * steps, as many as it makes in about a tenth of a second, so that signals and bars have their
 * turn; one where it is profiled. `*done` is their number, the same on all ranks, `score` theirs on
 * this rank. Optimizer and gradient_scale of `run` are not read. Fails as trainer_step. */
MUST_CHECK bool trainer_steps(Trainer *trainer, const StepRun *run, int64_t *done, Score *score,
                              Status *status);
/* Whether these are whole steps of the backend, in which the processor can tell no phases apart:
 * not where a timeline wants them of steps that are not profiled, or where gradients are summed
 * through the processor. */
bool trainer_goes_at_once(const Trainer *trainer);

/* The score of images [first, first + count) of `set`, without dropout and augmentation,
 * `batch_size` at once (at most the model's). Not collective. */
MUST_CHECK bool trainer_evaluate(Trainer *trainer, const ImageSet *set, int32_t first,
                                 int32_t count, int32_t batch_size, Score *score, Status *status);

/* Rank 0's weights and accumulators to all. */
MUST_CHECK bool trainer_broadcast(Trainer *trainer, Status *status);

#endif
