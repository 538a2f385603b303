#include "trainer/compute/net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "tests/support/suite.h"

START_TEST(the_tutorials_network_has_the_published_numbers)
{
    Net net;
    Status status;
    ck_assert(net_build("keras_cifar10_cnn", &net, &status));
    // conv 3->32: 896, conv 32->32: 9,248, conv 32->64: 18,496, conv 64->64: 36,928,
    // dense 2304->512: 1,180,160, dense 512->10: 5,130.
    ck_assert_int_eq(net.parameter_count, 896 + 9248 + 18496 + 36928 + 1180160 + 5130);
    // 884,736 + 8,294,400 + 4,147,200 + 6,230,016 + 1,179,648 + 5,120 multiply-adds per image.
    ck_assert_int_eq(net_forward_macs(&net), 20741120);
    ck_assert_int_eq(net_backward_macs(&net), 2 * 20741120 - 884736);
}
END_TEST

START_TEST(a_deeper_network_keeps_its_sides_between_pools)
{
    Net net;
    Status status;
    ck_assert(net_build("keras_cifar10_cnn_deep", &net, &status));
    // conv 3->32->32->64->64->128->128: 896 + 9,248 + 18,496 + 36,928 + 73,856 + 147,584, dense
    // 4 * 4 * 128 -> 512 -> 10: 1,049,088 + 5,130.
    ck_assert_int_eq(net.parameter_count,
                     896 + 9248 + 18496 + 36928 + 73856 + 147584 + 1049088 + 5130);
    // 32 x 32: 884,736 + 9,437,184; 16 x 16: 4,718,592 + 9,437,184; 8 x 8: 4,718,592 + 9,437,184;
    // dense: 1,048,576 + 5,120.
    ck_assert_int_eq(net_forward_macs(&net), 39687168);
    ck_assert_int_eq(net.layer_count, 6 + 3 + 4 + 2);
}
END_TEST

static double mean_square(const float *values, int64_t count)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++)
        sum += (double)values[i] * (double)values[i];
    return sum / (double)count;
}

START_TEST(kernels_start_within_glorots_limit_and_biases_at_zero)
{
    Net net;
    Status status;
    ck_assert(net_build("keras_cifar10_cnn", &net, &status));
    float *weights = memory_zeroed((size_t)net.parameter_count * sizeof *weights);
    net_initial_weights(&net, 5, weights);
    for (int32_t i = 0; i < net.layer_count; i++) {
        const NetLayer *layer = &net.layers[i];
        if (layer->kernel_count == 0)
            continue;
        const float *kernel = weights + layer->kernel_at;
        const double limit = sqrt(6.0 / (double)layer->fan_sum),
                     count = (double)layer->kernel_count;
        double largest = 0.0, sum = 0.0;
        for (int64_t k = 0; k < layer->kernel_count; k++) {
            largest = fmax(largest, fabs((double)kernel[k]));
            sum += (double)kernel[k];
        }
        ck_assert_double_le(largest, limit * (1.0 + 1e-7));
        ck_assert_double_gt(largest, 0.98 * limit);
        // Uniform: mean 0 and mean square limit^2 / 3, whose standard deviation is limit^2 *
        // sqrt(4 / 45); five of each.
        ck_assert_double_eq_tol(sum / count, 0.0, 5.0 * limit / sqrt(3.0 * count));
        ck_assert_double_eq_tol(mean_square(kernel, layer->kernel_count), limit * limit / 3.0,
                                5.0 * limit * limit * sqrt(4.0 / 45.0 / count));
        ck_assert_double_eq(mean_square(weights + layer->bias_at, layer->bias_count), 0.0);
    }
    free(weights);
}
END_TEST

START_TEST(fans_are_those_of_keras)
{
    Net net;
    Status status;
    ck_assert(net_build("keras_cifar10_cnn", &net, &status));
    // keras/initializers.py, _compute_fans: the receptive field times channels, in and out.
    const int32_t sums[] = {9 * (3 + 32),  9 * (32 + 32), 9 * (32 + 64),
                            9 * (64 + 64), 2304 + 512,    512 + 10};
    int32_t found = 0;
    for (int32_t i = 0; i < net.layer_count; i++)
        if (net.layers[i].kernel_count > 0)
            ck_assert_int_eq(net.layers[i].fan_sum, sums[found++]);
    ck_assert_int_eq(found, 6);
}
END_TEST

START_TEST(initial_weights_are_a_function_of_the_seed)
{
    Net net;
    Status status;
    ck_assert(net_build("keras_cifar10_cnn", &net, &status));
    const size_t bytes = (size_t)net.parameter_count * sizeof(float);
    float *one = memory_zeroed(bytes), *other = memory_zeroed(bytes);
    net_initial_weights(&net, 5, one);
    net_initial_weights(&net, 5, other);
    ck_assert(memcmp(one, other, bytes) == 0);
    net_initial_weights(&net, 6, other);
    ck_assert(memcmp(one, other, bytes) != 0);
    // Each layer has separate random numbers.
    ck_assert_float_ne(one[net.layers[0].kernel_at], one[net.layers[1].kernel_at]);
    free(one);
    free(other);
}
END_TEST

START_TEST(a_network_that_cannot_be_trained_is_refused_with_those_that_can)
{
    Net net;
    Status status;
    ck_assert(!net_build("keras_mnist_cnn", &net, &status));
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(status.hint, "keras_cifar10_cnn"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("net");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_tutorials_network_has_the_published_numbers);
    tcase_add_test(tests, a_deeper_network_keeps_its_sides_between_pools);
    tcase_add_test(tests, kernels_start_within_glorots_limit_and_biases_at_zero);
    tcase_add_test(tests, fans_are_those_of_keras);
    tcase_add_test(tests, initial_weights_are_a_function_of_the_seed);
    tcase_add_test(tests, a_network_that_cannot_be_trained_is_refused_with_those_that_can);
    suite_add_tcase(suite, tests);
    return suite;
}
