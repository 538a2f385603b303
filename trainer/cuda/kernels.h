/* The trainer's own kernels, as C functions that queue them on a stream. Nothing here waits, fails
 * or allocates: the caller asks cudaGetLastError once behind many. All are legal while a graph is
 * captured: what changes from step to step is read from a CudaStep on the GPU.
 *
 * Every result is the same bits each time: no atomic adds of floats, sums in a fixed order.
 *
 * All pointers are of the GPU unless said otherwise. Arrays of activations and of places, and the
 * arenas, begin at multiples of 16 bytes, so that they are read by vectors. Activations are NHWC,
 * of `type`: float, or bf16 as the upper half of one. Weights, gradients of weights and the
 * optimizer are floats in the arenas' layout (trainer/compute/net.h). */
#ifndef TRAINER_CUDA_KERNELS_H
#define TRAINER_CUDA_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "trainer/cuda/toolkit/toolkit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How products are computed, and of what type activations are: as Precision of
 * trainer/compute/backend.h. CUDA_TF32 needs tensor cores; bf16 without them multiplies as floats
 * what is kept as bf16. */
typedef enum { CUDA_FP32, CUDA_BF16, CUDA_TF32 } CudaPrecision;

/* Where a training stands, in the GPU's memory; the host writes it before the first step of a run.
 */
typedef struct {
    uint64_t step; /* of the whole training: addresses random numbers, and the optimizer's count */
    int64_t first; /* place of this step's batch in `order` */
    double loss_sum; /* over the steps of the run */
    int64_t correct;
    int64_t images;
    int64_t bad_step;     /* the first step after which a loss or weight was not finite; -1: none */
    float rate;           /* of the optimizer, in this step */
    uint32_t blocks_done; /* between the blocks of cuda_loss; else 0 */
} CudaStep;

/* --- Input (input.cu) --- */

/* The order of trainer/data/shuffle.h: order[count] by ascending (key, index). `keys` and `indices`
 * are working memory of `padded` elements, the power of two from `count` on. Queues many kernels;
 * not part of a step. */
void cuda_shuffle(cudaStream_t stream, uint64_t seed, uint32_t rank, uint64_t epoch, int32_t count,
                  int32_t padded, uint64_t *keys, int32_t *indices, int32_t *order);

typedef struct {
    const uint8_t *images; /* [set][32][32][3] */
    const uint8_t *labels; /* [set] */
    const int32_t *order;  /* this batch begins at step->first */
    uint64_t seed;
    uint32_t rank;
    bool is_augmented;
} CudaInput;

/* Gathers `count` images, shifts and flips them as trainer/data/augment.h does, to the same bits in
 * float, into out[count][32][32][3] of the precision's type, and their labels into
 * batch_labels[count]. */
void cuda_input(cudaStream_t stream, CudaPrecision precision, const CudaInput *input,
                const CudaStep *step, int32_t count, void *out, uint8_t *batch_labels);

/* --- Products (product.cu) --- */

/* A convolution with stride 1, or a dense layer as the one of a 1 x 1 image and kernel. */
typedef struct {
    int32_t count; /* images */
    int32_t in_height, in_width, in_channels;
    int32_t out_height, out_width, out_channels;
    int32_t side, padding;
    bool has_relu;
} CudaProduct;

/* Floats of working memory that any of the three functions wants for this product. */
int64_t cuda_product_scratch(const CudaProduct *product);

/* out = relu(in * kernel + bias), kernel HWIO. `kernel` is float in CUDA_FP32 and CUDA_TF32, bf16
 * in CUDA_BF16 (see cuda_update); `bias` always float. With `logits` the output is float whatever
 * the precision. */
void cuda_product_forward(cudaStream_t stream, CudaPrecision precision, const CudaProduct *product,
                          const void *in, const void *kernel, const float *bias, bool logits,
                          void *out, float *scratch);
/* in_gradient = out_gradient * kernel, turned. Where `relu_out` is not NULL it is the input of this
 * product, the output of a ReLU, and where that is 0 the gradient becomes 0. */
void cuda_product_backward_data(cudaStream_t stream, CudaPrecision precision,
                                const CudaProduct *product, const void *out_gradient,
                                const void *kernel, const void *relu_out, void *in_gradient,
                                float *scratch);
/* Gradients of the kernel (HWIO) and of the bias, as floats. */
void cuda_product_backward_weights(cudaStream_t stream, CudaPrecision precision,
                                   const CudaProduct *product, const void *in,
                                   const void *out_gradient, float *kernel_gradient,
                                   float *bias_gradient, float *scratch);

/* --- What libraries leave of a product (product_rest.cu) ---
 *
 * Values of a product are `rows` pixels of `columns` channels. */

/* out[columns][rows] = in[rows][columns], of bf16 or of floats. */
void cuda_transpose(cudaStream_t stream, bool is_bf16, int32_t rows, int32_t columns,
                    const void *in, void *out);
/* values = relu(values + bias), in place; without ReLU if not `has_relu`. */
void cuda_add_bias(cudaStream_t stream, bool is_bf16, int64_t rows, int32_t columns,
                   const float *bias, bool has_relu, void *values);
/* The gradient becomes 0 where `relu_out` is. */
void cuda_mask_by_relu(cudaStream_t stream, bool is_bf16, int64_t count, const void *relu_out,
                       void *gradient);
/* Floats of working memory for the next, and the sum of all rows. */
int64_t cuda_bias_gradient_scratch(int64_t rows, int32_t columns);
void cuda_bias_gradient(cudaStream_t stream, bool is_bf16, int64_t rows, int32_t columns,
                        const void *out_gradient, float *bias_gradient, float *scratch);

/* --- What lies between products (between.cu) --- */

/* As Sieve of trainer/compute/onednn_sieve.h, in NHWC: a pool of side x side that steps by its side
 * (1: none; at most SIEVE_SIDE_MAX) and a dropout behind it (dropped_of_256 0: none), whose mask is
 * trainer/compute/dropout.h's. `places` is also its: a byte for each value of the output. */
typedef struct {
    int32_t count;
    int32_t in_height, in_width, channels;
    int32_t side;
    bool follows_relu;
    int32_t dropped_of_256;
    uint32_t dropout_layer; /* its index in the net */
    uint64_t seed;
    uint32_t rank;
} CudaSieve;

/* `places` is written in training alone. */
void cuda_sieve_forward(cudaStream_t stream, CudaPrecision precision, const CudaSieve *sieve,
                        const CudaStep *step, bool is_training, const void *in, void *out,
                        uint8_t *places);
void cuda_sieve_backward(cudaStream_t stream, CudaPrecision precision, const CudaSieve *sieve,
                         const void *out_gradient, const uint8_t *places, void *in_gradient);

/* --- The end of a step (loss.cu) --- */

/* Softmax of logits [count][classes] (floats) into `probabilities`; adds the score to `step`, but
 * not behind a bad step, so that the sum tells whether its loss was what was not finite; with
 * `gradient` not NULL the gradient of trainer/compute/loss.h, of the precision's type. At most 256
 * classes.
 *
 * As on the processor, powers and their sums are doubles, but a GPU's exp and the order of the sum
 * are others: probabilities agree within two units in a float's last place. Of the probabilities,
 * the gradient and the number of correct images are the same bits, the losses those of doubles. */
void cuda_loss(cudaStream_t stream, CudaPrecision precision, const float *logits,
               const uint8_t *batch_labels, int32_t count, int32_t classes, float *probabilities,
               void *gradient, CudaStep *step);

typedef struct {
    double learning_rate, decay;
    float rho, rest, epsilon; /* rest: 1 - rho, of floats */
    float gradient_scale;
} CudaRmsProp;

/* trainer/compute/optimizer.h over the whole arena, to the same bits; notes in `step` when a weight
 * is not finite. `bf16_weights` not NULL: the new weights as bf16 as well. */
void cuda_update(cudaStream_t stream, const CudaRmsProp *optimizer, int64_t count,
                 const float *gradients, float *accumulators, float *weights,
                 uint16_t *bf16_weights, CudaStep *step);
/* Weights as bf16, after the host has changed them. */
void cuda_narrow(cudaStream_t stream, const float *weights, int64_t count, uint16_t *bf16_weights);
/* Before a step: its learning rate, by rmsprop_rate's arithmetic. */
void cuda_begin_step(cudaStream_t stream, const CudaRmsProp *optimizer, CudaStep *step);
/* After it: the next step's number and place; notes a loss that is not finite. */
void cuda_end_step(cudaStream_t stream, int32_t count, CudaStep *step);

#ifdef __cplusplus
}
#endif
#endif
