#include "trainer/compute/backend_ref.h"

/* The reference: every layer in its textbook form, in double precision. Only the weights and the
 * resulting gradients are floats. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "trainer/compute/dropout.h"
#include "trainer/compute/host.h"

typedef struct {
    Host host;
    double *weights;              /* copy of the arena */
    double *gradients;            /* of the arena */
    double *transposed_weights;   /* the kernels with [out][in] instead of [in][out] */
    double *transposed_gradients; /* likewise */
    double *values[NET_LAYERS_MAX +
                   1]; /* [batch_max][...]: [i] is the input of layer i, the last are the logits */
    double *slopes[2]; /* [batch_max][...]: derivatives of the loss by a layer's output and by its
                          input, alternately */
    uint8_t *kept[NET_LAYERS_MAX]; /* of a dropout layer: the mask of this batch */
    double *probabilities;         /* [batch_max][class_count] */
} Ref;

/* --- The innermost loop ---
 *
 * It takes most of the time, and runs over the channels of a pixel, which are contiguous. */

/* to += factor * from. Most factors of a training are zeros of ReLU, pool and dropout. */
static void add_scaled(double *restrict to, double factor, const double *restrict from,
                       int32_t count)
{
    if (factor == 0.0)
        return;
    for (int32_t i = 0; i < count; i++)
        to[i] += factor * from[i];
}

/* Transposes the matrices [rows][columns] in `from` to [columns][rows]. */
static void transpose(const double *from, int64_t count, int32_t rows, int32_t columns, double *to)
{
    for (int64_t at = 0; at < count; at += (int64_t)rows * columns)
        for (int32_t i = 0; i < rows; i++)
            for (int32_t k = 0; k < columns; k++)
                to[at + (int64_t)k * rows + i] = from[at + (int64_t)i * columns + k];
}

/* --- Convolution and dense layer ---
 *
 * A dense layer is a convolution of an image of one pixel with a kernel of one. Backward uses
 * transposed kernels, so that it can use add_scaled, too. */

/* The arrays of a layer for one image. */
typedef struct {
    const double *kernel, *transposed_kernel, *bias, *in;
    double *out;
    double *transposed_kernel_slope,
        *bias_slope;  /* derivatives of the loss, added up over images */
    double *in_slope; /* NULL: not needed */
    const double *out_slope;
} Tensors;

/* A pixel of the output, a pixel of the input that contributes to it, and the matrix [in][out] of
 * the kernel between them. */
typedef struct {
    int64_t out_at, in_at, kernel_at;
} Tap;

static void tap_forward(const NetLayer *layer, const Tensors *t, Tap tap)
{
    const int32_t channels = layer->out.channels;
    for (int32_t i = 0; i < layer->in.channels; i++)
        add_scaled(t->out + tap.out_at, t->in[tap.in_at + i],
                   t->kernel + tap.kernel_at + (int64_t)i * channels, channels);
}

static void tap_backward(const NetLayer *layer, const Tensors *t, Tap tap)
{
    const int32_t channels = layer->in.channels;
    for (int32_t o = 0; o < layer->out.channels; o++) {
        const double slope = t->out_slope[tap.out_at + o];
        const int64_t row = tap.kernel_at + (int64_t)o * channels;
        add_scaled(t->transposed_kernel_slope + row, slope, t->in + tap.in_at, channels);
        if (t->in_slope)
            add_scaled(t->in_slope + tap.in_at, slope, t->transposed_kernel + row, channels);
    }
}

typedef void TapVisit(const NetLayer *layer, const Tensors *t, Tap tap);

/* Visits all taps of the output's pixel (y, x); taps outside the input are multiplied by zeros and
 * are left out.
 */
static void visit_pixel(const NetLayer *layer, const Tensors *t, int32_t y, int32_t x,
                        TapVisit *visit)
{
    const NetShape in = layer->in, out = layer->out;
    const int32_t side = layer->kind == NET_DENSE ? 1 : layer->side;
    for (int32_t i = 0; i < side; i++)
        for (int32_t k = 0; k < side; k++) {
            const int32_t in_y = y + i - layer->padding, in_x = x + k - layer->padding;
            if (in_y < 0 || in_y >= in.height || in_x < 0 || in_x >= in.width)
                continue;
            visit(layer, t,
                  (Tap){.out_at = ((int64_t)y * out.width + x) * out.channels,
                        .in_at = ((int64_t)in_y * in.width + in_x) * in.channels,
                        .kernel_at = ((int64_t)i * side + k) * in.channels * out.channels});
        }
}

static void weighted_forward(const NetLayer *layer, const Tensors *t)
{
    for (int32_t y = 0; y < layer->out.height; y++)
        for (int32_t x = 0; x < layer->out.width; x++) {
            double *out = t->out + ((int64_t)y * layer->out.width + x) * layer->out.channels;
            memcpy(out, t->bias, (size_t)layer->out.channels * sizeof *out);
            visit_pixel(layer, t, y, x, tap_forward);
        }
    if (layer->has_relu)
        for (int64_t i = 0; i < net_size(layer->out); i++)
            t->out[i] = t->out[i] < 0.0 ? 0.0 : t->out[i]; // keeps NaN
}

static void weighted_backward(const NetLayer *layer, const Tensors *t)
{
    for (int32_t y = 0; y < layer->out.height; y++)
        for (int32_t x = 0; x < layer->out.width; x++) {
            const int64_t at = ((int64_t)y * layer->out.width + x) * layer->out.channels;
            add_scaled(t->bias_slope, 1.0, t->out_slope + at, layer->out.channels);
            visit_pixel(layer, t, y, x, tap_backward);
        }
}

/* Where ReLU's output is 0, the input does not influence the loss. */
static void relu_backward(const double *out, double *slope, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (out[i] == 0.0)
            slope[i] = 0.0;
}

/* --- Pool --- */

/* Index in `in` of the largest value of channel `c` in the pool (y, x); the first of equal values,
 * row by row. */
static int64_t largest_at(const NetLayer *layer, const double *in, int32_t y, int32_t x, int32_t c)
{
    int64_t largest = -1;
    for (int32_t i = 0; i < layer->side; i++)
        for (int32_t k = 0; k < layer->side; k++) {
            const int64_t pixel = ((int64_t)y * layer->side + i) * layer->in.width;
            const int64_t at = (pixel + (int64_t)x * layer->side + k) * layer->in.channels + c;
            if (largest < 0 || in[at] > in[largest])
                largest = at;
        }
    return largest;
}

/* Finds the source of each value of the output. Forward copies the source to `out`; backward adds
 * `out_slope` to the source in `in_slope`. */
static void pool_pass(const NetLayer *layer, const Tensors *t, bool is_forward)
{
    int64_t at = 0;
    for (int32_t y = 0; y < layer->out.height; y++)
        for (int32_t x = 0; x < layer->out.width; x++)
            for (int32_t c = 0; c < layer->out.channels; c++, at++) {
                const int64_t from = largest_at(layer, t->in, y, x, c);
                if (is_forward)
                    t->out[at] = t->in[from];
                else
                    t->in_slope[from] += t->out_slope[at];
            }
}

/* --- Dropout --- */

/* Copies kept values, scaled so that the mean does not change, and sets the others to 0. The same
 * for forward and backward. */
static void dropout_pass(const NetLayer *layer, const uint8_t *kept, const double *from, double *to,
                         int64_t count)
{
    const double scale = 256.0 / (256 - layer->dropped_of_256);
    for (int64_t i = 0; i < count; i++)
        to[i] = kept[i] ? scale * from[i] : 0.0;
}

/* --- All layers --- */

/* The arrays of layer `index` for image `image`. */
static Tensors tensors_of(const Ref *ref, int32_t index, int64_t image)
{
    const NetLayer *layer = &ref->host.settings.net->layers[index];
    const int64_t in_at = image * net_size(layer->in), out_at = image * net_size(layer->out);
    return (Tensors){
        .in = ref->values[index] + in_at,
        .out = ref->values[index + 1] + out_at,
        .in_slope = ref->slopes[1] + in_at,
        .out_slope = ref->slopes[0] + out_at,
    };
}

/* The same for a layer with weights. */
static Tensors weighted_tensors_of(const Ref *ref, int32_t index, int64_t image)
{
    const NetLayer *layer = &ref->host.settings.net->layers[index];
    Tensors t = tensors_of(ref, index, image);
    t.kernel = ref->weights + layer->kernel_at;
    t.bias = ref->weights + layer->bias_at;
    t.transposed_kernel = ref->transposed_weights + layer->kernel_at;
    t.transposed_kernel_slope = ref->transposed_gradients + layer->kernel_at;
    t.bias_slope = ref->gradients + layer->bias_at;
    if (index == 0)
        t.in_slope = NULL; // the gradient of the images is not needed
    return t;
}

static void dropout_layer_forward(Ref *ref, int32_t index, bool is_training)
{
    const Host *host = &ref->host;
    const NetLayer *layer = &host->settings.net->layers[index];
    const int64_t count = host->count * net_size(layer->out);
    const double *in = ref->values[index];
    double *out = ref->values[index + 1];
    if (!is_training) {
        memcpy(out, in, (size_t)count * sizeof *out);
        return;
    }
    dropout_mask(host->settings.seed, host->settings.rank, host->step, (uint32_t)index,
                 layer->dropped_of_256, count, ref->kept[index]);
    dropout_pass(layer, ref->kept[index], in, out, count);
}

static void layer_forward(Ref *ref, int32_t index, bool is_training)
{
    const NetLayer *layer = &ref->host.settings.net->layers[index];
    if (layer->kind == NET_DROPOUT) {
        dropout_layer_forward(ref, index, is_training);
        return;
    }
    for (int32_t image = 0; image < ref->host.count; image++) {
        const bool is_pool = layer->kind == NET_POOL;
        Tensors t =
            is_pool ? tensors_of(ref, index, image) : weighted_tensors_of(ref, index, image);
        if (is_pool)
            pool_pass(layer, &t, true);
        else
            weighted_forward(layer, &t);
    }
}

static void weighted_layer_backward(Ref *ref, int32_t index)
{
    const NetLayer *layer = &ref->host.settings.net->layers[index];
    const int32_t in = layer->in.channels, out = layer->out.channels;
    transpose(ref->weights + layer->kernel_at, layer->kernel_count, in, out,
              ref->transposed_weights + layer->kernel_at);
    if (layer->has_relu)
        relu_backward(ref->values[index + 1], ref->slopes[0],
                      ref->host.count * net_size(layer->out));
    for (int32_t image = 0; image < ref->host.count; image++) {
        Tensors t = weighted_tensors_of(ref, index, image);
        weighted_backward(layer, &t);
    }
    transpose(ref->transposed_gradients + layer->kernel_at, layer->kernel_count, out, in,
              ref->gradients + layer->kernel_at);
}

/* Computes ref->slopes[1], the derivatives by the layer's input, from ref->slopes[0], those by its
 * output; then swaps the two. */
static void layer_backward(Ref *ref, int32_t index)
{
    const Host *host = &ref->host;
    const NetLayer *layer = &host->settings.net->layers[index];
    const int64_t count = host->count * net_size(layer->in);
    double *out_slopes = ref->slopes[0], *in_slopes = ref->slopes[1];
    memset(in_slopes, 0, (size_t)count * sizeof *in_slopes);
    switch (layer->kind) {
    case NET_CONVOLUTION:
    case NET_DENSE:
        weighted_layer_backward(ref, index);
        break;
    case NET_POOL:
        for (int32_t image = 0; image < host->count; image++) {
            Tensors t = tensors_of(ref, index, image);
            pool_pass(layer, &t, false);
        }
        break;
    case NET_DROPOUT:
        dropout_pass(layer, ref->kept[index], out_slopes, in_slopes, count);
        break;
    }
    ref->slopes[0] = in_slopes;
    ref->slopes[1] = out_slopes;
}

/* --- Loss --- */

/* Computes softmax of one image's logits, adds its score, and stores the result of
 * probabilities(). */
static void finish_image(Ref *ref, int32_t image, Score *score)
{
    const int32_t classes = ref->host.settings.net->class_count;
    const int64_t at = (int64_t)image * classes;
    const double *logits = ref->values[ref->host.settings.net->layer_count] + at;
    double *probabilities = ref->probabilities + at;
    int32_t likeliest = 0;
    double sum = 0.0;
    for (int32_t c = 1; c < classes; c++)
        likeliest = logits[c] > logits[likeliest] ? c : likeliest;
    for (int32_t c = 0; c < classes; c++)
        sum += probabilities[c] = exp(logits[c] - logits[likeliest]);
    for (int32_t c = 0; c < classes; c++)
        ref->host.probabilities[at + c] = (float)(probabilities[c] /= sum);
    score->loss_sum += loss_of(probabilities[ref->host.labels[image]]);
    score->correct += likeliest == ref->host.labels[image];
    score->images++;
}

/* Computes the derivatives of the mean loss by the logits in slopes[0]. */
static void start_backward(Ref *ref)
{
    const Host *host = &ref->host;
    const int32_t classes = host->settings.net->class_count;
    for (int32_t image = 0; image < host->count; image++) {
        const double *probabilities = ref->probabilities + (int64_t)image * classes;
        double *slopes = ref->slopes[0] + (int64_t)image * classes;
        const bool is_flat = loss_is_clipped(probabilities[host->labels[image]]);
        for (int32_t c = 0; c < classes; c++)
            slopes[c] =
                is_flat ? 0.0 : (probabilities[c] - (c == host->labels[image])) / host->count;
    }
}

/* --- The table's functions --- */

static bool ref_probe(Precision precision, Status *status)
{
    if (precision == PRECISION_FP32)
        return true;
    status_fail(status, STATUS_MACHINE, place_in("trainyard", 0, 0),
                "plain C computes in fp32 only");
    return status_hint(status, "--precision fp32");
}

static double *doubles(int64_t count)
{
    return memory_zeroed((size_t)count * sizeof(double));
}

static bool ref_open(const BackendSettings *settings, void **model, Status *status)
{
    (void)status;
    const Net *net = settings->net;
    const int64_t batch = settings->batch_max;
    Ref *ref = memory_zeroed(sizeof *ref);
    int64_t largest = net_size(net->input);
    host_open(settings, &ref->host);
    ref->weights = doubles(net->parameter_count);
    ref->gradients = doubles(net->parameter_count);
    ref->transposed_weights = doubles(net->parameter_count);
    ref->transposed_gradients = doubles(net->parameter_count);
    ref->probabilities = doubles(batch * net->class_count);
    ref->values[0] = doubles(batch * largest);
    for (int32_t i = 0; i < net->layer_count; i++) {
        const int64_t size = net_size(net->layers[i].out);
        largest = size > largest ? size : largest;
        ref->values[i + 1] = doubles(batch * size);
        if (net->layers[i].kind == NET_DROPOUT)
            ref->kept[i] = memory_zeroed((size_t)(batch * size));
    }
    for (int32_t i = 0; i < 2; i++)
        ref->slopes[i] = doubles(batch * largest);
    *model = ref;
    return true;
}

static void ref_close(void *model)
{
    Ref *ref = model;
    if (!ref)
        return;
    for (int32_t i = 0; i < NET_LAYERS_MAX; i++)
        free(ref->kept[i]);
    for (int32_t i = 0; i <= NET_LAYERS_MAX; i++)
        free(ref->values[i]);
    for (int32_t i = 0; i < 2; i++)
        free(ref->slopes[i]);
    free(ref->weights);
    free(ref->gradients);
    free(ref->transposed_weights);
    free(ref->transposed_gradients);
    free(ref->probabilities);
    host_close(&ref->host);
    free(ref);
}

static bool ref_forward(void *model, bool is_training, Score *score, Status *status)
{
    (void)status;
    Ref *ref = model;
    const Net *net = ref->host.settings.net;
    int64_t clock_ns = profile_clock_ns(ref->host.settings.profile);
    for (int64_t i = 0; i < net->parameter_count; i++)
        ref->weights[i] = (double)ref->host.arenas[ARENA_WEIGHTS][i];
    for (int64_t i = 0; i < ref->host.count * net_size(net->input); i++)
        ref->values[0][i] = (double)ref->host.input[i];
    for (int32_t i = 0; i < net->layer_count; i++) {
        layer_forward(ref, i, is_training);
        profile_note(ref->host.settings.profile, profile_forward(i), &clock_ns);
    }
    *score = (Score){0};
    for (int32_t image = 0; image < ref->host.count; image++)
        finish_image(ref, image, score);
    profile_note(ref->host.settings.profile, PROFILE_LOSS, &clock_ns);
    return true;
}

static bool ref_backward(void *model, Status *status)
{
    (void)status;
    Ref *ref = model;
    const Net *net = ref->host.settings.net;
    int64_t clock_ns = profile_clock_ns(ref->host.settings.profile);
    memset(ref->gradients, 0, (size_t)net->parameter_count * sizeof *ref->gradients);
    memset(ref->transposed_gradients, 0, (size_t)net->parameter_count * sizeof *ref->gradients);
    start_backward(ref);
    for (int32_t i = net->layer_count - 1; i >= 0; i--) {
        layer_backward(ref, i);
        profile_note(ref->host.settings.profile, profile_backward(i), &clock_ns);
    }
    for (int64_t i = 0; i < net->parameter_count; i++)
        ref->host.arenas[ARENA_GRADIENTS][i] = (float)ref->gradients[i];
    return true;
}

static bool ref_layer_output(void *model, int32_t layer, float *out)
{
    const Ref *ref = model;
    const int64_t size = net_size(ref->host.settings.net->layers[layer].out);
    for (int64_t i = 0; i < ref->host.count * size; i++)
        out[i] = (float)ref->values[layer + 1][i];
    return true;
}

const Backend backend_ref = {
    .name = "ref",
    .summary = "plain C in double precision, for checking",
    .probe = ref_probe,
    .open = ref_open,
    .close = ref_close,
    .arena = host_arena,
    .arena_changed = host_arena_changed,
    .gather = host_gather,
    .augment = host_augment,
    .forward = ref_forward,
    .backward = ref_backward,
    .update = host_update,
    .probabilities = host_probabilities,
    .layer_output = ref_layer_output,
};
