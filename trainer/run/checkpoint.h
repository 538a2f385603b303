/* A training on disk, in one Keras HDF5 file (layout of Keras 2.3.1, which keeps the optimizer's
 * count of steps). Keras' load_model can read it. Further attributes of the root, which Keras
 * ignores, store the state that an exact resumption needs.
 *
 * It is written to a temporary name, synced and renamed: a reader sees a complete file or none. */
#ifndef TRAINER_CHECKPOINT_H
#define TRAINER_CHECKPOINT_H

#include "trainer/compute/loss.h"
#include "trainer/compute/net.h"
#include "trainer/compute/optimizer.h"

/* The state of a training between two steps. All random numbers depend on it
 * (trainer/base/random.h).
 */
typedef struct {
    uint64_t seed;
    int32_t ranks;
    int32_t batch_size;  /* per rank */
    int64_t epoch;       /* epochs completed */
    int64_t step;        /* steps completed in the epoch under way; 0: none */
    int64_t epoch_steps; /* this and the next, if `step` is above 0: steps of an epoch */
    const Score *scores; /* [ranks]: of these steps */
    int64_t iteration;   /* steps completed: the optimizer's count */
    int64_t train_images;
    bool is_augmented;
    char backend[16], precision[8]; /* a training can continue with others, but not bit by bit */
} TrainingState;

/* `weights` and `accumulators` are arenas of the net. Sets `*bytes` to the file's size. Fails with
 * STATUS_MACHINE on disk errors. `path` is then unchanged, unless only the sync of its new name
 * failed. */
MUST_CHECK bool checkpoint_write(const char *path, const Net *net, const RmsProp *optimizer,
                                 const TrainingState *state, const float *weights,
                                 const float *accumulators, int64_t *bytes, Status *status);

/* Fills both arenas, and `state`, whose scores are in `arena`. Fails with STATUS_CONFLICT if the
 * file belongs to another network, and with STATUS_BAD_INPUT if it is not HDF5, is truncated, or
 * was changed after checkpoint_write (trainer/run/checksum.h). If `state` is NULL, `arena` may be
 * NULL, any Keras file of this network is accepted, and accumulators may be NULL. A file without a
 * valid checksum is then read in a separate process (trainer/run/fork_guard.h: not after MPI has
 * started). The HDF5 library may crash on damaged or malicious files; the crash becomes
 * STATUS_BAD_INPUT. That protects against accidents, but not against a file made to take over the
 * process. */
MUST_CHECK bool checkpoint_read(const char *path, const Net *net, Arena *arena,
                                TrainingState *state, float *weights, float *accumulators,
                                Status *status);
/* Whether the file is a checkpoint of trainyard that was changed or damaged since. */
bool checkpoint_is_changed(const char *path);
/* The same from the bytes of a file, which `source` names in messages. */
MUST_CHECK bool checkpoint_parse(const char *source, const char *bytes, size_t length,
                                 const Net *net, Arena *arena, TrainingState *state, float *weights,
                                 float *accumulators, Status *status);

#endif
