/* Fits a machine's catalogue to its measurements (real/calibrate/measuring.h). This is a pure
 * function of their text, so recorded measurements can be fitted again.
 *
 * The catalogue has
 *
 *     gpus/local-core          one core of the machine (a GPU: local-gpu)
 *     vm_sizes/local           the machine, with all its cores or GPUs
 *     frameworks/trainyard     the trainer
 *     exchanges/trainyard-mpi  one message after the backward pass; -nccl if NCCL was measured
 *     stage_times, kind_times, side_by_side, exchange_times     the fitted times
 *     jitters/local            the scatter of a rank's steps
 *     service/local_disk_rate
 *
 * and is read after a cloud's catalogue, such as scenarios/catalog/azure-2018.json.
 *
 * A stage is a line, fixed + per image * batch, if that meets all its measurements within 2 %.
 * Otherwise it is the list of its measurements, because caches bend some of them. A kind of layer
 * is a line over all shapes of that kind, for shapes that were never measured. Its notes give the
 * error for a shape that is left out of the fit.
 *
 * An "error" is a bound for repetitions, not a standard error. It is six standard errors of the
 * median: the difference of two calibrations, each with an error, stays within 4.2 of its standard
 * deviations. It is at least 2 %, the difference between sittings that are each quiet. */
#ifndef REAL_CALIBRATION_H
#define REAL_CALIBRATION_H

#include "sim/base/status.h"
#include "sim/json/json.h"

/* Returns the catalogue, in `arena`. NULL with STATUS_BAD_INPUT and the place: a measurement is
 * missing or not valid. */
Json *calibration_fit(Arena *arena, const Json *measurements, Status *status);

/* Sets `*spread` to the noise of the machine: the standard error of a stage's median over the
 * rounds, relative to that median. `*spread` is the median over all stages. */
MUST_CHECK bool calibration_spread(Arena *arena, const Json *measurements, double *spread,
                                   Status *status);

#endif
