/* The trainer's kernels, as C functions that queue them on a stream. They do not wait, fail or
 * allocate: the caller checks cudaGetLastError once after many calls. All may be called while a
 * graph is captured, because they read the values that change from step to step from a CudaStep on
 * the GPU.
 *
 * Results are deterministic: no atomic additions of floats, and sums in a fixed order.
 *
 * All pointers are GPU addresses unless a comment says otherwise. Arrays of activations and of
 * places, and the arenas, are aligned to 16 bytes, so that they can be read as vectors. Activations
 * are NHWC floats, or bf16 stored as the upper half of a float. Weights, gradients of weights and
 * the optimizer are floats in the arenas' layout (trainer/compute/net.h). */
#ifndef TRAINER_CUDA_KERNELS_H
#define TRAINER_CUDA_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "trainer/cuda/toolkit/toolkit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The precision of products and the type of activations, as in Precision of
 * trainer/compute/backend_words.h. CUDA_TF32 needs tensor cores; without them, CUDA_BF16 stores
 * bf16 and multiplies floats. */
typedef enum { CUDA_FP32, CUDA_BF16, CUDA_TF32 } CudaPrecision;

/* The state of a training in the GPU's memory. The host writes it before the first step of a run.
 */
typedef struct {
    uint64_t step; /* of the whole training: addresses random numbers, and the optimizer's count */
    int64_t first; /* index of this step's batch in `order` */
    double loss_sum; /* over the steps of the run */
    int64_t correct;
    int64_t images;
    int64_t bad_step;     /* the first step after which a loss or weight was not finite; -1: none */
    float rate;           /* of the optimizer in the step of the last loss */
    uint32_t blocks_done; /* counts finished blocks of cuda_loss; 0 outside it */
} CudaStep;

/* --- Input (input.cu) --- */

/* The order of trainer/data/shuffle.h: order[count] by ascending (key, index). `keys` and `indices`
 * are working memory of `padded` elements, the smallest power of two not below `count`. Queues many
 * kernels; not part of a step. */
void cuda_shuffle(cudaStream_t stream, uint64_t seed, uint32_t rank, uint64_t epoch, int32_t count,
                  int32_t padded, uint64_t *keys, int32_t *indices, int32_t *order);

typedef struct {
    const uint8_t *images; /* [set][32][32][3] */
    const uint8_t *labels; /* [set] */
    const int32_t *order;  /* this batch begins at step->first; NULL: the set's own order */
    uint64_t seed;
    uint32_t rank;
    bool is_augmented;
} CudaInput;

/* Gathers, shifts and flips `count` images like trainer/data/augment.h; floats have the same bits.
 * Stores them in out[count][32][32][3] in the precision's type, and their labels in
 * batch_labels[count]. */
void cuda_input(cudaStream_t stream, CudaPrecision precision, const CudaInput *input,
                const CudaStep *step, int32_t count, void *out, uint8_t *batch_labels);

/* --- Sieves between products (between.cu) --- */

/* Like Sieve of trainer/compute/onednn_sieve.h, in NHWC: a pool of side x side that steps by its
 * side (1: no pool; at most SIEVE_SIDE_MAX), followed by a dropout (dropped_of_256 0: no dropout)
 * with the mask of trainer/compute/dropout.h. `places` is also the same: a byte for each value of
 * the output. */
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

/* Writes `places` only in training. */
void cuda_sieve_forward(cudaStream_t stream, CudaPrecision precision, const CudaSieve *sieve,
                        const CudaStep *step, bool is_training, const void *in, void *out,
                        uint8_t *places);
void cuda_sieve_backward(cudaStream_t stream, CudaPrecision precision, const CudaSieve *sieve,
                         const void *out_gradient, const uint8_t *places, void *in_gradient);

/* --- Products (product*.cu) --- */

/* Gradients that are still in parts [count][size]: those of the arena from `at` on. */
typedef struct {
    const float *parts;
    int32_t count, size;
    int64_t at;
} CudaParts;
enum { CUDA_PARTS_MAX = 16 };
typedef struct {
    int32_t count;
    CudaParts all[CUDA_PARTS_MAX];
} CudaUnadded;

/* A convolution with stride 1. A dense layer is a convolution with 1 x 1 images and kernel. */
typedef struct {
    int32_t count; /* images */
    int32_t in_height, in_width, in_channels;
    int32_t out_height, out_width, out_channels;
    int32_t side, padding;
    bool has_relu;
} CudaProduct;

/* Work that a product does in the same kernel: the sieve after it (forward) or before it (backward
 * data), with the same bits as the sieve's own kernel; and sums of parts. */
enum { CUDA_TILES_MAX = 264 }; /* of a product in parts */
typedef struct {
    CudaSieve sieve; /* side 0: none */
    const CudaStep *step;
    bool is_training;
    uint8_t *places; /* written forward in training, read backward */
    uint32_t *done;  /* [CUDA_TILES_MAX] zeros, which are zeros again afterwards */
} CudaFused;
/* True if the product's kernels can compute the sieve after it, or before it. */
bool cuda_product_fuses(const CudaSieve *sieve);

/* The floats of working memory that a product needs, forward and back to data. The memory is
 * aligned to 16 bytes. */
int64_t cuda_product_scratch(const CudaProduct *product);
/* The same for the parts that cuda_product_backward_weights leaves. */
int64_t cuda_product_parts(const CudaProduct *product);

/* out = relu(in * kernel + bias), kernel HWIO. `kernel` is float in CUDA_FP32 and CUDA_TF32, bf16
 * in CUDA_BF16 (see cuda_update); `bias` always float. With `logits` the output is float in every
 * precision. With the sieve of `fused`, `out` is the sieve's output. */
void cuda_product_forward(cudaStream_t stream, CudaPrecision precision, const CudaProduct *product,
                          const void *in, const void *kernel, const float *bias, bool logits,
                          void *out, float *scratch, const CudaFused *fused);
/* in_gradient = out_gradient * transposed kernel. If `relu_out` is not NULL, it is the input of
 * this product and the output of a ReLU; where it is 0 the gradient becomes 0. With the sieve of
 * `fused`, `in_gradient` is the gradient of the sieve's input, and `relu_out` is NULL. */
void cuda_product_backward_data(cudaStream_t stream, CudaPrecision precision,
                                const CudaProduct *product, const void *out_gradient,
                                const void *kernel, const void *relu_out, void *in_gradient,
                                float *scratch, const CudaFused *fused);
/* Computes the gradients of the kernel (HWIO) and of the bias, as floats, or leaves them in
 * `parts`: of the kernel, followed by those of the bias. `*unadded` is then these parts with `at`
 * 0; otherwise its count is 0. */
void cuda_product_backward_weights(cudaStream_t stream, CudaPrecision precision,
                                   const CudaProduct *product, const void *in,
                                   const void *out_gradient, float *kernel_gradient,
                                   float *bias_gradient, float *parts, CudaParts *unadded);

/* --- The product of an image (image_product.cu) ---
 *
 * The first convolution of the networks for CIFAR-10. */

/* True for the shape that these kernels compute. */
bool cuda_image_fits(const CudaProduct *product);
void cuda_image_forward(cudaStream_t stream, CudaPrecision precision, const CudaProduct *product,
                        const void *in, const void *kernel, const float *bias, void *out);
/* Leaves the gradients of the kernel and the bias in `parts`, of cuda_product_parts floats, and
 * describes them in `*unadded` with `at` 0. */
void cuda_image_backward_weights(cudaStream_t stream, CudaPrecision precision,
                                 const CudaProduct *product, const void *in,
                                 const void *out_gradient, float *parts, CudaParts *unadded);

/* --- The parts of a product that libraries do not compute (product_rest.cu) ---
 *
 * Values of a product are `rows` pixels of `columns` channels. */

/* out[columns][rows] = in[rows][columns], as bf16 or floats. */
void cuda_transpose(cudaStream_t stream, bool is_bf16, int32_t rows, int32_t columns,
                    const void *in, void *out);
/* values = relu(values + bias), in place; without ReLU if not `has_relu`. */
void cuda_add_bias(cudaStream_t stream, bool is_bf16, int64_t rows, int32_t columns,
                   const float *bias, bool has_relu, void *values);
/* Sets the gradient to 0 where `relu_out` is 0. */
void cuda_mask_by_relu(cudaStream_t stream, bool is_bf16, int64_t count, const void *relu_out,
                       void *gradient);
/* cuda_bias_gradient sums all rows. cuda_bias_gradient_scratch returns the floats of working memory
 * that it needs. */
int64_t cuda_bias_gradient_scratch(int64_t rows, int32_t columns);
void cuda_bias_gradient(cudaStream_t stream, bool is_bf16, int64_t rows, int32_t columns,
                        const void *out_gradient, float *bias_gradient, float *scratch);

/* --- The loss and the update (loss.cu, head.cu, update.cu) --- */

typedef struct {
    double learning_rate, decay;
    float rho, rest, epsilon; /* rest: 1 - rho, of floats */
    float gradient_scale;
} CudaRmsProp;

/* Computes softmax of the logits [count][classes] (floats) in `probabilities`, and adds the score
 * to `step`. After a bad step nothing is added, so that loss_sum shows whether the loss of the bad
 * step was not finite. If `gradient` is not NULL, computes the gradient of trainer/compute/loss.h
 * in the precision's type. At most 256 classes.
 *
 * If `optimizer` is not NULL, also ends the step, because what follows needs no more than its rate:
 * computes the rate, records a loss that is not finite, and advances the number and the index to
 * those of the next step.
 *
 * As on the processor, powers and their sums are doubles, but the GPU's exp and the order of the
 * sum differ. Probabilities agree within two units in a float's last place. For equal
 * probabilities, the gradient and the number of correct images have the same bits, and the losses
 * are equal as doubles. */
void cuda_loss(cudaStream_t stream, CudaPrecision precision, const float *logits,
               const uint8_t *batch_labels, int32_t count, int32_t classes, float *probabilities,
               void *gradient, const CudaRmsProp *optimizer, CudaStep *step);

/* The last dense layer and cuda_loss in one kernel: the layer's logits, and in training the
 * gradient of its input, with the dropout or the ReLU before it, as cuda_product_forward and
 * cuda_product_backward_data compute them. In CUDA_TF32 its factors are floats that are not
 * rounded. */
typedef struct {
    int32_t count, channels, classes;
    const void *in;        /* [count][channels] */
    const void *kernel;    /* [channels][classes] */
    const float *bias;     /* [classes] */
    const uint8_t *labels; /* [count] */
    float *logits;         /* [count][classes] */
    float *probabilities;  /* [count][classes] */
    void *gradient;        /* of the logits; NULL: no training */
    void *in_gradient;     /* of `in`, or of the input of the dropout before it; NULL: not wanted */
    const uint8_t *places; /* of the dropout before the layer; NULL: no dropout */
    const void *relu_out;  /* as in cuda_product_backward_data */
} CudaHead;
/* True if the kernel can compute the layer; `before`: the sieve before it, or NULL. */
bool cuda_head_fits(const CudaProduct *product, const CudaSieve *before);
void cuda_head(cudaStream_t stream, CudaPrecision precision, const CudaHead *head,
               const CudaSieve *before, const CudaRmsProp *optimizer, CudaStep *step);

/* Adds parts. */
void cuda_add_parts(cudaStream_t stream, const CudaUnadded *unadded, float *gradients);

/* The update of trainer/compute/optimizer.h of the parameters [first, end), with the same bits and
 * the rate of `step`. `first` is a multiple of 4 and less than `end`. First adds `unadded`, the
 * parts of gradients of such parameters. Records in `step` if a weight is not finite. If
 * `bf16_weights` is not NULL, also stores the new weights as bf16. `has_ended`: cuda_loss has ended
 * the step. */
void cuda_update(cudaStream_t stream, const CudaRmsProp *optimizer, int64_t first, int64_t end,
                 const CudaUnadded *unadded, float *gradients, float *accumulators, float *weights,
                 uint16_t *bf16_weights, bool has_ended, CudaStep *step);
/* Converts weights to bf16, after the host has changed them. */
void cuda_narrow(cudaStream_t stream, const float *weights, int64_t count, uint16_t *bf16_weights);

#ifdef __cplusplus
}
#endif
#endif
