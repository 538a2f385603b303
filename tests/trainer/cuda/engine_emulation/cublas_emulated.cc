#include "tests/trainer/cuda/engine_emulation/engine_emulation.h"
#include "tests/trainer/cuda/engine_emulation/values.h"

using namespace emulation;

struct cublasContext {
    cudaStream_t stream;
    void *workspace;
    size_t workspace_bytes;
};

extern "C" {

EngineEmulation *engine_emulation(void)
{
    static EngineEmulation settings;
    return &settings;
}

cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    *handle = nullptr;
    if (engine_emulation()->cublas_create != CUBLAS_STATUS_SUCCESS)
        return engine_emulation()->cublas_create;
    *handle = new cublasContext();
    engine_emulation()->live++;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    delete handle;
    engine_emulation()->live--;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream)
{
    *handle = {stream, nullptr, 0};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace, size_t bytes)
{
    if ((uintptr_t)workspace % 256 != 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->workspace = workspace;
    handle->workspace_bytes = bytes;
    return CUBLAS_STATUS_SUCCESS;
}

/* A column-major matrix. */
struct Matrix {
    Values values;
    int column;
    bool is_transposed;

    double get(int row, int column_index) const
    {
        return is_transposed ? values.get((int64_t)row * column + column_index)
                             : values.get((int64_t)column_index * column + row);
    }
};

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void *alpha,
                            const void *a, cudaDataType a_type, int lda, const void *b,
                            cudaDataType b_type, int ldb, const void *beta, void *c,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t)
{
    const bool a_turned = transa == CUBLAS_OP_T, b_turned = transb == CUBLAS_OP_T;
    const bool is_tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32;
    const bool is_bf16 = a_type == CUDA_R_16BF, is_out_bf16 = c_type == CUDA_R_16BF;
    if (engine_emulation()->cublas_gemm != CUBLAS_STATUS_SUCCESS)
        return engine_emulation()->cublas_gemm;
    if (m < 1 || n < 1 || k < 1 || lda < (a_turned ? k : m) || ldb < (b_turned ? n : k) || ldc < m)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (a_type != b_type || (is_bf16 && is_tf32) || (is_out_bf16 && !is_bf16))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (*static_cast<const float *>(alpha) != 1.0f || *static_cast<const float *>(beta) != 0.0f ||
        handle->workspace == nullptr)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const Matrix left = {{a, is_bf16, is_tf32}, lda, a_turned};
    const Matrix right = {{b, is_bf16, is_tf32}, ldb, b_turned};
    const cublasContext by = *handle;
    engine_emulation()->gemms++;
    const cudaError_t error = call([&] {
        return submit(by.stream, cudaGraphNodeTypeKernel, [=] {
            spoil(by.workspace, by.workspace_bytes);
            for (int column = 0; column < n; column++)
                for (int row = 0; row < m; row++) {
                    double sum = 0.0;
                    for (int i = 0; i < k; i++)
                        sum += left.get(row, i) * right.get(i, column);
                    put(c, is_out_bf16, (int64_t)column * ldc + row, sum);
                }
            cuda_emulation_spend(engine_emulation()->gemm_ns);
        });
    });
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

} // extern "C"
