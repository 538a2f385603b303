/* `trainyard train`: one training. Every rank runs it.
 *
 *     read the data -> agree on a backend -> begin (random weights, or a checkpoint) -> epochs:
 *     [ steps -> evaluate -> history, events, checkpoint ] -> save the model -> evaluate
 *
 * Checkpoints follow epochs, steps or a time (--checkpoint-every). After a signal all ranks finish
 * the step under way, or the evaluation of its epoch, and the training ends with a checkpoint.
 *
 * The same as the published Keras and Horovod script, with two differences. In the script every
 * rank evaluates the whole test set. Here each rank evaluates its part and the sums are added up,
 * which gives the same score. The script would continue with weights that are not numbers; here the
 * training ends.
 *
 * If a rank fails between steps (its disk, its data), all ranks agree to end, and the lowest rank
 * that failed prints the message. A rank that fails inside a step has to end the others
 * (comm_abort). */
#ifndef TRAINER_TRAINING_H
#define TRAINER_TRAINING_H

#include "sim/base/text.h"
#include "trainer/comm/comm.h"
#include "trainer/compute/loss.h"
#include "trainer/record/history.h"
#include "trainer/run/training_settings.h"

typedef enum {
    TRAINING_DONE,
    TRAINING_FAILED,       /* on all ranks */
    TRAINING_FAILED_ALONE, /* the others may wait for this rank: comm_abort */
    TRAINING_DIVERGED,     /* a loss or a weight is not finite, on all ranks */
    TRAINING_INTERRUPTED,  /* by a signal, on all ranks */
} TrainingEnd;

/* The result of a training. */
typedef struct {
    TrainingEnd end;
    int signal;   /* that interrupted it; of one rank or several */
    Text summary; /* rank 0: JSON, if requested and the training is done; the caller frees it */
} TrainingResult;

/* Returns false unless the end is TRAINING_DONE. `status` then has a message on the ranks that
 * should print it, and only a code elsewhere. `chrome_path` is the file for the Chrome trace of a
 * timeline; NULL: timeline.json in the log folder. Rank 0 prints the progress on stdout; warnings
 * go to stderr. */
MUST_CHECK bool training_run(const TrainingSettings *options, const char *chrome_path, Comm *comm,
                             Arena *arena, TrainingResult *result, Status *status);

#endif
