/* Compares the kernels for images of three channels with loops in double precision. */
#include "tests/trainer/cuda/product_as_floats.h"
#include "tests/trainer/cuda/product_cases.h"

typedef struct {
    Functions all; /* products of every shape */
    void (*forward)(cudaStream_t stream, CudaPrecision precision, const CudaProduct *product,
                    const void *in, const void *kernel, const float *bias, void *out);
    void (*backward_weights)(cudaStream_t stream, CudaPrecision precision,
                             const CudaProduct *product, const void *in, const void *out_gradient,
                             float *parts, CudaParts *unadded);
} ImageFunctions;

static const ImageFunctions functions[] = {
    {{"tensor cores", true, false, cuda_product_forward, cuda_product_backward_data,
      cuda_product_backward_weights},
     cuda_image_forward,
     cuda_image_backward_weights},
    {{"floats", false, false, float_product_forward, float_product_backward_data,
      float_product_backward_weights},
     float_image_forward,
     float_image_backward_weights},
};

/* One image has 16 parts of 2 rows, five have 80, seventeen 182 of which the last is shorter. */
static const Shape shapes[] = {
    {"one image", 1, 32, 32, 3, 32, 3, 1, true, FORWARD | WEIGHTS},
    {"parts of one image and the next", 5, 32, 32, 3, 32, 3, 1, false, FORWARD | WEIGHTS},
    {"a short last part", 17, 32, 32, 3, 32, 3, 1, true, FORWARD | WEIGHTS},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void check_forward(const Case *c, const ImageFunctions *of)
{
    const bool is_bf16 = c->precision == CUDA_BF16;
    const int64_t count = c->out_gradient.count;
    void *out = gpu_new(count * (int64_t)value_bytes(is_bf16));
    of->forward(NULL, c->precision, &c->product, c->in.device, c->kernel.device, c->bias.device,
                out);
    void *host = fetched(out, count, is_bf16);
    check(c, "out", host, is_bf16, &c->out, count, 27 + 1, NULL, c->product.has_relu);
    free(host);
}

static void check_weights(const Case *c, const ImageFunctions *of)
{
    const int64_t kernel = c->kernel.count, bias = c->bias.count;
    const int64_t pixels = c->out_gradient.count / bias;
    float *gradients = gpu_new((kernel + bias) * (int64_t)sizeof(float));
    CudaUnadded unadded = {.count = 1};
    of->backward_weights(NULL, c->precision, &c->product, c->in.device, c->out_gradient.device,
                         c->parts, &unadded.all[0]);
    ck_assert_int_ge(unadded.all[0].count, 2);
    ck_assert_int_eq(unadded.all[0].size, kernel + bias);
    cuda_add_parts(NULL, &unadded, gradients);
    float *host = fetched(gradients, kernel + bias, false);
    check(c, "kernel_gradient", host, false, &c->kernel_gradient, kernel, pixels, NULL, false);
    check(c, "bias_gradient", host + kernel, false, &c->bias_gradient, bias, pixels, NULL, false);
    free(host);
}

START_TEST(products_of_images_are_those_of_plain_loops_in_every_order_of_threads)
{
    const int32_t kinds = (int32_t)(sizeof functions / sizeof functions[0]);
    for (int32_t k = 0; k < kinds; k++)
        for (int32_t i = 0; i < PRECISIONS; i++) {
            Case c = open_case(&functions[k].all, (CudaPrecision)i, &shapes[_i]);
            ck_assert(cuda_image_fits(&c.product));
            for (int32_t order = 0; order < (_i == 0 ? GPU_ORDERS : 1); order++) {
                gpu_set_order(_i == 0 ? order : (_i + i) % GPU_ORDERS);
                check_forward(&c, &functions[k]);
                check_weights(&c, &functions[k]);
            }
            close_case(&c);
        }
}
END_TEST

/* A NaN reaches the outputs around it, and no others. */
START_TEST(a_nan_reaches_its_nine_pixels)
{
    Case c = open_case(&functions[0].all, CUDA_FP32, &shapes[0]);
    const int64_t bytes = c.out_gradient.count * (int64_t)sizeof(float);
    float *out = gpu_new(bytes), *host = memory_zeroed((size_t)bytes);
    c.in.values[(5 * 32 + 31) * 3 + 1] = NAN;
    cudaFree(c.in.device);
    c.in.device = upload(c.in.values, c.in.count, false, 0);
    cuda_image_forward(NULL, c.precision, &c.product, c.in.device, c.kernel.device, c.bias.device,
                       out);
    gpu_read(host, out, bytes);
    for (int32_t pixel = 0; pixel < 32 * 32; pixel++) {
        const int32_t y = pixel / 32, x = pixel % 32;
        const bool is_near = y >= 4 && y <= 6 && x >= 30;
        ck_assert_int_eq(!!isnan(host[pixel * 32 + 7]), is_near);
    }
    gpu_free(out);
    free(host);
    close_case(&c);
}
END_TEST

START_TEST(other_shapes_do_not_fit)
{
    const Shape others[] = {
        {"28 rows", 1, 28, 32, 3, 32, 3, 1, true, 0},
        {"a narrow image", 1, 32, 30, 3, 32, 3, 1, true, 0},
        {"one channel", 1, 32, 32, 1, 32, 3, 1, true, 0},
        {"a kernel of 5", 1, 32, 32, 3, 32, 5, 2, true, 0},
        {"no padding", 1, 32, 32, 3, 32, 3, 0, true, 0},
        {"64 channels", 1, 32, 32, 3, 64, 3, 1, true, 0},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const CudaProduct product = product_of(&others[i]);
        ck_assert_msg(!cuda_image_fits(&product), "%s fits", others[i].why);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cuda_image_product");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(
        tests, products_of_images_are_those_of_plain_loops_in_every_order_of_threads, 0, SHAPES);
    tcase_add_test(tests, a_nan_reaches_its_nine_pixels);
    tcase_add_test(tests, other_shapes_do_not_fit);
    suite_add_tcase(suite, tests);
    return suite;
}
