#include "trainer/compute/convolution_gradient.h"

#include <string.h>

#include "trainer/compute/channel_blocks.h"

#if defined(__x86_64__)
#define FOR_AVX2 __attribute__((target("avx2,fma")))
#else
#define FOR_AVX2
#endif

/* Eight floats. Needs no alignment, and may alias arrays of floats. */
typedef float Lanes __attribute__((vector_size(32), aligned(4), may_alias));

enum {
    SIDE = 3,
    LANE_COUNT = 8,
    VECTORS = 4,
    WIDE = VECTORS * LANE_COUNT, /* channels of the output computed together */
    INPUTS = 8,                  /* channels of the input copied together */
    STRIP_FLOATS = 5 * 1024, /* of the output's gradient in a strip: 20 KiB of a 32 KiB L1 cache */
};

bool convolution_gradient_suits(const NetLayer *layer)
{
#if defined(__x86_64__)
    return layer->kind == NET_CONVOLUTION && layer->side == SIDE &&
           layer->out.channels % WIDE == 0 && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("fma");
#else
    (void)layer;
    return false;
#endif
}

/* Rows of the output that are computed together. */
static int32_t strip_rows(const NetLayer *layer)
{
    int32_t rows = STRIP_FLOATS / (layer->out.width * layer->out.channels);
    return rows < 1 ? 1 : rows > layer->out.height ? layer->out.height : rows;
}

static int64_t strip_inputs(const NetLayer *layer)
{
    return (int64_t)(strip_rows(layer) + SIDE - 1) * (layer->out.width + SIDE - 1) * INPUTS;
}

int64_t convolution_gradient_scratch(const NetLayer *layer)
{
    return (int64_t)strip_rows(layer) * layer->out.width * layer->out.channels +
           strip_inputs(layer);
}

/* Some rows of one image. */
typedef struct {
    const NetLayer *layer;
    int32_t first_row, rows; /* of the output */
} Strip;

/* Copies the output's gradient as [channels / WIDE][row][column][WIDE]. */
static void copy_outputs(Strip strip, const float *out_gradient, int32_t block, float *to)
{
    const NetShape out = strip.layer->out;
    for (int32_t group = 0; group < out.channels; group += WIDE)
        for (int32_t y = 0; y < strip.rows; y++)
            for (int32_t c = 0; c < WIDE; c += LANE_COUNT) {
                const int64_t row_floats = (int64_t)out.width * WIDE;
                const int32_t here = group + c;
                const float *from =
                    out_gradient + channel_blocks_at(out, block, 0, strip.first_row + y, 0, here);
                float *row = to + (int64_t)group * strip.rows * out.width + y * row_floats + c;
                for (int64_t x = 0; x < out.width; x++)
                    memcpy(row + x * WIDE, from + x * block, sizeof(Lanes));
            }
}

/* Copies `count` channels of the input, padded with zeros, as [row][column][count]. */
static void copy_inputs(Strip strip, const float *in, int32_t block, int32_t first, int32_t count,
                        float *to)
{
    const NetLayer *layer = strip.layer;
    const int64_t columns = layer->out.width + SIDE - 1;
    for (int32_t r = 0; r < strip.rows + SIDE - 1; r++, to += columns * count) {
        const int32_t y = strip.first_row + r - layer->padding;
        const bool is_inside = y >= 0 && y < layer->in.height;
        const int64_t padding = is_inside ? layer->padding : columns;
        memset(to, 0, (size_t)(padding * count) * sizeof *to);
        if (!is_inside)
            continue;
        const float *from = in + channel_blocks_at(layer->in, block, 0, y, 0, first);
        for (int32_t x = 0; x < layer->in.width; x++)
            for (int32_t c = 0; c < count; c++)
                to[(padding + x) * count + c] = from[(int64_t)x * block + c];
        memset(to + (columns - padding) * count, 0, (size_t)(padding * count) * sizeof *to);
    }
}

/* Multiplies one channel of the input by WIDE channels of the output's gradient, for one row of the
 * kernel. Adds the products to WIDE sums at each kernel[column * kernel_step]. */
FOR_AVX2
static void add_products(const float *in, int64_t in_pixel, int64_t in_row,
                         const float *out_gradient, int32_t rows, int32_t width, float *kernel,
                         int64_t kernel_step)
{
    Lanes *const sums0 = (Lanes *)kernel, *const sums1 = (Lanes *)(kernel + kernel_step),
                 *const sums2 = (Lanes *)(kernel + 2 * kernel_step);
    Lanes a0 = sums0[0], a1 = sums0[1], a2 = sums0[2], a3 = sums0[3];
    Lanes b0 = sums1[0], b1 = sums1[1], b2 = sums1[2], b3 = sums1[3];
    Lanes c0 = sums2[0], c1 = sums2[1], c2 = sums2[2], c3 = sums2[3];
    for (int32_t y = 0; y < rows; y++, in += in_row) {
        const float *pixel = in;
        for (int32_t x = 0; x < width; x++, pixel += in_pixel, out_gradient += WIDE) {
            // Three broadcast values, one vector and twelve sums use all sixteen registers.
            const Lanes *g = (const Lanes *)out_gradient;
            const Lanes zero = {0};
            const Lanes left = pixel[0] - zero, middle = pixel[in_pixel] - zero,
                        right = pixel[2 * in_pixel] - zero;
            a0 += left * g[0];
            b0 += middle * g[0];
            c0 += right * g[0];
            a1 += left * g[1];
            b1 += middle * g[1];
            c1 += right * g[1];
            a2 += left * g[2];
            b2 += middle * g[2];
            c2 += right * g[2];
            a3 += left * g[3];
            b3 += middle * g[3];
            c3 += right * g[3];
        }
    }
    sums0[0] = a0, sums0[1] = a1, sums0[2] = a2, sums0[3] = a3;
    sums1[0] = b0, sums1[1] = b1, sums1[2] = b2, sums1[3] = b3;
    sums2[0] = c0, sums2[1] = c1, sums2[2] = c2, sums2[3] = c3;
}

FOR_AVX2
static void add_bias(Strip strip, const float *outputs, float *bias)
{
    const NetShape out = strip.layer->out;
    const int64_t pixels = (int64_t)strip.rows * out.width;
    for (int32_t group = 0; group < out.channels; group += WIDE, bias += WIDE)
        for (int64_t i = 0; i < pixels; i++, outputs += WIDE)
            for (int32_t c = 0; c < WIDE; c++)
                bias[c] += outputs[c];
}

static void add_strip(Strip strip, const float *inputs, int32_t first, int32_t count,
                      const float *outputs, float *kernel)
{
    const NetLayer *layer = strip.layer;
    const NetShape out = layer->out;
    const int64_t in_row = (int64_t)(out.width + SIDE - 1) * count;
    const int64_t step = (int64_t)layer->in.channels * out.channels;
    for (int32_t group = 0; group < out.channels; group += WIDE)
        for (int32_t ky = 0; ky < SIDE; ky++)
            for (int32_t c = 0; c < count; c++)
                add_products(inputs + ky * in_row + c, count, in_row,
                             outputs + (int64_t)group * strip.rows * out.width, strip.rows,
                             out.width,
                             kernel + (int64_t)ky * SIDE * step +
                                 (int64_t)(first + c) * out.channels + group,
                             step);
}

void convolution_gradient(const NetLayer *layer, int32_t images, const float *in, int32_t in_block,
                          const float *out_gradient, int32_t out_block, float *scratch,
                          float *kernel_gradient, float *bias_gradient)
{
    const int32_t rows = strip_rows(layer), channels = layer->in.channels;
    const int32_t at_once = in_block < INPUTS ? in_block : INPUTS;
    float *inputs = scratch, *outputs = scratch + strip_inputs(layer);
    memset(kernel_gradient, 0, (size_t)layer->kernel_count * sizeof *kernel_gradient);
    memset(bias_gradient, 0, (size_t)layer->bias_count * sizeof *bias_gradient);
    for (int32_t i = 0; i < images; i++) {
        for (int32_t y = 0; y < layer->out.height; y += rows) {
            const int32_t left = layer->out.height - y;
            const Strip strip = {.layer = layer, .first_row = y, .rows = left < rows ? left : rows};
            copy_outputs(strip, out_gradient, out_block, outputs);
            add_bias(strip, outputs, bias_gradient);
            for (int32_t c = 0; c < channels; c += at_once) {
                const int32_t count = channels - c < at_once ? channels - c : at_once;
                copy_inputs(strip, in, in_block, c, count, inputs);
                add_strip(strip, inputs, c, count, outputs, kernel_gradient);
            }
        }
        in += net_size(layer->in);
        out_gradient += net_size(layer->out);
    }
}
