/* One file of a CIFAR-10 set, written image by image in either published encoding. */
#ifndef TRAINER_CIFAR_WRITE_H
#define TRAINER_CIFAR_WRITE_H

#include <stdio.h>

#include "trainer/data/cifar_files.h"

/* The contents of the file except the images. Pickles store all labels before the first image, and
 * file names. */
typedef struct {
    const char *title;     /* "training batch 1 of 5" */
    const char *name_stem; /* image i is called STEM_000042.png */
    const uint8_t *labels; /* [count] */
    int32_t count;
} CifarContents;

/* Call cifar_write_begin, then cifar_write_image for each image in the order of the labels, then
 * cifar_write_end. `planes` are an image's red, green and blue planes. Errors are recorded in
 * `stream` only. */
void cifar_write_begin(FILE *stream, CifarEncoding encoding, const CifarContents *contents);
void cifar_write_image(FILE *stream, CifarEncoding encoding, uint8_t label,
                       const uint8_t planes[CIFAR_RECORD_BYTES - 1]);
void cifar_write_end(FILE *stream, CifarEncoding encoding, const CifarContents *contents);

#endif
