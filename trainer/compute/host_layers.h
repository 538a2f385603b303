/* Layers without weights, and what goes with the sums of those that have some, for the backends on
 * the processor: NHWC floats, no library. Each value is computed as written here, so that the bits
 * are the same on every machine (trainer/compute/vectors.h). */
#ifndef TRAINER_HOST_LAYERS_H
#define TRAINER_HOST_LAYERS_H

#include "trainer/compute/net.h"

/* --- Bias and ReLU ---
 *
 * ReLU is 0 below 0; a NaN stays one, so that a training that diverges is seen to. */

/* values[pixels][channels] += bias[channels], then ReLU where there is one. */
void host_add_bias(float *values, const float *bias, int64_t pixels, int32_t channels,
                   bool has_relu);
/* bias_gradient[channels] += the sum over gradient[pixels][channels], pixel by pixel. */
void host_add_bias_gradient(const float *gradient, int64_t pixels, int32_t channels,
                            float *bias_gradient);
/* gradient[i] becomes 0 where ReLU's output out[i] is 0. */
void host_relu_backward(const float *out, int64_t count, float *gradient);

/* --- Pool of the largest ---
 *
 * `images` one after another, each as layer->in and layer->out say. */

/* largest[i], for each value of `out`: which of the side * side places it is from, row by row; of
 * equals the first. */
void host_pool_forward(const NetLayer *layer, int64_t images, const float *in, float *out,
                       uint8_t *largest);
/* Fills `in_gradient`: what a place of `in` gave to `out` gets the gradient, all others 0. */
void host_pool_backward(const NetLayer *layer, int64_t images, const float *out_gradient,
                        const uint8_t *largest, float *in_gradient);

/* --- Dropout ---
 *
 * What is kept is multiplied by `scale`, what is not becomes 0 (trainer/compute/dropout.h); the
 * gradient in place. */

void host_dropout_forward(const float *in, const uint8_t *kept, float scale, int64_t count,
                          float *out);
void host_dropout_backward(const uint8_t *kept, float scale, int64_t count, float *gradient);

#endif
