/* From measurements of a machine (real/calibrate/measuring.h) to its catalogue: a pure function of
 * their text, so that recorded measurements can be fitted again.
 *
 * The catalogue has
 *
 *     gpus/local-core          one core (or GPU: local-gpu) of the machine
 *     vm_sizes/local           the machine, with as many of them as it has
 *     frameworks/trainyard     the trainer
 *     exchanges/trainyard-mpi  one message after the backward pass; or -nccl, as it was measured
 *     stage_times, kind_times, side_by_side, exchange_times     what was fitted
 *     jitters/local            how steps of a rank scatter
 *     service/local_disk_rate
 *
 * and is read after one of a cloud, such as scenarios/catalog/azure-2018.json.
 *
 * A stage is a line, fixed + per image * batch, where that meets all its measurements within 2 %,
 * and else the measurements themselves: caches bend some of them. Kinds of layers are a line over
 * all shapes of that kind, for those that were never measured; their notes say how far off it is
 * for a shape that is left out.
 *
 * An "error" is a bound for repetitions, not a standard error: six standard errors of the median
 * (the difference of two calibrations, each with its own error, stays within 4.2 of its standard
 * deviations), at least 2 %, by which sittings differ that are quiet in themselves. */
#ifndef REAL_CALIBRATION_H
#define REAL_CALIBRATION_H

#include "sim/base/status.h"
#include "sim/json/json.h"

/* NULL, with STATUS_BAD_INPUT and the place, where a measurement is missing or none at all. */
Json *calibration_fit(Arena *arena, const Json *measurements, Status *status);

/* How noisy the machine was: the standard error of a stage's median over the rounds, as a share of
 * it, of the stage in the middle. */
MUST_CHECK bool calibration_spread(Arena *arena, const Json *measurements, double *spread,
                                   Status *status);

#endif
