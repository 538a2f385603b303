/* Synthetic images in the format of CIFAR-10, for use without the real ones: ten classes of
 * coloured, textured blobs in front of cluttered backgrounds. They are hard enough that the
 * tutorial's network continues to learn for tens of epochs, as with the real set.
 *
 * A class is a closed contour with two gratings, a palette, three round parts, and preferred
 * scenes. It has four species, which are variations of it. An image shows an object whose species
 * is blended with a species of another class by a share of .75 u^2 (u uniform). In 18 % of the
 * images the other class has the larger share, so no network can classify all images correctly. The
 * object is moved, turned, mirrored, recoloured and partly hidden.
 *
 * An image is a function of (seed, split, index) only, independent of the order of creation. It is
 * computed with IEEE double + - * / sqrt and floor only, and each random draw is a separate
 * statement. The bytes are therefore the same with every compiler, on every machine.
 *
 * Measured with the network keras_cifar10_cnn, learning rate 1e-4, batches of 32 and augmentation,
 * in one run of seed 1: the validation accuracy was .451, .494, .543, .585, .654 after 1, 2, 3, 5
 * and 10 epochs. The mean of epochs 61 to 100 was .713. */
#ifndef TRAINER_SYNTHETIC_CIFAR_H
#define TRAINER_SYNTHETIC_CIFAR_H

#include "trainer/data/dataset.h"

typedef enum { SYNTHETIC_TRAIN, SYNTHETIC_TEST } SyntheticSplit;

/* The classes of one seed. */
typedef struct SyntheticCifar SyntheticCifar;

SyntheticCifar *synthetic_cifar_create(Arena *arena, uint64_t seed);

/* The label of image `index` of `split`; uniform. */
uint8_t synthetic_cifar_label(const SyntheticCifar *set, SyntheticSplit split, int32_t index);
/* The image as its red, green and blue planes, as CIFAR-10's files have it. */
void synthetic_cifar_image(const SyntheticCifar *set, SyntheticSplit split, int32_t index,
                           uint8_t planes[IMAGE_BYTES]);

#endif
