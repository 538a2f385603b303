#include "trainer/compute/backend_onednn.h"

#include <dnnl.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/memory.h"
#include "trainer/base/floats.h"
#include "trainer/compute/channel_blocks.h"
#include "trainer/compute/convolution_gradient.h"
#include "trainer/compute/dropout.h"
#include "trainer/compute/onednn_model.h"

/* A function of GCC's OpenMP, which sets oneDNN's number of threads. Declared here, because clang
 * has no <omp.h> for it. */
void omp_set_num_threads(int threads);

/* --- Processor features --- */

static bool has_avx512(void)
{
    dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
    return (isa & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core;
}

static bool has_amx(void)
{
    return (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core_amx) ==
           dnnl_cpu_isa_avx512_core_amx;
}

static bool probe(Precision precision, Status *status)
{
    if (precision == PRECISION_FP32 || (precision == PRECISION_BF16 && has_avx512()))
        return true;
    if (precision != PRECISION_BF16)
        return status_fail(status, STATUS_MACHINE, place_in("oneDNN", 0, 0),
                           "oneDNN computes in fp32 and bf16 only");
    status_fail(status, STATUS_MACHINE, place_in("oneDNN", 0, 0),
                "oneDNN computes in bf16 on processors with AVX-512 or AMX, and this one has "
                "neither");
    return status_hint(status, "--precision fp32");
}

/* --- The network as stages --- */

/* The channels in a block of a convolution's output. */
static int32_t block_of(const Model *model, int32_t channels)
{
    return model->block > 0 && channels % model->block == 0 ? model->block : channels;
}

static int32_t last_block(const Model *model, NetShape shape)
{
    return model->stage_count > 0 ? model->stages[model->stage_count - 1].out_block
                                  : shape.channels;
}

static Stage *stage_add(Model *model, StageKind kind, int32_t layer_index, NetShape in,
                        NetShape out)
{
    const Net *net = model->host.settings.net;
    invariant(model->stage_count < STAGES_MAX);
    Stage *stage = &model->stages[model->stage_count++];
    *stage = (Stage){.kind = kind,
                     .layer = &net->layers[layer_index],
                     .layer_index = layer_index,
                     .dropout_index = -1,
                     .in = in,
                     .out = out};
    return stage;
}

static void add_sieve(Model *model, int32_t layer_index, int32_t dropout_index, int32_t side,
                      bool is_before_dense, NetShape in, NetShape out)
{
    const int32_t in_block = last_block(model, in);
    Stage *stage = stage_add(model, STAGE_SIEVE, layer_index, in, out);
    const Stage *before = stage - 1;
    stage->dropout_index = dropout_index;
    stage->out_block = is_before_dense ? out.channels : in_block;
    stage->sieve = (Sieve){
        .in = in,
        .out = out,
        .side = side,
        .in_block = in_block,
        .out_block = stage->out_block,
        .follows_relu = before->kind == STAGE_PRODUCT && before->layer->has_relu,
        .is_bf16 = model->type == dnnl_bf16,
        .scale = dropout_index >= 0
                     ? dropout_scale(&model->host.settings.net->layers[dropout_index])
                     : 1.0f,
    };
}

static bool kind_at(const Net *net, int32_t layer_index, NetKind kind)
{
    return layer_index < net->layer_count && net->layers[layer_index].kind == kind;
}

/* Adds a sieve for the pool or dropout at `i`; returns the number of layers in the sieve. */
static int32_t add_pool_or_dropout(Model *model, int32_t i)
{
    const Net *net = model->host.settings.net;
    const NetLayer *layer = &net->layers[i];
    const bool is_pool = layer->kind == NET_POOL;
    const int32_t next = is_pool ? i + 1 : i;
    const bool has_dropout = kind_at(net, next, NET_DROPOUT);
    const int32_t end = has_dropout ? next + 1 : next;
    const NetShape in = model->stages[model->stage_count - 1].out;
    add_sieve(model, i, has_dropout ? next : -1, is_pool ? layer->side : 1,
              kind_at(net, end, NET_DENSE), in, is_pool ? layer->out : in);
    return end - i;
}

static void add_product(Model *model, int32_t i)
{
    const NetLayer *layer = &model->host.settings.net->layers[i];
    const Stage *before = model->stage_count > 0 ? &model->stages[model->stage_count - 1] : NULL;
    const bool is_dense = layer->kind == NET_DENSE;
    if (is_dense && before && before->out_block != before->out.channels)
        add_sieve(model, i, -1, 1, true, before->out, before->out); // a dense layer reads NHWC
    Stage *stage = stage_add(model, STAGE_PRODUCT, i, layer->in, layer->out);
    stage->out_block = is_dense ? layer->out.channels : block_of(model, layer->out.channels);
    stage->has_own_gradient = model->type == dnnl_f32 && !has_avx512() &&
                              model->host.settings.threads == 1 &&
                              convolution_gradient_suits(layer);
}

static bool stages_make(Model *model, Status *status)
{
    const Net *net = model->host.settings.net;
    const NetLayer *first = &net->layers[0];
    if (first->kernel_count == 0)
        return status_fail(status, STATUS_MACHINE, place_in("oneDNN", 0, 0),
                           "the oneDNN backend cannot begin with layer \"%s\", which has no "
                           "weights",
                           first->name);
    for (int32_t i = 0; i < net->layer_count;) {
        if (net->layers[i].kernel_count > 0)
            add_product(model, i++);
        else if (net->layers[i].side > SIEVE_SIDE_MAX)
            return status_fail(status, STATUS_MACHINE, place_in("oneDNN", 0, 0),
                               "pools of layer \"%s\" are wider than %d", net->layers[i].name,
                               SIEVE_SIDE_MAX);
        else
            i += add_pool_or_dropout(model, i);
    }
    return true;
}

static void stages_allocate(Model *model)
{
    const int64_t batch = model->host.settings.batch_max;
    int64_t largest = 0, scratch = 0;
    for (int32_t i = 0; i < model->stage_count; i++) {
        Stage *stage = &model->stages[i];
        const int64_t values = batch * net_size(stage->out);
        stage->output = floats_zeroed(values);
        largest = values > largest ? values : largest;
        if (stage->kind == STAGE_SIEVE)
            stage->places = memory_zeroed((size_t)values);
        if (stage->dropout_index >= 0)
            stage->kept = memory_zeroed((size_t)values);
        if (stage->has_own_gradient) {
            int64_t needed = convolution_gradient_scratch(stage->layer);
            scratch = needed > scratch ? needed : scratch;
        }
    }
    model->scratch = floats_zeroed(scratch);
    for (int32_t i = 0; i < 2; i++)
        model->gradients[i] = floats_zeroed(largest);
}

/* --- Opening and closing --- */

static void onednn_close(void *opened)
{
    Model *model = opened;
    if (!model)
        return;
    for (int32_t i = 0; i < model->plan_count; i++)
        plan_destroy(model->plans[i]);
    for (int32_t i = 0; i < model->stage_count; i++) {
        free(model->stages[i].output);
        free(model->stages[i].places);
        free(model->stages[i].kept);
    }
    for (int32_t i = 0; i < 2; i++)
        free(model->gradients[i]);
    free(model->scratch);
    dnnl_stream_destroy(model->stream);
    dnnl_engine_destroy(model->engine);
    host_close(&model->host);
    free(model);
}

/* Gives the plan for `count` images; a new plan replaces the oldest one. */
static bool plan_for(Model *model, int32_t count, Plan **plan, Status *status)
{
    for (int32_t i = 0; i < model->plan_count; i++)
        if (model->plans[i]->count == count) {
            *plan = model->plans[i];
            return true;
        }
    if (!plan_create(model, count, plan, status))
        return false;
    if (model->plan_count < PLANS_MAX) {
        model->plans[model->plan_count++] = *plan;
        return true;
    }
    plan_destroy(model->plans[model->plan_oldest]);
    model->plans[model->plan_oldest] = *plan;
    model->plan_oldest = (model->plan_oldest + 1) % PLANS_MAX;
    return true;
}

static bool engine_make(Model *model, Status *status)
{
    if (dnnl_engine_create(&model->engine, dnnl_cpu, 0) == dnnl_success &&
        dnnl_stream_create(&model->stream, model->engine, dnnl_stream_default_flags) ==
            dnnl_success)
        return true;
    return status_fail(status, STATUS_MACHINE, place_in("oneDNN", 0, 0),
                       "oneDNN does not start on this processor");
}

/* Opens a model whose convolutions have blocks of `block` channels. */
static bool open_in_blocks(const BackendSettings *settings, int32_t block, Model **opened,
                           Status *status)
{
    Model *model = memory_zeroed(sizeof *model);
    host_open(settings, &model->host);
    model->type = settings->precision == PRECISION_BF16 ? dnnl_bf16 : dnnl_f32;
    model->block = block;
    bool is_fine = engine_make(model, status) && stages_make(model, status);
    if (is_fine) {
        stages_allocate(model);
        is_fine = plan_for(model, settings->batch_max, &model->plan, status);
    }
    if (!is_fine) {
        onednn_close(model);
        return false;
    }
    *opened = model;
    return true;
}

/* The layouts for which oneDNN 2.6 has fast kernels depend on the processor: AMX computes in NHWC
 * only, AVX-512 best in blocks of sixteen channels, AVX2 in blocks of eight. Without a fast kernel
 * oneDNN uses its reference kernel, which takes hundreds of times as long. This function therefore
 * takes the first layout in which no convolution needs the reference kernel, or else the last
 * layout. */
static bool onednn_open(const BackendSettings *settings, void **opened, Status *status)
{
    static const int32_t blocks[] = {0, 16, 8, 0};
    enum { BLOCK_COUNT = sizeof blocks / sizeof *blocks };
    Model *model = NULL;
    if (!probe(settings->precision, status))
        return false;
    omp_set_num_threads(settings->threads);
    for (int32_t i = has_amx() && settings->precision == PRECISION_BF16 ? 0 : 1; i < BLOCK_COUNT;
         i++) {
        onednn_close(model);
        if (!open_in_blocks(settings, blocks[i], &model, status))
            return false;
        if (!model->plan->needs_reference)
            break;
    }
    *opened = model;
    return true;
}

/* --- A step --- */

static void onednn_arena_changed(void *opened, ArenaKind kind)
{
    Model *model = opened;
    if (kind == ARENA_WEIGHTS)
        model->weights_version++;
}

static bool onednn_update(void *opened, const RmsProp *optimizer, float rate, float gradient_scale)
{
    const bool is_finite = host_update(opened, optimizer, rate, gradient_scale);
    onednn_arena_changed(opened, ARENA_WEIGHTS);
    return is_finite;
}

static bool product_forward(Model *model, const Stage *stage, bool has_new_weights, Status *status)
{
    const StageTasks *tasks = &model->plan->tasks[stage - model->stages];
    if (has_new_weights && !(task_run(model, stage, &tasks->convert_weights, status) &&
                             task_run(model, stage, &tasks->convert_weights_back, status)))
        return false;
    return task_run(model, stage, &tasks->convert_input, status) &&
           task_run(model, stage, &tasks->forward, status);
}

static void sieve_stage_forward(Model *model, const Stage *stage, bool is_training)
{
    const Host *host = &model->host;
    const bool drops = is_training && stage->dropout_index >= 0;
    if (drops)
        dropout_mask(host->settings.seed, host->settings.rank, host->step,
                     (uint32_t)stage->dropout_index,
                     host->settings.net->layers[stage->dropout_index].dropped_of_256,
                     host->count * net_size(stage->out), stage->kept);
    sieve_forward(&stage->sieve, host->count, stage[-1].output, drops ? stage->kept : NULL,
                  stage->output, stage->places);
}

static bool onednn_forward(void *opened, bool is_training, Score *score, Status *status)
{
    Model *model = opened;
    omp_set_num_threads(model->host.settings.threads);
    if (!plan_for(model, model->host.count, &model->plan, status))
        return false;
    const bool has_new_weights = model->plan->weights_version != model->weights_version;
    int64_t clock_ns = profile_clock_ns(model->host.settings.profile);
    for (int32_t i = 0; i < model->stage_count; i++) {
        const Stage *stage = &model->stages[i];
        if (stage->kind == STAGE_SIEVE)
            sieve_stage_forward(model, stage, is_training);
        else if (!product_forward(model, stage, has_new_weights, status))
            return false;
        profile_note(model->host.settings.profile, profile_forward(stage->layer_index), &clock_ns);
    }
    model->plan->weights_version = model->weights_version;
    *score = host_finish_forward(&model->host, model->stages[model->stage_count - 1].output,
                                 is_training);
    return true;
}

/* Applies the ReLU of stage `i` to the gradient of its output. Not called if a sieve follows the
 * stage, because the sieve does so. */
static void relu_backward(const Model *model, int32_t i)
{
    const Stage *stage = &model->stages[i];
    const int64_t values = model->host.count * net_size(stage->out);
    void *gradient = model->gradients[i % 2];
    if (stage->kind != STAGE_PRODUCT || !stage->layer->has_relu)
        return;
    if (model->type == dnnl_bf16)
        relu_backward_bf16(stage->output, values, gradient);
    else
        host_relu_backward(stage->output, values, gradient);
}

static void compute_weight_gradient(Model *model, int32_t i)
{
    const Stage *stage = &model->stages[i];
    const NetLayer *layer = stage->layer;
    const bool is_first = i == 0;
    float *gradients = model->host.arenas[ARENA_GRADIENTS];
    convolution_gradient(layer, model->host.count, is_first ? model->host.input : stage[-1].output,
                         is_first ? layer->in.channels : stage[-1].out_block,
                         model->gradients[i % 2], stage->out_block, model->scratch,
                         gradients + layer->kernel_at, gradients + layer->bias_at);
}

static bool product_backward(Model *model, int32_t i, Status *status)
{
    const Stage *stage = &model->stages[i];
    const StageTasks *tasks = &model->plan->tasks[i];
    if (stage->has_own_gradient)
        compute_weight_gradient(model, i);
    if (!task_run(model, stage, &tasks->convert_logits_gradient, status) ||
        !task_run(model, stage, &tasks->backward_weights, status) ||
        !task_run(model, stage, &tasks->convert_gradient, status) ||
        !task_run(model, stage, &tasks->backward_data, status))
        return false;
    if (i > 0)
        relu_backward(model, i - 1);
    return true;
}

static bool onednn_backward(void *opened, Status *status)
{
    Model *model = opened;
    omp_set_num_threads(model->host.settings.threads);
    int64_t clock_ns = profile_clock_ns(model->host.settings.profile);
    for (int32_t i = model->stage_count - 1; i >= 0; i--) {
        const Stage *stage = &model->stages[i];
        if (stage->kind == STAGE_SIEVE)
            sieve_backward(&stage->sieve, model->host.count, model->gradients[i % 2], stage->places,
                           model->gradients[(i - 1) % 2]);
        else if (!product_backward(model, i, status))
            return false;
        profile_note(model->host.settings.profile, profile_backward(stage->layer_index), &clock_ns);
    }
    return true;
}

/* --- For tests --- */

static float value_of(const Model *model, const Stage *stage, int64_t i)
{
    const bool is_last = stage == &model->stages[model->stage_count - 1];
    return model->type == dnnl_bf16 && !is_last
               ? bf16_to_float(((const uint16_t *)stage->output)[i])
               : ((const float *)stage->output)[i];
}

/* The last layer of a stage. */
static int32_t layer_of(const Stage *stage)
{
    return stage->dropout_index >= 0 ? stage->dropout_index : stage->layer_index;
}

/* The stage with the output of a layer; NULL for a pool that is in one sieve with a dropout.
 * Searches from the end, because a change of layout before a dense layer has the same layer. */
static const Stage *stage_of(const Model *model, int32_t layer)
{
    for (int32_t i = model->stage_count - 1; i >= 0; i--)
        if (layer_of(&model->stages[i]) == layer)
            return &model->stages[i];
    return NULL;
}

static bool onednn_layer_output(void *opened, int32_t layer, float *out)
{
    const Model *model = opened;
    const Stage *stage = stage_of(model, layer);
    if (!stage)
        return false;
    const NetShape shape = stage->out;
    for (int64_t image = 0; image < model->host.count; image++)
        for (int32_t y = 0; y < shape.height; y++)
            for (int32_t x = 0; x < shape.width; x++)
                for (int32_t c = 0; c < shape.channels; c++)
                    *out++ = value_of(model, stage,
                                      channel_blocks_at(shape, stage->out_block, image, y, x, c));
    return true;
}

const Backend backend_onednn = {
    .name = "onednn",
    .summary = "oneDNN on the processor, fp32 and bf16",
    .probe = probe,
    .open = onednn_open,
    .close = onednn_close,
    .arena = host_arena,
    .arena_changed = onednn_arena_changed,
    .gather = host_gather,
    .augment = host_augment,
    .forward = onednn_forward,
    .backward = onednn_backward,
    .update = onednn_update,
    .probabilities = host_probabilities,
    .layer_output = onednn_layer_output,
};
