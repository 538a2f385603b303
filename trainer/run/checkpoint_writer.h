/* Checkpoints of a model, written one at a time. If its backend copies weights while steps continue
 * (copy_begin in trainer/compute/backend.h), a thread waits for the copy, hashes it and writes the
 * file. Otherwise the file is written at once. The bytes of the file are the same. */
#ifndef TRAINER_CHECKPOINT_WRITER_H
#define TRAINER_CHECKPOINT_WRITER_H

#include <pthread.h>
#include <stdatomic.h>

#include "trainer/run/checkpoint.h"
#include "trainer/run/step.h"

/* Zero: nothing is being written. Private: callers do not use the members. */
typedef struct {
    const Trainer *trainer; /* NULL: nothing is being written */
    const char *path;
    RmsProp optimizer;
    TrainingState state;
    bool has_thread;
    pthread_t thread;
    atomic_bool is_over; /* the members below are final */
    bool is_written;
    int64_t bytes;
    Status status;
} CheckpointWriter;

/* Begins a checkpoint of the present model; nothing else may be being written. `trainer` and
 * `path` are borrowed until the end. Fails only if the copy cannot begin; checkpoint_writer_end
 * reports a file that cannot be written. */
MUST_CHECK bool checkpoint_writer_begin(CheckpointWriter *writer, const Trainer *trainer,
                                        const TrainingState *state, const char *path,
                                        Status *status);
/* True if a checkpoint was begun and not ended; if it `is_over`, ending it does not wait. */
bool checkpoint_writer_is_busy(const CheckpointWriter *writer);
bool checkpoint_writer_is_over(const CheckpointWriter *writer);
/* Waits for the file that was begun. Sets `*bytes` to its size. Fails like checkpoint_write. */
MUST_CHECK bool checkpoint_writer_end(CheckpointWriter *writer, int64_t *bytes, Status *status);

#endif
