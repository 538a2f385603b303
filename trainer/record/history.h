/* The learning curve of a training, one row per epoch, for people and scripts.
 *
 *     # trainyard history 1
 *     epoch<TAB>loss<TAB>acc<TAB>val_loss<TAB>val_acc<TAB>lr<TAB>seconds<TAB>images_per_s
 *     1<TAB>1.901234<TAB>0.302140<TAB>1.552345<TAB>0.451200<TAB>0.000399376<TAB>31.402<TAB>1612.4
 *
 * The names are those of Keras 2.2's logs. The columns up to lr depend only on seed, ranks, backend
 * and data; the last two are times. "-" means not evaluated. Numbers have a decimal point in every
 * locale.
 *
 * Each new row replaces the file (temporary name, sync, rename). A reader therefore sees complete
 * rows only, and a full disk keeps the earlier rows. */
#ifndef TRAINER_HISTORY_H
#define TRAINER_HISTORY_H

#include "sim/base/status.h"

/* One epoch of the whole job. */
typedef struct {
    int64_t epoch;        /* number of completed epochs, this one included: the first is 1 */
    double loss, acc;     /* mean over the training images of all ranks; acc is 0 to 1 */
    double val_loss;      /* of the test set; NaN: not evaluated */
    double val_acc;       /* 0 to 1; NaN with val_loss */
    double learning_rate; /* of the epoch's last step, after decay */
    double seconds;       /* of the epoch on rank 0's clock, with its evaluation */
    double images_per_s;  /* training images of all ranks, divided by the training time */
} EpochRecord;

/* A measure of a record, as tables and TensorBoard show it. */
typedef struct {
    const char *name; /* "loss", ... */
    size_t offset;    /* of the double in EpochRecord */
    int32_t decimals; /* after the point */
    bool is_optional; /* may be NaN: val_loss and val_acc, only together */
} EpochMeasure;
/* X(name, member, decimals, is_optional, description) */
#define EPOCH_MEASURE_ROWS(X)                                                                      \
    X("loss", loss, 6, false, "mean over the training images of all ranks")                        \
    X("acc", acc, 6, false, "the accuracy on them, 0 to 1")                                        \
    X("val_loss", val_loss, 6, true, "of the test set, if it was evaluated")                       \
    X("val_acc", val_acc, 6, true, "likewise")                                                     \
    X("lr", learning_rate, 9, false, "of the last step, after decay")                              \
    X("seconds", seconds, 3, false, "of the epoch on the clock of rank 0, with its evaluation")    \
    X("images_per_s", images_per_s, 1, false, "training images of all ranks by the training time")
enum {
#define X(...) +1
    EPOCH_MEASURES = EPOCH_MEASURE_ROWS(X)
#undef X
};
extern const EpochMeasure epoch_measures[EPOCH_MEASURES]; /* in the order of the columns */
double epoch_measure(const EpochRecord *record, const EpochMeasure *measure);

typedef struct History History;

/* Opens the history of a training that has completed `epochs` epochs. Rows of `path` up to that
 * epoch are kept. Later rows are dropped, because a resumed training repeats those epochs. With 0
 * epochs the file of an earlier training is replaced. Nothing is written before the first row, so a
 * resumption that fails early loses nothing. Fails with STATUS_BAD_INPUT if epochs > 0 and `path`
 * is not a history. If `path` does not exist, the history begins with the next epoch. `path` is
 * copied; the history is in `arena`. */
MUST_CHECK bool history_open(const char *path, int64_t epochs, Arena *arena, History **history,
                             Status *status);
/* Adds a row and syncs it to disk. record->epoch is above that of the previous row; all measures
 * but the optional ones are finite. Call it before writing the epoch's checkpoint, so that every
 * checkpoint has its row. */
MUST_CHECK bool history_add(History *history, const EpochRecord *record, Status *status);
/* Writes the rows that are kept, without a new one: for a checkpoint within the next epoch. */
MUST_CHECK bool history_settle(const History *history, Status *status);
void history_close(History *history); /* NULL is allowed; writes nothing */

typedef struct {
    int64_t count;
    const EpochRecord *records; /* by ascending epoch */
} HistoryFile;

/* Read a file written by history_add. STATUS_BAD_INPUT with line and column for anything else. */
MUST_CHECK bool history_parse(const char *source, const char *text, size_t length, Arena *arena,
                              HistoryFile *file, Status *status);
MUST_CHECK bool history_read(const char *path, Arena *arena, HistoryFile *file, Status *status);

#endif
