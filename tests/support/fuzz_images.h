/* Checks that a parser of CIFAR-10 must pass for any input. */
#ifndef TESTS_SUPPORT_FUZZ_IMAGES_H
#define TESTS_SUPPORT_FUZZ_IMAGES_H

#include "trainer/data/dataset.h"

typedef bool (*ImageParser)(const char *file, const uint8_t *bytes, size_t length, int32_t capacity,
                            ImageSet *set, Status *status);

void fuzz_images(ImageParser parser, const uint8_t *data, size_t size);

#endif
