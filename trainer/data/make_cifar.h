/* Writes a synthetic set (synthetic_cifar.h) as the files of CIFAR-10, in either of its published
 * encodings, with a SYNTHETIC.txt that says that the images are not real. */
#ifndef TRAINER_MAKE_CIFAR_H
#define TRAINER_MAKE_CIFAR_H

#include "sim/base/status.h"
#include "trainer/data/cifar_files.h"

typedef struct {
    const char *folder; /* created if missing; the files are written directly into it */
    CifarEncoding encoding;
    uint64_t seed;
    int32_t images_per_file; /* 1 to CIFAR_FILE_IMAGES: in each file */
    bool may_overwrite;      /* a set of the same encoding */
} MakeCifar;

/* Fails with STATUS_CONFLICT, and writes nothing, if a reader would find a CIFAR-10 set or part of
 * one in `folder`: it might be the real one. With `may_overwrite` it fails only if that set has the
 * other encoding, because it would not be replaced. Fails with STATUS_MACHINE on disk errors. Each
 * file appears complete or not at all, and test_batch last, so that a readable set is complete.
 * Shows its progress. `arena` holds the names in the status. */
MUST_CHECK bool make_cifar(const MakeCifar *request, Arena *arena, Status *status);

#endif
