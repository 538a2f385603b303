/* Products of matrices by OpenBLAS, everything else by trainer/compute/host_layers.h.
 *
 * A convolution is a product of patches and kernel: the patch of an output's pixel holds the values
 * that it sees. Patches of whole kernels (im2col) repeat each value side * side times; here a patch
 * is one row of the kernel's, so that values are repeated `side` times, and the kernel's rows are
 * as many products, each with the same patches `out.width` further on, added up. Kernel and its
 * gradient are HWIO, so their rows lie one after another, too. Only where a row is short, as with
 * the three colours of an image, patches are whole.
 *
 * The gradient of a convolution's input is the convolution of the output's gradient with the kernel
 * turned by 180 degrees, inputs and outputs exchanged; so it is made the same way, and nothing has
 * to be scattered.
 *
 * Up to the first dense layer, one image after the other goes through all layers, so that most of
 * what a layer reads is still in the cache; dense layers take the whole batch, because their
 * kernels are larger than what they compute with. */
#include <cblas.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "trainer/compute/dropout.h"
#include "trainer/compute/host.h"
#include "trainer/compute/host_layers.h"

typedef struct {
    Host host;
    bool is_training;
    int32_t first_dense;              /* layers before it go image by image */
    float *outputs[NET_LAYERS_MAX];   /* [batch_max][...], after ReLU */
    uint8_t *kept[NET_LAYERS_MAX];    /* of a dropout layer: the mask of this batch */
    uint8_t *largest[NET_LAYERS_MAX]; /* of a pool: see host_pool_forward */
    float *turned[NET_LAYERS_MAX];    /* of a convolution that is not the first: its kernel for the
                                         gradient of its input, [side][side][out][in] */
    /* Gradients by a layer's output and by its input, taking turns: of the batch between dense
     * layers, of one image between others. */
    float *batch_gradients[2], *image_gradients[2];
    float *patches; /* of one image */
} Blas;

/* Some of the batch. */
typedef struct {
    int64_t first, count;
} Images;

/* --- Products --- */

/* A matrix, row by row; `stride` floats from row to row. */
typedef struct {
    const float *values;
    int64_t stride;
    bool is_transposed;
} Matrix;

/* out[rows][columns] = (adds ? out : 0) + left[rows][depth] * right[depth][columns] */
typedef struct {
    int64_t rows, columns, depth;
    bool adds;
} Product;

static void multiply(Product of, Matrix left, Matrix right, float *out)
{
    cblas_sgemm(CblasRowMajor, left.is_transposed ? CblasTrans : CblasNoTrans,
                right.is_transposed ? CblasTrans : CblasNoTrans, (blasint)of.rows,
                (blasint)of.columns, (blasint)of.depth, 1.0f, left.values, (blasint)left.stride,
                right.values, (blasint)right.stride, of.adds ? 1.0f : 0.0f, out,
                (blasint)of.columns);
}

static Matrix matrix(const float *values, int64_t stride)
{
    return (Matrix){values, stride, false};
}

static Matrix transposed(const float *values, int64_t stride)
{
    return (Matrix){values, stride, true};
}

/* --- Patches --- */

/* What is convolved: an image of `in`, with `padding` zeros around it, with kernels of `side`. */
typedef struct {
    NetShape in, out;
    int32_t side, padding;
    int32_t patch_rows; /* of the kernel in a patch: 1 or all */
} Convolution;

/* A product of a depth below this is more overhead than arithmetic. */
enum { SHORT_DEPTH = 64 };

static Convolution convolution(NetShape in, NetShape out, int32_t side, int32_t padding)
{
    return (Convolution){.in = in,
                         .out = out,
                         .side = side,
                         .padding = padding,
                         .patch_rows = side * in.channels < SHORT_DEPTH ? side : 1};
}

static Convolution forward_convolution(const NetLayer *layer)
{
    return convolution(layer->in, layer->out, layer->side, layer->padding);
}

/* From the gradient of the output to that of the input. */
static Convolution backward_convolution(const NetLayer *layer)
{
    return convolution(layer->out, layer->in, layer->side, layer->side - 1 - layer->padding);
}

static int64_t patch_size(Convolution of)
{
    return (int64_t)of.patch_rows * of.side * of.in.channels;
}

/* Rows of patches: with patches of one kernel row, some above and below those of the output. */
static int32_t patch_lines(Convolution of)
{
    return of.in.height + 2 * of.padding - of.patch_rows + 1;
}

static int64_t patches_size(Convolution of)
{
    return (int64_t)patch_lines(of) * of.out.width * patch_size(of);
}

/* The values of row `y` of the input that the output's column `x` sees, zeros outside. */
static void copy_run(Convolution of, const float *image, int32_t y, int32_t x, float *run)
{
    const int32_t channels = of.in.channels;
    const int32_t first = x - of.padding, end = first + of.side;
    const int32_t inside = first < 0 ? 0 : first,
                  inside_end = end > of.in.width ? of.in.width : end;
    const bool is_seen = y >= 0 && y < of.in.height && inside < inside_end;
    if (!is_seen || end - first > inside_end - inside)
        memset(run, 0, (size_t)(of.side * channels) * sizeof *run);
    if (is_seen)
        memcpy(run + (int64_t)(inside - first) * channels,
               image + ((int64_t)y * of.in.width + inside) * channels,
               (size_t)((inside_end - inside) * channels) * sizeof *run);
}

static void make_patches(Convolution of, const float *image, float *patches)
{
    const int64_t run_size = (int64_t)of.side * of.in.channels;
    for (int32_t y = 0; y < patch_lines(of); y++)
        for (int32_t x = 0; x < of.out.width; x++)
            for (int32_t row = 0; row < of.patch_rows; row++, patches += run_size)
                copy_run(of, image, y + row - of.padding, x, patches);
}

/* The patches that meet the `row`-th of the kernel's rows, or all of the kernel. */
static const float *patches_of_row(Convolution of, const float *patches, int32_t row)
{
    return patches + (int64_t)row * of.out.width * patch_size(of);
}

/* --- Convolution of one image --- */

static void convolve(Convolution of, const float *patches, const float *kernel, float *out)
{
    const int64_t depth = patch_size(of), columns = of.out.channels;
    for (int32_t row = 0; row < of.side / of.patch_rows; row++)
        multiply((Product){(int64_t)of.out.height * of.out.width, columns, depth, row > 0},
                 matrix(patches_of_row(of, patches, row), depth),
                 matrix(kernel + row * depth * columns, columns), out);
}

/* Adds to the kernel's gradient. */
static void add_kernel_gradient(Convolution of, const float *patches, const float *out_gradient,
                                float *kernel_gradient)
{
    const int64_t depth = patch_size(of), columns = of.out.channels;
    for (int32_t row = 0; row < of.side / of.patch_rows; row++)
        multiply((Product){depth, columns, (int64_t)of.out.height * of.out.width, true},
                 transposed(patches_of_row(of, patches, row), depth), matrix(out_gradient, columns),
                 kernel_gradient + row * depth * columns);
}

/* turned[side][side][out][in] of kernel[side][side][in][out]. */
static void turn_kernel(const NetLayer *layer, const float *kernel, float *turned)
{
    const int32_t places = layer->side * layer->side;
    const int64_t ins = layer->in.channels, outs = layer->out.channels;
    for (int32_t place = 0; place < places; place++, kernel += ins * outs) {
        float *to = turned + (places - 1 - place) * ins * outs;
        for (int64_t i = 0; i < ins; i++)
            for (int64_t o = 0; o < outs; o++)
                to[o * ins + i] = kernel[i * outs + o];
    }
}

/* --- Forward --- */

static const NetLayer *layer_at(const Blas *blas, int32_t index)
{
    return &blas->host.settings.net->layers[index];
}

static float *arena_at(Blas *blas, ArenaKind kind, int64_t at)
{
    return blas->host.arenas[kind] + at;
}

/* What goes into layer `index`, of image `image`: outside training, dropout layers are not there.
 */
static const float *input_of(const Blas *blas, int32_t index, int64_t image)
{
    const NetLayer *layers = blas->host.settings.net->layers;
    int32_t before = index - 1;
    while (before >= 0 && layers[before].kind == NET_DROPOUT && !blas->is_training)
        before--;
    return before < 0 ? blas->host.input + image * net_size(layers[0].in)
                      : blas->outputs[before] + image * net_size(layers[before].out);
}

static float *output_of(const Blas *blas, int32_t index, int64_t image)
{
    return blas->outputs[index] + image * net_size(layer_at(blas, index)->out);
}

static void convolution_forward(Blas *blas, int32_t index, Images images)
{
    const NetLayer *layer = layer_at(blas, index);
    const Convolution of = forward_convolution(layer);
    for (int64_t i = images.first; i < images.first + images.count; i++) {
        float *out = output_of(blas, index, i);
        make_patches(of, input_of(blas, index, i), blas->patches);
        convolve(of, blas->patches, arena_at(blas, ARENA_WEIGHTS, layer->kernel_at), out);
        host_add_bias(out, arena_at(blas, ARENA_WEIGHTS, layer->bias_at),
                      (int64_t)layer->out.height * layer->out.width, layer->out.channels,
                      layer->has_relu);
    }
}

static void dense_forward(Blas *blas, int32_t index, Images images)
{
    const NetLayer *layer = layer_at(blas, index);
    const int64_t ins = layer->in.channels, outs = layer->out.channels;
    float *out = output_of(blas, index, images.first);
    multiply((Product){images.count, outs, ins, false},
             matrix(input_of(blas, index, images.first), ins),
             matrix(arena_at(blas, ARENA_WEIGHTS, layer->kernel_at), outs), out);
    host_add_bias(out, arena_at(blas, ARENA_WEIGHTS, layer->bias_at), images.count,
                  layer->out.channels, layer->has_relu);
}

static void dropout_forward(Blas *blas, int32_t index, Images images)
{
    const Host *host = &blas->host;
    const NetLayer *layer = layer_at(blas, index);
    const int64_t size = net_size(layer->out);
    if (!blas->is_training)
        return;
    if (images.first == 0) // a mask is of the whole batch
        dropout_mask(host->settings.seed, host->settings.rank, host->step, (uint32_t)index,
                     layer->dropped_of_256, host->count * size, blas->kept[index]);
    host_dropout_forward(input_of(blas, index, images.first),
                         blas->kept[index] + images.first * size, dropout_scale(layer),
                         images.count * size, output_of(blas, index, images.first));
}

static void layer_forward(Blas *blas, int32_t index, Images images)
{
    const NetLayer *layer = layer_at(blas, index);
    switch (layer->kind) {
    case NET_CONVOLUTION:
        convolution_forward(blas, index, images);
        break;
    case NET_POOL:
        host_pool_forward(layer, images.count, input_of(blas, index, images.first),
                          output_of(blas, index, images.first),
                          blas->largest[index] + images.first * net_size(layer->out));
        break;
    case NET_DROPOUT:
        dropout_forward(blas, index, images);
        break;
    case NET_DENSE:
        dense_forward(blas, index, images);
        break;
    }
}

/* --- Backward --- */

static void convolution_backward(Blas *blas, int32_t index, Images images, const float *gradient,
                                 float *in_gradient)
{
    const NetLayer *layer = layer_at(blas, index);
    const Convolution forward = forward_convolution(layer), backward = backward_convolution(layer);
    for (int64_t i = 0; i < images.count; i++, gradient += net_size(layer->out)) {
        make_patches(forward, input_of(blas, index, images.first + i), blas->patches);
        add_kernel_gradient(forward, blas->patches, gradient,
                            arena_at(blas, ARENA_GRADIENTS, layer->kernel_at));
        if (index == 0)
            continue; // nobody asks for the gradient of the image
        make_patches(backward, gradient, blas->patches);
        convolve(backward, blas->patches, blas->turned[index],
                 in_gradient + i * net_size(layer->in));
    }
}

static void dense_backward(Blas *blas, int32_t index, Images images, const float *gradient,
                           float *in_gradient)
{
    const NetLayer *layer = layer_at(blas, index);
    const int64_t ins = layer->in.channels, outs = layer->out.channels;
    multiply((Product){ins, outs, images.count, false},
             transposed(input_of(blas, index, images.first), ins), matrix(gradient, outs),
             arena_at(blas, ARENA_GRADIENTS, layer->kernel_at));
    if (index > 0)
        multiply((Product){images.count, ins, outs, false}, matrix(gradient, outs),
                 transposed(arena_at(blas, ARENA_WEIGHTS, layer->kernel_at), outs), in_gradient);
}

/* Takes the gradient by the layer's output and returns that by its input, in `gradient` itself or
 * in that of the two buffers which it is not in. */
static float *layer_backward(Blas *blas, int32_t index, Images images, float *gradient,
                             float *const buffers[2])
{
    const NetLayer *layer = layer_at(blas, index);
    const int64_t size = net_size(layer->out), count = images.count * size;
    float *in_gradient = buffers[gradient == buffers[0]];
    if (layer->has_relu)
        host_relu_backward(output_of(blas, index, images.first), count, gradient);
    if (layer->bias_count > 0)
        host_add_bias_gradient(gradient, count / layer->out.channels, layer->out.channels,
                               arena_at(blas, ARENA_GRADIENTS, layer->bias_at));
    switch (layer->kind) {
    case NET_CONVOLUTION:
        convolution_backward(blas, index, images, gradient, in_gradient);
        break;
    case NET_POOL:
        host_pool_backward(layer, images.count, gradient,
                           blas->largest[index] + images.first * size, in_gradient);
        break;
    case NET_DROPOUT:
        host_dropout_backward(blas->kept[index] + images.first * size, dropout_scale(layer), count,
                              gradient);
        return gradient;
    case NET_DENSE:
        dense_backward(blas, index, images, gradient, in_gradient);
        break;
    }
    return in_gradient;
}

/* Gradients that are added up image by image begin at 0; dense kernels, most of the arena, are
 * written in one go. */
static void clear_sums(Blas *blas)
{
    for (int32_t i = 0; i < blas->host.settings.net->layer_count; i++) {
        const NetLayer *layer = layer_at(blas, i);
        if (layer->kind == NET_CONVOLUTION)
            memset(arena_at(blas, ARENA_GRADIENTS, layer->kernel_at), 0,
                   (size_t)layer->kernel_count * sizeof(float));
        if (layer->bias_count > 0)
            memset(arena_at(blas, ARENA_GRADIENTS, layer->bias_at), 0,
                   (size_t)layer->bias_count * sizeof(float));
    }
}

/* --- The table's functions --- */

static bool blas_probe(Precision precision, Status *status)
{
    if (precision == PRECISION_FP32)
        return true;
    status_fail(status, STATUS_MACHINE, place_in("trainyard", 0, 0),
                "OpenBLAS computes in fp32 only");
    return status_hint(status, "--precision fp32");
}

/* Makes `*most` at least `size`. */
static void make_room(int64_t *most, int64_t size)
{
    if (size > *most)
        *most = size;
}

/* Sizes, in floats, of what layers share. */
typedef struct {
    int64_t batch_gradient, image_gradient, patches;
} SharedSizes;

/* What one layer needs of its own; raises the sizes of what it shares. */
static void open_layer(Blas *blas, int32_t index, SharedSizes *sizes)
{
    const NetLayer *layer = layer_at(blas, index);
    const int64_t batch = blas->host.settings.batch_max;
    const int64_t out_count = batch * net_size(layer->out);
    blas->outputs[index] = host_floats(out_count);
    if (layer->kind == NET_DROPOUT)
        blas->kept[index] = memory_zeroed((size_t)out_count);
    if (layer->kind == NET_POOL)
        blas->largest[index] = memory_zeroed((size_t)out_count);
    if (index < blas->first_dense)
        make_room(&sizes->image_gradient, net_size(layer->in));
    else
        make_room(&sizes->batch_gradient, batch * net_size(layer->in));
    if (layer->kind != NET_CONVOLUTION)
        return;
    make_room(&sizes->patches, patches_size(forward_convolution(layer)));
    if (index > 0) {
        make_room(&sizes->patches, patches_size(backward_convolution(layer)));
        blas->turned[index] = host_floats(layer->kernel_count);
    }
}

static bool blas_open(const BackendSettings *settings, void **model, Status *status)
{
    (void)status;
    const Net *net = settings->net;
    Blas *blas = memory_zeroed(sizeof *blas);
    SharedSizes sizes = {0};
    host_open(settings, &blas->host);
    while (net->layers[blas->first_dense].kind != NET_DENSE) // the last one is, at least
        blas->first_dense++;
    for (int32_t i = 0; i < net->layer_count; i++)
        open_layer(blas, i, &sizes);
    for (int32_t i = 0; i < 2; i++) {
        blas->batch_gradients[i] = host_floats(sizes.batch_gradient);
        blas->image_gradients[i] = host_floats(sizes.image_gradient);
    }
    blas->patches = host_floats(sizes.patches);
    *model = blas;
    return true;
}

static void blas_close(void *model)
{
    Blas *blas = model;
    if (!blas)
        return;
    for (int32_t i = 0; i < NET_LAYERS_MAX; i++) {
        free(blas->outputs[i]);
        free(blas->kept[i]);
        free(blas->largest[i]);
        free(blas->turned[i]);
    }
    for (int32_t i = 0; i < 2; i++) {
        free(blas->batch_gradients[i]);
        free(blas->image_gradients[i]);
    }
    free(blas->patches);
    host_close(&blas->host);
    free(blas);
}

static bool blas_forward(void *model, bool is_training, Score *score, Status *status)
{
    (void)status;
    Blas *blas = model;
    const Host *host = &blas->host;
    const int32_t layers = host->settings.net->layer_count;
    int64_t clock_ns = profile_clock_ns(host->settings.profile);
    openblas_set_num_threads(
        host->settings.threads); // of the process: another model may have others
    blas->is_training = is_training;
    for (int32_t image = 0; image < host->count; image++)
        for (int32_t i = 0; i < blas->first_dense; i++) {
            layer_forward(blas, i, (Images){image, 1});
            profile_note(host->settings.profile, profile_forward(i), &clock_ns);
        }
    for (int32_t i = blas->first_dense; i < layers; i++) {
        layer_forward(blas, i, (Images){0, host->count});
        profile_note(host->settings.profile, profile_forward(i), &clock_ns);
    }
    *score = host_finish_forward(&blas->host, blas->outputs[layers - 1], is_training);
    return true;
}

static bool blas_backward(void *model, Status *status)
{
    (void)status;
    Blas *blas = model;
    const Host *host = &blas->host;
    int64_t clock_ns = profile_clock_ns(host->settings.profile);
    openblas_set_num_threads(host->settings.threads);
    clear_sums(blas);
    for (int32_t i = 1; i < blas->first_dense; i++)
        if (layer_at(blas, i)->kind == NET_CONVOLUTION)
            turn_kernel(layer_at(blas, i),
                        arena_at(blas, ARENA_WEIGHTS, layer_at(blas, i)->kernel_at),
                        blas->turned[i]);
    float *gradient = host->logits_gradient;
    for (int32_t i = host->settings.net->layer_count - 1; i >= blas->first_dense; i--) {
        gradient =
            layer_backward(blas, i, (Images){0, host->count}, gradient, blas->batch_gradients);
        profile_note(host->settings.profile, profile_backward(i), &clock_ns);
    }
    for (int32_t image = 0; image < host->count; image++) {
        float *image_gradient = gradient + image * net_size(layer_at(blas, blas->first_dense)->in);
        for (int32_t i = blas->first_dense - 1; i >= 0; i--) {
            image_gradient =
                layer_backward(blas, i, (Images){image, 1}, image_gradient, blas->image_gradients);
            profile_note(host->settings.profile, profile_backward(i), &clock_ns);
        }
    }
    return true;
}

static bool blas_layer_output(void *model, int32_t layer, float *out)
{
    const Blas *blas = model;
    const int64_t count = blas->host.count * net_size(layer_at(blas, layer)->out);
    memcpy(out, input_of(blas, layer + 1, 0), (size_t)count * sizeof *out);
    return true;
}

const Backend backend_openblas = {
    .name = "openblas",
    .summary = "OpenBLAS on the processor; fp32",
    .probe = blas_probe,
    .open = blas_open,
    .close = blas_close,
    .arena = host_arena,
    .arena_changed = host_arena_changed,
    .gather = host_gather,
    .augment = host_augment,
    .forward = blas_forward,
    .backward = blas_backward,
    .update = host_update,
    .probabilities = host_probabilities,
    .layer_output = blas_layer_output,
};
