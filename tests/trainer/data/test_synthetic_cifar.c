#include "trainer/data/synthetic_cifar.h"

#include <string.h>

#include "tests/support/suite.h"

static Arena *arena;
static const SyntheticCifar *set;

static void setup(void)
{
    arena = arena_create();
    set = synthetic_cifar_create(arena, 1);
}

static void teardown(void)
{
    arena_destroy(arena);
}

START_TEST(an_image_is_the_same_whatever_was_made_before_it)
{
    enum { COUNT = 12 };
    static uint8_t forward[COUNT][IMAGE_BYTES], backward[COUNT][IMAGE_BYTES];
    for (int i = 0; i < COUNT; i++)
        synthetic_cifar_image(set, SYNTHETIC_TRAIN, i * 4001, forward[i]);
    const SyntheticCifar *again = synthetic_cifar_create(arena, 1);
    for (int i = COUNT - 1; i >= 0; i--)
        synthetic_cifar_image(again, SYNTHETIC_TRAIN, i * 4001, backward[i]);
    ck_assert_mem_eq(forward, backward, sizeof forward);
}
END_TEST

START_TEST(no_two_images_are_alike)
{
    enum { COUNT = 40 };
    static uint8_t images[COUNT][IMAGE_BYTES];
    for (int i = 0; i < COUNT / 2; i++) {
        synthetic_cifar_image(set, SYNTHETIC_TRAIN, i, images[2 * i]);
        synthetic_cifar_image(set, SYNTHETIC_TEST, i, images[2 * i + 1]);
    }
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < i; j++)
            ck_assert_msg(memcmp(images[i], images[j], IMAGE_BYTES) != 0, "%d %d", i, j);
    }
}
END_TEST

START_TEST(seeds_give_other_images_and_labels)
{
    const SyntheticCifar *other = synthetic_cifar_create(arena, 2);
    static uint8_t a[IMAGE_BYTES], b[IMAGE_BYTES];
    int differing = 0;
    for (int i = 0; i < 100; i++)
        differing += synthetic_cifar_label(set, SYNTHETIC_TEST, i) !=
                     synthetic_cifar_label(other, SYNTHETIC_TEST, i);
    ck_assert_int_gt(differing, 50);
    synthetic_cifar_image(set, SYNTHETIC_TEST, 0, a);
    synthetic_cifar_image(other, SYNTHETIC_TEST, 0, b);
    ck_assert(memcmp(a, b, IMAGE_BYTES) != 0);
}
END_TEST

START_TEST(labels_are_uniform)
{
    // 50,000 labels in 10 classes: 5000 each, deviation sqrt(50000 * .1 * .9) = 67; 4.5 of those.
    int counts[CLASS_COUNT] = {0};
    for (int i = 0; i < 50000; i++)
        counts[synthetic_cifar_label(set, SYNTHETIC_TRAIN, i)]++;
    for (int i = 0; i < CLASS_COUNT; i++)
        ck_assert_msg(counts[i] > 4700 && counts[i] < 5300, "class %d: %d", i, counts[i]);
}
END_TEST

START_TEST(colours_spread_as_the_recipe_was_measured)
{
    // All 50,000 images: means .471 .475 .463, deviations .286 .277 .257. The mean of one image
    // deviates by about .2, that of 300 images by .012. Four standard deviations are allowed.
    enum { COUNT = 300, PLANE = 1024 };
    static const double means[] = {.471, .475, .463};
    static const double deviations[] = {.286, .277, .257};
    double sum[3] = {0}, squares[3] = {0};
    for (int i = 0; i < COUNT; i++) {
        uint8_t planes[IMAGE_BYTES];
        synthetic_cifar_image(set, SYNTHETIC_TRAIN, i, planes);
        for (int j = 0; j < IMAGE_BYTES; j++) {
            const double value = planes[j] / 255.0;
            sum[j / PLANE] += value;
            squares[j / PLANE] += value * value;
        }
    }
    for (int k = 0; k < 3; k++) {
        const double mean = sum[k] / (COUNT * PLANE);
        const double variance = squares[k] / (COUNT * PLANE) - mean * mean;
        ck_assert_double_eq_tol(mean, means[k], .05);
        ck_assert_double_eq_tol(variance, deviations[k] * deviations[k], .02);
    }
}
END_TEST

START_TEST(the_subject_is_in_the_middle)
{
    // The pixels at one place vary over images because of the object there, and so do the pixels of
    // one image between middle and corner. They would be nearly equal in a set without objects.
    enum { COUNT = 300 };
    double differences = 0, corners = 0;
    for (int i = 0; i < COUNT; i++) {
        uint8_t planes[IMAGE_BYTES];
        synthetic_cifar_image(set, SYNTHETIC_TRAIN, i, planes);
        const double middle = planes[16 * 32 + 16] / 255.0;
        const double left = planes[1 * 32 + 1] / 255.0;
        const double right = planes[1 * 32 + 30] / 255.0;
        differences += (middle - left) * (middle - left);
        corners += (right - left) * (right - left);
    }
    ck_assert_double_gt(differences, 1.5 * corners);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("synthetic_cifar");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, an_image_is_the_same_whatever_was_made_before_it);
    tcase_add_test(tests, no_two_images_are_alike);
    tcase_add_test(tests, seeds_give_other_images_and_labels);
    tcase_add_test(tests, labels_are_uniform);
    tcase_add_test(tests, colours_spread_as_the_recipe_was_measured);
    tcase_add_test(tests, the_subject_is_in_the_middle);
    suite_add_tcase(suite, tests);
    return suite;
}
