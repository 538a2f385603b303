/* How large the CIFAR-10 set in a folder is, so that what is predicted of a training is predicted
 * for the images that it finds. */
#ifndef REAL_DATA_SET_H
#define REAL_DATA_SET_H

#include "sim/cli/files.h"
#include "sim/scenario/config/config_context.h"
#include "trainer/data/cifar_files.h"

/* The set that was counted last, as its files stood then; all 0: none. */
typedef struct {
    FileVersion files[CIFAR_FILES];
    DataSamples samples;
} DataSetCounted;

/* Counts the images without reading them (trainer/data/dataset.h). Both 0 where there is no set in
 * `folder` (NULL is none, too): whoever is to train on it says so. STATUS_BAD_INPUT, with its
 * place, in `arena`, for a broken one.
 *
 * Of pickles the whole files are read all the same, which takes a while. Who counts again and again
 * keeps `last`, with which files that have not changed are not read again; or NULL. */
MUST_CHECK bool data_set_count(Arena *arena, const char *folder, DataSetCounted *last,
                               DataSamples *samples, Status *status);

#endif
