/* Private to trainer/cuda: the stages of a network, queued on a stream. */
#include "sim/base/invariant.h"
#include "trainer/cuda/model.h"

static const Place here = {.source = "CUDA"};

/* --- The network as stages --- */

static NetShape flow_of(const CudaModel *model)
{
    return model->stage_count > 0 ? model->stages[model->stage_count - 1].out
                                  : model->settings.net->input;
}

static bool ends_in_relu(const CudaModel *model)
{
    const CudaStage *last = &model->stages[model->stage_count - 1];
    return model->stage_count > 0 && last->kind == CUDA_PRODUCT && last->layer->has_relu;
}

static CudaStage *stage_add(CudaModel *model, CudaStageKind kind, int32_t layer_index, NetShape out)
{
    invariant(model->stage_count < NET_LAYERS_MAX);
    CudaStage *stage = &model->stages[model->stage_count++];
    *stage = (CudaStage){.kind = kind,
                         .layer = &model->settings.net->layers[layer_index],
                         .layer_index = layer_index,
                         .dropout_index = -1,
                         .out = out};
    return stage;
}

static void add_product(CudaModel *model, int32_t layer_index)
{
    const NetLayer *layer = &model->settings.net->layers[layer_index];
    const bool is_dense = layer->kind == NET_DENSE;
    CudaStage *stage = stage_add(model, CUDA_PRODUCT, layer_index, layer->out);
    stage->product = (CudaProduct){.in_height = layer->in.height,
                                   .in_width = layer->in.width,
                                   .in_channels = layer->in.channels,
                                   .out_height = layer->out.height,
                                   .out_width = layer->out.width,
                                   .out_channels = layer->out.channels,
                                   .side = is_dense ? 1 : layer->side,
                                   .padding = is_dense ? 0 : layer->padding,
                                   .has_relu = layer->has_relu};
}

/* Adds a sieve for the pool or dropout at `i`; returns the number of layers in the sieve. */
static int32_t add_sieve(CudaModel *model, int32_t i)
{
    const Net *net = model->settings.net;
    const NetLayer *layer = &net->layers[i];
    const bool is_pool = layer->kind == NET_POOL;
    const int32_t next = is_pool ? i + 1 : i;
    const bool has_dropout = next < net->layer_count && net->layers[next].kind == NET_DROPOUT;
    const NetShape in = flow_of(model);
    const bool follows_relu = ends_in_relu(model);
    CudaStage *stage = stage_add(model, CUDA_SIEVE, i, is_pool ? layer->out : in);
    stage->dropout_index = has_dropout ? next : -1;
    stage->sieve = (CudaSieve){.in_height = in.height,
                               .in_width = in.width,
                               .channels = in.channels,
                               .side = is_pool ? layer->side : 1,
                               .follows_relu = follows_relu,
                               .dropped_of_256 = has_dropout ? net->layers[next].dropped_of_256 : 0,
                               .dropout_layer = (uint32_t)(has_dropout ? next : 0),
                               .seed = model->settings.seed,
                               .rank = model->settings.rank};
    return has_dropout ? next + 1 - i : 1;
}

/* Places are bytes, and 255 stands for no place. */
enum { POOL_SIDE_MAX = 15 };

bool cuda_stages_make(CudaModel *model, Status *status)
{
    const Net *net = model->settings.net;
    if (net->layers[0].kernel_count == 0)
        return status_fail(status, STATUS_MACHINE, here,
                           "the cuda backend cannot begin with layer \"%s\", which has no weights",
                           net->layers[0].name);
    for (int32_t i = 0; i < net->layer_count;) {
        if (net->layers[i].side > POOL_SIDE_MAX)
            return status_fail(status, STATUS_MACHINE, here, "layer \"%s\" is wider than %d pixels",
                               net->layers[i].name, POOL_SIDE_MAX);
        if (net->layers[i].kernel_count > 0)
            add_product(model, i++);
        else
            i += add_sieve(model, i);
    }
    return true;
}

/* --- Memory --- */

static int64_t value_bytes(const CudaModel *model, const CudaStage *stage)
{
    const bool is_last = stage == &model->stages[model->stage_count - 1];
    return model->precision == CUDA_BF16 && !is_last ? sizeof(uint16_t) : sizeof(float);
}

/* The largest number of bytes that trainyard's kernels need for a product, over all numbers of
 * images. `floats_of`: cuda_product_scratch or cuda_product_parts. */
static int64_t product_bytes(const CudaModel *model, const CudaStage *stage,
                             int64_t (*floats_of)(const CudaProduct *))
{
    int64_t most = 0;
    CudaProduct product = stage->product;
    for (product.count = 1; product.count <= model->settings.batch_max; product.count++) {
        const int64_t floats = floats_of(&product);
        most = floats > most ? floats : most;
    }
    return most * (int64_t)sizeof(float);
}

void cuda_stages_want(CudaModel *model, CudaMemory *memory)
{
    const int64_t batch = model->settings.batch_max;
    int64_t scratch = cuda_engines_scratch(model, CUDA_MAIN);
    for (int32_t i = 0; i < model->stage_count; i++) {
        CudaStage *stage = &model->stages[i];
        const int64_t values = batch * net_size(stage->out);
        stage->output = cuda_memory_of_gpu(memory, values * value_bytes(model, stage));
        stage->slope = cuda_memory_of_gpu(memory, values * value_bytes(model, stage));
        if (stage->kind == CUDA_SIEVE) {
            stage->places = cuda_memory_of_gpu(memory, values);
            continue;
        }
        const int64_t bytes = product_bytes(model, stage, cuda_product_scratch);
        stage->parts = cuda_memory_of_gpu(memory, product_bytes(model, stage, cuda_product_parts));
        scratch = bytes > scratch ? bytes : scratch;
    }
    model->tiles_done =
        cuda_memory_of_gpu(memory, CUDA_TILES_MAX * (int64_t)sizeof *model->tiles_done);
    model->scratch[CUDA_MAIN] = cuda_memory_of_gpu(memory, scratch);
    model->scratch[CUDA_WEIGHTS] =
        cuda_memory_of_gpu(memory, cuda_engines_scratch(model, CUDA_WEIGHTS));
}

/* --- Passes --- */

static const void *input_of(const CudaModel *model, int32_t i)
{
    return i == 0 ? model->input : model->stages[i - 1].output;
}

static const void *kernel_of(const CudaModel *model, const CudaStage *stage)
{
    const int64_t at = stage->layer->kernel_at;
    if (model->precision == CUDA_BF16)
        return model->bf16_weights + at;
    return model->arenas[ARENA_WEIGHTS] + at;
}

const CudaStage *cuda_stages_sieve(const CudaModel *model, int32_t i, CudaPass pass)
{
    const int32_t at = pass == CUDA_PASS_FORWARD ? i + 1 : pass == CUDA_PASS_DATA ? i - 1 : -1;
    const bool is_sieve =
        at >= 0 && at < model->stage_count && model->stages[at].kind == CUDA_SIEVE;
    return is_sieve ? &model->stages[at] : NULL;
}

CudaOperands cuda_stages_operands(const CudaModel *model, int32_t i, CudaPass pass)
{
    const CudaStage *stage = &model->stages[i], *before = i > 0 ? stage - 1 : NULL;
    const CudaStage *sieve = cuda_stages_sieve(model, i, pass);
    const NetLayer *layer = stage->layer;
    float *gradients = model->arenas[ARENA_GRADIENTS];
    CudaOperands operands = {.in = input_of(model, i),
                             .kernel = kernel_of(model, stage),
                             .out_gradient = stage->slope,
                             .bias = model->arenas[ARENA_WEIGHTS] + layer->bias_at,
                             .out = stage->output,
                             .kernel_gradient = gradients + layer->kernel_at,
                             .bias_gradient = gradients + layer->bias_at,
                             .scratch = model->scratch[cuda_side_of(pass)],
                             .step = model->step,
                             .is_training = model->is_training,
                             .done = model->tiles_done,
                             .parts = stage->parts};
    if (sieve) {
        operands.places = sieve->places;
        operands.sieved = pass == CUDA_PASS_FORWARD ? sieve->output : (sieve - 1)->slope;
    }
    if (pass != CUDA_PASS_DATA)
        return operands;
    // Applies the ReLU of the product before it. If a sieve is before it, the sieve does so.
    if (before && before->kind == CUDA_PRODUCT && before->layer->has_relu)
        operands.relu_out = before->output;
    operands.in_gradient = before ? before->slope : NULL;
    return operands;
}

static CudaSieve sieve_of(const CudaModel *model, const CudaStage *stage)
{
    CudaSieve sieve = stage->sieve;
    sieve.count = model->count;
    return sieve;
}

/* Computes the last layer and the loss, and in training the gradient of that layer's input. */
static void run_head(CudaModel *model, bool is_training, const CudaRmsProp *optimizer)
{
    const int32_t last = model->stage_count - 1;
    const CudaStage *stage = &model->stages[last];
    const CudaOperands data = cuda_stages_operands(model, last, CUDA_PASS_DATA);
    const CudaStage *dropout = cuda_stages_sieve(model, last, CUDA_PASS_DATA);
    const CudaHead head = {.count = model->count,
                           .channels = stage->product.in_channels,
                           .classes = stage->product.out_channels,
                           .in = data.in,
                           .kernel = data.kernel,
                           .bias = data.bias,
                           .labels = model->labels,
                           .logits = stage->output,
                           .probabilities = model->probabilities,
                           .gradient = is_training ? stage->slope : NULL,
                           .in_gradient = !is_training ? NULL
                                          : dropout    ? data.sieved
                                                       : data.in_gradient,
                           .places = data.places,
                           .relu_out = data.relu_out};
    cuda_head(model->stream, model->precision, &head, dropout ? &dropout->sieve : NULL, optimizer,
              model->step);
}

/* Computes the rest of forward from the logits. */
static void finish_forward(CudaModel *model, bool is_training, const CudaRmsProp *optimizer)
{
    const int32_t last = model->stage_count - 1;
    if (model->has_head) {
        run_head(model, is_training, optimizer);
        return;
    }
    cuda_loss(model->stream, model->precision, model->stages[last].output, model->labels,
              model->count, model->settings.net->class_count, model->probabilities,
              is_training ? model->stages[last].slope : NULL, optimizer, model->step);
}

/* True for the product that is computed with the loss, forward and back to data. */
static bool is_in_head(const CudaModel *model, int32_t i)
{
    return model->has_head && i == model->stage_count - 1;
}

/* True for a sieve that belongs to the pass of a product next to it. */
static bool is_sieved(const CudaModel *model, int32_t i, CudaPass pass)
{
    const int32_t of = pass == CUDA_PASS_FORWARD ? i - 1 : i + 1;
    return of >= 0 && of < model->stage_count && model->stages[of].kind == CUDA_PRODUCT;
}

void cuda_stages_forward(CudaModel *model, bool is_training, const CudaRmsProp *optimizer)
{
    model->is_training = is_training;
    for (int32_t i = 0; i < model->stage_count; i++) {
        const CudaStage *stage = &model->stages[i];
        if (stage->kind == CUDA_PRODUCT) {
            if (!is_in_head(model, i))
                cuda_engines_run(model, i, CUDA_PASS_FORWARD);
        } else if (!is_sieved(model, i, CUDA_PASS_FORWARD)) {
            const CudaSieve sieve = sieve_of(model, stage);
            cuda_sieve_forward(model->stream, model->precision, &sieve, model->step, is_training,
                               input_of(model, i), stage->output, stage->places);
        }
        cuda_profile_mark(model, profile_forward(stage->layer_index));
    }
    finish_forward(model, is_training, optimizer);
    cuda_profile_mark(model, PROFILE_LOSS);
}

static void sieve_backward(CudaModel *model, int32_t i)
{
    const CudaSieve sieve = sieve_of(model, &model->stages[i]);
    cuda_sieve_backward(model->stream, model->precision, &sieve, model->stages[i].slope,
                        model->stages[i].places, model->stages[i - 1].slope);
}

void cuda_weights_begin(CudaModel *model)
{
    cuda_stream_waits(model, model->weights_stream, model->weights_begun, model->stream,
                      "going backward");
}

void cuda_weights_end(CudaModel *model)
{
    cuda_stream_waits(model, model->stream, model->weights_ended, model->weights_stream,
                      "going backward");
}

void cuda_weights_add(CudaModel *model, cudaStream_t stream)
{
    cuda_add_parts(stream, &model->unadded, model->arenas[ARENA_GRADIENTS]);
    model->unadded.count = 0;
}

void cuda_weights_left(CudaModel *model, const CudaParts *parts)
{
    if (model->unadded.count == CUDA_PARTS_MAX)
        cuda_weights_add(model, model->weights_stream);
    model->unadded.all[model->unadded.count++] = *parts;
}

void cuda_stages_update(CudaModel *model, cudaStream_t stream, const CudaRmsProp *optimizer,
                        int64_t first, int64_t end)
{
    cuda_update(stream, optimizer, first, end, &model->unadded, model->arenas[ARENA_GRADIENTS],
                model->arenas[ARENA_ACCUMULATORS], model->arenas[ARENA_WEIGHTS],
                model->bf16_weights, true, model->step);
    model->unadded.count = 0;
}

/* Updates the parameters from the layer at `layer_at` on, on the stream of exchanges, which a
 * single rank does not need otherwise, while the layers before go backward. The last use of the
 * layer's parameters was the gradient of its input. Does nothing if its gradients are left in
 * parts. */
static void update_early(CudaModel *model, const CudaRmsProp *optimizer, int64_t layer_at)
{
    const char *doing = "updating";
    const int64_t first = cuda_page_after(layer_at);
    for (int32_t i = 0; i < model->unadded.count; i++)
        if (model->unadded.all[i].at < first)
            return;
    if (first >= model->updated_from)
        return;
    cuda_stream_waits(model, model->exchange_stream, model->weights_begun, model->stream, doing);
    cuda_stream_waits(model, model->exchange_stream, model->begun, model->weights_stream, doing);
    cuda_stages_update(model, model->exchange_stream, optimizer, first, model->updated_from);
    model->updated_from = first;
}

/* The gradients of weights are not needed before the update, and at small batches neither they nor
 * the gradients of inputs fill a GPU: both are computed at the same time. Stages that are measured
 * run one after the other. */
bool cuda_stages_backward(CudaModel *model, Comm *comm, CudaEarly *early,
                          const CudaRmsProp *optimizer, Status *status)
{
    const int64_t early_at = cuda_exchange_first(model->settings.net);
    model->unadded.count = 0;
    model->updated_from = model->settings.net->parameter_count;
    for (int32_t i = model->stage_count - 1; i >= 0; i--) {
        const CudaStage *stage = &model->stages[i];
        if (stage->kind == CUDA_PRODUCT) {
            cuda_weights_begin(model);
            cuda_engines_run(model, i, CUDA_PASS_WEIGHTS);
            if (early && stage->layer->kernel_at == early_at)
                cuda_weights_add(model, model->weights_stream);
            if (model->profile.is_marking)
                cuda_weights_end(model);
            if (early && stage->layer->kernel_at == early_at && !early(model, comm, status))
                return false;
            if (i > 0 && !is_in_head(model, i))
                cuda_engines_run(model, i, CUDA_PASS_DATA);
            if (optimizer && stage->layer->kernel_at == early_at && !model->profile.is_marking)
                update_early(model, optimizer, early_at);
        } else if (!is_sieved(model, i, CUDA_PASS_DATA)) {
            sieve_backward(model, i);
        }
        cuda_profile_mark(model, profile_backward(stage->layer_index));
    }
    if (early)
        cuda_weights_add(model, model->weights_stream);
    cuda_weights_end(model);
    if (model->updated_from < model->settings.net->parameter_count)
        cuda_stream_waits(model, model->stream, model->summed, model->exchange_stream, "updating");
    return true;
}

/* --- Outputs --- */

/* The last layer of a stage. */
static int32_t last_layer_of(const CudaStage *stage)
{
    return stage->dropout_index >= 0 ? stage->dropout_index : stage->layer_index;
}

const CudaStage *cuda_stages_of_layer(const CudaModel *model, int32_t layer)
{
    for (int32_t i = 0; i < model->stage_count; i++)
        if (last_layer_of(&model->stages[i]) == layer)
            return model->stages[i].kind == CUDA_PRODUCT && cuda_engines_is_fused(model, i)
                       ? NULL
                       : &model->stages[i];
    return NULL;
}
