/* `trainyard train`: one training, as every rank of it runs it.
 *
 *     agree on a backend -> read the data -> begin (random weights, or a checkpoint) -> epochs:
 *     [ steps -> evaluate -> history, events, checkpoint ] -> save the model -> evaluate
 *
 * The same as the published Keras and Horovod script, with two liberties. Each rank evaluates its
 * part of the test set and the sums are added up, where in the script every rank evaluates all of
 * it: the score is the same. And where the script would go on with weights that are not numbers,
 * the training ends.
 *
 * A failure that one rank meets between steps (its disk, its data) is agreed on, so that all end
 * and the lowest of the ranks that failed speaks for all. Inside a step there is nobody to agree
 * with: such a rank has to end the others. */
#ifndef TRAINER_TRAINING_H
#define TRAINER_TRAINING_H

#include "sim/base/text.h"
#include "trainer/comm/comm.h"
#include "trainer/compute/loss.h"
#include "trainer/record/history.h"
#include "trainer/run/training_settings.h"

typedef enum {
    TRAINING_DONE,
    TRAINING_FAILED,       /* and all ranks know */
    TRAINING_FAILED_ALONE, /* the others may wait for this rank: comm_abort */
    TRAINING_DIVERGED,     /* the loss is no number: all ranks know */
    TRAINING_INTERRUPTED,  /* by signals_received, without other ranks */
} TrainingEnd;

/* What came of it, on rank 0. */
typedef struct {
    TrainingEnd end;
    Text summary; /* JSON, when it was asked for and the training is done; free it */
} TrainingResult;

/* False unless the end is TRAINING_DONE. `status` then has a message on the ranks that should print
 * one, and elsewhere only a code. `chrome_path` is where the Chrome trace of a timeline goes; NULL:
 * timeline.json in the log folder. Prints the training's progress on rank 0's stdout, warnings on
 * stderr. */
MUST_CHECK bool training_run(const TrainingSettings *options, const char *chrome_path, Comm *comm,
                             Arena *arena, TrainingResult *result, Status *status);

#endif
