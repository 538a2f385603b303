/* The names of checkpoints, and the latest one. The checkpoint after epoch 12 is
 * "checkpoint-12.h5", as in the published script; that after 120 steps of the next epoch is
 * "checkpoint-12-step-120.h5". */
#ifndef TRAINER_CHECKPOINT_NAME_H
#define TRAINER_CHECKPOINT_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"

/* A point of a training. */
typedef struct {
    int64_t epochs; /* completed */
    int64_t steps;  /* completed in the epoch after these; 0: none */
} CheckpointPoint;

/* Above, below or equal to 0 if `a` is later than, earlier than or the same as `b`. */
int checkpoint_point_compare(CheckpointPoint a, CheckpointPoint b);

/* "FOLDER/checkpoint-12.h5" for 12 epochs, in `arena`. */
const char *checkpoint_path(Arena *arena, const char *folder, CheckpointPoint point);
/* Reads the point of a file's name, {12, 0} of "checkpoint-12.h5". False for any other name. */
bool checkpoint_point_of(const char *name, CheckpointPoint *point);

/* The latest point of a checkpoint in `folder` that is not later than `most`. False: there is
 * none. */
bool checkpoint_latest_point(const char *folder, CheckpointPoint most, CheckpointPoint *latest);
/* The path of that checkpoint, in `arena`; NULL if there is none. */
const char *checkpoint_latest(Arena *arena, const char *folder, CheckpointPoint most);
/* The points of all checkpoints in `folder`, in their order, in `arena`. */
CheckpointPoint *checkpoint_points(Arena *arena, const char *folder, int32_t *count);
/* The latest point of all. */
#define CHECKPOINT_LAST ((CheckpointPoint){INT64_MAX, INT64_MAX})
/* Removes the checkpoints in `folder` from `first` to the end of its epoch. They belong to an
 * earlier training, or will be repeated. Ignores files that cannot be removed. */
void checkpoint_remove_from(Arena *arena, const char *folder, CheckpointPoint first);

#endif
