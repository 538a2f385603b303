/* Sorts measurements into rows. A row is one quantity of a calibration at all sizes at which it was
 * measured. */
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
    const char *name;  /* "fp32 forward convolution 3x3/1 32>32 30x30", without the device's name */
    const char *group; /* the first words of the name: "fp32 forward convolution" */
    const NetworkLayer *layer; /* NULL: the row is not a layer */
    bool is_first;             /* first layer of its network: its input needs no gradient */
    int32_t count;
    const RowPoint *points; /* by rising `at` */
} Row;

typedef struct {
    int32_t count;
    const Row *rows; /* in the order of their names */
} Rows;

/* --- Each of these fails with STATUS_BAD_INPUT if a measurement is not valid --- */

/* Nanoseconds of the stages of ranks that train alone: layers, "input", "loss", "update". A layer
 * that is computed together with the previous one has 0. */
MUST_CHECK bool rows_of_stages(Arena *arena, const Json *measurements, Rows *rows, Status *status);
/* Rows such as "fp32 forward": how many times longer a phase takes side by side, by ranks. The
 * factor of 1 rank is 1. */
MUST_CHECK bool rows_of_sides(Arena *arena, const Json *measurements, Rows *rows, Status *status);
/* Rows such as "trainyard-mpi over 2 ranks": nanoseconds of a sum, by bytes. The group is the
 * exchange. */
MUST_CHECK bool rows_of_sums(Arena *arena, const Json *measurements, Rows *rows, Status *status);

/* Quantities that have one value per run or per round. */
typedef struct {
    Repeated start_ns;          /* from the start of a program until it trains */
    Repeated flops;             /* per second, of one rank with the tutorial's network in fp32 */
    Repeated write_bytes_per_s; /* of a checkpoint */
    /* Scatter of one rank's steps, relative to their median, with the largest number of ranks side
     * by side. */
    Repeated step_least, step_mean, step_p90;
} Singles;
MUST_CHECK bool singles_of(Arena *arena, const Json *measurements, Singles *singles,
                           Status *status);

#endif
