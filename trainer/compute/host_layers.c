#include "trainer/compute/host_layers.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "trainer/compute/vectors.h"

/* --- Bias and ReLU --- */

VECTORISED
static void host_bias_loop(const float *restrict row, int64_t pixels, int32_t channels,
                           float *restrict values)
{
    for (int64_t i = 0; i < pixels; i++, values += channels)
        for (int32_t c = 0; c < channels; c++)
            values[c] += row[c];
}

VECTORISED
static void host_bias_relu_loop(const float *restrict row, int64_t pixels, int32_t channels,
                                float *restrict values)
{
    for (int64_t i = 0; i < pixels; i++, values += channels)
        for (int32_t c = 0; c < channels; c++) {
            float sum = values[c] + row[c];
            values[c] = sum < 0.0f ? 0.0f : sum;
        }
}

void host_add_bias(float *values, const float *bias, int64_t pixels, int32_t channels,
                   bool has_relu)
{
    if (has_relu)
        host_bias_relu_loop(bias, pixels, channels, values);
    else
        host_bias_loop(bias, pixels, channels, values);
}

VECTORISED
static void host_bias_gradient_loop(const float *restrict gradient, int64_t pixels,
                                    int32_t channels, float *restrict bias_gradient)
{
    for (int64_t i = 0; i < pixels; i++, gradient += channels)
        for (int32_t c = 0; c < channels; c++)
            bias_gradient[c] += gradient[c];
}

void host_add_bias_gradient(const float *gradient, int64_t pixels, int32_t channels,
                            float *bias_gradient)
{
    host_bias_gradient_loop(gradient, pixels, channels, bias_gradient);
}

VECTORISED
static void host_relu_loop(const float *restrict out, int64_t count, float *restrict gradient)
{
    for (int64_t i = 0; i < count; i++)
        gradient[i] = out[i] == 0.0f ? 0.0f : gradient[i];
}

void host_relu_backward(const float *out, int64_t count, float *gradient)
{
    host_relu_loop(out, count, gradient);
}

/* --- Pool --- */

/* One row of pools: `in` are `side` rows of the input, `stride` floats each. Inlined twice, so that
 * the usual side is known to the compiler, which then makes vectors of channels. */
static inline void pool_row_of(int32_t side, const float *restrict in, int64_t stride,
                               int32_t pools, int32_t channels, float *restrict out,
                               uint8_t *restrict largest)
{
    for (int32_t x = 0; x < pools;
         x++, in += (int64_t)side * channels, out += channels, largest += channels)
        for (int32_t c = 0; c < channels; c++) {
            float best = in[c];
            int32_t best_place = 0;
            for (int32_t place = 1; place < side * side; place++) {
                float other = in[place / side * stride + (int64_t)(place % side) * channels + c];
                bool is_larger = other > best;
                best = is_larger ? other : best;
                best_place = is_larger ? place : best_place;
            }
            out[c] = best;
            largest[c] = (uint8_t)best_place;
        }
}

VECTORISED
static void host_pool_row(const float *restrict in, int64_t stride, int32_t side, int32_t pools,
                          int32_t channels, float *restrict out, uint8_t *restrict largest)
{
    if (side == 2)
        pool_row_of(2, in, stride, pools, channels, out, largest);
    else
        pool_row_of(side, in, stride, pools, channels, out, largest);
}

VECTORISED
static void host_unpool_row(const float *restrict out_gradient, const uint8_t *restrict largest,
                            int64_t stride, int32_t side, int32_t pools, int32_t channels,
                            float *restrict in_gradient)
{
    for (int32_t x = 0; x < pools; x++, out_gradient += channels, largest += channels) {
        float *pool = in_gradient + (int64_t)x * side * channels;
        for (int32_t place = 0; place < side * side; place++) {
            float *to = pool + place / side * stride + (int64_t)(place % side) * channels;
            for (int32_t c = 0; c < channels; c++)
                to[c] = largest[c] == place ? out_gradient[c] : 0.0f;
        }
    }
}

void host_pool_forward(const NetLayer *layer, int64_t images, const float *in, float *out,
                       uint8_t *largest)
{
    const NetShape from = layer->in, to = layer->out;
    const int64_t in_stride = (int64_t)from.width * from.channels;
    const int64_t pool_stride = layer->side * in_stride;
    const int64_t out_stride = (int64_t)to.width * to.channels;
    invariant(layer->side * layer->side <= UINT8_MAX + 1);
    for (int64_t i = 0; i < images; i++, in += net_size(from))
        for (int32_t y = 0; y < to.height; y++, out += out_stride, largest += out_stride)
            host_pool_row(in + y * pool_stride, in_stride, layer->side, to.width, to.channels, out,
                          largest);
}

/* What no pool reaches at the right of a row and below gets nothing. */
static void clear_rest(const NetLayer *layer, float *in_gradient)
{
    const NetShape in = layer->in;
    const int64_t stride = (int64_t)in.width * in.channels;
    const int64_t reached = (int64_t)layer->out.width * layer->side * in.channels;
    const int32_t rows = layer->out.height * layer->side;
    for (int32_t y = 0; y < rows; y++)
        memset(in_gradient + y * stride + reached, 0,
               (size_t)(stride - reached) * sizeof *in_gradient);
    memset(in_gradient + rows * stride, 0,
           (size_t)((in.height - rows) * stride) * sizeof *in_gradient);
}

void host_pool_backward(const NetLayer *layer, int64_t images, const float *out_gradient,
                        const uint8_t *largest, float *in_gradient)
{
    const NetShape in = layer->in, out = layer->out;
    const int64_t in_stride = (int64_t)in.width * in.channels;
    const int64_t pool_stride = layer->side * in_stride;
    const int64_t out_stride = (int64_t)out.width * out.channels;
    for (int64_t i = 0; i < images; i++, in_gradient += net_size(in)) {
        clear_rest(layer, in_gradient);
        for (int32_t y = 0; y < out.height; y++, out_gradient += out_stride, largest += out_stride)
            host_unpool_row(out_gradient, largest, in_stride, layer->side, out.width, out.channels,
                            in_gradient + y * pool_stride);
    }
}

/* --- Dropout --- */

VECTORISED
static void host_dropout_loop(const float *restrict in, const uint8_t *restrict kept, float scale,
                              int64_t count, float *restrict out)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = kept[i] ? in[i] * scale : 0.0f;
}

void host_dropout_forward(const float *in, const uint8_t *kept, float scale, int64_t count,
                          float *out)
{
    host_dropout_loop(in, kept, scale, count, out);
}

VECTORISED
static void host_dropout_in_place_loop(const uint8_t *restrict kept, float scale, int64_t count,
                                       float *restrict gradient)
{
    for (int64_t i = 0; i < count; i++)
        gradient[i] = kept[i] ? gradient[i] * scale : 0.0f;
}

void host_dropout_backward(const uint8_t *kept, float scale, int64_t count, float *gradient)
{
    host_dropout_in_place_loop(kept, scale, count, gradient);
}
