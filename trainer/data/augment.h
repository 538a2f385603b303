/* Random shifts and flips, as Keras' ImageDataGenerator makes them with width_shift_range=0.1,
 * height_shift_range=0.1 and horizontal_flip=True.
 *
 * The shift is a real number of pixels, uniform within +-10 % of the side on each axis. The image
 * is sampled at (row + shift_rows, column + shift_columns), bilinear between the four neighbours;
 * places outside the image take the nearest pixel. Source: keras-preprocessing,
 * affine_transformations.py (scipy.ndimage.affine_transform of order 1 with mode "nearest"). Then,
 * with probability one half, the image is mirrored left to right. */
#ifndef TRAINER_AUGMENT_H
#define TRAINER_AUGMENT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    float shift_rows, shift_columns; /* -3.2 to 3.2 */
    bool is_flipped;
} Augmentation;

/* Draws the augmentation of the image at `place` in the batch of `step` from words 0, 1 and 2 of
 * RANDOM_AUGMENT.
 */
Augmentation augmentation_draw(uint64_t seed, uint32_t rank, uint64_t step, uint32_t place);

/* Augments one image: bytes [32][32][3] become floats of the same shape, divided by 255. */
void augment_image(const uint8_t *image, Augmentation augmentation, float *out);
/* The same without augmentation. */
void plain_image(const uint8_t *image, float *out);

#endif
