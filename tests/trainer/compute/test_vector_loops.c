/* The vectorised passes give the same bits as the definitions of tests/support/plain_loops.h. The
 * sizes cover whole vectors, the values after them, and several chunks. */
#include "trainer/base/floats.h"
#include "trainer/compute/host.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/plain_loops.h"
#include "tests/support/suite.h"
#include "trainer/base/random.h"
#include "trainer/compute/dropout.h"

enum { MANY = 20011 };

/* Values in [-1, 1). An eighth of them are zero, some of these negative zero. */
static float *numbers(uint32_t stream, int64_t count)
{
    float *floats = floats_zeroed(count);
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
    float *ours[2] = {floats_zeroed(MANY), numbers(1, MANY)};
    float *plain[2] = {floats_zeroed(MANY), numbers(1, MANY)};
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
    // Part of a block, a whole block, a chunk of 256 blocks, and several chunks.
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
    float *ours = floats_zeroed(IMAGE_BYTES), *plain = floats_zeroed(IMAGE_BYTES);
    for (uint32_t place = 0; place < 32; place++) {
        Augmentation augmentation = augmentation_draw(1, 0, 7, place);
        augment_image(image, augmentation, ours);
        plain_augment(image, augmentation, plain);
        check_bits(ours, plain, IMAGE_BYTES);
    }
    // Whole pixels, no shift, and more than the image's width.
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

START_TEST(relu_stops_gradients_where_its_output_is_zero_and_not_where_it_is_nan)
{
    float *out = numbers(5, MANY), *ours = numbers(6, MANY), *plain = numbers(6, MANY);
    host_relu_backward(out, MANY, ours);
    plain_relu_backward(out, MANY, plain);
    check_bits(ours, plain, MANY);
    for (int32_t i = 0; i < 40; i++)
        out[i] = NAN;
    for (int32_t i = 0; i < 40; i++)
        ours[i] = (float)i + 1;
    host_relu_backward(out, 40, ours);
    for (int32_t i = 0; i < 40; i++)
        ck_assert(ours[i] == (float)i + 1);
    free(out);
    free(ours);
    free(plain);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("vector loops");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_optimizer_gives_the_bits_of_the_formula);
    tcase_add_test(tests, dropout_masks_have_the_published_addresses);
    tcase_add_test(tests, augmented_images_have_the_bits_of_the_definition);
    tcase_add_test(tests, relu_stops_gradients_where_its_output_is_zero_and_not_where_it_is_nan);
    suite_add_tcase(suite, tests);
    return suite;
}
