/* A training under way: its state, and everything before the first step. Only trainer/run includes
 * this. */
#ifndef TRAINER_TRAINING_OPEN_H
#define TRAINER_TRAINING_OPEN_H

#include "trainer/record/tensorboard.h"
#include "trainer/run/checkpoint.h"
#include "trainer/run/step.h"
#include "trainer/run/training.h"
#include "trainer/run/training_report.h"

typedef struct {
    const TrainingSettings *options;
    Arena *arena;
    int32_t rank, ranks;
    TrainingEnd end; /* what a failure now means; agreements change it */
    Net net;
    Dataset data; /* as far as --limit goes */
    Trainer trainer;
    TrainingPlan plan;
    TrainingState state;
    TrainingReport report;
    const char *log_folder, *model_folder;
    const char *chrome_path; /* of the timeline's Chrome trace; NULL: in the log folder */
    const char *checkpoint;  /* the last one; NULL: none yet */
    History *history;        /* rank 0's, and */
    TensorBoard *board;      /* the same for TensorBoard */
    EpochRecord *records;    /* [plan.epochs]: of epochs trained here, rank 0's */
    int64_t record_count;
} Training;

/* True when `is_fine` is true on all ranks; collective. Else false on all, and the message stays
 * with the lowest rank that failed. */
MUST_CHECK bool training_agree(Training *training, bool is_fine, Status *status);

/* Everything before the first step: fills the members of `training` down to `records`. Call
 * training_close afterwards, also after a failure. */
MUST_CHECK bool training_open(Training *training, Status *status);
void training_close(Training *training);

#endif
