/* Who computes products. An engine is one library's way, or several, to do what cuda_product_* of
 * trainer/cuda/kernels.h do:
 *
 *     own     the kernels of product.cu: every product, pass and precision, batches of any size
 *     cublas  dense layers and convolutions of side 1, which are products of plain matrices
 *     cudnn   convolutions
 *
 * Which is the fastest depends on the GPU, the shape and the library's version, so each way to do a
 * pass of a layer is tried when a model opens, and the fastest is kept (trainer/cuda/model.h,
 * "Engines"). Every way gives the same bits each time; which one is taken hangs on a clock, and so
 * may differ from run to run, unless BackendSettings.is_deterministic says that it must not: then
 * all is `own`.
 *
 * The libraries are optional (CMake: TRAINYARD_CUBLAS, TRAINYARD_CUDNN). A program that was built
 * with one does not start without it: it is looked for where it was when the program was built,
 * then where the system looks. */
#ifndef TRAINER_CUDA_CUDA_ENGINES_H
#define TRAINER_CUDA_CUDA_ENGINES_H

#include "trainer/cuda/kernels.h"

typedef enum {
    CUDA_PASS_FORWARD,
    CUDA_PASS_DATA,    /* back to the input */
    CUDA_PASS_WEIGHTS, /* back to kernel and bias */
    CUDA_PASS_COUNT
} CudaPass;

/* What is to be computed. */
typedef struct {
    CudaPass pass;
    CudaPrecision precision;
    CudaProduct product;
    bool has_logits; /* forward: floats come out whatever the precision */
} CudaTask;

/* With what; the names are those of cuda_product_*, which say what each is. Members that the pass
 * has no use for are not looked at. */
typedef struct {
    const void *in, *kernel, *out_gradient, *relu_out;
    const float *bias;
    void *out, *in_gradient;
    float *kernel_gradient, *bias_gradient;
    void *scratch; /* the same for all of a model; at a multiple of 256 bytes */
} CudaOperands;

typedef struct CudaEngine CudaEngine;

/* One way to do one task. */
typedef struct {
    const CudaEngine *engine;
    void *state; /* of the engine */
    void *plan;  /* the engine's, for the task; may be NULL */
    int32_t algorithm;
    int64_t workspace_bytes; /* of the scratch, the library's part */
    int64_t scratch_bytes;
} CudaWay;

enum { CUDA_WAYS_MAX = 16 };

struct CudaEngine {
    const char *name;

    /* What is queued later goes to `stream`. NULL, or the name of the library's error. */
    const char *(*open)(cudaStream_t stream, void **state);
    void (*close)(void *state); /* with all plans; NULL is fine */

    /* Writes ways to do the task, at most `most`, and returns how many: 0 when it cannot. Asks no
     * GPU. They are for this very task, number of images included. */
    int32_t (*find)(void *state, const CudaTask *task, CudaWay *ways, int32_t most);

    /* Queues it; legal while a graph is captured, but for the first time. NULL, or the name of the
     * library's error. */
    const char *(*run)(const CudaWay *way, const CudaTask *task, const CudaOperands *operands);
};

extern const CudaEngine cuda_engine_own;
extern const CudaEngine cuda_engine_cublas;
extern const CudaEngine cuda_engine_cudnn;

/* Where the next part of working memory begins, so that it is fit for every use. */
static inline int64_t cuda_scratch_after(int64_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Pixels of all images, in and out. */
static inline int64_t cuda_product_in_rows(const CudaProduct *product)
{
    return (int64_t)product->count * product->in_height * product->in_width;
}

static inline int64_t cuda_product_out_rows(const CudaProduct *product)
{
    return (int64_t)product->count * product->out_height * product->out_width;
}

#endif
