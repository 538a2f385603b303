/* Element-wise passes of the trainer as their headers define them, one value at a time: what the
 * vectorised ones are tested against to the bit, and measured against (tests/bench). */
#ifndef TESTS_SUPPORT_PLAIN_LOOPS_H
#define TESTS_SUPPORT_PLAIN_LOOPS_H

#include "trainer/compute/net.h"
#include "trainer/compute/optimizer.h"
#include "trainer/data/augment.h"

void plain_rmsprop(const RmsProp *optimizer, float rate, float gradient_scale, int64_t count,
                   const float *gradients, float *accumulators, float *weights);
void plain_dropout_mask(uint64_t seed, uint32_t rank, uint64_t step, uint32_t layer,
                        int32_t dropped_of_256, int64_t count, uint8_t *kept);
void plain_augment(const uint8_t *image, Augmentation augmentation, float *out);
void plain_relu_backward(const float *out, int64_t count, float *gradient);

#endif
