/* An emulated cuBLAS and cuDNN: plain loops, queued on the streams of an emulated GPU
 * (tests/trainer/cuda/emulation), so that the trainer's use of the libraries can be tested without
 * a GPU. The arithmetic follows the libraries: sums of floats have no fixed order and are doubles
 * rounded once here; factors are rounded to tf32 if the library may do so (in cuDNN with "default
 * math").
 *
 * Combinations of types and layouts that the trainer does not use are refused. Working memory is
 * filled with NaN, because its contents are undefined afterwards; too little working memory is an
 * error. Only the cuDNN algorithms listed below exist. */
#ifndef TESTS_TRAINER_CUDA_ENGINE_EMULATION_ENGINE_EMULATION_H
#define TESTS_TRAINER_CUDA_ENGINE_EMULATION_ENGINE_EMULATION_H

#include <cublas_v2.h>
#include <cudnn.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The emulated algorithms of cuDNN, for each direction:
 *
 *     0   no working memory; for gradients, the order of its sums is not fixed
 *     1   some working memory
 *     3   for gradients of kernels, like 0; does not exist for others
 *     4   exists, but fails when it is run (forward only)
 *     6   needs 1 GiB of working memory (forward only) */
enum { ENGINE_EMULATION_ALGORITHMS = 8 };

/* Settings of tests, and counts for them; all zero at the start. */
typedef struct {
    cublasStatus_t cublas_create, cublas_gemm; /* results, without doing any work */
    cudnnStatus_t cudnn_create, cudnn_convolution;
    /* Their duration, while the GPU's time is counted. */
    int64_t gemm_ns, convolution_ns[ENGINE_EMULATION_ALGORITHMS];

    int64_t gemms, convolutions; /* queued so far */
    int64_t live;                /* handles and descriptors */
} EngineEmulation;

EngineEmulation *engine_emulation(void);

#ifdef __cplusplus
}
#endif
#endif
