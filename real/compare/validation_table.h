/* Measured steps: the table that tools/validate.sh writes.
 *
 *     # trainyard validation 1
 *     machine<TAB>date<TAB>cores<TAB>backend<TAB>network<TAB>precision<TAB>batch<TAB>ranks<TAB>...
 *     zen4<TAB>2026-11-23<TAB>2<TAB>onednn<TAB>keras_cifar10_cnn<TAB>fp32<TAB>32<TAB>1<TAB>...
 *
 * A row is one measurement of `trainyard bench-training`. The further columns are the round, the
 * number of steps, and in ms the step's minimum, median, mean and 90th percentile and the median of
 * each phase. */
#ifndef REAL_VALIDATION_TABLE_H
#define REAL_VALIDATION_TABLE_H

#include "sim/base/status.h"
#include "sim/cloud/training/layer_rates.h"

typedef enum {
    VALIDATION_LOAD,
    VALIDATION_AUGMENT,
    VALIDATION_FORWARD,
    VALIDATION_BACKWARD,
    VALIDATION_NEGOTIATE,
    VALIDATION_ALLREDUCE,
    VALIDATION_UPDATE,
    VALIDATION_PHASE_COUNT
} ValidationPhase;

typedef struct {
    const char *network;
    StepPrecision precision;
    int64_t batch;
    int32_t ranks;
    int32_t round; /* from 1 */
    int64_t steps;
    int64_t min_ns, median_ns, mean_ns, p90_ns;
    int64_t phase_ns[VALIDATION_PHASE_COUNT]; /* 0: not measured */
    Place at;
} ValidationRow;

typedef struct {
    const char *machine, *backend, *date; /* of the first row; all have its machine and backend */
    int32_t cores;
    int32_t row_count; /* >= 1 */
    const ValidationRow *rows;
} ValidationTable;

/* Parses the table. STATUS_BAD_INPUT with line and column if it is malformed. Borrows `source`. */
MUST_CHECK bool validation_parse(const char *source, const char *text, size_t length, Arena *arena,
                                 ValidationTable *table, Status *status);

#endif
