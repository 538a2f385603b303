/* The last layer of a network and its loss, forward and, in training, back to the layer's input.
 *
 * A dense layer to ten classes is a small product, and a batch of 32 images has little to share: as
 * three kernels, forward, loss and back to data took 21 us of a step of 171 on an H200, most of it
 * for starting and waiting. Here a warp computes an image from its input to the gradient of that
 * input, and the weights stay in shared memory. */
#include "trainer/cuda/kernels/divisor.cuh"
#include "trainer/cuda/kernels/loss.cuh"
#include "trainer/cuda/kernels/sieve.cuh"
#include "trainer/cuda/kernels/work.h"

namespace
{

enum {
    HEAD_WARPS = 4, // images of a block
    HEAD_THREADS = HEAD_WARPS * WARP_THREADS,
    HEAD_VALUES = 8192, // of a kernel in shared memory
    COPIED = 8,         // values that a thread reads at the same time
};

/* The values of a row of the kernel in shared memory: an odd number, for the banks. */
__host__ __device__ __forceinline__ int32_t row_of(int32_t classes)
{
    return classes | 1;
}

/* Copies the layer's kernel, [channels][classes]. */
template <typename Type>
__device__ __forceinline__ void copy_kernel(const CudaHead &head, Divisor by_classes, float *to)
{
    const Type *const from = static_cast<const Type *>(head.kernel);
    const int32_t count = head.channels * head.classes;
    for (int32_t first = (int32_t)threadIdx.x; first < count; first += COPIED * HEAD_THREADS) {
        float read[COPIED];
        UNROLLED
        for (int32_t i = 0; i < COPIED; i++) {
            const int32_t at = first + i * HEAD_THREADS;
            read[i] = at < count ? to_float(from[at]) : 0.0f;
        }
        UNROLLED
        for (int32_t i = 0; i < COPIED; i++) {
            const int32_t at = first + i * HEAD_THREADS, row = quotient(at, by_classes);
            if (at < count)
                to[row * row_of(head.classes) + at - row * head.classes] = read[i];
        }
    }
}

/* The logit of class `lane` of an image; -INFINITY: there is no such class. Each lane of the warp
 * has every 32nd channel. */
template <typename Type>
__device__ __forceinline__ float logit_of(const CudaHead &head, const float *kernel, int32_t image,
                                          int32_t lane)
{
    const Type *const in = static_cast<const Type *>(head.in) + (int64_t)image * head.channels;
    float sums[LANES] = {};
    for (int32_t c = (int32_t)(threadIdx.x % WARP_THREADS); c < head.channels; c += WARP_THREADS) {
        const float value = to_float(in[c]);
        UNROLLED
        for (int32_t k = 0; k < LANES; k++)
            if (k < head.classes)
                sums[k] = __fmaf_rn(value, kernel[c * row_of(head.classes) + k], sums[k]);
    }
    float logit = -INFINITY;
    UNROLLED
    for (int32_t k = 0; k < LANES; k++) {
        if (k >= head.classes)
            continue;
        UNROLLED
        for (int32_t distance = WARP_THREADS / 2; distance > 0; distance /= 2)
            sums[k] = __fadd_rn(sums[k], __shfl_xor_sync(FULL_WARP, sums[k], distance));
        if (k == lane)
            logit = __fadd_rn(sums[k], head.bias[k]);
    }
    return logit;
}

/* The gradient of an image's input; `gradient`: of the logit of class `lane`. */
template <typename Type>
__device__ __forceinline__ void put_in_gradient(const CudaHead &head, const float *kernel,
                                                float scale, int32_t image, float gradient)
{
    const int64_t first = (int64_t)image * head.channels;
    Type *const to = static_cast<Type *>(head.in_gradient) + first;
    float of_class[LANES];
    UNROLLED
    for (int32_t k = 0; k < LANES; k++)
        of_class[k] = __shfl_sync(FULL_WARP, gradient, k, LANES);
    for (int32_t c = (int32_t)(threadIdx.x % WARP_THREADS); c < head.channels; c += WARP_THREADS) {
        float sum = 0.0f;
        UNROLLED
        for (int32_t k = 0; k < LANES; k++)
            if (k < head.classes)
                sum = __fmaf_rn(of_class[k], kernel[c * row_of(head.classes) + k], sum);
        bool passes = true;
        if (head.places)
            passes = head.places[first + c] != STOPPED;
        else if (head.relu_out)
            passes = to_float(static_cast<const Type *>(head.relu_out)[first + c]) != 0.0f;
        // Rounded as if it were stored between a product and a dropout.
        const float kept = head.places ? __fmul_rn(to_float(from_float<Type>(sum)), scale) : sum;
        to[c] = passes ? from_float<Type>(kept) : (Type)0;
    }
}

template <typename Type>
__global__ void __launch_bounds__(HEAD_THREADS)
    head_kernel(const CudaHead head, Divisor by_classes, float scale, bool ends_step,
                CudaRmsProp optimizer, CudaStep *step)
{
    __shared__ float kernel[HEAD_VALUES];
    const int32_t lane = (int32_t)(threadIdx.x % LANES);
    const int32_t own = (int32_t)(blockIdx.x * HEAD_WARPS + threadIdx.x / WARP_THREADS);
    const bool is_image = own < head.count;
    const int32_t image = is_image ? own : head.count - 1;
    const int32_t label = head.labels[image];
    const int64_t at = (int64_t)image * head.classes + lane;
    copy_kernel<Type>(head, by_classes, kernel);
    __syncthreads();
    const Classes<1> logit = {{logit_of<Type>(head, kernel, image, lane)}};
    const Classes<1> probability = softmax_of(logit, head.classes, lane);
    // Both halves of a warp have the image.
    const bool is_first = threadIdx.x % WARP_THREADS < LANES;
    const float share =
        count_image(probability, label, lane, head.count, is_image && is_first, step);
    const Type gradient = from_float<Type>(gradient_of(probability.value[0], lane, label, share));
    if (is_image && is_first && lane < head.classes) {
        head.logits[at] = logit.value[0];
        head.probabilities[at] = probability.value[0];
        if (head.gradient)
            static_cast<Type *>(head.gradient)[at] = gradient;
    }
    if (is_image && head.in_gradient)
        put_in_gradient<Type>(head, kernel, scale, image, to_float(gradient));
    finish_loss<HEAD_THREADS>(head.probabilities, head.labels, head.count, head.classes, ends_step,
                              optimizer, step);
}

/* Reads are those of both passes. */
CudaWork work_of_head(const CudaHead &head, int64_t value_bytes, int64_t blocks)
{
    const int64_t values = static_cast<int64_t>(head.count) * head.classes;
    const int64_t ins = static_cast<int64_t>(head.count) * head.channels;
    const int64_t kernel = static_cast<int64_t>(head.channels) * head.classes;
    CudaWork work = CudaWork();
    work.is_product = true;
    work.read_bytes = ins * value_bytes + kernel * value_bytes + 4 * head.classes + head.count;
    work.written_bytes = 8 * values;
    work.operations = 2 * head.count * kernel;
    work.tile_operations = 2 * blocks * HEAD_WARPS * kernel;
    work.block_operations = 2 * HEAD_WARPS * kernel;
    if (!head.in_gradient)
        return work;
    work.read_bytes += head.places ? ins : head.relu_out ? ins * value_bytes : 0;
    work.written_bytes += values * value_bytes + ins * value_bytes;
    work.operations *= 2;
    work.tile_operations += 2 * head.count * kernel;
    work.block_operations += 2 * (head.count < HEAD_WARPS ? head.count : HEAD_WARPS) * kernel;
    return work;
}

template <typename Type>
void start_head(cudaStream_t stream, const CudaHead &head, float scale,
                const CudaRmsProp *optimizer, CudaStep *step)
{
    const unsigned blocks = blocks_for(head.count, HEAD_WARPS);
    CUDA_WORK(work_of_head(head, sizeof(Type), blocks));
    CUDA_LAUNCH((head_kernel<Type>), blocks, HEAD_THREADS, stream, head, divisor_of(head.classes),
                scale, optimizer != NULL, optimizer ? *optimizer : CudaRmsProp(), step);
}

} // namespace

bool cuda_head_fits(const CudaProduct *product, const CudaSieve *before)
{
    const bool is_dense = product->side == 1 && product->out_height == 1 && product->out_width == 1;
    return is_dense && !product->has_relu && product->out_channels <= LANES &&
           static_cast<int64_t>(product->in_channels) * row_of(product->out_channels) <=
               HEAD_VALUES &&
           (!before || before->side == 1);
}

void cuda_head(cudaStream_t stream, CudaPrecision precision, const CudaHead *head,
               const CudaSieve *before, const CudaRmsProp *optimizer, CudaStep *step)
{
    const float scale = before ? scale_of(before) : 1.0f;
    if (precision == CUDA_BF16)
        start_head<uint16_t>(stream, *head, scale, optimizer, step);
    else
        start_head<float>(stream, *head, scale, optimizer, step);
}
