#include "trainer/cuda/backend_cuda.h"

/* Trains on a GPU, with data that stays on the GPU. Steps can be made phase by phase, by the
 * functions of every backend; each waits for the GPU, so that a timeline shows measured phases.
 * Many steps at once (`steps`) are faster. Both compute the same bits. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/memory.h"
#include "trainer/cuda/model.h"

static const Place here = {.source = "CUDA"};

/* --- Memory --- */

/* Products count pixels in int32; larger batches would gain little on a GPU. */
enum { BATCH_MAX = 4096 };

static int64_t arena_stride(const Net *net)
{
    return cuda_page_after(net->parameter_count);
}

static void want_arenas(CudaModel *model, CudaMemory *memory)
{
    const Net *net = model->settings.net;
    const int64_t stride = arena_stride(net), bytes = stride * (int64_t)sizeof(float);
    float *all = cuda_memory_of_gpu(memory, 3 * bytes);
    float *copies = cuda_memory_pinned(memory, 3 * bytes);
    for (int32_t i = 0; all && copies && i < 3; i++) {
        model->arenas[i] = all + i * stride;
        model->arena_copies[i] = copies + i * stride;
    }
    model->settled_arenas = cuda_memory_of_gpu(memory, 2 * bytes);
    model->fetched_arenas = cuda_memory_pinned(memory, 2 * bytes);
    if (model->precision == CUDA_BF16)
        model->bf16_weights =
            cuda_memory_of_gpu(memory, stride * (int64_t)sizeof *model->bf16_weights);
}

static void model_wants(void *owner, CudaMemory *memory)
{
    CudaModel *model = owner;
    const int64_t batch = model->settings.batch_max;
    const int64_t value = model->precision == CUDA_BF16 ? sizeof(uint16_t) : sizeof(float);
    const int64_t probabilities = batch * model->settings.net->class_count * (int64_t)sizeof(float);
    want_arenas(model, memory);
    model->step = cuda_memory_of_gpu(memory, sizeof *model->step);
    model->step_copy = cuda_memory_pinned(memory, sizeof *model->step);
    model->indices = cuda_memory_of_gpu(memory, batch * (int64_t)sizeof *model->indices);
    model->indices_copy = cuda_memory_pinned(memory, batch * (int64_t)sizeof *model->indices);
    model->labels = cuda_memory_of_gpu(memory, batch);
    model->input = cuda_memory_of_gpu(memory, batch * IMAGE_BYTES * value);
    model->probabilities = cuda_memory_of_gpu(memory, probabilities);
    model->probabilities_copy = cuda_memory_pinned(memory, probabilities);
    cuda_stages_want(model, memory);
}

static bool take_memory(CudaModel *model, Status *status)
{
    char purpose[64];
    const int32_t batch = model->settings.batch_max;
    snprintf(purpose, sizeof purpose, "batches of %" PRId32 " images", batch);
    if (batch <= BATCH_MAX)
        return cuda_memory_take(&model->memory, model_wants, model, &model->device, purpose,
                                status);
    status_fail(status, STATUS_MACHINE, here,
                "the cuda backend computes %d images at once, not %" PRId32, BATCH_MAX, batch);
    return status_hint(status, "--batch-size %d", BATCH_MAX);
}

/* --- Opening and closing --- */

static bool check(cudaError_t result, const CudaModel *model, Status *status)
{
    return result == cudaSuccess ||
           status_fail(status, STATUS_MACHINE, here, "GPU %" PRId32 " (%s) cannot be used: %s: %s",
                       model->device.index, model->device.name, cudaGetErrorName(result),
                       cudaGetErrorString(result));
}

enum { STREAMS = 4, EVENTS = 6 };

static void list_streams(CudaModel *model, cudaStream_t *streams[STREAMS],
                         cudaEvent_t *events[EVENTS])
{
    streams[0] = &model->stream;
    streams[1] = &model->weights_stream;
    streams[2] = &model->exchange_stream;
    streams[3] = &model->copy_stream;
    events[0] = &model->weights_begun;
    events[1] = &model->weights_ended;
    events[2] = &model->begun;
    events[3] = &model->summed;
    events[4] = &model->settled;
    events[5] = &model->fetched;
}

static bool make_streams(CudaModel *model, Status *status)
{
    cudaStream_t *streams[STREAMS];
    cudaEvent_t *events[EVENTS];
    cudaError_t result = cudaSuccess;
    list_streams(model, streams, events);
    for (int32_t i = 0; i < STREAMS && result == cudaSuccess; i++)
        result = cudaStreamCreateWithFlags(streams[i], cudaStreamNonBlocking);
    for (int32_t i = 0; i < EVENTS && result == cudaSuccess; i++)
        result = cudaEventCreateWithFlags(events[i], cudaEventDisableTiming);
    if (result == cudaSuccess)
        result = cuda_profile_open(model);
    return check(result, model, status);
}

static void free_streams(CudaModel *model)
{
    cudaStream_t *streams[STREAMS];
    cudaEvent_t *events[EVENTS];
    list_streams(model, streams, events);
    for (int32_t i = 0; i < EVENTS; i++)
        if (*events[i])
            (void)cudaEventDestroy(*events[i]);
    for (int32_t i = 0; i < STREAMS; i++)
        if (*streams[i])
            (void)cudaStreamDestroy(*streams[i]);
}

/* Called before engines are tried, which read the arenas, and after that, because they also write
 * gradients. */
static bool clear_arenas(CudaModel *model, Status *status)
{
    const size_t bytes = (size_t)(3 * arena_stride(model->settings.net)) * sizeof(float);
    memset(model->arena_copies[0], 0, bytes);
    cuda_note(model, cudaMemsetAsync(model->arenas[0], 0, bytes, model->stream), "beginning");
    cuda_note(model,
              cudaMemsetAsync(model->tiles_done, 0, CUDA_TILES_MAX * sizeof *model->tiles_done,
                              model->stream),
              "beginning");
    if (model->bf16_weights)
        cuda_note(model, cudaMemsetAsync(model->bf16_weights, 0, bytes / 3 / 2, model->stream),
                  "beginning");
    return cuda_wait(model, "beginning", status);
}

static void gpu_close(void *opened)
{
    CudaModel *model = opened;
    if (!model)
        return;
    if (model->stream)
        (void)cudaStreamSynchronize(model->stream);
    if (model->copy_stream)
        (void)cudaStreamSynchronize(model->copy_stream);
    cuda_steps_free(model);
    cuda_engines_close(model);
    cuda_sets_free(model);
    cuda_memory_free(&model->memory);
    cuda_profile_close(model);
    free_streams(model);
    free(model);
}

static CudaPrecision precision_of(Precision precision)
{
    switch (precision) {
    case PRECISION_BF16:
        return CUDA_BF16;
    case PRECISION_TF32:
        return CUDA_TF32;
    case PRECISION_FP32:
    case PRECISION_COUNT:
        break;
    }
    return CUDA_FP32;
}

static bool gpu_open(const BackendSettings *settings, void **opened, Status *status)
{
    CudaModel *model = memory_zeroed(sizeof *model);
    model->settings = *settings;
    model->precision = precision_of(settings->precision);
    if (cuda_device_find(settings->local_rank, settings->precision, &model->device, status) &&
        cuda_device_start(&model->device, status) && make_streams(model, status) &&
        cuda_stages_make(model, status) && cuda_engines_open(model, status) &&
        take_memory(model, status) && clear_arenas(model, status) &&
        cuda_engines_choose(model, status) && clear_arenas(model, status)) {
        *opened = model;
        return true;
    }
    gpu_close(model);
    return false;
}

static bool gpu_probe(Precision precision, Status *status)
{
    CudaDevice device;
    return cuda_device_find(0, precision, &device, status);
}

static const char *gpu_device(void *opened)
{
    const CudaModel *model = opened;
    return model->device.name;
}

static int32_t gpu_device_count(void *opened)
{
    const CudaModel *model = opened;
    return model->device.count;
}

static bool gpu_engines(void *opened, int32_t layer, LayerEngines *engines)
{
    const CudaModel *model = opened;
    for (int32_t i = 0; i < model->stage_count; i++)
        if (model->stages[i].kind == CUDA_PRODUCT && model->stages[i].layer_index == layer) {
            *engines = cuda_engines_of(&model->stages[i]);
            return true;
        }
    return false;
}

/* --- Arenas --- */

static size_t bytes_of_arena(const CudaModel *model)
{
    return (size_t)model->settings.net->parameter_count * sizeof(float);
}

static float *gpu_arena(void *opened, ArenaKind kind, Status *status)
{
    CudaModel *model = opened;
    const char *doing = "reading weights";
    cuda_note(model,
              cudaMemcpyAsync(model->arena_copies[kind], model->arenas[kind], bytes_of_arena(model),
                              cudaMemcpyDeviceToHost, model->stream),
              doing);
    return cuda_wait(model, doing, status) ? model->arena_copies[kind] : NULL;
}

/* Waits, because the caller may change the copy as soon as this returns. */
static void gpu_arena_changed(void *opened, ArenaKind kind)
{
    CudaModel *model = opened;
    const char *doing = "writing weights";
    Status status;
    cuda_note(model,
              cudaMemcpyAsync(model->arenas[kind], model->arena_copies[kind], bytes_of_arena(model),
                              cudaMemcpyHostToDevice, model->stream),
              doing);
    if (kind == ARENA_WEIGHTS && model->bf16_weights)
        cuda_narrow(model->stream, model->arenas[ARENA_WEIGHTS],
                    model->settings.net->parameter_count, model->bf16_weights);
    if (!cuda_wait(model, doing, &status))
        return; // the next function with a status reports it
}

/* The copy to main memory takes longer than a step, so that the stream of the steps only waits for
 * a copy within the GPU. */
static bool gpu_copy_begin(void *opened, Status *status)
{
    CudaModel *model = opened;
    const size_t bytes = 2 * (size_t)arena_stride(model->settings.net) * sizeof(float);
    const char *doing = "copying weights";
    _Static_assert(ARENA_WEIGHTS == 0 && ARENA_ACCUMULATORS == 1, "neighbours");
    cuda_note(model, cudaStreamWaitEvent(model->stream, model->fetched, 0), doing);
    cuda_note(model,
              cudaMemcpyAsync(model->settled_arenas, model->arenas[ARENA_WEIGHTS], bytes,
                              cudaMemcpyDeviceToDevice, model->stream),
              doing);
    cuda_stream_waits(model, model->copy_stream, model->settled, model->stream, doing);
    cuda_note(model,
              cudaMemcpyAsync(model->fetched_arenas, model->settled_arenas, bytes,
                              cudaMemcpyDeviceToHost, model->copy_stream),
              doing);
    cuda_note(model, cudaEventRecord(model->fetched, model->copy_stream), doing);
    return cuda_is_fine(model, status);
}

/* In any thread: changes nothing in the model. */
static bool gpu_copy_end(void *opened, const float **weights, const float **accumulators,
                         Status *status)
{
    const CudaModel *model = opened;
    cudaError_t result = cudaSetDevice(model->device.index);
    if (result == cudaSuccess)
        result = cudaEventSynchronize(model->fetched);
    *weights = model->fetched_arenas;
    *accumulators = model->fetched_arenas + arena_stride(model->settings.net);
    return result == cudaSuccess ||
           status_fail(status, STATUS_MACHINE, here,
                       "GPU %" PRId32 " (%s) of rank %" PRIu32
                       " failed while copying weights: %s: %s",
                       model->device.index, model->device.name, model->settings.rank,
                       cudaGetErrorName(result), cudaGetErrorString(result));
}

/* --- A step, function by function --- */

static void begin_stages(CudaModel *model)
{
    cuda_profile_begin(model);
    cuda_profile_mark(model, PROFILE_NONE);
    model->profile.way = "the GPU's clock, phase by phase; an exchange by the processor's";
}

static void gpu_gather(void *opened, const Batch *batch)
{
    CudaModel *model = opened;
    const size_t bytes = (size_t)batch->count * sizeof *model->indices;
    Status status;
    invariant(batch->count >= 1 && batch->count <= model->settings.batch_max);
    model->count = batch->count;
    model->step_number = model->step_last = batch->step;
    model->set = cuda_sets_resident(model, batch->set);
    if (!model->set)
        return;
    memcpy(model->indices_copy, batch->indices, bytes);
    begin_stages(model);
    cuda_note(model,
              cudaMemcpyAsync(model->indices, model->indices_copy, bytes, cudaMemcpyHostToDevice,
                              model->stream),
              "gathering");
    cuda_steps_put(model, batch->step, 0);
    if (!cuda_wait(model, "gathering", &status))
        return;
}

static void gpu_augment(void *opened, const Batch *batch)
{
    CudaModel *model = opened;
    Status status;
    if (model->has_failed)
        return;
    const CudaInput input = {.images = model->set->images,
                             .labels = model->set->labels,
                             .order = model->indices,
                             .seed = model->settings.seed,
                             .rank = model->settings.rank,
                             .is_augmented = batch->is_augmented};
    cuda_input(model->stream, model->precision, &input, model->step, model->count, model->input,
               model->labels);
    cuda_profile_mark(model, PROFILE_INPUT);
    if (!cuda_wait(model, "augmenting", &status))
        return;
    cuda_profile_take(model);
}

static bool gpu_forward(void *opened, bool is_training, Score *score, Status *status)
{
    CudaModel *model = opened;
    if (!cuda_is_fine(model, status))
        return false;
    cuda_steps_put(model, model->step_number, 0); // a second forward starts a new score
    begin_stages(model);
    cuda_stages_forward(model, is_training, NULL);
    if (!cuda_steps_get(model, NULL, "going forward", status))
        return false;
    cuda_profile_take(model);
    *score =
        (Score){model->step_copy->loss_sum, model->step_copy->correct, model->step_copy->images};
    return true;
}

static bool gpu_backward(void *opened, Status *status)
{
    CudaModel *model = opened;
    if (!cuda_is_fine(model, status))
        return false;
    begin_stages(model);
    if (!cuda_stages_backward(model, NULL, NULL, NULL, status))
        return false;
    cuda_weights_add(model, model->stream);
    if (!cuda_wait(model, "going backward", status))
        return false;
    cuda_profile_take(model);
    return true;
}

/* Uses the caller's rate, which may differ from rmsprop_rate. */
static bool gpu_update(void *opened, const RmsProp *optimizer, float rate, float gradient_scale)
{
    CudaModel *model = opened;
    const CudaRmsProp by = cuda_steps_optimizer(optimizer, gradient_scale);
    const CudaUnadded nothing = {.count = 0}; // backward has added all parts
    Status status;
    if (model->has_failed)
        return true; // not a fault of the weights; the next function with a status reports it
    model->step_copy->rate = rate;
    begin_stages(model);
    cuda_note(model,
              cudaMemcpyAsync(&model->step->rate, &model->step_copy->rate, sizeof rate,
                              cudaMemcpyHostToDevice, model->stream),
              "updating");
    cuda_update(model->stream, &by, 0, model->settings.net->parameter_count, &nothing,
                model->arenas[ARENA_GRADIENTS], model->arenas[ARENA_ACCUMULATORS],
                model->arenas[ARENA_WEIGHTS], model->bf16_weights, false, model->step);
    cuda_profile_mark(model, PROFILE_UPDATE);
    if (!cuda_steps_get(model, NULL, "updating", &status))
        return true;
    cuda_profile_take(model);
    return model->step_copy->bad_step < 0;
}

static bool gpu_exchange(void *opened, Comm *comm, Status *status)
{
    CudaModel *model = opened;
    return cuda_is_fine(model, status) && cuda_exchange_early(model, comm, status) &&
           cuda_exchange_rest(model, comm, status) &&
           cuda_wait_for_ranks(model, comm, "summing gradients", status);
}

static int32_t gpu_kernels_per_step(void *opened)
{
    const CudaModel *model = opened;
    return model->kernels_per_step;
}

/* --- Results --- */

static const float *gpu_probabilities(void *opened)
{
    CudaModel *model = opened;
    const size_t count = (size_t)model->count * (size_t)model->settings.net->class_count;
    const char *doing = "reading probabilities";
    Status status;
    cuda_note(model,
              cudaMemcpyAsync(model->probabilities_copy, model->probabilities,
                              count * sizeof(float), cudaMemcpyDeviceToHost, model->stream),
              doing);
    if (!cuda_wait(model, doing, &status))
        memset(model->probabilities_copy, 0, count * sizeof(float));
    return model->probabilities_copy;
}

static float float_of(uint16_t upper_half)
{
    const uint32_t bits = (uint32_t)upper_half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool gpu_layer_output(void *opened, int32_t layer, float *out)
{
    CudaModel *model = opened;
    const CudaStage *stage = cuda_stages_of_layer(model, layer);
    Status status;
    if (!stage)
        return false;
    const bool is_bf16 =
        model->precision == CUDA_BF16 && stage != &model->stages[model->stage_count - 1];
    const int64_t count = model->count * net_size(stage->out);
    const size_t bytes = (size_t)count * (is_bf16 ? sizeof(uint16_t) : sizeof(float));
    void *values = memory_zeroed(bytes);
    const char *doing = "reading the output of a layer";
    cuda_note(model,
              cudaMemcpyAsync(values, stage->output, bytes, cudaMemcpyDeviceToHost, model->stream),
              doing);
    const bool is_read = cuda_wait(model, doing, &status);
    for (int64_t i = 0; is_read && i < count; i++)
        out[i] = is_bf16 ? float_of(((uint16_t *)values)[i]) : ((float *)values)[i];
    free(values);
    return is_read;
}

const Backend backend_cuda = {
    .name = "cuda",
    .summary = "trainyard's kernels, cuBLAS and cuDNN on an NVIDIA GPU, fp32, tf32 and bf16",
    .probe = gpu_probe,
    .open = gpu_open,
    .close = gpu_close,
    .device = gpu_device,
    .device_count = gpu_device_count,
    .engines = gpu_engines,
    .arena = gpu_arena,
    .arena_changed = gpu_arena_changed,
    .gather = gpu_gather,
    .augment = gpu_augment,
    .forward = gpu_forward,
    .backward = gpu_backward,
    .update = gpu_update,
    .exchange = gpu_exchange,
    .steps = cuda_steps_run,
    .evaluate = cuda_steps_evaluate,
    .copy_begin = gpu_copy_begin,
    .copy_end = gpu_copy_end,
    .kernels_per_step = gpu_kernels_per_step,
    .probabilities = gpu_probabilities,
    .layer_output = gpu_layer_output,
};
