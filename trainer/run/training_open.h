/* The state of a running training, and everything before the first step. Private to trainer/run. */
#ifndef TRAINER_TRAINING_OPEN_H
#define TRAINER_TRAINING_OPEN_H

#include "sim/base/units.h"
#include "trainer/record/tensorboard.h"
#include "trainer/run/checkpoint_writer.h"
#include "trainer/run/step.h"
#include "trainer/run/training.h"
#include "trainer/run/training_report.h"

/* A checkpoint that is being written. */
typedef struct {
    const char *path;
    int64_t step;             /* the last one before it */
    int64_t begin_ns, end_ns; /* the time in which it holds up steps */
} Writing;

typedef struct {
    const TrainingSettings *options;
    Arena *arena;
    int32_t rank, ranks;
    TrainingEnd end; /* the meaning of a failure at present; agreements change it */
    Net net;
    Dataset data; /* limited by --limit */
    Trainer trainer;
    TrainingPlan plan;
    TrainingState state;
    Score *scores;         /* [ranks]: at the last checkpoint within an epoch */
    CheckpointEvery every; /* its `count` is 0 */
    int64_t unsaved_ns;    /* of steps since the last checkpoint, on rank 0 */
    int signal;            /* after which the training ends, on all ranks; 0: none yet */
    bool is_save_due;      /* on all ranks: a checkpoint is to follow for its time, or the signal */
    int64_t notice_ns;     /* rank 0: --fail-notice began then; 0: it has not */
    bool has_settled;      /* rank 0: this training has replaced an earlier one's history */
    TrainingReport report;
    const char *log_folder, *model_folder;
    int lock; /* rank 0: the open log folder, which this training alone writes to; -1: none */
    const char *chrome_path; /* of the timeline's Chrome trace; NULL: in the log folder */
    const char *checkpoint;  /* the last complete one; NULL: none yet */
    int64_t checkpoint_bytes;
    CheckpointWriter writer; /* of the next one, on rank 0 */
    Writing writing;
    History *history;     /* on rank 0 */
    TensorBoard *board;   /* on rank 0 */
    EpochRecord *records; /* the epochs trained in this run; on rank 0 */
    int64_t record_count;
} Training;

/* True if `is_fine` is true on all ranks; collective. Otherwise it returns false on all ranks, and
 * only the lowest rank that failed keeps its message. */
MUST_CHECK bool training_agree(Training *training, bool is_fine, Status *status);

/* Everything before the first step: fills the members of `training` down to `records`. Call
 * training_close afterwards, also after a failure. */
MUST_CHECK bool training_open(Training *training, Status *status);
void training_close(Training *training);

#endif
