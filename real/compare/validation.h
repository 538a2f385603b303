/* A matrix of measured steps, and what is predicted of each cell. Measured by tools/validate.sh:
 *
 *     # trainyard validation 1
 *     machine<TAB>date<TAB>cores<TAB>backend<TAB>network<TAB>precision<TAB>batch<TAB>ranks<TAB>...
 *     zen4<TAB>2026-11-23<TAB>2<TAB>onednn<TAB>keras_cifar10_cnn<TAB>fp32<TAB>32<TAB>1<TAB>...
 *
 * A row is one measurement of `trainyard bench-training`: the columns go on with round, steps, and
 * in ms the step's min, median, mean and 90th percentile and the median of each phase. A cell is
 * all rounds of one network, precision, batch and number of ranks. What was measured of it is the
 * median of the rounds' medians, and its spread reaches from the least of them to the most.
 *
 * Cells with more ranks than cores are listed, but not judged: how the system divides a core among
 * ranks that wait for each other is no property of the trainer. */
#ifndef REAL_VALIDATION_H
#define REAL_VALIDATION_H

#include "real/compare/compare.h"
#include "sim/scenario/catalog/read.h"

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
    const char *backend, *network;
    StepPrecision precision;
    int64_t batch;
    int32_t ranks;
    int32_t round; /* from 1 */
    int64_t steps;
    int64_t min_ns, median_ns, mean_ns, p90_ns;
    int64_t phase_ns[VALIDATION_PHASE_COUNT]; /* 0: there was none */
    Place at;
} ValidationRow;

typedef struct {
    const char *machine, *date; /* of the first row; the machine is that of all */
    int32_t cores;
    int32_t row_count; /* >= 1 */
    const ValidationRow *rows;
} ValidationTable;

/* STATUS_BAD_INPUT with line and column for anything that is not such a table. Borrows `source`. */
MUST_CHECK bool validation_parse(const char *source, const char *text, size_t length, Arena *arena,
                                 ValidationTable *table, Status *status);

/* What ranks leave to everything else that runs, such as mpirun and the system. */
typedef enum {
    CORES_FREE,    /* a core or more */
    CORES_TAKEN,   /* nothing */
    CORES_CROWDED, /* less: ranks share cores */
    CORE_USE_COUNT
} CoreUse;

typedef struct {
    const ValidationRow *settings; /* its first row */
    int32_t rounds;
    CoreUse cores;
    double predicted_ms;
    double measured_ms, low_ms, high_ms;
    double error; /* predicted / measured - 1 */
    Blame blame;
} ValidationCell;

typedef struct {
    int32_t count;
    double mean, worst; /* errors without signs; 0 of none */
    double bias;        /* the mean of errors with their signs: of predictions that are too long or
                           too short on the whole */
} ValidationSummary;

typedef struct {
    const ValidationTable *table;
    Tolerance tolerance;
    int32_t cell_count;
    const ValidationCell *cells; /* by network, precision, ranks, batch */
    ValidationSummary uses[CORE_USE_COUNT];
    ValidationSummary judged; /* all but CORES_CROWDED */
    bool is_inside;
} Validation;

/* What trainyard is called in the catalogues of `trainyard calibrate`. */
#define VALIDATION_VM_SIZE "local"
#define VALIDATION_FRAMEWORK "trainyard"
#define VALIDATION_JITTER "local"
#define VALIDATION_EXCHANGE "trainyard-mpi"
#define VALIDATION_EXCHANGE_OF_GPUS "trainyard-nccl" /* where there is no other */

/* Predicts every cell with these. STATUS_BAD_INPUT where the catalogue lacks one of them or a
 * network, or does not say how fast the machine is in a precision or over so many ranks. Borrows
 * `table`. */
MUST_CHECK bool validation_judge(Arena *arena, const ValidationTable *table, const Catalog *catalog,
                                 Tolerance tolerance, Validation *validation, Status *status);

/* --- Output --- */

void validation_print(Text *out, Arena *arena, const Validation *validation);
Json *validation_json(Arena *arena, const Validation *validation);
/* A section of reports/validation.md. `plot` is the path of its plot, as seen from there. */
void validation_markdown(Text *out, Arena *arena, const Validation *validation, const char *plot);
/* `folder`/plots/validation.svg and validation-error.svg; `folder` exists. STATUS_MACHINE when they
 * cannot be written, or gnuplot is missing or fails. */
MUST_CHECK bool validation_plots_write(Arena *arena, const Validation *validation,
                                       const char *folder, Status *status);

#endif
