/* Compares the kernels of trainer/cuda/kernels/product*.cu with loops in double precision. */
#include "tests/trainer/cuda/product_as_floats.h"
#include "tests/trainer/cuda/product_cases.h"

static const Functions functions[] = {
    {"tensor cores", true, false, cuda_product_forward, cuda_product_backward_data,
     cuda_product_backward_weights},
    {"floats", false, false, float_product_forward, float_product_backward_data,
     float_product_backward_weights},
};

/* The smallest shapes that use tiles of 64 x 64, and such shapes whose operands have no whole
 * quads: those use twice as many tiles of 64 x 32. */
static const Shape large_shapes[] = {
    {"large tiles forward", 1, 46, 46, 8, 512, 1, 0, true, FORWARD},
    {"large tiles back to data", 1, 46, 46, 512, 8, 1, 0, true, DATA},
    {"large tiles back to weights", 3, 1, 1, 2112, 512, 1, 0, true, WEIGHTS},
    {"many tiles forward, no whole quads", 1, 92, 92, 3, 70, 1, 0, true, FORWARD},
    {"many tiles back to data, no whole quads", 1, 92, 92, 70, 3, 1, 0, true, DATA},
    {"many tiles back to weights, no whole quads", 3, 1, 1, 2111, 509, 1, 0, true, WEIGHTS},
};

/* --- Tests --- */

/* The functions of loop test `i`. The code for floats is the same with and without tensor cores,
 * and tf32 needs tensor cores. */
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
        gpu_set_order(0);
        Results first = run(&c);
        check_results(&c, &first);
        for (int32_t order = 1; order < GPU_ORDERS; order++) {
            gpu_set_order(order);
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
        gpu_set_order(GPU_ORDERS - 1);
        Results results = run(&c);
        check_results(&c, &results);
        close_results(&results);
        close_case(&c);
    }
}
END_TEST

/* In an arena, a kernel begins where the layers before it end, so its alignment varies. */
START_TEST(operands_may_have_any_alignment)
{
    const Shape shape = {"next to a multiple of 16 bytes", 2, 6, 5, 32, 32, 3, 1, true, ALL};
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

START_TEST(results_may_have_any_alignment)
{
    const Shape shape = {"results at an odd place", 2, 3, 3, 16, 16, 1, 0, false, ALL};
    Case c = open_kind(_i, &shape);
    Results aligned = run(&c);
    const size_t bytes = (size_t)c.kernel.count * sizeof(float);
    float *place = device_memory(bytes + sizeof(float)), *bias = device_memory(16 * sizeof(float));
    float *host = memory_zeroed(bytes);
    CudaParts unadded;
    c.functions->backward_weights(NULL, c.precision, &c.product, c.in.device, c.out_gradient.device,
                                  place + 1, bias, c.parts, &unadded);
    ck_assert_int_eq(unadded.count, 0);
    ck_assert_int_eq(cudaMemcpy(host, place + 1, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    ck_assert_mem_eq(host, aligned.kernel_gradient, bytes);
    free(host);
    cudaFree(place);
    cudaFree(bias);
    close_results(&aligned);
    close_case(&c);
}
END_TEST

START_TEST(relu_keeps_nan)
{
    const Shape shape = {"NaN", 1, 1, 1, 16, 16, 1, 0, true, ALL};
    const bool is_bf16 = kinds[_i].precision == CUDA_BF16;
    Case c = open_kind(_i, &shape);
    cudaFree(c.in.device);
    // All bits are set, like a GPU's NaN: rounding must not carry into the sign.
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

/* keras_cifar10_cnn's layers at batch 32: working memory is small compared with 26 MB of
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
    tcase_add_loop_test(cases, operands_may_have_any_alignment, 0, KINDS);
    tcase_add_loop_test(cases, results_may_have_any_alignment, 0, KINDS);
    tcase_add_loop_test(cases, relu_keeps_nan, 0, KINDS);
    tcase_add_test(cases, working_memory_is_small);
    suite_add_tcase(suite, cases);
    return suite;
}
