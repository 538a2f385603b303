/* How large the CIFAR-10 set in a folder is, so that what is predicted of a training is predicted
 * for the images that it finds. */
#ifndef REAL_DATA_SET_H
#define REAL_DATA_SET_H

#include "sim/scenario/config_context.h"

/* Reads the set as the trainer does. Both 0 where there is none in `folder` (NULL is none, too):
 * whoever is to train on it says so. STATUS_BAD_INPUT, with its place, in `arena`, for a broken
 * one.
 */
MUST_CHECK bool data_set_count(Arena *arena, const char *folder, DataSamples *samples,
                               Status *status);

#endif
