/* Products that compute a sieve in the same kernel give the bits of a product and a sieve, and
 * leave the counters at zero. */
#include "tests/trainer/cuda/product_as_floats.h"
#include "tests/trainer/cuda/product_cases.h"

typedef struct {
    Shape shape;
    int32_t side; /* of the sieve after it and before it */
    int32_t dropped_of_256;
} FusedShape;

static const FusedShape shapes[] = {
    {{"a pool over everything", 2, 8, 8, 3, 32, 3, 1, true, ALL}, 2, 64},
    {{"a row and a column that no pool covers", 3, 7, 9, 16, 16, 3, 1, true, ALL}, 2, 0},
    {{"a pool, in parts", 1, 5, 6, 64, 64, 3, 1, true, ALL}, 2, 64},
    {{"a pool without ReLU", 2, 6, 5, 32, 36, 3, 0, false, ALL}, 2, 128},
    {{"a dropout, in parts", 32, 1, 1, 576, 64, 1, 0, true, ALL}, 1, 128},
    {{"a dropout of few values", 5, 1, 1, 12, 20, 1, 0, false, ALL}, 1, 64},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static const Functions functions[] = {
    {"own", true, false, cuda_product_forward, cuda_product_backward_data,
     cuda_product_backward_weights},
    {"floats", false, false, float_product_forward, float_product_backward_data,
     float_product_backward_weights},
};

static CudaSieve sieve_of(const FusedShape *shape, int32_t height, int32_t width, int32_t channels)
{
    return (CudaSieve){.count = shape->shape.count,
                       .in_height = height,
                       .in_width = width,
                       .channels = channels,
                       .side = shape->side,
                       .follows_relu = shape->shape.has_relu,
                       .dropped_of_256 = shape->dropped_of_256,
                       .dropout_layer = 4,
                       .seed = 7,
                       .rank = 2};
}

static int64_t size_of(const CudaSieve *sieve, int32_t side)
{
    return (int64_t)sieve->count * (sieve->in_height / side) * (sieve->in_width / side) *
           sieve->channels;
}

static void check_same_bytes(const char *what, const void *one, const void *other, int64_t bytes)
{
    char *first = memory_zeroed((size_t)bytes), *second = memory_zeroed((size_t)bytes);
    gpu_read(first, one, bytes);
    gpu_read(second, other, bytes);
    ck_assert_msg(memcmp(first, second, (size_t)bytes) == 0, "%s differ", what);
    free(first);
    free(second);
}

static void check_zeros(const uint32_t *done)
{
    uint32_t got[CUDA_TILES_MAX];
    gpu_read(got, done, sizeof got);
    for (int32_t i = 0; i < CUDA_TILES_MAX; i++)
        ck_assert_uint_eq(got[i], 0);
}

static void check_forward(const Case *c, const FusedShape *shape, bool is_training)
{
    const CudaProduct *p = &c->product;
    const CudaSieve sieve = sieve_of(shape, p->out_height, p->out_width, p->out_channels);
    const int64_t bytes = (int64_t)value_bytes(c->precision == CUDA_BF16);
    const int64_t values = size_of(&sieve, shape->side);
    const CudaStep here = {.step = 99, .bad_step = -1};
    CudaStep *step = gpu_copy(&here, sizeof here);
    void *product = gpu_new(c->out_gradient.count * bytes), *out = gpu_new(values * bytes);
    void *fused_out = gpu_new(values * bytes);
    uint8_t *places = gpu_new(values), *fused_places = gpu_new(values);
    const CudaFused fused = {sieve, step, is_training, fused_places, c->alone.done};
    ck_assert(cuda_product_fuses(&sieve));
    c->functions->forward(NULL, c->precision, p, c->in.device, c->kernel.device, c->bias.device,
                          false, product, c->scratch, &c->alone);
    cuda_sieve_forward(NULL, c->precision, &sieve, step, is_training, product, out, places);
    c->functions->forward(NULL, c->precision, p, c->in.device, c->kernel.device, c->bias.device,
                          false, fused_out, c->scratch, &fused);
    check_same_bytes("outputs", fused_out, out, values * bytes);
    check_same_bytes("places", fused_places, places, values);
    check_zeros(fused.done);
    void *const all[] = {step, product, out, fused_out, places, fused_places};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        gpu_free(all[i]);
}

/* The sieve before the product: its output is the product's input. */
static void check_data(const Case *c, const FusedShape *shape)
{
    const CudaProduct *p = &c->product;
    const int32_t side = shape->side, rest = side - 1;
    const CudaSieve sieve =
        sieve_of(shape, p->in_height * side + rest, p->in_width * side, p->in_channels);
    const int64_t bytes = (int64_t)value_bytes(c->precision == CUDA_BF16);
    const int64_t values = size_of(&sieve, side), wide = size_of(&sieve, 1);
    uint8_t *host = memory_zeroed((size_t)values);
    for (int64_t i = 0; i < values; i++) {
        const uint32_t word = philox(8, (PhiloxBlock){{(uint32_t)i}}).word[0];
        host[i] = (uint8_t)(word % 5 == 0 ? 255 : word / 5 % (uint32_t)(side * side));
    }
    uint8_t *places = gpu_copy(host, values);
    void *product = gpu_new(values * bytes), *gradient = gpu_new(wide * bytes);
    void *fused_gradient = gpu_new(wide * bytes);
    const CudaFused fused = {sieve, NULL, true, places, c->alone.done};
    if (!cuda_product_fuses(&sieve))
        ck_assert_int_ne(p->in_channels % 4, 0);
    else {
        c->functions->backward_data(NULL, c->precision, p, c->out_gradient.device, c->kernel.device,
                                    NULL, product, c->scratch, &c->alone);
        cuda_sieve_backward(NULL, c->precision, &sieve, product, places, gradient);
        c->functions->backward_data(NULL, c->precision, p, c->out_gradient.device, c->kernel.device,
                                    NULL, fused_gradient, c->scratch, &fused);
        check_same_bytes("gradients", fused_gradient, gradient, wide * bytes);
    }
    check_zeros(fused.done);
    free(host);
    void *const all[] = {places, product, gradient, fused_gradient};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        gpu_free(all[i]);
}

START_TEST(fused_kernels_give_the_bits_of_a_product_and_a_sieve)
{
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++)
        for (int32_t i = 0; i < PRECISIONS; i++) {
            gpu_set_order((_i + i) % GPU_ORDERS);
            Case c = open_case(&functions[k], (CudaPrecision)i, &shapes[_i].shape);
            check_forward(&c, &shapes[_i], true);
            check_forward(&c, &shapes[_i], false);
            check_data(&c, &shapes[_i]);
            close_case(&c);
        }
}
END_TEST

START_TEST(sieves_that_no_product_computes_are_named)
{
    const CudaSieve three = {.in_height = 9, .in_width = 9, .channels = 4, .side = 3};
    const CudaSieve narrow = {.in_height = 8, .in_width = 8, .channels = 6, .side = 2};
    const CudaSieve small = {.in_height = 1, .in_width = 8, .channels = 8, .side = 2};
    ck_assert(!cuda_product_fuses(&three));
    ck_assert(!cuda_product_fuses(&narrow));
    ck_assert(!cuda_product_fuses(&small));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cuda_fused");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, fused_kernels_give_the_bits_of_a_product_and_a_sieve, 0, SHAPES);
    tcase_add_test(tests, sieves_that_no_product_computes_are_named);
    suite_add_tcase(suite, tests);
    return suite;
}
