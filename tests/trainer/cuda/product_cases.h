/* Compares products of many shapes with loops in double precision, for any implementation. */
#ifndef TESTS_TRAINER_CUDA_PRODUCT_CASES_H
#define TESTS_TRAINER_CUDA_PRODUCT_CASES_H

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/philox.h"
#include "tests/trainer/cuda/gpu.h"
#include "trainer/cuda/kernels/kernels.h"

/* --- The functions under test --- */

typedef struct {
    const char *name;
    bool has_mma;
    bool rounds_twice; /* to bf16, also before the bias */
    void (*forward)(cudaStream_t stream, CudaPrecision precision, const CudaProduct *product,
                    const void *in, const void *kernel, const float *bias, bool logits, void *out,
                    float *scratch, const CudaFused *fused);
    void (*backward_data)(cudaStream_t stream, CudaPrecision precision, const CudaProduct *product,
                          const void *out_gradient, const void *kernel, const void *relu_out,
                          void *in_gradient, float *scratch, const CudaFused *fused);
    void (*backward_weights)(cudaStream_t stream, CudaPrecision precision,
                             const CudaProduct *product, const void *in, const void *out_gradient,
                             float *kernel_gradient, float *bias_gradient, float *parts,
                             CudaParts *unadded);
} Functions;

enum { PRECISIONS = 3 };
static const char *const precisions[PRECISIONS] = {"fp32", "bf16", "tf32"};

/* --- Shapes --- */

/* The functions of a product that a test runs. */
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
    {"sums in parts", 1, 5, 6, 64, 64, 3, 1, true, ALL},
    {"no whole quads anywhere", 5, 4, 4, 10, 3, 3, 1, true, ALL},
    {"quads of floats, but not of bf16", 2, 4, 5, 12, 20, 3, 1, true, ALL},
    {"the kernel is larger than the image", 2, 1, 1, 16, 16, 3, 1, true, ALL},
    {"side 1", 2, 3, 5, 16, 24, 1, 0, true, ALL},
    {"side 5", 1, 6, 7, 8, 8, 5, 2, true, ALL},
    {"one value", 1, 1, 1, 1, 1, 1, 0, false, ALL},
    {"dense, to logits", 32, 1, 1, 64, 10, 1, 0, false, ALL},
    {"dense, in parts", 32, 1, 1, 576, 64, 1, 0, true, ALL},
    {"parts of odd columns", 32, 1, 1, 640, 10, 1, 0, false, ALL},
    {"more parts than are added at once", 8, 1, 1, 2048, 7, 1, 0, true, ALL},
    {"dense, batch 5", 5, 1, 1, 33, 70, 1, 0, true, ALL},
};

static inline CudaProduct product_of(const Shape *shape)
{
    const int32_t edge = 2 * shape->padding - shape->side + 1;
    return (CudaProduct){shape->count,        shape->height,        shape->width,
                         shape->in_channels,  shape->height + edge, shape->width + edge,
                         shape->out_channels, shape->side,          shape->padding,
                         shape->has_relu};
}

/* --- Values ---
 *
 * A case has the tensors that the functions get, the same values as doubles, and the expected
 * results. With each result it has the sum of the products' magnitudes, which limits the rounding
 * error. */

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
    bool rounds_to_tf32;
    CudaProduct product;
    Tensor in, out_gradient, kernel, bias;
    Expected out, in_gradient, kernel_gradient, bias_gradient;
    float *scratch, *parts;
    CudaFused alone; /* a product without a sieve */
} Case;

static inline uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void *device_memory(size_t bytes)
{
    void *device = NULL;
    ck_assert_int_eq(cudaMalloc(&device, bytes), cudaSuccess);
    return device;
}

static inline size_t value_bytes(bool is_bf16)
{
    return is_bf16 ? sizeof(uint16_t) : sizeof(float);
}

/* Copies values in the type to the device, from `offset` values on. */
static inline void *upload(const double *values, int64_t count, bool is_bf16, int64_t offset)
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
static inline Tensor tensor(uint32_t stream, int64_t count, bool is_bf16, bool is_relu_out)
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

static inline Expected expected(int64_t count)
{
    return (Expected){memory_zeroed((size_t)count * sizeof(double)),
                      memory_zeroed((size_t)count * sizeof(double))};
}

static inline void add(Expected *to, int64_t at, double product)
{
    to->values[at] += product;
    to->magnitudes[at] += fabs(product);
}

/* A factor in the product's precision: tf32 keeps ten bits after the first, rounded to nearest,
 * ties away from zero (PTX ISA, cvt.rna.tf32.f32). */
static inline double factor(const Case *c, double value)
{
    if (!c->rounds_to_tf32)
        return value;
    return (double)of_bits((bits_of((float)value) + 0x1000u) & 0xffffe000u);
}

/* Adds the products of one pixel of the output with one tap of the kernel to all expected
 * results. */
static inline void expect_tap(Case *c, int64_t out_pixel, int64_t in_pixel, int32_t tap)
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
static inline void expect_pixel(Case *c, int32_t image, int32_t y, int32_t x)
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

static inline Case open_case(const Functions *of, CudaPrecision precision, const Shape *shape)
{
    const CudaProduct p = product_of(shape);
    const bool is_bf16 = precision == CUDA_BF16;
    const int64_t ins = (int64_t)p.count * p.in_height * p.in_width * p.in_channels;
    const int64_t outs = (int64_t)p.count * p.out_height * p.out_width * p.out_channels;
    const int64_t kernel = (int64_t)p.side * p.side * p.in_channels * p.out_channels;
    Case c = {.functions = of,
              .shape = shape,
              .precision = precision,
              .rounds_to_tf32 = precision == CUDA_TF32 && of->has_mma && gpu_has_mma(),
              .product = p,
              .in = tensor(1, ins, is_bf16, true),
              .out_gradient = tensor(2, outs, is_bf16, false),
              .kernel = tensor(3, kernel, is_bf16, false),
              .bias = tensor(4, p.out_channels, false, false),
              .out = expected(outs),
              .in_gradient = expected(ins),
              .kernel_gradient = expected(kernel),
              .bias_gradient = expected(p.out_channels)};
    static const uint32_t zeros[CUDA_TILES_MAX];
    const int64_t scratch = cuda_product_scratch(&p), parts = cuda_product_parts(&p);
    c.scratch = scratch > 0 ? device_memory((size_t)scratch * sizeof(float)) : NULL;
    c.parts = parts > 0 ? device_memory((size_t)parts * sizeof(float)) : NULL;
    c.alone.done = gpu_copy(zeros, sizeof zeros);
    for (int32_t image = 0; image < p.count; image++)
        for (int32_t y = 0; y < p.out_height; y++)
            for (int32_t x = 0; x < p.out_width; x++)
                expect_pixel(&c, image, y, x);
    return c;
}

static inline void close_tensor(Tensor *old)
{
    free(old->values);
    cudaFree(old->device);
}

static inline void close_expected(Expected *old)
{
    free(old->values);
    free(old->magnitudes);
}

static inline void close_case(Case *c)
{
    Tensor *const tensors[] = {&c->in, &c->out_gradient, &c->kernel, &c->bias};
    Expected *const all[] = {&c->out, &c->in_gradient, &c->kernel_gradient, &c->bias_gradient};
    for (size_t i = 0; i < 4; i++) {
        close_tensor(tensors[i]);
        close_expected(all[i]);
    }
    cudaFree(c->scratch);
    cudaFree(c->parts);
    cudaFree(c->alone.done);
}

/* --- Running and checking --- */

/* The functions' results for a case, on the host. */
typedef struct {
    void *out, *logits, *in_gradient, *masked_gradient;
    float *kernel_gradient, *bias_gradient;
} Results;

static inline void *copied(const void *device, int64_t count, bool is_bf16)
{
    const size_t bytes = (size_t)count * value_bytes(is_bf16);
    void *host = memory_zeroed(bytes);
    ck_assert_int_eq(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    return host;
}

static inline void *fetched(void *device, int64_t count, bool is_bf16)
{
    void *host = copied(device, count, is_bf16);
    cudaFree(device);
    return host;
}

/* The gradients of the kernel, followed by those of the bias. */
static inline float *weights_of(const Case *c)
{
    float *gradients = device_memory((size_t)(c->kernel.count + c->bias.count) * sizeof(float));
    CudaUnadded unadded = {.count = 0};
    c->functions->backward_weights(NULL, c->precision, &c->product, c->in.device,
                                   c->out_gradient.device, gradients, gradients + c->kernel.count,
                                   c->parts, &unadded.all[0]);
    unadded.count = unadded.all[0].count > 0;
    cuda_add_parts(NULL, &unadded, gradients);
    return gradients;
}

static inline Results run(const Case *c)
{
    const bool is_bf16 = c->precision == CUDA_BF16;
    const Functions *f = c->functions;
    const int64_t outs = c->out_gradient.count, ins = c->in.count;
    void *out = device_memory((size_t)outs * value_bytes(is_bf16));
    void *logits = device_memory((size_t)outs * sizeof(float));
    void *gradient = device_memory((size_t)ins * value_bytes(is_bf16));
    void *masked = device_memory((size_t)ins * value_bytes(is_bf16));
    if (c->shape->passes & FORWARD) {
        f->forward(NULL, c->precision, &c->product, c->in.device, c->kernel.device, c->bias.device,
                   false, out, c->scratch, &c->alone);
        f->forward(NULL, c->precision, &c->product, c->in.device, c->kernel.device, c->bias.device,
                   true, logits, c->scratch, &c->alone);
    }
    if (c->shape->passes & DATA) {
        f->backward_data(NULL, c->precision, &c->product, c->out_gradient.device, c->kernel.device,
                         NULL, gradient, c->scratch, &c->alone);
        f->backward_data(NULL, c->precision, &c->product, c->out_gradient.device, c->kernel.device,
                         c->in.device, masked, c->scratch, &c->alone);
    }
    float *const weights = c->shape->passes & WEIGHTS ? weights_of(c) : NULL;
    ck_assert_int_eq(cudaGetLastError(), cudaSuccess);
    ck_assert_int_eq(cudaDeviceSynchronize(), cudaSuccess);
    Results results = {.out = fetched(out, outs, is_bf16),
                       .logits = fetched(logits, outs, false),
                       .in_gradient = fetched(gradient, ins, is_bf16),
                       .masked_gradient = fetched(masked, ins, is_bf16)};
    if (weights) {
        results.kernel_gradient = copied(weights, c->kernel.count, false);
        results.bias_gradient = copied(weights + c->kernel.count, c->bias.count, false);
        cudaFree(weights);
    }
    return results;
}

static inline void close_results(Results *results)
{
    free(results->out);
    free(results->logits);
    free(results->in_gradient);
    free(results->masked_gradient);
    free(results->kernel_gradient);
    free(results->bias_gradient);
}

/* Each of `terms` additions rounds by at most 2^-24 of a partial sum, which is at most the sum of
 * all magnitudes; products of tf32 and bf16 are exact in a float, and those of floats are added
 * without rounding. The result is then rounded to its type: by 2^-9 of itself to bf16.
 */
static inline void check(const Case *c, const char *what, const void *got, bool is_bf16,
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
        if (is_bf16 && c->functions->rounds_twice)
            allowed += 0x1p-9 * want->magnitudes[i];
        const bool is_stopped = mask && mask[i] == 0.0 && value != 0.0;
        // The comparison is false for a NaN, such as memory that was not written. libcheck's
        // assertions are too slow for millions of values, because each writes to a file.
        if (fabs(value - wanted) <= allowed && !is_stopped)
            continue;
        ck_abort_msg("%s, %s, \"%s\": %s[%lld] is %.9g, not %.9g +- %.2g", c->functions->name,
                     precisions[c->precision], c->shape->why, what, (long long)i, value, wanted,
                     is_stopped ? 0.0 : allowed);
    }
}

static inline void check_results(const Case *c, const Results *results)
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

static inline void check_same(const Case *c, const Results *a, const Results *b)
{
    const size_t bytes = value_bytes(c->precision == CUDA_BF16);
    const size_t outs = (size_t)c->out_gradient.count, ins = (size_t)c->in.count;
    ck_assert_mem_eq(a->out, b->out, outs * bytes);
    ck_assert_mem_eq(a->logits, b->logits, outs * sizeof(float));
    ck_assert_mem_eq(a->in_gradient, b->in_gradient, ins * bytes);
    ck_assert_mem_eq(a->masked_gradient, b->masked_gradient, ins * bytes);
    if (!(c->shape->passes & WEIGHTS))
        return;
    ck_assert_mem_eq(a->kernel_gradient, b->kernel_gradient,
                     (size_t)c->kernel.count * sizeof(float));
    ck_assert_mem_eq(a->bias_gradient, b->bias_gradient, (size_t)c->bias.count * sizeof(float));
}

#endif
