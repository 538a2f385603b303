#include <vector>

#include "tests/trainer/cuda/engine_emulation/engine_emulation.h"
#include "tests/trainer/cuda/engine_emulation/values.h"

using namespace emulation;

struct cudnnContext {
    cudaStream_t stream;
};

/* A tensor has n images, a kernel n output channels; both are stored as NHWC. */
struct Shape4d {
    cudnnDataType_t type;
    int n, c, h, w;

    bool is_bf16() const
    {
        return type == CUDNN_DATA_BFLOAT16;
    }
    int64_t place(int i, int y, int x, int channel) const
    {
        return (((int64_t)i * h + y) * w + x) * c + channel;
    }
    int64_t count() const
    {
        return (int64_t)n * c * h * w;
    }
};

struct cudnnTensorStruct : Shape4d {
};
struct cudnnFilterStruct : Shape4d {
};
struct cudnnConvolutionStruct {
    int padding_y, padding_x;
    cudnnMathType_t math;
};

namespace
{

template <class Struct> cudnnStatus_t create(Struct **made)
{
    *made = new Struct();
    engine_emulation()->live++;
    return CUDNN_STATUS_SUCCESS;
}

template <class Struct> cudnnStatus_t destroy(Struct *old)
{
    delete old;
    engine_emulation()->live--;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set(Shape4d *shape, cudnnTensorFormat_t format, cudnnDataType_t type, int n, int c,
                  int h, int w)
{
    if (n < 1 || c < 1 || h < 1 || w < 1)
        return CUDNN_STATUS_BAD_PARAM;
    if (format != CUDNN_TENSOR_NHWC)
        return CUDNN_STATUS_NOT_SUPPORTED;
    *shape = {type, n, c, h, w};
    return CUDNN_STATUS_SUCCESS;
}

/* The shapes of a convolution, whichever of them is computed. */
struct Shapes {
    Shape4d in, kernel, out;
    cudnnConvolutionStruct by;
};

cudnnStatus_t check(const Shapes &s)
{
    if (s.kernel.c != s.in.c || s.kernel.n != s.out.c || s.in.n != s.out.n ||
        s.out.h != s.in.h + 2 * s.by.padding_y - s.kernel.h + 1 ||
        s.out.w != s.in.w + 2 * s.by.padding_x - s.kernel.w + 1)
        return CUDNN_STATUS_BAD_PARAM;
    const bool is_one_type = s.in.type == s.kernel.type && s.in.type == s.out.type;
    return is_one_type ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

enum Direction { FORWARD, DATA, FILTER };

cudnnStatus_t workspace_of(const Shapes &s, Direction direction, int algorithm, size_t *bytes)
{
    const cudnnStatus_t status = check(s);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    switch (algorithm) {
    case 0:
        *bytes = 0;
        return CUDNN_STATUS_SUCCESS;
    case 1:
        *bytes = 1000 + 4 * (size_t)s.out.count();
        return CUDNN_STATUS_SUCCESS;
    case 3:
        *bytes = 0;
        return direction == FILTER ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
    case 4:
        *bytes = 16;
        return direction == FORWARD ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
    case 6:
        *bytes = (size_t)1 << 30;
        return direction == FORWARD ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
    }
    return CUDNN_STATUS_NOT_SUPPORTED;
}

/* Calls meet(index in `in`, index in `kernel`, index in `out`) for every product. */
template <class Meet> void convolve(const Shapes &s, Meet meet)
{
    for (int i = 0; i < s.out.n; i++)
        for (int y = 0; y < s.out.h; y++)
            for (int x = 0; x < s.out.w; x++)
                for (int below = 0; below < s.kernel.h; below++)
                    for (int right = 0; right < s.kernel.w; right++) {
                        const int in_y = y + below - s.by.padding_y;
                        const int in_x = x + right - s.by.padding_x;
                        if (in_y < 0 || in_y >= s.in.h || in_x < 0 || in_x >= s.in.w)
                            continue;
                        const int64_t in_at = s.in.place(i, in_y, in_x, 0);
                        for (int out = 0; out < s.out.c; out++) {
                            const int64_t kernel_at = s.kernel.place(out, below, right, 0);
                            const int64_t out_at = s.out.place(i, y, x, out);
                            for (int in = 0; in < s.in.c; in++)
                                meet((size_t)(in_at + in), (size_t)(kernel_at + in),
                                     (size_t)out_at);
                        }
                    }
}

/* The operands and the result; the result is not read. */
struct Pointers {
    const void *in, *kernel, *out;
    void *result;
};

/* All values of an operand; none of the result. */
std::vector<double> all_of(const Shapes &s, const Shape4d &shape, const void *at)
{
    const bool is_tf32 = !s.in.is_bf16() && s.by.math != CUDNN_FMA_MATH;
    const Values values = {at, shape.is_bf16(), is_tf32};
    std::vector<double> all(at == nullptr ? 0 : (size_t)shape.count());
    for (size_t i = 0; i < all.size(); i++)
        all[i] = values.get((int64_t)i);
    return all;
}

void run(const Shapes &s, Direction direction, const Pointers &p)
{
    const std::vector<double> in = all_of(s, s.in, p.in), kernel = all_of(s, s.kernel, p.kernel);
    const std::vector<double> out = all_of(s, s.out, p.out);
    const Shape4d &made = direction == FORWARD ? s.out : direction == DATA ? s.in : s.kernel;
    std::vector<double> sums((size_t)made.count());
    if (direction == FORWARD)
        convolve(s, [&](size_t in_at, size_t kernel_at, size_t out_at) {
            sums[out_at] += in[in_at] * kernel[kernel_at];
        });
    else if (direction == DATA)
        convolve(s, [&](size_t in_at, size_t kernel_at, size_t out_at) {
            sums[in_at] += out[out_at] * kernel[kernel_at];
        });
    else
        convolve(s, [&](size_t in_at, size_t kernel_at, size_t out_at) {
            sums[kernel_at] += in[in_at] * out[out_at];
        });
    for (size_t i = 0; i < sums.size(); i++)
        put(p.result, made.is_bf16(), (int64_t)i, sums[i]);
}

cudnnStatus_t queue(cudnnHandle_t handle, const Shapes &s, Direction direction, int algorithm,
                    const Pointers &pointers, const void *alpha, const void *beta, void *workspace,
                    size_t given_bytes)
{
    size_t bytes = 0;
    EngineEmulation *settings = engine_emulation();
    const cudnnStatus_t status = workspace_of(s, direction, algorithm, &bytes);
    if (settings->cudnn_convolution != CUDNN_STATUS_SUCCESS)
        return settings->cudnn_convolution;
    if (status != CUDNN_STATUS_SUCCESS || algorithm == 4)
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (given_bytes < bytes || *static_cast<const float *>(alpha) != 1.0f ||
        *static_cast<const float *>(beta) != 0.0f)
        return CUDNN_STATUS_BAD_PARAM;
    settings->convolutions++;
    const cudaError_t error = call([&] {
        return submit(handle->stream, cudaGraphNodeTypeKernel, [=] {
            spoil(workspace, bytes);
            run(s, direction, pointers);
            cuda_emulation_spend(engine_emulation()->convolution_ns[algorithm]);
        });
    });
    return error == cudaSuccess ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}

} // namespace

extern "C" {

const char *cudnnGetErrorString(cudnnStatus_t status)
{
    switch (status) {
    case CUDNN_STATUS_SUCCESS:
        return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_NOT_INITIALIZED:
        return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_BAD_PARAM:
        return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED:
        return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_EXECUTION_FAILED:
        return "CUDNN_STATUS_EXECUTION_FAILED";
    }
    return "CUDNN_UNKNOWN_STATUS";
}

/* --- Handles and descriptors --- */

cudnnStatus_t cudnnCreate(cudnnHandle_t *handle)
{
    *handle = nullptr;
    if (engine_emulation()->cudnn_create != CUDNN_STATUS_SUCCESS)
        return engine_emulation()->cudnn_create;
    return create(handle);
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle)
{
    return destroy(handle);
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream)
{
    handle->stream = stream;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *tensor)
{
    return create(tensor);
}

cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor)
{
    return destroy(tensor);
}

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c, int h, int w)
{
    return set(tensor, format, type, n, c, h, w);
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *filter)
{
    return create(filter);
}

cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filter)
{
    return destroy(filter);
}

cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w)
{
    return set(filter, format, type, k, c, h, w);
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t *convolution)
{
    return create(convolution);
}

cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t convolution)
{
    return destroy(convolution);
}

cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t convolution,
                                              int padding_y, int padding_x, int step_y, int step_x,
                                              int dilation_y, int dilation_x,
                                              cudnnConvolutionMode_t mode, cudnnDataType_t sums)
{
    if (step_y != 1 || step_x != 1 || dilation_y != 1 || dilation_x != 1 ||
        mode != CUDNN_CROSS_CORRELATION || sums != CUDNN_DATA_FLOAT)
        return CUDNN_STATUS_NOT_SUPPORTED;
    *convolution = {padding_y, padding_x, CUDNN_DEFAULT_MATH};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convolution,
                                          cudnnMathType_t math)
{
    convolution->math = math;
    return CUDNN_STATUS_SUCCESS;
}

/* --- Working memory --- */

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t, cudnnTensorDescriptor_t x,
                                                      cudnnFilterDescriptor_t w,
                                                      cudnnConvolutionDescriptor_t by,
                                                      cudnnTensorDescriptor_t y,
                                                      cudnnConvolutionFwdAlgo_t algorithm,
                                                      size_t *bytes)
{
    return workspace_of({*x, *w, *y, *by}, FORWARD, algorithm, bytes);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(cudnnHandle_t, cudnnFilterDescriptor_t w,
                                                           cudnnTensorDescriptor_t dy,
                                                           cudnnConvolutionDescriptor_t by,
                                                           cudnnTensorDescriptor_t dx,
                                                           cudnnConvolutionBwdDataAlgo_t algorithm,
                                                           size_t *bytes)
{
    return workspace_of({*dx, *w, *dy, *by}, DATA, algorithm, bytes);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t by, cudnnFilterDescriptor_t dw,
    cudnnConvolutionBwdFilterAlgo_t algorithm, size_t *bytes)
{
    return workspace_of({*x, *dw, *dy, *by}, FILTER, algorithm, bytes);
}

/* --- Convolutions --- */

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void *alpha,
                                      cudnnTensorDescriptor_t x_shape, const void *x,
                                      cudnnFilterDescriptor_t w_shape, const void *w,
                                      cudnnConvolutionDescriptor_t by,
                                      cudnnConvolutionFwdAlgo_t algorithm, void *workspace,
                                      size_t bytes, const void *beta,
                                      cudnnTensorDescriptor_t y_shape, void *y)
{
    return queue(handle, {*x_shape, *w_shape, *y_shape, *by}, FORWARD, algorithm,
                 {x, w, nullptr, y}, alpha, beta, workspace, bytes);
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void *alpha,
                                           cudnnFilterDescriptor_t w_shape, const void *w,
                                           cudnnTensorDescriptor_t dy_shape, const void *dy,
                                           cudnnConvolutionDescriptor_t by,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void *workspace,
                                           size_t bytes, const void *beta,
                                           cudnnTensorDescriptor_t dx_shape, void *dx)
{
    return queue(handle, {*dx_shape, *w_shape, *dy_shape, *by}, DATA, algorithm,
                 {nullptr, w, dy, dx}, alpha, beta, workspace, bytes);
}

cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void *alpha,
                                             cudnnTensorDescriptor_t x_shape, const void *x,
                                             cudnnTensorDescriptor_t dy_shape, const void *dy,
                                             cudnnConvolutionDescriptor_t by,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm,
                                             void *workspace, size_t bytes, const void *beta,
                                             cudnnFilterDescriptor_t dw_shape, void *dw)
{
    return queue(handle, {*x_shape, *dw_shape, *dy_shape, *by}, FILTER, algorithm,
                 {x, nullptr, dy, dw}, alpha, beta, workspace, bytes);
}

} // extern "C"
