/* A training on disk, in one Keras HDF5 file (layout of Keras 2.3.1, which keeps the optimizer's
 * count of steps): what load_model of Keras reads, and in further attributes of the root, which
 * Keras does not look at, what an exact resumption needs.
 *
 * Written to a temporary name, synced and renamed: a reader meets a whole file or none. */
#ifndef TRAINER_CHECKPOINT_H
#define TRAINER_CHECKPOINT_H

#include "trainer/compute/net.h"
#include "trainer/compute/optimizer.h"

/* Where a training stands between two epochs. All random numbers hang on these
 * (trainer/base/random.h).
 */
typedef struct {
    uint64_t seed;
    int32_t ranks;
    int32_t batch_size; /* of a rank */
    int64_t epoch;      /* epochs completed */
    int64_t iteration;  /* steps completed: the optimizer's count */
    int64_t train_images;
    bool is_augmented;
    char backend[16], precision[8]; /* another one continues, but not to the bit */
} TrainingState;

/* `weights` and `accumulators` are arenas of the net. `*bytes` becomes the file's size.
 * STATUS_MACHINE when the disk refuses; `path` is then as it was, unless all that failed was
 * putting its new name on disk. */
MUST_CHECK bool checkpoint_write(const char *path, const Net *net, const RmsProp *optimizer,
                                 const TrainingState *state, const float *weights,
                                 const float *accumulators, int64_t *bytes, Status *status);

/* Fills both arenas. STATUS_BAD_INPUT when the file is of another network, is no HDF5, is cut
 * short, or is not as checkpoint_write wrote it, to the byte (trainer/run/checksum.h). With `state`
 * NULL any Keras file of this network will do, and accumulators may be NULL; one that is not sealed
 * is then read in a process of its own (trainer/run/fork_guard.h: not after MPI has started),
 * because the HDF5 library may crash on what is damaged or malicious, and a crash becomes
 * STATUS_BAD_INPUT. That guards against accidents; it is no prison for a file made to take over the
 * process. */
MUST_CHECK bool checkpoint_read(const char *path, const Net *net, TrainingState *state,
                                float *weights, float *accumulators, Status *status);
/* The same from the bytes of a file, which `source` names in messages. */
MUST_CHECK bool checkpoint_parse(const char *source, const char *bytes, size_t length,
                                 const Net *net, TrainingState *state, float *weights,
                                 float *accumulators, Status *status);

#endif
