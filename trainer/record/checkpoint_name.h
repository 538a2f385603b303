/* The names of checkpoints, and the latest one. The checkpoint after epoch 12 is
 * "checkpoint-12.h5", as in the published script. */
#ifndef TRAINER_CHECKPOINT_NAME_H
#define TRAINER_CHECKPOINT_NAME_H

#include <stdint.h>

#include "sim/base/arena.h"

/* "FOLDER/checkpoint-12.h5" for epoch 12, in `arena`. */
const char *checkpoint_path(Arena *arena, const char *folder, int64_t epoch);
/* The epoch of a file's name, 12 of "checkpoint-12.h5"; -1 for any other name. */
int64_t checkpoint_epoch(const char *name);
/* The highest epoch of a checkpoint in `folder` that is not above `epoch_max`; -1 if there is
 * none. */
int64_t checkpoint_latest_epoch(const char *folder, int64_t epoch_max);
/* The path of that checkpoint, in `arena`; NULL if there is none. */
const char *checkpoint_latest(Arena *arena, const char *folder, int64_t epoch_max);

#endif
