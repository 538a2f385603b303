/* CUDA_LAUNCH and CUDA_WORK, for the processor: see trainer/cuda/toolkit/toolkit.h. */
#ifndef CUDA_EMULATED_LAUNCH_H
#define CUDA_EMULATED_LAUNCH_H

#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "cuda_runtime_api.h"

#include "cuda_emulated_types.h"

/* Queues `thread`, which is called once for each thread of each block, on `stream`. `kernel` is the
 * address of the kernel's function. */
void cuda_emulated_launch(const char *name, const void *kernel, dim3 grid, dim3 block,
                          cudaStream_t stream, std::function<void()> thread);
/* The work of the next launch. */
void cuda_emulated_work(const struct CudaWork &work);

/* Converts arguments to the kernel's parameters at the launch, as on a GPU. */
template <class... Parameters, class... Arguments>
inline void cuda_emulated_launch_kernel(const char *name, void (*kernel)(Parameters...), dim3 grid,
                                        dim3 block, cudaStream_t stream, Arguments &&...arguments)
{
    static_assert((std::is_trivially_copyable_v<Parameters> && ...),
                  "a kernel's parameters are copied to the GPU byte by byte");
    static_assert((sizeof(Parameters) + ... + 0) <= 4096, "CUDA before 12.1 passes 4 KiB");
    std::tuple<std::remove_cv_t<Parameters>...> parameters(std::forward<Arguments>(arguments)...);
    cuda_emulated_launch(name, reinterpret_cast<const void *>(kernel), grid, block, stream,
                         [kernel, parameters] { std::apply(kernel, parameters); });
}

/* The arguments of the macro after `kernel`: grid, block, stream, arguments... */
#define CUDA_LAUNCH(kernel, ...) cuda_emulated_launch_kernel(#kernel, kernel, __VA_ARGS__)
#define CUDA_WORK(work) cuda_emulated_work(work)

#endif
