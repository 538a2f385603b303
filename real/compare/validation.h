/* Predicts each cell of a table of measured steps (real/compare/validation_table.h). A cell
 * contains all rounds of one network, precision, batch size and number of ranks. Its measured value
 * is the median of the rounds' medians. Its spread is from the smallest to the largest of these
 * medians.
 *
 * Cells with more ranks than cores are listed, but not judged. The system, not the trainer, divides
 * a core among ranks that wait for each other. */
#ifndef REAL_VALIDATION_H
#define REAL_VALIDATION_H

#include "real/compare/compare.h"
#include "real/compare/validation_table.h"
#include "sim/scenario/catalog/read.h"

/* The cores that the ranks leave for other programs, such as mpirun and the system. */
typedef enum {
    CORES_FREE,    /* one core or more is free */
    CORES_TAKEN,   /* no core is free */
    CORES_CROWDED, /* ranks share cores */
    CORE_USE_COUNT
} CoreUse;

typedef struct {
    const ValidationRow *settings; /* the cell's first row */
    int32_t rounds;
    CoreUse cores;
    double predicted_ms;
    double measured_ms, low_ms, high_ms;
    double error; /* predicted / measured - 1 */
    Blame blame;
} ValidationCell;

typedef struct {
    int32_t count;
    double mean, worst; /* absolute errors; 0 if there are no cells */
    double bias; /* mean of the signed errors: positive if predictions are too long on the whole */
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

/* The names of the entries in the catalogues of `trainyard calibrate`. */
#define VALIDATION_VM_SIZE "local"
#define VALIDATION_CORE "local-core" /* a device of that VM size; a GPU has another name */
#define VALIDATION_FRAMEWORK "trainyard"
#define VALIDATION_JITTER "local"
#define VALIDATION_EXCHANGE "trainyard-mpi"
#define VALIDATION_EXCHANGE_OF_GPUS "trainyard-nccl" /* if there is no other exchange */

/* Predicts every cell with these entries and judges the errors. STATUS_BAD_INPUT if the catalogue
 * lacks an entry or a network, is of another kind of device than the table, or lacks the machine's
 * speed for a precision or a number of ranks. Borrows `table`. */
MUST_CHECK bool validation_judge(Arena *arena, const ValidationTable *table, const Catalog *catalog,
                                 Tolerance tolerance, Validation *validation, Status *status);

#endif
