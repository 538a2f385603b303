#include "trainer/cuda/kernels/loss.cuh"
#include "trainer/cuda/kernels/work.h"

/* With ten classes, two images fill a warp. A block has 32 images, so that a small batch needs no
 * other block. A label is a byte, so there are at most 256 classes. */
enum { LOSS_THREADS = 512, BLOCK_IMAGES = LOSS_THREADS / LANES, CLASSES_MAX = 256 };

template <typename Type, int PER_LANE>
static __global__ void __launch_bounds__(LOSS_THREADS)
    loss_kernel(const float *logits, const uint8_t *batch_labels, int32_t count, int32_t classes,
                float *probabilities, Type *gradient, bool ends_step, CudaRmsProp optimizer,
                CudaStep *step)
{
    const int32_t lane = (int32_t)(threadIdx.x % LANES);
    const int32_t own = (int32_t)(blockIdx.x * BLOCK_IMAGES + threadIdx.x / LANES);
    const bool is_image = own < count;
    const int32_t image =
        is_image ? own : count - 1; // all lanes of a warp must take part in the shuffles
    const int64_t first = (int64_t)image * classes;
    const int32_t label = batch_labels[image];
    Classes<PER_LANE> values;
    UNROLLED
    for (int32_t i = 0; i < PER_LANE; i++) {
        const int32_t c = lane + i * LANES;
        values.value[i] = c < classes ? logits[first + c] : -INFINITY;
    }
    values = softmax_of(values, classes, lane);
    const float share = count_image(values, label, lane, count, is_image, step);
    UNROLLED
    for (int32_t i = 0; i < PER_LANE; i++) {
        const int32_t c = lane + i * LANES;
        if (!is_image || c >= classes)
            continue;
        probabilities[first + c] = values.value[i];
        if (gradient)
            gradient[first + c] = from_float<Type>(gradient_of(values.value[i], c, label, share));
    }
    finish_loss<LOSS_THREADS>(probabilities, batch_labels, count, classes, ends_step, optimizer,
                              step);
}

template <typename Type>
static void loss(cudaStream_t stream, const float *logits, const uint8_t *batch_labels,
                 int32_t count, int32_t classes, float *probabilities, Type *gradient,
                 const CudaRmsProp *optimizer, CudaStep *step)
{
    void (*kernel)(const float *, const uint8_t *, int32_t, int32_t, float *, Type *, bool,
                   CudaRmsProp, CudaStep *) =
        classes <= LANES ? loss_kernel<Type, 1> : loss_kernel<Type, CLASSES_MAX / LANES>;
    const unsigned blocks = blocks_for(count, BLOCK_IMAGES);
    CUDA_WORK(cuda_work_loss(count, classes, gradient ? (int64_t)sizeof(Type) : 0, blocks));
    CUDA_LAUNCH(kernel, blocks, LOSS_THREADS, stream, logits, batch_labels, count, classes,
                probabilities, gradient, optimizer != NULL, optimizer ? *optimizer : CudaRmsProp(),
                step);
}

void cuda_loss(cudaStream_t stream, CudaPrecision precision, const float *logits,
               const uint8_t *batch_labels, int32_t count, int32_t classes, float *probabilities,
               void *gradient, const CudaRmsProp *optimizer, CudaStep *step)
{
    if (precision == CUDA_BF16)
        loss(stream, logits, batch_labels, count, classes, probabilities, (uint16_t *)gradient,
             optimizer, step);
    else
        loss(stream, logits, batch_labels, count, classes, probabilities, (float *)gradient,
             optimizer, step);
}
