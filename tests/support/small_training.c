#include "tests/support/small_training.h"

#include <check.h>
#include <math.h>

#include "sim/base/invariant.h"
#include "trainer/base/random.h"

enum { IMAGES_MAX = 256 };

/* --- Networks --- */

/* The shapes and places of all layers anew, from their kinds, sides and channels. */
static void lay_out(Net *net)
{
    NetShape flow = net->input;
    net->parameter_count = 0;
    for (int32_t i = 0; i < net->layer_count; i++) {
        NetLayer *layer = &net->layers[i];
        const int32_t channels = layer->out.channels;
        const int32_t lost = layer->side - 1 - 2 * layer->padding;
        const bool is_dense = layer->kind == NET_DENSE;
        if (is_dense)
            flow = (NetShape){1, 1, (int32_t)net_size(flow)};
        layer->in = layer->out = flow;
        if (layer->kind == NET_POOL)
            layer->out =
                (NetShape){flow.height / layer->side, flow.width / layer->side, flow.channels};
        if (layer->kind == NET_CONVOLUTION)
            layer->out = (NetShape){flow.height - lost, flow.width - lost, channels};
        if (is_dense)
            layer->out = (NetShape){1, 1, channels};
        flow = layer->out;
        if (layer->kernel_count == 0)
            continue;
        const int32_t area = is_dense ? 1 : layer->side * layer->side;
        layer->kernel_at = net->parameter_count;
        layer->kernel_count = (int64_t)area * layer->in.channels * channels;
        layer->bias_at = layer->kernel_at + layer->kernel_count;
        layer->bias_count = channels;
        layer->fan_sum = area * (layer->in.channels + channels);
        net->parameter_count = layer->bias_at + layer->bias_count;
    }
}

Net slim_net(const char *name, int32_t divisor)
{
    Net net;
    Status status;
    const bool is_there = net_build(name, &net, &status);
    invariant(is_there); // not ck_assert: programs that are not libcheck tests use it too
    const int64_t whole = net.parameter_count;
    for (int32_t i = 0; i < net.layer_count - 1; i++)
        net.layers[i].out.channels /= divisor;
    lay_out(&net);
    invariant(divisor > 1 || net.parameter_count == whole);
    return net;
}

Net tiny_net(void)
{
    enum { SECOND = 1, POOLS = 2 };
    static const int32_t sides[POOLS] = {4, 3};
    Net net = slim_net("keras_cifar10_cnn", 16);
    int32_t pools = 0;
    for (int32_t i = SECOND; i < net.layer_count - 1; i++)
        net.layers[i] = net.layers[i + 1];
    net.layer_count--;
    for (int32_t i = 0; i < net.layer_count; i++)
        if (net.layers[i].kind == NET_POOL) {
            invariant(pools < POOLS);
            net.layers[i].side = sides[pools++];
        }
    lay_out(&net);
    return net;
}

Net net_without_dropout(const Net *net)
{
    Net copy = *net;
    for (int32_t i = 0; i < copy.layer_count; i++)
        copy.layers[i].dropped_of_256 = 0;
    return copy;
}

/* --- Images --- */

ImageSet make_images(Arena *arena, uint64_t seed, int32_t count)
{
    ImageSet set = {.count = count};
    set.images = arena_alloc(arena, (size_t)count * IMAGE_BYTES);
    set.labels = arena_alloc(arena, (size_t)count);
    for (int32_t i = 0; i < count; i++) {
        uint8_t *image = set.images + (size_t)i * IMAGE_BYTES;
        RandomAddress at = {.use = RANDOM_WEIGHTS, .layer = 1000, .time = (uint64_t)i};
        const uint32_t label = random_words(seed, at).word[0] % CLASS_COUNT;
        set.labels[i] = (uint8_t)label;
        for (int32_t k = 0; k < IMAGE_BYTES; k++) {
            at.block = 1 + (uint32_t)k / 4;
            const uint32_t noise = random_words(seed, at).word[k % 4] % 156;
            const uint32_t colour = (label * 37 + (uint32_t)(k % 3) * (label + 3) * 29) % 100;
            image[k] = (uint8_t)(noise + colour);
        }
    }
    return set;
}

/* --- Models --- */

static void add_biases(const Net *net, uint64_t seed, float *weights)
{
    RandomAddress at = {.use = RANDOM_WEIGHTS, .layer = 2000};
    for (int32_t i = 0; i < net->layer_count; i++)
        for (int64_t k = 0; k < net->layers[i].bias_count; k++, at.block++)
            weights[net->layers[i].bias_at + k] =
                0.1f * (random_unit(random_words(seed, at).word[0]) - 0.5f);
}

Trained trained_open(const Backend *backend, const BackendSettings *settings)
{
    Trained trained = {.backend = backend, .net = settings->net};
    Status status = {0};
    if (!backend->open(settings, &trained.model, &status))
        ck_abort_msg("%s: %s", backend->name, status.message);
    float *weights = trained_arena(&trained, ARENA_WEIGHTS);
    net_initial_weights(settings->net, settings->seed, weights);
    add_biases(settings->net, settings->seed, weights);
    backend->arena_changed(trained.model, ARENA_WEIGHTS);
    return trained;
}

void trained_close(Trained *trained)
{
    trained->backend->close(trained->model);
}

float *trained_arena(const Trained *trained, ArenaKind kind)
{
    Status status = {0};
    float *arena = trained->backend->arena(trained->model, kind, &status);
    ck_assert_msg(arena != NULL, "%s", status.message);
    return arena;
}

void trained_load(const Trained *trained, const ImageSet *set, int32_t first, int32_t count,
                  uint64_t step, bool is_augmented)
{
    int32_t indices[IMAGES_MAX];
    invariant(count <= IMAGES_MAX);
    for (int32_t i = 0; i < count; i++)
        indices[i] = first + i;
    const Batch batch = {
        .set = set, .indices = indices, .count = count, .step = step, .is_augmented = is_augmented};
    trained->backend->gather(trained->model, &batch);
    trained->backend->augment(trained->model, &batch);
}

Score trained_forward(const Trained *trained, bool is_training)
{
    Score score;
    Status status = {0};
    if (!trained->backend->forward(trained->model, is_training, &score, &status))
        ck_abort_msg("%s: %s", trained->backend->name, status.message);
    return score;
}

void trained_backward(const Trained *trained)
{
    Status status = {0};
    if (!trained->backend->backward(trained->model, &status))
        ck_abort_msg("%s: %s", trained->backend->name, status.message);
}

Score trained_step(const Trained *trained, const ImageSet *set, int32_t first, int32_t count,
                   uint64_t step)
{
    const RmsProp optimizer = rmsprop_of_keras(1e-4);
    trained_load(trained, set, first, count, step, true);
    const Score score = trained_forward(trained, true);
    trained_backward(trained);
    trained->backend->update(trained->model, &optimizer, rmsprop_rate(&optimizer, (int64_t)step),
                             1.0f);
    return score;
}

/* --- Distances --- */

double relative_distance(const float *a, const float *b, int64_t count)
{
    double difference = 0.0, size = 0.0;
    for (int64_t i = 0; i < count; i++) {
        const double gap = (double)a[i] - (double)b[i];
        difference += gap * gap;
        size += (double)b[i] * (double)b[i];
    }
    return difference > 0.0 || isnan(difference) ? sqrt(difference / size) : 0.0;
}

double largest_difference(const float *a, const float *b, int64_t count)
{
    double difference = 0.0, size = 0.0;
    for (int64_t i = 0; i < count; i++) {
        const double gap = fabs((double)a[i] - (double)b[i]);
        difference = isnan(gap) ? INFINITY : fmax(difference, gap);
        size = fmax(size, fabs((double)b[i]));
    }
    return difference > 0.0 ? difference / size : 0.0;
}
