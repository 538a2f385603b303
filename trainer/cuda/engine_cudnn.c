/* Convolutions by cuDNN, one way for each of its algorithms. The fastest is found by measuring, so
 * cuDNN's heuristics are not used. */
#include "trainer/cuda/engine_cudnn.h"

#include <stdlib.h>

#include "sim/base/memory.h"

/* The descriptors of one task. */
typedef struct Plan {
    struct Plan *next;
    CudnnShapes shapes;
} Plan;

typedef struct {
    cudnnHandle_t handle;
    cudaStream_t stream;
    Plan *plans;
} Cudnn;

/* Algorithms that need more working memory would not fit next to large batches. */
enum { WORKSPACE_MAX = 256 << 20 };

/* --- Opening and closing --- */

static const char *error_name(cudnnStatus_t status)
{
    return status == CUDNN_STATUS_SUCCESS ? NULL : cudnnGetErrorString(status);
}

static void engine_close(void *opened)
{
    Cudnn *cudnn = opened;
    if (!cudnn)
        return;
    for (Plan *plan = cudnn->plans, *next; plan; plan = next) {
        next = plan->next;
        cudnn_shapes_free(&plan->shapes);
        free(plan);
    }
    if (cudnn->handle)
        (void)cudnnDestroy(cudnn->handle);
    free(cudnn);
}

static const char *engine_open(cudaStream_t stream, void **opened)
{
    Cudnn *cudnn = memory_zeroed(sizeof *cudnn);
    cudnn->stream = stream;
    cudnnStatus_t status = cudnnCreate(&cudnn->handle);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnSetStream(cudnn->handle, stream);
    if (status == CUDNN_STATUS_SUCCESS)
        *opened = cudnn;
    else
        engine_close(cudnn);
    return error_name(status);
}

/* --- Shapes --- */

static cudnnStatus_t set_shapes(const CudaTask *task, const CudnnShapes *shapes)
{
    const CudaProduct *p = &task->product;
    const cudnnDataType_t type = cudnn_type(task->precision);
    cudnnStatus_t status = cudnnSetTensor4dDescriptor(shapes->in, CUDNN_TENSOR_NHWC, type, p->count,
                                                      p->in_channels, p->in_height, p->in_width);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnSetTensor4dDescriptor(shapes->out, CUDNN_TENSOR_NHWC, type, p->count,
                                            p->out_channels, p->out_height, p->out_width);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnSetFilter4dDescriptor(shapes->kernel, type, CUDNN_TENSOR_NHWC,
                                            p->out_channels, p->in_channels, p->side, p->side);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnSetConvolution2dDescriptor(shapes->convolution, p->padding, p->padding, 1, 1,
                                                 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnSetConvolutionMathType(shapes->convolution, cudnn_math(task->precision));
    return status;
}

cudnnStatus_t cudnn_shapes_make(const CudaTask *task, CudnnShapes *shapes)
{
    *shapes = (CudnnShapes){.in = NULL};
    cudnnStatus_t status = cudnnCreateTensorDescriptor(&shapes->in);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnCreateTensorDescriptor(&shapes->out);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnCreateFilterDescriptor(&shapes->kernel);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnCreateConvolutionDescriptor(&shapes->convolution);
    return status == CUDNN_STATUS_SUCCESS ? set_shapes(task, shapes) : status;
}

void cudnn_shapes_free(CudnnShapes *shapes)
{
    if (shapes->in)
        (void)cudnnDestroyTensorDescriptor(shapes->in);
    if (shapes->out)
        (void)cudnnDestroyTensorDescriptor(shapes->out);
    if (shapes->kernel)
        (void)cudnnDestroyFilterDescriptor(shapes->kernel);
    if (shapes->convolution)
        (void)cudnnDestroyConvolutionDescriptor(shapes->convolution);
}

/* --- Working memory --- */

/* The parts of working memory in their order: cuDNN's workspace; the transposed kernel or its
 * gradient; sums of the bias' gradient. */
typedef struct {
    int64_t kernel_at, bias_at, end;
} Scratch;

static int32_t kernel_rows(const CudaProduct *product)
{
    return product->side * product->side * product->in_channels;
}

static Scratch scratch_of(const CudaTask *task, int64_t workspace_bytes)
{
    const CudaProduct *product = &task->product;
    const int64_t value = task->precision == CUDA_BF16 ? sizeof(uint16_t) : sizeof(float);
    const int64_t kernel = (int64_t)kernel_rows(product) * product->out_channels * value;
    const int64_t sums =
        task->pass == CUDA_PASS_WEIGHTS
            ? cuda_bias_gradient_scratch(cuda_product_out_rows(product), product->out_channels)
            : 0;
    const int64_t kernel_at = cuda_scratch_after(workspace_bytes);
    const int64_t bias_at = cuda_scratch_after(kernel_at + kernel);
    return (Scratch){kernel_at, bias_at, bias_at + sums * (int64_t)sizeof(float)};
}

/* --- Supported tasks --- */

/* Dense layers are left to cuBLAS. Logits and gradients of kernels must be floats, but cuDNN's
 * results from bf16 are bf16. */
static bool can_do(const CudaTask *task)
{
    const CudaProduct *product = &task->product;
    const bool is_dense = product->in_height == 1 && product->in_width == 1 && product->side == 1;
    const bool has_float_result = task->has_logits || task->pass == CUDA_PASS_WEIGHTS;
    return !is_dense && cudnn_knows(task->precision) &&
           (task->precision != CUDA_BF16 || !has_float_result);
}

/* The number of cuDNN's algorithms. */
static int32_t algorithms_of(CudaPass pass)
{
    switch (pass) {
    case CUDA_PASS_FORWARD:
        return CUDNN_CONVOLUTION_FWD_ALGO_COUNT;
    case CUDA_PASS_DATA:
        return CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT;
    case CUDA_PASS_WEIGHTS:
    case CUDA_PASS_COUNT:
        break;
    }
    return CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT;
}

/* False for the algorithms that cuDNN's manual calls non-deterministic: their atomic additions have
 * no fixed order. */
static bool gives_same_bits(CudaPass pass, int32_t algorithm)
{
    if (pass == CUDA_PASS_DATA)
        return algorithm != CUDNN_CONVOLUTION_BWD_DATA_ALGO_0;
    return pass != CUDA_PASS_WEIGHTS || (algorithm != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 &&
                                         algorithm != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3);
}

/* Fails if the algorithm does not support the shape. */
static cudnnStatus_t workspace_of(const Cudnn *cudnn, const CudnnShapes *s, CudaPass pass,
                                  int32_t algorithm, size_t *bytes)
{
    switch (pass) {
    case CUDA_PASS_FORWARD:
        return cudnnGetConvolutionForwardWorkspaceSize(cudnn->handle, s->in, s->kernel,
                                                       s->convolution, s->out,
                                                       (cudnnConvolutionFwdAlgo_t)algorithm, bytes);
    case CUDA_PASS_DATA:
        return cudnnGetConvolutionBackwardDataWorkspaceSize(
            cudnn->handle, s->kernel, s->out, s->convolution, s->in,
            (cudnnConvolutionBwdDataAlgo_t)algorithm, bytes);
    case CUDA_PASS_WEIGHTS:
    case CUDA_PASS_COUNT:
        break;
    }
    return cudnnGetConvolutionBackwardFilterWorkspaceSize(
        cudnn->handle, s->in, s->out, s->convolution, s->kernel,
        (cudnnConvolutionBwdFilterAlgo_t)algorithm, bytes);
}

static Plan *plan_make(Cudnn *cudnn, const CudaTask *task)
{
    Plan *plan = memory_zeroed(sizeof *plan);
    if (cudnn_shapes_make(task, &plan->shapes) == CUDNN_STATUS_SUCCESS) {
        plan->next = cudnn->plans;
        cudnn->plans = plan;
        return plan;
    }
    cudnn_shapes_free(&plan->shapes);
    free(plan);
    return NULL;
}

static int32_t engine_find(void *opened, const CudaTask *task, CudaWay *ways, int32_t most)
{
    Cudnn *cudnn = opened;
    int32_t count = 0;
    Plan *plan = can_do(task) ? plan_make(cudnn, task) : NULL;
    for (int32_t i = 0; plan && count < most && i < algorithms_of(task->pass); i++) {
        size_t bytes = 0;
        if (!gives_same_bits(task->pass, i) ||
            workspace_of(cudnn, &plan->shapes, task->pass, i, &bytes) != CUDNN_STATUS_SUCCESS ||
            bytes > WORKSPACE_MAX)
            continue;
        ways[count++] = (CudaWay){.engine = &cuda_engine_cudnn,
                                  .state = cudnn,
                                  .plan = plan,
                                  .algorithm = i,
                                  .workspace_bytes = (int64_t)bytes,
                                  .scratch_bytes = scratch_of(task, (int64_t)bytes).end};
    }
    return count;
}

/* --- Passes --- */

/* A running pass. */
typedef struct {
    const Cudnn *cudnn;
    const CudnnShapes *shapes;
    const CudaTask *task;
    const CudaOperands *with;
    int32_t algorithm;
    size_t workspace_bytes;
    void *kernel; /* in cuDNN's layout */
    float *sums;
} Run;

static const float one = 1.0f, zero = 0.0f;

static void transpose_kernel(const Run *run)
{
    const CudaProduct *product = &run->task->product;
    cuda_transpose(run->cudnn->stream, run->task->precision == CUDA_BF16, kernel_rows(product),
                   product->out_channels, run->with->kernel, run->kernel);
}

static cudnnStatus_t forward(const Run *run)
{
    const CudnnShapes *s = run->shapes;
    const CudaProduct *product = &run->task->product;
    transpose_kernel(run);
    const cudnnStatus_t status = cudnnConvolutionForward(
        run->cudnn->handle, &one, s->in, run->with->in, s->kernel, run->kernel, s->convolution,
        (cudnnConvolutionFwdAlgo_t)run->algorithm, run->with->scratch, run->workspace_bytes, &zero,
        s->out, run->with->out);
    if (status == CUDNN_STATUS_SUCCESS)
        cuda_add_bias(run->cudnn->stream, run->task->precision == CUDA_BF16,
                      cuda_product_out_rows(product), product->out_channels, run->with->bias,
                      product->has_relu, run->with->out);
    return status;
}

static cudnnStatus_t data(const Run *run)
{
    const CudnnShapes *s = run->shapes;
    const CudaProduct *product = &run->task->product;
    transpose_kernel(run);
    const cudnnStatus_t status = cudnnConvolutionBackwardData(
        run->cudnn->handle, &one, s->kernel, run->kernel, s->out, run->with->out_gradient,
        s->convolution, (cudnnConvolutionBwdDataAlgo_t)run->algorithm, run->with->scratch,
        run->workspace_bytes, &zero, s->in, run->with->in_gradient);
    if (status == CUDNN_STATUS_SUCCESS && run->with->relu_out)
        cuda_mask_by_relu(run->cudnn->stream, run->task->precision == CUDA_BF16,
                          cuda_product_in_rows(product) * product->in_channels, run->with->relu_out,
                          run->with->in_gradient);
    return status;
}

static cudnnStatus_t weights(const Run *run)
{
    const CudnnShapes *s = run->shapes;
    const CudaProduct *product = &run->task->product;
    const cudnnStatus_t status = cudnnConvolutionBackwardFilter(
        run->cudnn->handle, &one, s->in, run->with->in, s->out, run->with->out_gradient,
        s->convolution, (cudnnConvolutionBwdFilterAlgo_t)run->algorithm, run->with->scratch,
        run->workspace_bytes, &zero, s->kernel, run->kernel);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    cuda_transpose(run->cudnn->stream, false, product->out_channels, kernel_rows(product),
                   run->kernel, run->with->kernel_gradient);
    cuda_bias_gradient(run->cudnn->stream, false, cuda_product_out_rows(product),
                       product->out_channels, run->with->out_gradient, run->with->bias_gradient,
                       run->sums);
    return status;
}

static const char *engine_run(const CudaWay *way, const CudaTask *task, const CudaOperands *with)
{
    const Plan *plan = way->plan;
    const Scratch scratch = scratch_of(task, way->workspace_bytes);
    char *memory = with->scratch;
    const Run run = {.cudnn = way->state,
                     .shapes = &plan->shapes,
                     .task = task,
                     .with = with,
                     .algorithm = way->algorithm,
                     .workspace_bytes = (size_t)way->workspace_bytes,
                     .kernel = memory + scratch.kernel_at,
                     .sums = (float *)(memory + scratch.bias_at)};
    switch (task->pass) {
    case CUDA_PASS_FORWARD:
        return error_name(forward(&run));
    case CUDA_PASS_DATA:
        return error_name(data(&run));
    case CUDA_PASS_WEIGHTS:
    case CUDA_PASS_COUNT:
        break;
    }
    return error_name(weights(&run));
}

const CudaEngine cuda_engine_cudnn = {
    .name = "cudnn",
    .open = engine_open,
    .close = engine_close,
    .find = engine_find,
    .run = engine_run,
};
