/* The names of the files of a CIFAR-10 set, shared by the reader (dataset.h) and the writer
 * (make_cifar.h). */
#ifndef TRAINER_CIFAR_FILES_H
#define TRAINER_CIFAR_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"

/* In the order in which a reader prefers them. */
typedef enum { CIFAR_BINARY, CIFAR_PICKLE, CIFAR_ENCODING_COUNT } CifarEncoding;

enum {
    CIFAR_TRAIN_FILES = 5,                /* files 0 to 4: data_batch_1 to data_batch_5 */
    CIFAR_TEST_FILE = CIFAR_TRAIN_FILES,  /* file 5: test_batch */
    CIFAR_FILES,                          /* all of them */
    CIFAR_FILE_IMAGES = 10000,            /* in each file of the published set */
    CIFAR_RECORD_BYTES = 1 + 3 * 32 * 32, /* binary: a label and three planes */
    CIFAR_FILE_IMAGES_MAX = 50 * 1000,    /* the most that is read from one file */
};

const char *cifar_encoding_name(CifarEncoding encoding);   /* "binary", "pickle" */
const char *cifar_encoding_folder(CifarEncoding encoding); /* "cifar-10-batches-bin", "-py" */

/* "FOLDER/data_batch_1.bin" */
const char *cifar_file_path(Arena *arena, const char *folder, CifarEncoding encoding, int file);

/* A file of a set; its contents are not checked. `path` is in `folder`, which is the requested
 * folder or its sub-folder with a published name, as in dataset_read. */
typedef struct {
    const char *path, *folder;
    CifarEncoding encoding;
} CifarFile;

/* Finds the first file of a set in `folder` or its sub-folders; false if there is none. */
bool cifar_file_find(const char *folder, Arena *arena, CifarFile *found);

bool cifar_file_exists(const char *path);

#endif
