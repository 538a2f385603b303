/* Made-up images in the shape of CIFAR-10, for where the real ones cannot be had: ten classes of
 * coloured, textured blobs before cluttered backgrounds, hard enough that the tutorial's network
 * goes on learning for tens of epochs, as with the real set.
 *
 * A class is a closed contour with two gratings, a palette, three round parts, and scenes it is
 * mostly seen in; it has four species, which are variations of it. An image shows an object whose
 * species is blended with one of another class by a share of .75 u^2 (u uniform), so that 18 % of
 * the images are more of the other class than of their own: no network can be right about all. The
 * object is moved, turned, mirrored, recoloured and partly hidden.
 *
 * An image is a function of (seed, split, index) alone, whatever the order in which they are made.
 * Computed with IEEE double + - * / sqrt and floor only, each random draw in a statement of its
 * own: the same bytes with every compiler, on every machine.
 *
 * With the network keras_cifar10_cnn, learning rate 1e-4, batches of 32 and augmentation, one run
 * of seed 1 reached a validation accuracy of .451, .494, .543, .585, .654 after 1, 2, 3, 5 and 10
 * epochs, and .713 as the mean of epochs 61 to 100. */
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
