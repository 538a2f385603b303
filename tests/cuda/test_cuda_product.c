/* The kernels of trainer/cuda/product.cu, run on the processor, against loops in double precision.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/philox.h"
#include "tests/cuda/product_as_floats.h"
#include "tests/cuda_emulation/emulation.h"
#include "tests/support/suite.h"

/* --- The functions under test --- */

typedef struct {
    const char *name;
    bool has_mma;
    void (*forward)(cudaStream_t stream, CudaPrecision precision, const CudaProduct *product,
                    const void *in, const void *kernel, const float *bias, bool logits, void *out,
                    float *scratch);
    void (*backward_data)(cudaStream_t stream, CudaPrecision precision, const CudaProduct *product,
                          const void *out_gradient, const void *kernel, const void *relu_out,
                          void *in_gradient, float *scratch);
    void (*backward_weights)(cudaStream_t stream, CudaPrecision precision,
                             const CudaProduct *product, const void *in, const void *out_gradient,
                             float *kernel_gradient, float *bias_gradient, float *scratch);
} Functions;

static const Functions functions[] = {
    {"tensor cores", true, cuda_product_forward, cuda_product_backward_data,
     cuda_product_backward_weights},
    {"floats", false, float_product_forward, float_product_backward_data,
     float_product_backward_weights},
};
static const char *const precisions[] = {"fp32", "bf16", "tf32"};

/* --- Shapes --- */

/* Which of a product's functions a test runs. */
enum { FORWARD = 1, DATA = 2, WEIGHTS = 4, ALL = FORWARD | DATA | WEIGHTS };

typedef struct {
    const char *why;
    int32_t count, height, width, in_channels, out_channels, side, padding;
    bool has_relu;
    int passes;
} Shape;

static const Shape small_shapes[] = {
    {"an image's three channels", 2, 8, 8, 3, 32, 3, 1, true, ALL},
    {"batch 1, nothing square", 1, 7, 9, 16, 16, 3, 0, true, ALL},
    {"no padding", 2, 6, 5, 32, 32, 3, 0, true, ALL},
    {"more channels out than in", 5, 6, 6, 32, 64, 3, 1, true, ALL},
    {"fewer", 1, 5, 5, 64, 16, 3, 0, false, ALL},
    {"sums that are cut into parts", 1, 5, 6, 64, 64, 3, 1, true, ALL},
    {"no whole quads anywhere", 5, 4, 4, 10, 3, 3, 1, true, ALL},
    {"quads of floats, but not of bf16", 2, 4, 5, 12, 20, 3, 1, true, ALL},
    {"the kernel is larger than the image", 2, 1, 1, 16, 16, 3, 1, true, ALL},
    {"side 1", 2, 3, 5, 16, 24, 1, 0, true, ALL},
    {"side 5", 1, 6, 7, 8, 8, 5, 2, true, ALL},
    {"one value", 1, 1, 1, 1, 1, 1, 0, false, ALL},
    {"dense, to logits", 32, 1, 1, 64, 10, 1, 0, false, ALL},
    {"dense, in parts", 32, 1, 1, 576, 64, 1, 0, true, ALL},
    {"dense, batch 5", 5, 1, 1, 33, 70, 1, 0, true, ALL},
};

/* The fewest blocks with tiles of 64 x 64. */
static const Shape large_shapes[] = {
    {"large tiles forward", 1, 46, 46, 8, 512, 1, 0, true, FORWARD},
    {"large tiles back to data", 1, 46, 46, 512, 8, 1, 0, true, DATA},
    {"large tiles back to weights", 3, 1, 1, 2112, 512, 1, 0, true, WEIGHTS},
    {"large tiles forward, no whole quads", 1, 92, 92, 3, 70, 1, 0, true, FORWARD},
    {"large tiles back to data, no whole quads", 1, 92, 92, 70, 3, 1, 0, true, DATA},
    {"large tiles back to weights, no whole quads", 3, 1, 1, 2111, 509, 1, 0, true, WEIGHTS},
};

static CudaProduct product_of(const Shape *shape)
{
    const int32_t edge = 2 * shape->padding - shape->side + 1;
    return (CudaProduct){shape->count,        shape->height,        shape->width,
                         shape->in_channels,  shape->height + edge, shape->width + edge,
                         shape->out_channels, shape->side,          shape->padding,
                         shape->has_relu};
}

/* --- Values ---
 *
 * A case's tensors as the functions take them, as doubles, and what should come out, with the sum
 * of the products' magnitudes beside it, by which rounding is judged. */

typedef struct {
    int64_t count;
    double *values;
    void *device; /* of the precision's type */
} Tensor;

typedef struct {
    double *values, *magnitudes;
} Expected;

typedef struct {
    const Functions *functions;
    const Shape *shape;
    CudaPrecision precision;
    CudaProduct product;
    Tensor in, out_gradient, kernel, bias;
    Expected out, in_gradient, kernel_gradient, bias_gradient;
    float *scratch;
} Case;

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void *device_memory(size_t bytes)
{
    void *device = NULL;
    ck_assert_int_eq(cudaMalloc(&device, bytes), cudaSuccess);
    return device;
}

static size_t value_bytes(bool is_bf16)
{
    return is_bf16 ? sizeof(uint16_t) : sizeof(float);
}

/* Values as the type holds them, on the device from `offset` values on. */
static void *upload(const double *values, int64_t count, bool is_bf16, int64_t offset)
{
    const size_t bytes = value_bytes(is_bf16), before = (size_t)offset * bytes;
    char *host = memory_zeroed((size_t)count * bytes);
    for (int64_t i = 0; i < count; i++) {
        if (is_bf16)
            ((uint16_t *)(void *)host)[i] = (uint16_t)(bits_of((float)values[i]) >> 16);
        else
            ((float *)(void *)host)[i] = (float)values[i];
    }
    char *device = device_memory(before + (size_t)count * bytes);
    ck_assert_int_eq(
        cudaMemcpy(device + before, host, (size_t)count * bytes, cudaMemcpyHostToDevice),
        cudaSuccess);
    free(host);
    return device + before;
}

/* Numbers between -1 and 1 that the type holds exactly; with `is_relu_out` half of them zeros. */
static Tensor tensor(uint32_t stream, int64_t count, bool is_bf16, bool is_relu_out)
{
    Tensor made = {.count = count, .values = memory_zeroed((size_t)count * sizeof(double))};
    for (int64_t i = 0; i < count; i++) {
        const uint32_t word = philox(5, (PhiloxBlock){{(uint32_t)i, stream}}).word[0];
        const float value = (float)(word >> 8) / 8388608.0f - 1.0f;
        const float kept = of_bits(bits_of(value) & (is_bf16 ? 0xffff0000u : 0xffffffffu));
        made.values[i] = is_relu_out && kept < 0.0f ? 0.0 : (double)kept;
    }
    made.device = upload(made.values, count, is_bf16, 0);
    return made;
}

static Expected expected(int64_t count)
{
    return (Expected){memory_zeroed((size_t)count * sizeof(double)),
                      memory_zeroed((size_t)count * sizeof(double))};
}

static void add(Expected *to, int64_t at, double product)
{
    to->values[at] += product;
    to->magnitudes[at] += fabs(product);
}

/* A factor as products have it: tf32 keeps ten bits behind the first, rounded to nearest, of equals
 * away from zero (PTX ISA, cvt.rna.tf32.f32). */
static double factor(const Case *c, double value)
{
    if (c->precision != CUDA_TF32 || !c->functions->has_mma)
        return value;
    return (double)of_bits((bits_of((float)value) + 0x1000u) & 0xffffe000u);
}

/* All that one pixel of the output and one tap of the kernel have to do with each other. */
static void expect_tap(Case *c, int64_t out_pixel, int64_t in_pixel, int32_t tap)
{
    const int32_t ins = c->product.in_channels, outs = c->product.out_channels;
    for (int32_t i = 0; i < ins; i++)
        for (int32_t o = 0; o < outs; o++) {
            const int64_t in_at = in_pixel * ins + i, out_at = out_pixel * outs + o;
            const int64_t kernel_at = ((int64_t)tap * ins + i) * outs + o;
            const double in = factor(c, c->in.values[in_at]);
            const double kernel = factor(c, c->kernel.values[kernel_at]);
            const double gradient = factor(c, c->out_gradient.values[out_at]);
            if (c->shape->passes & FORWARD)
                add(&c->out, out_at, in * kernel);
            if (c->shape->passes & DATA)
                add(&c->in_gradient, in_at, gradient * kernel);
            if (c->shape->passes & WEIGHTS)
                add(&c->kernel_gradient, kernel_at, in * gradient);
        }
}

/* Pixel (y, x) of image `image`. */
static void expect_pixel(Case *c, int32_t image, int32_t y, int32_t x)
{
    const CudaProduct *p = &c->product;
    const int64_t pixel = ((int64_t)image * p->out_height + y) * p->out_width + x;
    for (int32_t o = 0; o < p->out_channels; o++) {
        const int64_t at = pixel * p->out_channels + o;
        add(&c->out, at, c->bias.values[o]);
        add(&c->bias_gradient, o, c->out_gradient.values[at]);
    }
    for (int32_t i = 0; i < p->side; i++)
        for (int32_t k = 0; k < p->side; k++) {
            const int32_t in_y = y + i - p->padding, in_x = x + k - p->padding;
            if (in_y < 0 || in_y >= p->in_height || in_x < 0 || in_x >= p->in_width)
                continue;
            expect_tap(c, pixel, ((int64_t)image * p->in_height + in_y) * p->in_width + in_x,
                       i * p->side + k);
        }
}

static Case open_case(const Functions *of, CudaPrecision precision, const Shape *shape)
{
    const CudaProduct p = product_of(shape);
    const bool is_bf16 = precision == CUDA_BF16;
    const int64_t ins = (int64_t)p.count * p.in_height * p.in_width * p.in_channels;
    const int64_t outs = (int64_t)p.count * p.out_height * p.out_width * p.out_channels;
    const int64_t kernel = (int64_t)p.side * p.side * p.in_channels * p.out_channels;
    Case c = {.functions = of,
              .shape = shape,
              .precision = precision,
              .product = p,
              .in = tensor(1, ins, is_bf16, true),
              .out_gradient = tensor(2, outs, is_bf16, false),
              .kernel = tensor(3, kernel, is_bf16, false),
              .bias = tensor(4, p.out_channels, false, false),
              .out = expected(outs),
              .in_gradient = expected(ins),
              .kernel_gradient = expected(kernel),
              .bias_gradient = expected(p.out_channels)};
    const int64_t scratch = cuda_product_scratch(&p);
    c.scratch = scratch > 0 ? device_memory((size_t)scratch * sizeof(float)) : NULL;
    for (int32_t image = 0; image < p.count; image++)
        for (int32_t y = 0; y < p.out_height; y++)
            for (int32_t x = 0; x < p.out_width; x++)
                expect_pixel(&c, image, y, x);
    return c;
}

static void close_tensor(Tensor *old)
{
    free(old->values);
    cudaFree(old->device);
}

static void close_expected(Expected *old)
{
    free(old->values);
    free(old->magnitudes);
}

static void close_case(Case *c)
{
    Tensor *const tensors[] = {&c->in, &c->out_gradient, &c->kernel, &c->bias};
    Expected *const all[] = {&c->out, &c->in_gradient, &c->kernel_gradient, &c->bias_gradient};
    for (size_t i = 0; i < 4; i++) {
        close_tensor(tensors[i]);
        close_expected(all[i]);
    }
    cudaFree(c->scratch);
}

/* --- Running and checking --- */

/* What the functions make of a case, on the host. */
typedef struct {
    void *out, *logits, *in_gradient, *masked_gradient;
    float *kernel_gradient, *bias_gradient;
} Results;

static void *fetched(void *device, int64_t count, bool is_bf16)
{
    const size_t bytes = (size_t)count * value_bytes(is_bf16);
    void *host = memory_zeroed(bytes);
    ck_assert_int_eq(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    cudaFree(device);
    return host;
}

static Results run(const Case *c)
{
    const bool is_bf16 = c->precision == CUDA_BF16;
    const Functions *f = c->functions;
    const int64_t outs = c->out_gradient.count, ins = c->in.count;
    void *out = device_memory((size_t)outs * value_bytes(is_bf16));
    void *logits = device_memory((size_t)outs * sizeof(float));
    void *gradient = device_memory((size_t)ins * value_bytes(is_bf16));
    void *masked = device_memory((size_t)ins * value_bytes(is_bf16));
    void *kernel = device_memory((size_t)c->kernel.count * sizeof(float));
    void *bias = device_memory((size_t)c->bias.count * sizeof(float));
    if (c->shape->passes & FORWARD) {
        f->forward(NULL, c->precision, &c->product, c->in.device, c->kernel.device, c->bias.device,
                   false, out, c->scratch);
        f->forward(NULL, c->precision, &c->product, c->in.device, c->kernel.device, c->bias.device,
                   true, logits, c->scratch);
    }
    if (c->shape->passes & DATA) {
        f->backward_data(NULL, c->precision, &c->product, c->out_gradient.device, c->kernel.device,
                         NULL, gradient, c->scratch);
        f->backward_data(NULL, c->precision, &c->product, c->out_gradient.device, c->kernel.device,
                         c->in.device, masked, c->scratch);
    }
    if (c->shape->passes & WEIGHTS)
        f->backward_weights(NULL, c->precision, &c->product, c->in.device, c->out_gradient.device,
                            kernel, bias, c->scratch);
    ck_assert_int_eq(cudaGetLastError(), cudaSuccess);
    ck_assert_int_eq(cudaDeviceSynchronize(), cudaSuccess);
    return (Results){fetched(out, outs, is_bf16),
                     fetched(logits, outs, false),
                     fetched(gradient, ins, is_bf16),
                     fetched(masked, ins, is_bf16),
                     fetched(kernel, c->kernel.count, false),
                     fetched(bias, c->bias.count, false)};
}

static void close_results(Results *results)
{
    free(results->out);
    free(results->logits);
    free(results->in_gradient);
    free(results->masked_gradient);
    free(results->kernel_gradient);
    free(results->bias_gradient);
}

/* Each of `terms` additions rounds by at most 2^-24 of a partial sum, which is no larger than the
 * sum of all magnitudes; products of tf32 and bf16 are exact in a float, those of floats are not
 * rounded before they are added. The result is then rounded to its type: by 2^-9 of itself to bf16.
 */
static void check(const Case *c, const char *what, const void *got, bool is_bf16,
                  const Expected *want, int64_t count, int64_t terms, const double *mask,
                  bool has_relu)
{
    for (int64_t i = 0; i < count; i++) {
        const double value = is_bf16 ? (double)of_bits((uint32_t)((const uint16_t *)got)[i] << 16)
                                     : (double)((const float *)got)[i];
        double wanted = want->values[i];
        if ((mask && mask[i] == 0.0) || (has_relu && wanted < 0.0))
            wanted = 0.0;
        double allowed = (double)terms * 0x1p-24 * want->magnitudes[i];
        if (is_bf16)
            allowed += 0x1p-8 * (fabs(wanted) + allowed);
        const bool is_stopped = mask && mask[i] == 0.0 && value != 0.0;
        // A NaN, as of memory that was never written, is no smaller than anything. libcheck's own
        // assertions each write to a file: too slow for millions.
        if (fabs(value - wanted) <= allowed && !is_stopped)
            continue;
        ck_abort_msg("%s, %s, \"%s\": %s[%lld] is %.9g, not %.9g +- %.2g", c->functions->name,
                     precisions[c->precision], c->shape->why, what, (long long)i, value, wanted,
                     is_stopped ? 0.0 : allowed);
    }
}

static void check_results(const Case *c, const Results *results)
{
    const CudaProduct *p = &c->product;
    const bool is_bf16 = c->precision == CUDA_BF16;
    const int64_t taps = (int64_t)p->side * p->side, outs = c->out_gradient.count;
    const int64_t ins = c->in.count, forward = taps * p->in_channels + 1;
    const int64_t back = taps * p->out_channels;
    const int64_t pixels = (int64_t)p->count * p->out_height * p->out_width;
    if (c->shape->passes & FORWARD) {
        check(c, "out", results->out, is_bf16, &c->out, outs, forward, NULL, p->has_relu);
        check(c, "logits", results->logits, false, &c->out, outs, forward, NULL, p->has_relu);
    }
    if (c->shape->passes & DATA) {
        check(c, "in_gradient", results->in_gradient, is_bf16, &c->in_gradient, ins, back, NULL,
              false);
        check(c, "masked in_gradient", results->masked_gradient, is_bf16, &c->in_gradient, ins,
              back, c->in.values, false);
    }
    if (c->shape->passes & WEIGHTS) {
        check(c, "kernel_gradient", results->kernel_gradient, false, &c->kernel_gradient,
              c->kernel.count, pixels, NULL, false);
        check(c, "bias_gradient", results->bias_gradient, false, &c->bias_gradient, c->bias.count,
              pixels, NULL, false);
    }
}

static void check_same(const Case *c, const Results *a, const Results *b)
{
    const size_t bytes = value_bytes(c->precision == CUDA_BF16);
    const size_t outs = (size_t)c->out_gradient.count, ins = (size_t)c->in.count;
    ck_assert_mem_eq(a->out, b->out, outs * bytes);
    ck_assert_mem_eq(a->logits, b->logits, outs * sizeof(float));
    ck_assert_mem_eq(a->in_gradient, b->in_gradient, ins * bytes);
    ck_assert_mem_eq(a->masked_gradient, b->masked_gradient, ins * bytes);
    ck_assert_mem_eq(a->kernel_gradient, b->kernel_gradient,
                     (size_t)c->kernel.count * sizeof(float));
    ck_assert_mem_eq(a->bias_gradient, b->bias_gradient, (size_t)c->bias.count * sizeof(float));
}

/* --- Tests --- */

/* Of test `i` of a loop. Floats are multiplied by the same code with tensor cores and without, and
 * without them there is no tf32. */
static const struct {
    const Functions *functions;
    CudaPrecision precision;
} kinds[] = {{&functions[0], CUDA_FP32},
             {&functions[0], CUDA_BF16},
             {&functions[0], CUDA_TF32},
             {&functions[1], CUDA_BF16}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static Case open_kind(int i, const Shape *shape)
{
    return open_case(kinds[i].functions, kinds[i].precision, shape);
}

START_TEST(products_are_those_of_plain_loops_in_every_order_of_threads)
{
    for (size_t i = 0; i < sizeof small_shapes / sizeof small_shapes[0]; i++) {
        Case c = open_kind(_i, &small_shapes[i]);
        cuda_emulation_set_order(CUDA_ORDER_ASCENDING, 0);
        Results first = run(&c);
        check_results(&c, &first);
        for (int order = CUDA_ORDER_ASCENDING + 1; order < CUDA_ORDER_COUNT; order++) {
            cuda_emulation_set_order((CudaEmulationOrder)order, 7 + i);
            Results again = run(&c);
            check_same(&c, &first, &again);
            close_results(&again);
        }
        close_results(&first);
        close_case(&c);
    }
}
END_TEST

START_TEST(products_of_many_values_take_large_tiles)
{
    for (size_t i = 0; i < sizeof large_shapes / sizeof large_shapes[0]; i++) {
        Case c = open_kind(_i, &large_shapes[i]);
        cuda_emulation_set_order(CUDA_ORDER_SHUFFLED, i);
        Results results = run(&c);
        check_results(&c, &results);
        close_results(&results);
        close_case(&c);
    }
}
END_TEST

/* In an arena, a kernel lies where the layers before it end. */
START_TEST(operands_may_lie_anywhere)
{
    const Shape shape = {"beside a multiple of 16 bytes", 2, 6, 5, 32, 32, 3, 1, true, ALL};
    const bool is_bf16 = kinds[_i].precision == CUDA_BF16;
    Case c = open_kind(_i, &shape);
    Results aligned = run(&c);
    Tensor *const tensors[] = {&c.in, &c.out_gradient, &c.kernel};
    void *own[3];
    for (size_t i = 0; i < 3; i++) {
        own[i] = tensors[i]->device;
        tensors[i]->device = upload(tensors[i]->values, tensors[i]->count, is_bf16, 1);
    }
    Results moved = run(&c);
    check_same(&c, &aligned, &moved);
    for (size_t i = 0; i < 3; i++) {
        cudaFree((char *)tensors[i]->device - value_bytes(is_bf16));
        tensors[i]->device = own[i];
    }
    close_results(&moved);
    close_results(&aligned);
    close_case(&c);
}
END_TEST

START_TEST(results_may_lie_anywhere)
{
    const Shape shape = {"results at an odd place", 2, 3, 3, 16, 16, 1, 0, false, ALL};
    Case c = open_kind(_i, &shape);
    Results aligned = run(&c);
    const size_t bytes = (size_t)c.kernel.count * sizeof(float);
    float *place = device_memory(bytes + sizeof(float)), *bias = device_memory(16 * sizeof(float));
    float *host = memory_zeroed(bytes);
    c.functions->backward_weights(NULL, c.precision, &c.product, c.in.device, c.out_gradient.device,
                                  place + 1, bias, c.scratch);
    ck_assert_int_eq(cudaMemcpy(host, place + 1, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    ck_assert_mem_eq(host, aligned.kernel_gradient, bytes);
    free(host);
    cudaFree(place);
    cudaFree(bias);
    close_results(&aligned);
    close_case(&c);
}
END_TEST

START_TEST(what_is_not_a_number_stays_so_through_relu)
{
    const Shape shape = {"NaN", 1, 1, 1, 16, 16, 1, 0, true, ALL};
    const bool is_bf16 = kinds[_i].precision == CUDA_BF16;
    Case c = open_kind(_i, &shape);
    cudaFree(c.in.device);
    // All bits set, as GPUs write a NaN: rounding it must not carry into the sign.
    c.in.values[3] = (double)of_bits(0x7fffffffu);
    c.in.device = upload(c.in.values, c.in.count, is_bf16, 0);
    Results results = run(&c);
    for (int64_t i = 0; i < c.out_gradient.count; i++) {
        const float value = is_bf16 ? of_bits((uint32_t)((uint16_t *)results.out)[i] << 16)
                                    : ((float *)results.out)[i];
        ck_assert_msg(isnan(value), "out[%lld] is %g", (long long)i, (double)value);
        ck_assert(isnan(((float *)results.logits)[i]));
    }
    close_results(&results);
    close_case(&c);
}
END_TEST

/* keras_cifar10_cnn's layers at batch 32: working memory stays a small part of 26 MB of
 * activations. */
START_TEST(working_memory_is_small)
{
    static const Shape layers[] = {
        {"conv2d_1", 32, 32, 32, 3, 32, 3, 1, true, ALL},
        {"conv2d_2", 32, 32, 32, 32, 32, 3, 0, true, ALL},
        {"conv2d_3", 32, 15, 15, 32, 64, 3, 1, true, ALL},
        {"conv2d_4", 32, 15, 15, 64, 64, 3, 0, true, ALL},
        {"dense_1", 32, 1, 1, 2304, 512, 1, 0, true, ALL},
        {"dense_2", 32, 1, 1, 512, 10, 1, 0, false, ALL},
    };
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        CudaProduct p = product_of(&layers[i]);
        ck_assert_int_le(cuda_product_scratch(&p) * (int64_t)sizeof(float), 8 << 20);
        p.count = 4096;
        ck_assert_int_le(cuda_product_scratch(&p) * (int64_t)sizeof(float), 8 << 20);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cuda_product");
    TCase *cases = tcase_create("cuda_product");
    tcase_add_loop_test(cases, products_are_those_of_plain_loops_in_every_order_of_threads, 0,
                        KINDS);
    tcase_add_loop_test(cases, products_of_many_values_take_large_tiles, 0, KINDS);
    tcase_add_loop_test(cases, operands_may_lie_anywhere, 0, KINDS);
    tcase_add_loop_test(cases, results_may_lie_anywhere, 0, KINDS);
    tcase_add_loop_test(cases, what_is_not_a_number_stays_so_through_relu, 0, KINDS);
    tcase_add_test(cases, working_memory_is_small);
    suite_add_tcase(suite, cases);
    return suite;
}
