/* What became of each epoch, a row an epoch: the curve of a training, for people and scripts.
 *
 *     # trainyard history 1
 *     epoch<TAB>loss<TAB>acc<TAB>val_loss<TAB>val_acc<TAB>lr<TAB>seconds<TAB>images_per_s
 *     1<TAB>1.901234<TAB>0.302140<TAB>1.552345<TAB>0.451200<TAB>0.000399376<TAB>31.402<TAB>1612.4
 *
 * Names as Keras 2.2 has them in its logs. The columns up to lr hang on seed, ranks, backend and
 * data alone; the last two are measured. "-" stands for what was not measured. Numbers have a point
 * in every locale.
 *
 * The file is replaced at each row (temporary name, sync, rename), so that a reader meets whole
 * rows only, and a full disk leaves the rows there were. */
#ifndef TRAINER_HISTORY_H
#define TRAINER_HISTORY_H

#include "sim/base/status.h"

/* One epoch of the whole job. */
typedef struct {
    int64_t epoch;        /* epochs completed with it: the first is 1 */
    double loss, acc;     /* mean over the training images of all ranks; acc is 0 to 1 */
    double val_loss;      /* of the test set; NaN: not evaluated */
    double val_acc;       /* 0 to 1; NaN with val_loss */
    double learning_rate; /* of the epoch's last step, after decay */
    double seconds;       /* of the epoch on rank 0's clock, with its evaluation */
    double images_per_s;  /* training images of all ranks by the time they took to train on */
} EpochRecord;

/* The measures of a record as tables and TensorBoard show them. */
typedef struct {
    const char *name; /* "loss", ... */
    size_t offset;    /* of the double in EpochRecord */
    int32_t decimals; /* after the point */
    bool is_optional; /* may be NaN, both or none */
} EpochMeasure;
enum { EPOCH_MEASURES = 7 };
extern const EpochMeasure epoch_measures[EPOCH_MEASURES]; /* in the order of the columns */
double epoch_measure(const EpochRecord *record, const EpochMeasure *measure);

typedef struct History History;

/* The history of a training that stands after `epochs` epochs: rows of `path` up to there stay,
 * later ones go (epochs that are trained again after a resumption). With 0 epochs a file of an
 * earlier training is begun anew. Nothing is written before the first row, so a resumption that
 * fails early loses nothing. STATUS_BAD_INPUT when epochs > 0 and `path` is no history; that there
 * is none is fine: its rows then begin later. `path` is copied; in `arena`. */
MUST_CHECK bool history_open(const char *path, int64_t epochs, Arena *arena, History **history,
                             Status *status);
/* Adds a row and syncs it to disk. record->epoch is above that of the row before; all measures but
 * the optional are finite. Best before the epoch's checkpoint: then no checkpoint is without its
 * row. */
MUST_CHECK bool history_add(History *history, const EpochRecord *record, Status *status);
void history_close(History *history); /* NULL is fine; nothing is left to be written */

typedef struct {
    int64_t count;
    const EpochRecord *records; /* by ascending epoch */
} HistoryFile;

/* Reads what history_add wrote. STATUS_BAD_INPUT with line and column for anything else. */
MUST_CHECK bool history_parse(const char *source, const char *text, size_t length, Arena *arena,
                              HistoryFile *file, Status *status);
MUST_CHECK bool history_read(const char *path, Arena *arena, HistoryFile *file, Status *status);

#endif
