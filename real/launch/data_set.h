/* Counts the images of the CIFAR-10 set in a folder, so that a training is predicted for the images
 * that it will read. */
#ifndef REAL_DATA_SET_H
#define REAL_DATA_SET_H

#include "sim/cli/files.h"
#include "sim/scenario/config/config_context.h"
#include "trainer/data/cifar_files.h"

/* The set that was counted last, with the versions of its files at that time. All 0: no set has
 * been counted. */
typedef struct {
    FileVersion files[CIFAR_FILES];
    DataSamples samples;
} DataSetCounted;

/* Counts the images without reading them (trainer/data/dataset.h). Both counts are 0 if `folder`
 * contains no set or is NULL; the trainer reports that error later. A damaged set fails with
 * STATUS_BAD_INPUT, whose place is in `arena`.
 *
 * A set of pickles must be read whole, which is slow. A caller that counts often passes `last`:
 * files that have not changed since are not read again. `last` may be NULL. */
MUST_CHECK bool data_set_count(Arena *arena, const char *folder, DataSetCounted *last,
                               DataSamples *samples, Status *status);

#endif
