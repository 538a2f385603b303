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
void plain_add_bias(float *values, const float *bias, int64_t pixels, int32_t channels,
                    bool has_relu);
void plain_add_bias_gradient(const float *gradient, int64_t pixels, int32_t channels,
                             float *bias_gradient);
void plain_relu_backward(const float *out, int64_t count, float *gradient);
void plain_pool_forward(const NetLayer *layer, int64_t images, const float *in, float *out,
                        uint8_t *largest);
void plain_pool_backward(const NetLayer *layer, int64_t images, const float *out_gradient,
                         const uint8_t *largest, float *in_gradient);
void plain_dropout_forward(const float *in, const uint8_t *kept, float scale, int64_t count,
                           float *out);
void plain_dropout_backward(const uint8_t *kept, float scale, int64_t count, float *gradient);

#endif
