/* The rows of a table over epochs: all epochs, or some at equal distances and the last. */
#ifndef REPORTS_RUN_EPOCH_ROWS_H
#define REPORTS_RUN_EPOCH_ROWS_H

#include "reports/figure/numbers.h"
#include "sim/base/wide.h"

typedef struct {
    int64_t epochs, stride, count;
} EpochRows;

/* Rows for the epochs 1 to `epochs`, which is at least 1. */
EpochRows epoch_rows(int64_t epochs);
int64_t epoch_rows_epoch(const EpochRows *rows, int64_t row);
/* The row of `epoch`; -1: it has none. */
int64_t epoch_rows_find(const EpochRows *rows, int64_t epoch);
/* The part of the plot that is nearer to the row's epoch than to any other row's. The axis begins
 * and ends at these hundredths of an epoch. */
PlotBand epoch_rows_band(const EpochRows *rows, int64_t row, Wide axis_begin, Wide axis_end);

#endif
