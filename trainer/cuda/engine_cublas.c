/* Private to trainer/cuda: dense layers and convolutions of side 1 by cuBLAS. The trainer's
 * matrices are row-major, cuBLAS' are column-major. A row-major C = A * B is C' = B' * A' with the
 * same bytes in cuBLAS, so nothing has to be transposed. */
#include <stdlib.h>

#include "sim/base/memory.h"
#include "trainer/cuda/engines.h"
#include "trainer/cuda/toolkit/cublas_version.h"

typedef struct {
    cublasHandle_t handle;
    cudaStream_t stream;
    void *workspace; /* given to cuBLAS; NULL: not yet */
    int64_t workspace_bytes;
} Cublas;

/* --- Opening and closing --- */

static const char *error_name(cublasStatus_t status)
{
    switch (status) {
    case CUBLAS_STATUS_SUCCESS:
        return NULL;
    case CUBLAS_STATUS_NOT_INITIALIZED:
        return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
        return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
        return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH:
        return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_MAPPING_ERROR:
        return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED:
        return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR:
        return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED:
        return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_LICENSE_ERROR:
        return "CUBLAS_STATUS_LICENSE_ERROR";
    }
    return "an unknown error of cuBLAS";
}

static void engine_close(void *opened)
{
    Cublas *cublas = opened;
    if (!cublas)
        return;
    if (cublas->handle)
        (void)cublasDestroy(cublas->handle);
    free(cublas);
}

/* The size that cuBLAS' manual recommends ("cublasSetWorkspace"): 4 MiB, since Hopper 32 MiB. */
static int64_t wanted_workspace(void)
{
    int device, major = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess)
        (void)cudaGetLastError(); // the next call reports it
    return (major >= 9 ? 32 : 4) << 20;
}

static const char *engine_open(cudaStream_t stream, void **opened)
{
    Cublas *cublas = memory_zeroed(sizeof *cublas);
    cublas->stream = stream;
    cublas->workspace_bytes = wanted_workspace();
    cublasStatus_t status = cublasCreate(&cublas->handle);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublasSetStream(cublas->handle, stream);
    if (status == CUBLAS_STATUS_SUCCESS)
        *opened = cublas;
    else
        engine_close(cublas);
    return error_name(status);
}

/* --- Supported tasks --- */

static int32_t engine_find(void *opened, const CudaTask *task, CudaWay *ways, int32_t most)
{
    const Cublas *cublas = opened;
    const CudaProduct *product = &task->product;
    const bool is_known = task->precision == CUDA_FP32 || cublas_has_bf16_and_tf32();
    if (product->side > 1 || product->padding > 0 || !is_known || most < 1)
        return 0;
    const int64_t rows = cuda_product_out_rows(product);
    const int64_t bias = task->pass == CUDA_PASS_WEIGHTS
                             ? cuda_bias_gradient_scratch(rows, product->out_channels)
                             : 0;
    ways[0] = (CudaWay){.engine = &cuda_engine_cublas,
                        .state = opened,
                        .workspace_bytes = cublas->workspace_bytes,
                        .scratch_bytes = cublas->workspace_bytes + bias * (int64_t)sizeof(float)};
    return 1;
}

/* --- Products --- */

/* A factor in cuBLAS' view: the transpose of the row-major matrix. */
typedef struct {
    const void *values;
    int32_t row; /* values from one row to the next */
    cublasOperation_t operation;
} Factor;

/* out[rows][columns] = left * right, all row-major; factors are bf16 in CUDA_BF16. */
static cublasStatus_t multiply(const Cublas *cublas, const CudaTask *task, int64_t rows,
                               int32_t columns, int64_t sum, Factor left, Factor right, void *out,
                               bool is_out_bf16)
{
    const float one = 1.0f, zero = 0.0f;
    const cudaDataType type = task->precision == CUDA_BF16 ? CUBLAS_TYPE_BF16 : CUDA_R_32F;
    return cublasGemmEx(cublas->handle, right.operation, left.operation, columns, (int)rows,
                        (int)sum, &one, right.values, type, right.row, left.values, type, left.row,
                        &zero, out, is_out_bf16 ? CUBLAS_TYPE_BF16 : CUDA_R_32F, columns,
                        task->precision == CUDA_TF32 ? CUBLAS_SUMS_OF_TF32 : CUBLAS_SUMS_OF_FP32,
                        CUBLAS_GEMM_DEFAULT);
}

static const char *forward(const Cublas *cublas, const CudaTask *task, const CudaOperands *with)
{
    const CudaProduct *product = &task->product;
    const int64_t rows = cuda_product_out_rows(product);
    const int32_t ins = product->in_channels, outs = product->out_channels;
    const bool is_bf16 = task->precision == CUDA_BF16 && !task->has_logits;
    const cublasStatus_t status =
        multiply(cublas, task, rows, outs, ins, (Factor){with->in, ins, CUBLAS_OP_N},
                 (Factor){with->kernel, outs, CUBLAS_OP_N}, with->out, is_bf16);
    if (status == CUBLAS_STATUS_SUCCESS)
        cuda_add_bias(cublas->stream, is_bf16, rows, outs, with->bias, product->has_relu,
                      with->out);
    return error_name(status);
}

static const char *data(const Cublas *cublas, const CudaTask *task, const CudaOperands *with)
{
    const CudaProduct *product = &task->product;
    const int64_t rows = cuda_product_in_rows(product);
    const int32_t ins = product->in_channels, outs = product->out_channels;
    const bool is_bf16 = task->precision == CUDA_BF16;
    const cublasStatus_t status =
        multiply(cublas, task, rows, ins, outs, (Factor){with->out_gradient, outs, CUBLAS_OP_N},
                 (Factor){with->kernel, outs, CUBLAS_OP_T}, with->in_gradient, is_bf16);
    if (status == CUBLAS_STATUS_SUCCESS && with->relu_out)
        cuda_mask_by_relu(cublas->stream, is_bf16, rows * ins, with->relu_out, with->in_gradient);
    return error_name(status);
}

static const char *weights(const Cublas *cublas, const CudaTask *task, const CudaOperands *with)
{
    const CudaProduct *product = &task->product;
    const int64_t rows = cuda_product_out_rows(product);
    const int32_t ins = product->in_channels, outs = product->out_channels;
    const cublasStatus_t status =
        multiply(cublas, task, ins, outs, rows, (Factor){with->in, ins, CUBLAS_OP_T},
                 (Factor){with->out_gradient, outs, CUBLAS_OP_N}, with->kernel_gradient, false);
    if (status == CUBLAS_STATUS_SUCCESS)
        cuda_bias_gradient(cublas->stream, task->precision == CUDA_BF16, rows, outs,
                           with->out_gradient, with->bias_gradient,
                           (float *)((char *)with->scratch + cublas->workspace_bytes));
    return error_name(status);
}

/* Sets the workspace, the first part of the model's working memory, once that is allocated.
 * Otherwise cuBLAS would allocate one, which a graph cannot contain. */
static const char *give_workspace(Cublas *cublas, void *scratch)
{
    if (cublas->workspace == scratch)
        return NULL;
    cublas->workspace = scratch;
    return error_name(
        cublas_set_workspace(cublas->handle, scratch, (size_t)cublas->workspace_bytes));
}

static const char *engine_run(const CudaWay *way, const CudaTask *task, const CudaOperands *with)
{
    Cublas *cublas = way->state;
    const char *error = give_workspace(cublas, with->scratch);
    if (error)
        return error;
    switch (task->pass) {
    case CUDA_PASS_FORWARD:
        return forward(cublas, task, with);
    case CUDA_PASS_DATA:
        return data(cublas, task, with);
    case CUDA_PASS_WEIGHTS:
    case CUDA_PASS_COUNT:
        break;
    }
    return weights(cublas, task, with);
}

const CudaEngine cuda_engine_cublas = {
    .name = "cublas",
    .open = engine_open,
    .close = engine_close,
    .find = engine_find,
    .run = engine_run,
};
