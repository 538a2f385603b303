/* Private to trainer/cuda: data sets that stay on the GPU. */
#include "sim/base/invariant.h"
#include "trainer/cuda/model.h"

static void set_wants(void *owner, CudaMemory *memory)
{
    CudaSet *set = owner;
    set->images = cuda_memory_of_gpu(memory, (int64_t)set->count * IMAGE_BYTES);
    set->labels = cuda_memory_of_gpu(memory, set->count);
}

static void order_wants(void *owner, CudaMemory *memory)
{
    CudaSet *set = owner;
    set->keys = cuda_memory_of_gpu(memory, set->padded * (int64_t)sizeof *set->keys);
    set->indices = cuda_memory_of_gpu(memory, set->padded * (int64_t)sizeof *set->indices);
    set->order = cuda_memory_of_gpu(memory, set->count * (int64_t)sizeof *set->order);
}

static void set_free(CudaSet *set)
{
    cuda_memory_free(&set->memory);
    cuda_memory_free(&set->order_memory);
    *set = (CudaSet){0};
}

void cuda_sets_free(CudaModel *model)
{
    for (int32_t i = 0; i < CUDA_SETS_MAX; i++)
        set_free(&model->sets[i]);
}

static bool is_of(const CudaSet *set, const ImageSet *images)
{
    return set->from_images == images->images && set->from_labels == images->labels &&
           set->count == images->count;
}

/* The least recently used set. */
static CudaSet *oldest(CudaModel *model)
{
    CudaSet *found = &model->sets[0];
    for (int32_t i = 1; i < CUDA_SETS_MAX; i++)
        if (model->sets[i].used_at < found->used_at)
            found = &model->sets[i];
    return found;
}

/* Sets are copied rarely: the source is not pinned, and the copy is waited for. */
static bool copy(CudaModel *model, CudaSet *set, const ImageSet *images)
{
    const char *doing = "copying the data set";
    const size_t count = (size_t)images->count;
    Status status;
    set->count = images->count;
    if (!cuda_memory_take(&set->memory, set_wants, set, &model->device, "the data set", &status)) {
        model->failure = status;
        model->has_failed = true;
        return false;
    }
    cuda_note(model,
              cudaMemcpyAsync(set->images, images->images, count * IMAGE_BYTES,
                              cudaMemcpyHostToDevice, model->stream),
              doing);
    cuda_note(
        model,
        cudaMemcpyAsync(set->labels, images->labels, count, cudaMemcpyHostToDevice, model->stream),
        doing);
    set->from_images = images->images;
    set->from_labels = images->labels;
    return cuda_wait(model, doing, &status);
}

CudaSet *cuda_sets_resident(CudaModel *model, const ImageSet *images)
{
    CudaSet *set = NULL;
    Status status;
    if (model->has_failed)
        return NULL;
    for (int32_t i = 0; i < CUDA_SETS_MAX; i++)
        if (is_of(&model->sets[i], images))
            set = &model->sets[i];
    if (!set) {
        set = oldest(model);
        if (!cuda_wait(model, "changing the data set", &status))
            return NULL; // the old one may still be read
        set_free(set);
        if (!copy(model, set, images)) {
            set_free(set);
            return NULL;
        }
    }
    set->used_at = ++model->uses;
    return set;
}

static int32_t power_of_two(int32_t count)
{
    int32_t power = 1;
    while (power < count)
        power *= 2;
    return power;
}

bool cuda_sets_order(CudaModel *model, CudaSet *set, uint64_t epoch)
{
    if (set->has_order && set->epoch == epoch)
        return true;
    if (!set->order) {
        set->padded = power_of_two(set->count);
        Status status;
        if (!cuda_memory_take(&set->order_memory, order_wants, set, &model->device,
                              "the order of images", &status)) {
            model->failure = status;
            model->has_failed = true;
            return false;
        }
    }
    cuda_shuffle(model->stream, model->settings.seed, model->settings.rank, epoch, set->count,
                 set->padded, set->keys, set->indices, set->order);
    cuda_note(model, cudaGetLastError(), "shuffling");
    set->has_order = true;
    set->epoch = epoch;
    return !model->has_failed;
}
