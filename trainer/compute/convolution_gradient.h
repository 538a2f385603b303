/* The gradient of a 3x3 convolution by its weights, for processors with AVX2 and FMA.
 *
 * Twelve vectors of eight sums are in registers: three columns of the kernel times 32 channels of
 * the output. Seven loads therefore serve twelve fused multiply-adds. With the AVX2 kernel of
 * oneDNN 2.6 instead, the backward passes of conv2d_2 to conv2d_4 take a fifth longer
 * (bench-training --profile, one core of a Zen 3, other programs running). */
#ifndef TRAINER_CONVOLUTION_GRADIENT_H
#define TRAINER_CONVOLUTION_GRADIENT_H

#include "trainer/compute/net.h"

/* True if convolution_gradient can compute this layer on this processor. */
bool convolution_gradient_suits(const NetLayer *layer);

/* The number of floats in `scratch`. */
int64_t convolution_gradient_scratch(const NetLayer *layer);

/* Activations have the layout of trainer/compute/channel_blocks.h. Fills kernel [3][3][in][out] and
 * bias [out]. Deterministic. */
void convolution_gradient(const NetLayer *layer, int32_t images, const float *in, int32_t in_block,
                          const float *out_gradient, int32_t out_block, float *scratch,
                          float *kernel_gradient, float *bias_gradient);

#endif
