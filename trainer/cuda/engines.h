/* Engines compute products. An engine offers one or more ways to do the work of cuda_product_* in
 * trainer/cuda/kernels/kernels.h:
 *
 *     own       trainyard's kernels (product*.cu), with the sieve next to a product in the same
 *               kernel, and kernels for images of three channels (image_product.cu); every
 *               product, pass and precision, batches of any size
 *     cublas    dense layers and convolutions of side 1, which are products of plain matrices
 *     cudnn     convolutions
 *
 * The fastest way depends on the GPU, the shape and the library's version. Each way to do a pass of
 * a layer is therefore measured when a model opens, and the fastest is kept (trainer/cuda/model.h,
 * "Engines"). Every way always gives the same bits. The choice depends on measured times and may
 * differ between runs. BackendSettings.engine may name one engine instead: it computes each pass
 * that it can do, own kernels the others, and a pass that it can do by no way that works is an
 * error.
 *
 * The libraries are optional (CMake: TRAINYARD_CUBLAS, TRAINYARD_CUDNN). A program that was built
 * with a library does not start without it. The library is searched for in its folder at build
 * time, then in the system's folders. */
#ifndef TRAINER_CUDA_CUDA_ENGINES_H
#define TRAINER_CUDA_CUDA_ENGINES_H

#include "trainer/cuda/kernels/kernels.h"

typedef enum {
    CUDA_PASS_FORWARD,
    CUDA_PASS_DATA,    /* gradient of the input */
    CUDA_PASS_WEIGHTS, /* gradients of kernel and bias */
    CUDA_PASS_COUNT
} CudaPass;

/* The computation of a pass. */
typedef struct {
    CudaPass pass;
    CudaPrecision precision;
    CudaProduct product;
    bool has_logits; /* forward: the output is float in every precision */
    CudaSieve sieve; /* after the product (forward) or before it (data); side 0: none */
} CudaTask;

/* The operands of a task; the comments of cuda_product_* explain them. Members that the pass does
 * not use are ignored. */
typedef struct {
    const void *in, *kernel, *out_gradient, *relu_out;
    const float *bias;
    void *out, *in_gradient;
    float *kernel_gradient, *bias_gradient;
    void *scratch; /* the same for all tasks of a model; aligned to 256 bytes */

    /* With a sieve: its places, and instead of `out` or `in_gradient` its output (forward) or the
     * gradient of its input (data). An engine that does not fuse them ignores these members. */
    void *sieved;
    uint8_t *places;
    const CudaStep *step;
    bool is_training;
    uint32_t *done;  /* of CudaFused */
    float *parts;    /* weights: for parts that the engine may leave */
    CudaParts *left; /* these parts; count 0: none */
} CudaOperands;

typedef struct CudaEngine CudaEngine;

/* One way to do one task. */
typedef struct {
    const CudaEngine *engine;
    void *state; /* belongs to the engine */
    void *plan;  /* belongs to the engine, for the task; may be NULL */
    int32_t algorithm;
    int64_t workspace_bytes; /* the library's part of the scratch */
    int64_t scratch_bytes;
} CudaWay;

enum { CUDA_WAYS_MAX = 16 };

struct CudaEngine {
    const char *name;
    bool fuses; /* `run` computes the task's sieve, too, if cuda_product_fuses it */

    /* All later work is queued on `stream`. Returns NULL, or the name of the library's error. */
    const char *(*open)(cudaStream_t stream, void **state);
    void (*close)(void *state); /* frees all plans, too; NULL is allowed */

    /* Writes at most `most` ways to do the task and returns their number; 0 if the engine cannot do
     * it. Does not use the GPU. The ways are valid only for this task with this number of
     * images. */
    int32_t (*find)(void *state, const CudaTask *task, CudaWay *ways, int32_t most);

    /* Queues the task. May be called while a graph is captured, except for the first call. Returns
     * NULL, or the name of the library's error. */
    const char *(*run)(const CudaWay *way, const CudaTask *task, const CudaOperands *operands);
};

extern const CudaEngine cuda_engine_own;
extern const CudaEngine cuda_engine_cublas;
extern const CudaEngine cuda_engine_cudnn;

/* The offset of the next part of working memory, aligned for every use. */
static inline int64_t cuda_scratch_after(int64_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Numbers of pixels in all input or output images. */
static inline int64_t cuda_product_in_rows(const CudaProduct *product)
{
    return (int64_t)product->count * product->in_height * product->in_width;
}

static inline int64_t cuda_product_out_rows(const CudaProduct *product)
{
    return (int64_t)product->count * product->out_height * product->out_width;
}

#endif
