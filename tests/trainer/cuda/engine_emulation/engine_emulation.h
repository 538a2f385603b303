/* A cuBLAS and a cuDNN that are none: plain loops, queued on the streams of an emulated GPU
 * (tests/trainer/cuda/emulation), so that what the trainer makes of the libraries can be tested
 * without a GPU. Their arithmetic is the libraries': sums of floats in whatever order, here doubles
 * rounded once; factors of tf32 rounded where the library may do so, which for cuDNN is its
 * "default math".
 *
 * Combinations of types and layouts that the trainer has no business with are refused. Working
 * memory is filled with NaN, as it may have any content afterwards, and whoever gives too little of
 * it is told. Of cuDNN's algorithms there are those whose implementation is spelled out below. */
#ifndef TESTS_TRAINER_CUDA_ENGINE_EMULATION_ENGINE_EMULATION_H
#define TESTS_TRAINER_CUDA_ENGINE_EMULATION_ENGINE_EMULATION_H

#include <cublas_v2.h>
#include <cudnn.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* cuDNN's algorithms here, for each direction:
 *
 *     0   no working memory; of gradients the one whose order of sums is not fixed
 *     1   some working memory
 *     3   of gradients of kernels, as 0; elsewhere none
 *     4   exists, and refuses when it is run (forward only)
 *     6   wants 1 GiB of working memory (forward only) */
enum { ENGINE_EMULATION_ALGORITHMS = 8 };

/* What tests set, and what they look at; all zero in the beginning. */
typedef struct {
    cublasStatus_t cublas_create, cublas_gemm; /* what these say, without doing it */
    cudnnStatus_t cudnn_create, cudnn_convolution;
    /* What they take, while the GPU's time is counted. */
    int64_t gemm_ns, convolution_ns[ENGINE_EMULATION_ALGORITHMS];

    int64_t gemms, convolutions; /* that were queued */
    int64_t live;                /* handles and descriptors */
} EngineEmulation;

EngineEmulation *engine_emulation(void);

#ifdef __cplusplus
}
#endif
#endif
