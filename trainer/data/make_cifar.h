/* Writes a synthetic set (synthetic_cifar.h) as the files of CIFAR-10, in either of its published
 * encodings, with a SYNTHETIC.txt that says what it is. */
#ifndef TRAINER_MAKE_CIFAR_H
#define TRAINER_MAKE_CIFAR_H

#include "sim/base/status.h"
#include "trainer/data/cifar_files.h"

typedef struct {
    const char *folder; /* made if need be; the files go straight into it */
    CifarEncoding encoding;
    uint64_t seed;
    int32_t images_per_file; /* 1 to CIFAR_FILE_IMAGES: of each file the first so many */
    bool may_overwrite;      /* a set of the same encoding */
} MakeCifar;

/* STATUS_CONFLICT, and nothing written, when `folder` holds a CIFAR-10 set or part of one where a
 * reader would look for it: it might be the real one. With `may_overwrite` only one of the other
 * encoding is in the way, as it would not be replaced.
 * STATUS_MACHINE when the disk does not take it. Each file appears whole or not at all, test_batch
 * last, so that a set is complete when it is readable. Draws a progress bar. `arena` holds what the
 * status names. */
MUST_CHECK bool make_cifar(const MakeCifar *what, Arena *arena, Status *status);

#endif
