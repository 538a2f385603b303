/* What the parts of a training share. Only trainer/training*.c include this. */
#ifndef TRAINER_TRAINING_PARTS_H
#define TRAINER_TRAINING_PARTS_H

#include "trainer/record/tensorboard.h"
#include "trainer/record/training_report.h"
#include "trainer/run/checkpoint.h"
#include "trainer/run/step.h"
#include "trainer/run/training.h"

typedef struct {
    const TrainOptions *options;
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

/* Everything before the first step: the members of `training` down to `records`. What it opens is
 * closed by training_close, also after a failure. */
MUST_CHECK bool training_begin(Training *training, Status *status);
void training_close(Training *training);

/* The training as JSON, after its end; with its profile, if there is one. */
void training_summary(const Training *training, const char *model, const Score *test, Text *json);

#endif
