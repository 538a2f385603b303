/* Measurements sorted into rows: each quantity that a calibration is about, at each size where it
 * was measured. */
#ifndef REAL_CALIBRATION_ROWS_H
#define REAL_CALIBRATION_ROWS_H

#include "real/calibrate/fit.h"
#include "sim/base/status.h"
#include "sim/cloud/spec/catalog.h"
#include "sim/json/json.h"

typedef struct {
    int64_t at; /* images, parameters, ranks or bytes */
    Repeated value;
} RowPoint;

typedef struct {
    const char *name; /* "fp32 forward convolution 3x3/1 32>32 30x30", as after the device's name */
    const char *group;         /* the first words of the name: "fp32 forward convolution" */
    const NetworkLayer *layer; /* NULL: no layer */
    bool is_first;             /* of its network: nobody asks for the gradient of its input */
    int32_t count;
    const RowPoint *points; /* by rising `at` */
} Row;

typedef struct {
    int32_t count;
    const Row *rows; /* in the order of their names */
} Rows;

/* --- Each of these fails with STATUS_BAD_INPUT where a measurement is not as it should be --- */

/* Nanoseconds of stages of training, of ranks alone: layers, "input", "loss", "update". A layer
 * that is made together with the one before it has 0. */
MUST_CHECK bool rows_of_stages(Arena *arena, const Json *measurements, Rows *rows, Status *status);
/* "fp32 forward": how much longer a phase takes side by side, by ranks; from 1, which is 1. */
MUST_CHECK bool rows_of_sides(Arena *arena, const Json *measurements, Rows *rows, Status *status);
/* "trainyard-mpi over 2 ranks": nanoseconds of a sum, by bytes; its group is the exchange. */
MUST_CHECK bool rows_of_sums(Arena *arena, const Json *measurements, Rows *rows, Status *status);

/* Single numbers: what was measured once in each round. */
typedef struct {
    Repeated start_ns;          /* of a program, until it trains */
    Repeated flops;             /* of one rank that trains the tutorial's network in fp32 */
    Repeated write_bytes_per_s; /* of a checkpoint */
    /* How the steps of one rank scatter, beside as many others as were measured: shares of their
     * median. */
    Repeated step_least, step_mean, step_p90;
} Singles;
MUST_CHECK bool singles_of(Arena *arena, const Json *measurements, Singles *singles,
                           Status *status);

#endif
