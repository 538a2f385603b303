/* The vectorised passes give, to the bit, what the definitions of tests/support/plain_loops.h give;
 * sizes are such that vectors, what is left over behind them, and several chunks all occur. */
#include "trainer/compute/host_layers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/plain_loops.h"
#include "tests/support/suite.h"
#include "trainer/compute/dropout.h"
#include "trainer/compute/host.h"
#include "trainer/run/random.h"

enum { MANY = 20011 };

/* Values in [-1, 1), an eighth of them zero, of which some are negative zeros. */
static float *numbers(uint32_t stream, int64_t count)
{
    float *floats = host_floats(count);
    for (int64_t i = 0; i < count; i++) {
        PhiloxBlock words = philox(5, (PhiloxBlock){{(uint32_t)i, stream, 0, 0}});
        floats[i] = 2.0f * random_unit(words.word[0]) - 1.0f;
        if (words.word[1] % 8 == 0)
            floats[i] = words.word[2] % 2 ? 0.0f : -0.0f;
    }
    return floats;
}

static uint8_t *byte_values(uint32_t stream, int64_t count, uint32_t below)
{
    uint8_t *values = malloc((size_t)count);
    for (int64_t i = 0; i < count; i++)
        values[i] = (uint8_t)(philox(6, (PhiloxBlock){{(uint32_t)i, stream}}).word[0] % below);
    return values;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void check_bits(const float *ours, const float *plain, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        ck_assert_msg(bits_of(ours[i]) == bits_of(plain[i]),
                      "value %" PRId64 " is %.9g, expected %.9g", i, (double)ours[i],
                      (double)plain[i]);
}

START_TEST(the_optimizer_gives_the_bits_of_the_formula)
{
    const RmsProp optimizer = rmsprop_of_keras(1e-3);
    float *ours[2] = {host_floats(MANY), numbers(1, MANY)};
    float *plain[2] = {host_floats(MANY), numbers(1, MANY)};
    for (uint32_t step = 0; step < 3; step++) {
        float *gradients = numbers(10 + step, MANY);
        rmsprop_update(&optimizer, 1e-3f, 0.25f, MANY, gradients, ours[0], ours[1]);
        plain_rmsprop(&optimizer, 1e-3f, 0.25f, MANY, gradients, plain[0], plain[1]);
        free(gradients);
    }
    check_bits(ours[0], plain[0], MANY);
    check_bits(ours[1], plain[1], MANY);
    for (int32_t i = 0; i < 2; i++) {
        free(ours[i]);
        free(plain[i]);
    }
}
END_TEST

START_TEST(dropout_masks_have_the_published_addresses)
{
    static const int32_t rates[] = {0, 1, 64, 128, 255, 256};
    // Within one block, up to the end of one, a chunk of 256 blocks and several.
    static const int64_t counts[] = {1, 16, 17, 4096, 4097, MANY};
    uint8_t ours[MANY], plain[MANY];
    for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            dropout_mask(3, 2, UINT64_C(0x123456789abc), 9, rates[r], counts[c], ours);
            plain_dropout_mask(3, 2, UINT64_C(0x123456789abc), 9, rates[r], counts[c], plain);
            ck_assert_mem_eq(ours, plain, (size_t)counts[c]);
        }
}
END_TEST

START_TEST(augmented_images_have_the_bits_of_the_definition)
{
    uint8_t *image = byte_values(1, IMAGE_BYTES, 256);
    float *ours = host_floats(IMAGE_BYTES), *plain = host_floats(IMAGE_BYTES);
    for (uint32_t place = 0; place < 32; place++) {
        Augmentation augmentation = augmentation_draw(1, 0, 7, place);
        augment_image(image, augmentation, ours);
        plain_augment(image, augmentation, plain);
        check_bits(ours, plain, IMAGE_BYTES);
    }
    // Whole pixels, no pixel, and further than the image is wide.
    static const float shifts[] = {-3.0f, 0.0f, 3.0f, -40.5f, 40.5f};
    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
        Augmentation augmentation = {shifts[i], shifts[sizeof shifts / sizeof shifts[0] - 1 - i],
                                     i % 2};
        augment_image(image, augmentation, ours);
        plain_augment(image, augmentation, plain);
        check_bits(ours, plain, IMAGE_BYTES);
    }
    plain_image(image, ours);
    plain_augment(image, (Augmentation){0}, plain);
    check_bits(ours, plain, IMAGE_BYTES);
    free(image);
    free(ours);
    free(plain);
}
END_TEST

START_TEST(bias_and_relu_give_the_bits_of_the_definition)
{
    static const int32_t channels[] = {1, 10, 32, 67};
    for (size_t i = 0; i < sizeof channels / sizeof channels[0]; i++)
        for (int32_t has_relu = 0; has_relu < 2; has_relu++) {
            const int64_t pixels = 45, count = pixels * channels[i];
            float *bias = numbers(2, channels[i]);
            float *ours = numbers(3, count), *plain = numbers(3, count);
            float *our_sums = numbers(4, channels[i]), *plain_sums = numbers(4, channels[i]);
            host_add_bias(ours, bias, pixels, channels[i], has_relu);
            plain_add_bias(plain, bias, pixels, channels[i], has_relu);
            check_bits(ours, plain, count);
            host_add_bias_gradient(ours, pixels, channels[i], our_sums);
            plain_add_bias_gradient(ours, pixels, channels[i], plain_sums);
            check_bits(our_sums, plain_sums, channels[i]);
            free(bias);
            free(ours);
            free(plain);
            free(our_sums);
            free(plain_sums);
        }
}
END_TEST

START_TEST(relu_stops_gradients_where_its_output_is_zero_and_keeps_nan)
{
    float *out = numbers(5, MANY), *ours = numbers(6, MANY), *plain = numbers(6, MANY);
    host_relu_backward(out, MANY, ours);
    plain_relu_backward(out, MANY, plain);
    check_bits(ours, plain, MANY);
    for (int32_t i = 0; i < 40; i++)
        ours[i] = NAN;
    float zeros[8] = {0};
    host_add_bias(ours, zeros, 5, 8, true);
    for (int32_t i = 0; i < 40; i++)
        ck_assert(isnan(ours[i]));
    free(out);
    free(ours);
    free(plain);
}
END_TEST

static void check_pool(NetShape in, int32_t side)
{
    const int64_t images = 3;
    NetLayer layer = {.kind = NET_POOL,
                      .side = side,
                      .in = in,
                      .out = {in.height / side, in.width / side, in.channels}};
    const int64_t in_count = images * net_size(in), out_count = images * net_size(layer.out);
    float *values = numbers(7, in_count); // with many equal ones: zeros
    float *ours = host_floats(out_count), *plain = host_floats(out_count);
    uint8_t *largest = byte_values(2, out_count, 256);
    uint8_t *plain_largest = byte_values(3, out_count, 256);
    host_pool_forward(&layer, images, values, ours, largest);
    plain_pool_forward(&layer, images, values, plain, plain_largest);
    check_bits(ours, plain, out_count);
    ck_assert_mem_eq(largest, plain_largest, (size_t)out_count);
    // Into memory that is not empty.
    float *gradient = numbers(8, in_count), *plain_gradient = numbers(9, in_count);
    host_pool_backward(&layer, images, ours, largest, gradient);
    plain_pool_backward(&layer, images, ours, largest, plain_gradient);
    check_bits(gradient, plain_gradient, in_count);
    free(values);
    free(ours);
    free(plain);
    free(largest);
    free(plain_largest);
    free(gradient);
    free(plain_gradient);
}

START_TEST(pools_take_the_first_of_the_largest_and_give_its_gradient_back)
{
    check_pool((NetShape){30, 30, 32}, 2);
    check_pool((NetShape){13, 13, 64}, 2); // a row and a column that no pool reaches
    check_pool((NetShape){7, 11, 5}, 2);
    check_pool((NetShape){8, 10, 3}, 3);
    check_pool((NetShape){4, 6, 19}, 1);
}
END_TEST

START_TEST(dropout_keeps_and_enlarges_forward_and_backward)
{
    uint8_t *kept = byte_values(4, MANY, 2);
    float *in = numbers(10, MANY), *ours = host_floats(MANY), *plain = host_floats(MANY);
    host_dropout_forward(in, kept, 4.0f / 3.0f, MANY, ours);
    plain_dropout_forward(in, kept, 4.0f / 3.0f, MANY, plain);
    check_bits(ours, plain, MANY);
    host_dropout_backward(kept, 4.0f / 3.0f, MANY, in);
    check_bits(in, plain, MANY);
    free(kept);
    free(in);
    free(ours);
    free(plain);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("host_layers");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_optimizer_gives_the_bits_of_the_formula);
    tcase_add_test(tests, dropout_masks_have_the_published_addresses);
    tcase_add_test(tests, augmented_images_have_the_bits_of_the_definition);
    tcase_add_test(tests, bias_and_relu_give_the_bits_of_the_definition);
    tcase_add_test(tests, relu_stops_gradients_where_its_output_is_zero_and_keeps_nan);
    tcase_add_test(tests, pools_take_the_first_of_the_largest_and_give_its_gradient_back);
    tcase_add_test(tests, dropout_keeps_and_enlarges_forward_and_backward);
    suite_add_tcase(suite, tests);
    return suite;
}
