/* trainyard's kernels, cuBLAS and cuDNN on one GPU; fp32, tf32 and bf16. Only in builds with
 * CUDA. */
#ifndef TRAINER_BACKEND_CUDA_H
#define TRAINER_BACKEND_CUDA_H

#include "trainer/compute/backend.h"

extern const Backend backend_cuda;

#endif
