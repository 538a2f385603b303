/* The order in which a rank reads the training set in one epoch: all images, each once. Every rank
 * has a separate order, as in the published script, where each rank shuffles the whole set. */
#ifndef TRAINER_SHUFFLE_H
#define TRAINER_SHUFFLE_H

#include <stdint.h>

/* Fills order[count]: the indices 0 ... count - 1 by ascending (random word of the index, index).
 * The 64-bit word is made from the first two words of RANDOM_SHUFFLE at (rank, epoch, block =
 * index), the first being the lower half. Because it is a sort by keys, a GPU can compute the same
 * order in parallel. */
void shuffle_order(uint64_t seed, uint32_t rank, uint64_t epoch, int32_t count, int32_t *order);

#endif
