/* CIFAR-10 in memory, read from either of its published encodings.
 *
 *     cifar-10-batches-bin   data_batch_1.bin ... data_batch_5.bin, test_batch.bin: records of one
 *                            label byte and 3 x 1024 bytes (red, green, blue planes, row by row)
 *     cifar-10-batches-py    data_batch_1 ... data_batch_5, test_batch: Python pickles of a dict
 *                            with "labels" and "data"
 *
 * Source: A. Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", 2009, and
 * https://www.cs.toronto.edu/~kriz/cifar.html. The pickle reader accepts only the opcodes that
 * these files use, and executes nothing. */
#ifndef TRAINER_DATASET_H
#define TRAINER_DATASET_H

#include "sim/base/status.h"

enum { IMAGE_SIDE = 32, IMAGE_CHANNELS = 3, IMAGE_BYTES = 32 * 32 * 3, CLASS_COUNT = 10 };

typedef struct {
    int32_t count;
    uint8_t *images; /* [count][32][32][3]: NHWC, as the backends compute */
    uint8_t *labels; /* [count], 0 to 9 */
} ImageSet;

typedef struct {
    const char *folder;   /* where it was found */
    const char *encoding; /* "binary" or "pickle" */
    ImageSet train, test;
} Dataset;

/* Reads the set in `folder`, or in its sub-folder of either published name; a folder with both
 * encodings is read as binary. There may be fewer than five training files, but without a gap. They
 * must have equally many images, so that a file cut off between two images is noticed. Fails with
 * STATUS_BAD_INPUT for a wrong size, a label above 9, a truncated file or an invalid pickle, naming
 * file and byte offset. If there is no set, the hint says how to make one. */
MUST_CHECK bool dataset_read(const char *folder, Arena *arena, Dataset *dataset, Status *status);

/* Counts the images that dataset_read would read: by the size of binary files, whose labels are not
 * checked, and by the labels of pickles. Fails with the same errors as dataset_read. */
MUST_CHECK bool dataset_count(const char *folder, Arena *arena, int32_t *train, int32_t *test,
                              Status *status);

/* Parse the bytes of one file and append its images to `set`, which has room for `capacity` images
 * in total. On failure `set` is unchanged. `file` is its name in messages. */
MUST_CHECK bool cifar_binary_read(const char *file, const uint8_t *bytes, size_t length,
                                  int32_t capacity, ImageSet *set, Status *status);
MUST_CHECK bool cifar_pickle_read(const char *file, const uint8_t *bytes, size_t length,
                                  int32_t capacity, ImageSet *set, Status *status);
/* Count the images in a file of `length` bytes. */
MUST_CHECK bool cifar_binary_count(const char *file, size_t length, size_t *count, Status *status);
MUST_CHECK bool cifar_pickle_count(const char *file, const uint8_t *bytes, size_t length,
                                   size_t *count, Status *status);

/* For the parsers: adds an image given as its three colour planes. */
void image_set_add(ImageSet *set, uint8_t label, const uint8_t planes[IMAGE_BYTES]);
/* Reports that `file` has `count` images where there is room for `room`; returns false. */
bool image_set_fail_full(const char *file, size_t count, int32_t room, Status *status);

#endif
