#include "trainer/compute/convolution_gradient.h"
#include "trainer/compute/onednn_sieve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/philox.h"
#include "tests/support/suite.h"

enum { IMAGES = 3, VALUES_MAX = 1 << 16 };

/* Multiples of 0.5 from -4 to 3.5, which bf16 holds exactly. Many are equal. */
static void fill(uint32_t stream, int64_t count, float *values)
{
    for (int64_t i = 0; i < count; i++) {
        PhiloxBlock words = philox(7, (PhiloxBlock){{(uint32_t)i, stream}});
        values[i] = (float)(words.word[0] % 16) / 2.0f - 4.0f;
    }
}

/* The index of value `i` of NHWC. */
static int64_t place(NetShape shape, int32_t block, int64_t i)
{
    int64_t c = i % shape.channels, pixel = i / shape.channels;
    int64_t area = (int64_t)shape.height * shape.width;
    int64_t plane = pixel / area * (shape.channels / block) + c / block;
    return (plane * area + pixel % area) * block + c % block;
}

/* --- Sieves --- */

static uint16_t upper_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static void put(const Sieve *sieve, void *values, int64_t i, float value)
{
    if (sieve->is_bf16)
        ((uint16_t *)values)[i] = upper_half(value);
    else
        ((float *)values)[i] = value;
}

static float get(const Sieve *sieve, const void *values, int64_t i)
{
    return sieve->is_bf16 ? bf16_to_float(((const uint16_t *)values)[i])
                          : ((const float *)values)[i];
}

/* Value `place_index` of pool `i`, as an index into NHWC; both count over all images. */
static int64_t pooled(const Sieve *sieve, int64_t i, int32_t place_index)
{
    const NetShape in = sieve->in, out = sieve->out;
    int64_t c = i % out.channels, pixel = i / out.channels;
    int64_t x = pixel % out.width * sieve->side + place_index % sieve->side;
    int64_t y = pixel / out.width % out.height * sieve->side + place_index / sieve->side;
    int64_t image = pixel / out.width / out.height;
    return ((image * in.height + y) * in.width + x) * in.channels + c;
}

/* Compares forward and backward with loops over single values. */
static void check_sieve(Sieve sieve, bool drops)
{
    static float in[VALUES_MAX], gradient[VALUES_MAX], wanted[VALUES_MAX];
    static float laid_in[VALUES_MAX], out[VALUES_MAX], laid_gradient[VALUES_MAX],
        in_gradient[VALUES_MAX];
    static uint8_t kept[VALUES_MAX], places[VALUES_MAX];
    const int64_t in_count = IMAGES * net_size(sieve.in), out_count = IMAGES * net_size(sieve.out);
    const float scale = drops ? sieve.scale : 1.0f;
    ck_assert_int_le(in_count, VALUES_MAX);
    fill(1, in_count, in);
    fill(2, out_count, gradient);
    memset(in_gradient, 0xff, sizeof in_gradient);
    memset(wanted, 0, sizeof wanted);
    for (int64_t i = 0; i < in_count; i++) {
        in[i] = sieve.follows_relu && in[i] < 0.0f ? 0.0f : in[i];
        put(&sieve, laid_in, place(sieve.in, sieve.in_block, i), in[i]);
    }
    for (int64_t i = 0; i < out_count; i++) {
        kept[i] = !drops || i % 3 != 0;
        put(&sieve, laid_gradient, place(sieve.out, sieve.out_block, i), gradient[i]);
    }
    sieve_forward(&sieve, IMAGES, laid_in, drops ? kept : NULL, out, places);
    sieve_backward(&sieve, IMAGES, laid_gradient, places, in_gradient);
    for (int64_t i = 0; i < out_count; i++) {
        int64_t best = pooled(&sieve, i, 0);
        for (int32_t k = 1; k < sieve.side * sieve.side; k++)
            best = in[pooled(&sieve, i, k)] > in[best] ? pooled(&sieve, i, k) : best;
        float value = kept[i] ? in[best] * scale : 0.0f;
        ck_assert_float_eq(get(&sieve, out, place(sieve.out, sieve.out_block, i)), value);
        if (kept[i] && (in[best] > 0.0f || !sieve.follows_relu))
            wanted[best] = gradient[i] * sieve.scale;
    }
    for (int64_t i = 0; i < in_count; i++)
        ck_assert_float_eq(get(&sieve, in_gradient, place(sieve.in, sieve.in_block, i)), wanted[i]);
}

START_TEST(a_sieve_is_its_pool_its_dropout_and_its_change_of_layout)
{
    static const struct {
        NetShape in;
        int32_t side, in_block, out_block;
    } shapes[] = {
        {{6, 6, 16}, 2, 8, 8},  {{6, 6, 16}, 2, 16, 16}, {{6, 4, 32}, 2, 16, 32},
        {{7, 5, 16}, 2, 8, 16}, // incomplete pools at the edge
        {{4, 4, 3}, 2, 3, 3},   // less than a vector
        {{9, 9, 8}, 3, 8, 8},   {{1, 1, 40}, 1, 40, 40}, {{5, 4, 24}, 1, 8, 24},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int32_t bits = 0; bits < 8; bits++) {
            NetShape in = shapes[i].in;
            bool drops = bits & 1;
            Sieve sieve = {
                .in = in,
                .out = {in.height / shapes[i].side, in.width / shapes[i].side, in.channels},
                .side = shapes[i].side,
                .in_block = shapes[i].in_block,
                .out_block = shapes[i].out_block,
                .follows_relu = bits & 2,
                .is_bf16 = bits & 4,
                .scale = drops ? 2.0f : 1.0f};
            check_sieve(sieve, drops);
        }
}
END_TEST

START_TEST(bf16_is_rounded_to_nearest_and_ties_to_even)
{
    // 1 + 2^-8 is between 1 and 1 + 2^-7; 1.5 * 0x1.02p0 = 0x1.83p0 is rounded to 0x1.84p0.
    Sieve sieve = {.in = {1, 1, 1},
                   .out = {1, 1, 1},
                   .side = 1,
                   .in_block = 1,
                   .out_block = 1,
                   .is_bf16 = true,
                   .scale = 1.00390625f};
    uint16_t one = 0x3f80, out;
    uint8_t kept = 1, where;
    sieve_forward(&sieve, 1, &one, &kept, &out, &where);
    ck_assert_int_eq(out, 0x3f80);
    sieve.scale = 1.5f;
    uint16_t more = 0x3f81;
    sieve_forward(&sieve, 1, &more, &kept, &out, &where);
    ck_assert_int_eq(out, 0x3fc2);
}
END_TEST

START_TEST(relu_in_bf16_stops_gradients_where_its_output_is_zero)
{
    const uint16_t out[] = {0x3f80, 0x0000, 0x8000, 0x0001};
    uint16_t gradient[] = {1, 2, 3, 4};
    relu_backward_bf16(out, 4, gradient);
    ck_assert_int_eq(gradient[0], 1);
    ck_assert_int_eq(gradient[1], 0);
    ck_assert_int_eq(gradient[2], 0);
    ck_assert_int_eq(gradient[3], 4);
}
END_TEST

/* --- Gradients of convolutions --- */

/* All values are small multiples of a quarter, so sums are exact in any order. */
static void check_gradient(NetShape in, int32_t out_channels, int32_t padding, int32_t in_block,
                           int32_t out_block)
{
    const int32_t lost = 2 - 2 * padding;
    const NetShape out = {in.height - lost, in.width - lost, out_channels};
    const NetLayer layer = {.kind = NET_CONVOLUTION,
                            .in = in,
                            .out = out,
                            .side = 3,
                            .padding = padding,
                            .bias_count = out_channels,
                            .kernel_count = (int64_t)9 * in.channels * out_channels};
    const int64_t in_count = IMAGES * net_size(in), out_count = IMAGES * net_size(out);
    static float values[VALUES_MAX], laid_values[VALUES_MAX], gradient[VALUES_MAX],
        laid_gradient[VALUES_MAX], kernel[VALUES_MAX], bias[256];
    if (!convolution_gradient_suits(&layer))
        return;
    fill(3, in_count, values);
    fill(4, out_count, gradient);
    for (int64_t i = 0; i < in_count; i++)
        laid_values[place(in, in_block, i)] = values[i];
    for (int64_t i = 0; i < out_count; i++)
        laid_gradient[place(out, out_block, i)] = gradient[i];
    float *scratch = malloc((size_t)convolution_gradient_scratch(&layer) * sizeof *scratch);
    convolution_gradient(&layer, IMAGES, laid_values, in_block, laid_gradient, out_block, scratch,
                         kernel, bias);
    free(scratch);
    for (int64_t k = 0; k < layer.kernel_count; k++) {
        int64_t o = k % out.channels, c = k / out.channels % in.channels;
        int64_t tap = k / out.channels / in.channels;
        float sum = 0.0f;
        for (int64_t p = 0; p < out_count / out.channels; p++) {
            int64_t x = p % out.width + tap % 3 - padding;
            int64_t y = p / out.width % out.height + tap / 3 - padding;
            int64_t image = p / out.width / out.height;
            if (x >= 0 && x < in.width && y >= 0 && y < in.height)
                sum += values[((image * in.height + y) * in.width + x) * in.channels + c] *
                       gradient[p * out.channels + o];
        }
        ck_assert_float_eq(kernel[k], sum);
    }
    for (int32_t o = 0; o < out.channels; o++) {
        float sum = 0.0f;
        for (int64_t p = 0; p < out_count / out.channels; p++)
            sum += gradient[p * out.channels + o];
        ck_assert_float_eq(bias[o], sum);
    }
}

START_TEST(the_gradient_of_kernels_is_the_sum_over_all_pixels)
{
    check_gradient((NetShape){7, 9, 3}, 32, 1, 3, 8);
    check_gradient((NetShape){6, 6, 16}, 64, 0, 8, 8);
    check_gradient((NetShape){6, 5, 24}, 32, 1, 24, 32);
    check_gradient((NetShape){13, 13, 8}, 64, 0, 8, 8); // several strips of rows, the last shorter
    check_gradient((NetShape){5, 5, 12}, 32, 0, 12, 8); // channels are not a multiple of eight
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("onednn_passes");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_sieve_is_its_pool_its_dropout_and_its_change_of_layout);
    tcase_add_test(tests, bf16_is_rounded_to_nearest_and_ties_to_even);
    tcase_add_test(tests, relu_in_bf16_stops_gradients_where_its_output_is_zero);
    tcase_add_test(tests, the_gradient_of_kernels_is_the_sum_over_all_pixels);
    suite_add_tcase(suite, tests);
    return suite;
}
