/* The gradient of a 3x3 convolution by its weights, for processors with AVX2 and FMA.
 *
 * Twelve sums of eight live in registers, three columns of the kernel by 32 channels of the output,
 * so that seven loads feed twelve fused multiply-adds. With the AVX2 kernel of oneDNN 2.6 instead,
 * the backward passes of conv2d_2 to conv2d_4 take a fifth longer (bench-training --profile, one
 * core of a Zen 3, other programs running). */
#ifndef TRAINER_CONVOLUTION_GRADIENT_H
#define TRAINER_CONVOLUTION_GRADIENT_H

#include "trainer/compute/net.h"

/* Whether this layer can be computed so on this processor. */
bool convolution_gradient_suits(const NetLayer *layer);

/* Floats of working memory. */
int64_t convolution_gradient_scratch(const NetLayer *layer);

/* Activations lie as trainer/compute/channel_blocks.h has it. Fills kernel [3][3][in][out]
 * and bias [out]. The same bits for the same arguments. */
void convolution_gradient(const NetLayer *layer, int32_t images, const float *in, int32_t in_block,
                          const float *out_gradient, int32_t out_block, float *scratch,
                          float *kernel_gradient, float *bias_gradient);

#endif
