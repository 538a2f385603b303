#include "trainer/data/augment.h"

#include <math.h>
#include <string.h>

#include "tests/support/suite.h"
#include "trainer/base/random.h"
#include "trainer/data/dataset.h"

enum { COUNT = 20000 };

static uint8_t image[IMAGE_BYTES];
static float changed[IMAGE_BYTES];

static int32_t at(int32_t row, int32_t column, int32_t channel)
{
    return (row * IMAGE_SIDE + column) * IMAGE_CHANNELS + channel;
}

static void draw_pattern(void)
{
    for (int32_t y = 0; y < IMAGE_SIDE; y++)
        for (int32_t x = 0; x < IMAGE_SIDE; x++)
            for (int32_t c = 0; c < IMAGE_CHANNELS; c++)
                image[at(y, x, c)] = (uint8_t)(y * y * 7 + x * x * x * 3 + c * 101 + x * y * 5);
}

START_TEST(pixels_are_those_of_keras)
{
    // Keras Preprocessing 1.1.0, ImageDataGenerator.apply_transform of the pattern / 255 with
    // these tx, ty and flip_horizontal; tests/trainer/data/keras_augment.py compares whole images.
    static const int32_t places[6][3] = {{0, 0, 0},   {0, 31, 1}, {31, 0, 2},
                                         {31, 31, 0}, {13, 7, 1}, {20, 25, 2}};
    static const struct {
        Augmentation augmentation;
        float pixels[6];
    } rows[] = {
        {{0, 0, false}, {0, 0.509803951f, 0.0666666701f, 0.160784319f, 0.815686285f, 0.600000024f}},
        {{0.5f, 0, false},
         {0.0137254903f, 0.325490206f, 0.0666666701f, 0.160784319f, 0.752941191f, 0.403921574f}},
        {{0, -0.75f, false},
         {0, 0.730392158f, 0.0666666701f, 0.678431392f, 0.25686276f, 0.22647059f}},
        {{2.25f, -1.5f, true},
         {0.424019605f, 0.540196121f, 0.53725493f, 0.278431386f, 0.644607842f, 0.646568656f}},
        {{-3.125f, 3.1875f, false},
         {0.399264723f, 0.509803951f, 0.235079661f, 0.492156893f, 0.727726698f, 0.287285537f}},
        {{3.1875f, 3.1875f, true},
         {0.326470584f, 0.273728549f, 0.952941179f, 0.419117659f, 0.557307005f, 0.707061887f}},
    };
    draw_pattern();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        augment_image(image, rows[i].augmentation, changed);
        for (int32_t k = 0; k < 6; k++)
            ck_assert_float_eq_tol(changed[at(places[k][0], places[k][1], places[k][2])],
                                   rows[i].pixels[k], 1e-6f);
    }
}
END_TEST

START_TEST(a_shift_looks_further_down_and_right_and_then_is_mirrored)
{
    // One white pixel at row 10, column 20.
    memset(image, 0, sizeof image);
    image[at(10, 20, 1)] = 255;
    augment_image(image, (Augmentation){2.0f, -3.0f, false}, changed);
    ck_assert_float_eq_tol(changed[at(8, 23, 1)], 1.0f, 1e-6f);
    augment_image(image, (Augmentation){2.0f, -3.0f, true}, changed);
    ck_assert_float_eq_tol(changed[at(8, 31 - 23, 1)], 1.0f, 1e-6f);
    // A quarter of a pixel down and half a pixel to the right: shares of 3/4 and 1/4, and of 1/2
    // and 1/2.
    augment_image(image, (Augmentation){0.25f, 0.5f, false}, changed);
    ck_assert_float_eq_tol(changed[at(10, 20, 1)], 0.375f, 1e-6f);
    ck_assert_float_eq_tol(changed[at(9, 19, 1)], 0.125f, 1e-6f);
    double sum = 0.0;
    for (int32_t i = 0; i < IMAGE_BYTES; i++)
        sum += (double)changed[i];
    ck_assert_double_eq_tol(sum, 1.0, 1e-6);
}
END_TEST

START_TEST(places_outside_take_the_border)
{
    draw_pattern();
    augment_image(image, (Augmentation){-3.0f, 0.0f, false}, changed);
    for (int32_t y = 0; y <= 3; y++)
        for (int32_t i = 0; i < IMAGE_SIDE * IMAGE_CHANNELS; i++)
            ck_assert_float_eq_tol(changed[at(y, 0, i)], (float)image[i] / 255.0f, 1e-6f);
}
END_TEST

START_TEST(no_change_is_the_plain_image)
{
    static float plain[IMAGE_BYTES];
    draw_pattern();
    augment_image(image, (Augmentation){0.0f, 0.0f, false}, changed);
    plain_image(image, plain);
    ck_assert_mem_eq(plain, changed, sizeof plain);
    for (int32_t i = 0; i < 3; i++)
        ck_assert_float_eq_tol(plain[i], (float)image[i] / 255.0f, 1e-7f);
}
END_TEST

START_TEST(shifts_are_even_within_a_tenth_of_the_side_and_half_are_flipped)
{
    double rows = 0.0, columns = 0.0, squares = 0.0, product = 0.0, largest = 0.0;
    int32_t flipped = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        const Augmentation drawn = augmentation_draw(3, 1, i / 32, i % 32);
        const double row = (double)drawn.shift_rows, column = (double)drawn.shift_columns;
        rows += row, columns += column, squares += row * row, product += row * column;
        largest = fmax(largest, fmax(fabs(row), fabs(column)));
        flipped += drawn.is_flipped;
    }
    // Uniform on +-3.2: standard deviation 3.2 / sqrt(3) = 1.848, of a mean of 20,000 0.013; of
    // the square sqrt(4 / 45) * 3.2^2 / sqrt(20,000) = 0.0216. Five of each.
    ck_assert_double_eq_tol(rows / COUNT, 0.0, 0.066);
    ck_assert_double_eq_tol(columns / COUNT, 0.0, 0.066);
    ck_assert_double_eq_tol(squares / COUNT, 3.2 * 3.2 / 3.0, 0.11);
    ck_assert_double_eq_tol(product / COUNT, 0.0, 0.121); // 1.848^2 / 141 = 0.0242
    ck_assert(largest <= 3.2000001 && largest > 3.19);
    ck_assert_int_gt(flipped, COUNT / 2 - 354); // 70.7
    ck_assert_int_lt(flipped, COUNT / 2 + 354);
}
END_TEST

START_TEST(seeds_ranks_steps_and_places_draw_their_own)
{
    const Augmentation one = augmentation_draw(3, 1, 4, 5);
    const Augmentation others[] = {augmentation_draw(4, 1, 4, 5), augmentation_draw(3, 2, 4, 5),
                                   augmentation_draw(3, 1, 5, 5), augmentation_draw(3, 1, 4, 6)};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        ck_assert_float_ne(one.shift_rows, others[i].shift_rows);
    ck_assert_float_eq(augmentation_draw(3, 1, 4, 5).shift_columns, one.shift_columns);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("augment");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, pixels_are_those_of_keras);
    tcase_add_test(tests, a_shift_looks_further_down_and_right_and_then_is_mirrored);
    tcase_add_test(tests, places_outside_take_the_border);
    tcase_add_test(tests, no_change_is_the_plain_image);
    tcase_add_test(tests, shifts_are_even_within_a_tenth_of_the_side_and_half_are_flipped);
    tcase_add_test(tests, seeds_ranks_steps_and_places_draw_their_own);
    suite_add_tcase(suite, tests);
    return suite;
}
