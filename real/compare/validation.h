/* What is predicted of each cell of a table of measured steps (real/compare/validation_table.h). A
 * cell is all rounds of one network, precision, batch size and number of ranks. Its measured value
 * is the median of the rounds' medians; its spread is from the smallest of them to the largest.
 *
 * Cells with more ranks than cores are listed, but not judged: how the system divides a core among
 * ranks that wait for each other is not a property of the trainer. */
#ifndef REAL_VALIDATION_H
#define REAL_VALIDATION_H

#include "real/compare/compare.h"
#include "real/compare/validation_table.h"
#include "sim/scenario/catalog/read.h"

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

#endif
