/* Random shifts and flips, as Keras' ImageDataGenerator makes them with width_shift_range=0.1,
 * height_shift_range=0.1 and horizontal_flip=True.
 *
 * The shift is of fractions of a pixel, uniform within +-10 % of the side on each axis: the image
 * is sampled at (row + shift_rows, column + shift_columns), bilinear between the four neighbours,
 * places outside taking the nearest pixel (keras-preprocessing, affine_transformations.py:
 * scipy.ndimage.affine_transform of order 1 with mode "nearest"). Then, with probability one half,
 * left and right change places. */
#ifndef TRAINER_AUGMENT_H
#define TRAINER_AUGMENT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    float shift_rows, shift_columns; /* -3.2 to 3.2 */
    bool is_flipped;
} Augmentation;

/* What becomes of the image at `place` of the batch of `step`. Words 0, 1 and 2 of RANDOM_AUGMENT.
 */
Augmentation augmentation_draw(uint64_t seed, uint32_t rank, uint64_t step, uint32_t place);

/* One image, bytes [32][32][3] to floats of the same shape, divided by 255. */
void augment_image(const uint8_t *image, Augmentation augmentation, float *out);
/* The same without a change. */
void plain_image(const uint8_t *image, float *out);

#endif
