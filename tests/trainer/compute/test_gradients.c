/* Backward of `ref` against the definition of a derivative. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/small_training.h"
#include "tests/support/suite.h"
#include "trainer/run/backends.h"

/* Central differences of the mean loss, which ref computes in double. Weights are floats, so a step
 * is rounded to the nearest float, and the real step is the divisor. Steps must be short: with
 * thousands of ReLUs and pools, one of them would switch within a long step. At 2^-17 the loss's
 * rounding (1e-15) still leaves nine digits of a derivative of 0.1. */
static const double step_long = 1.0 / 131072, step_short = 1.0 / 262144;

static double difference(const Trained *ref, int32_t images, float *weight, double step)
{
    const float here = *weight;
    const float above = (float)((double)here + step), below = (float)((double)here - step);
    *weight = above;
    const double loss_above = trained_forward(ref, true).loss_sum / images;
    *weight = below;
    const double loss_below = trained_forward(ref, true).loss_sum / images;
    *weight = here;
    return (loss_above - loss_below) / ((double)above - (double)below);
}

typedef struct {
    int32_t images;
    int32_t samples; /* weights of each tensor to check whose derivative is not zero */
    double tolerance;
} Check;

static double largest_of(const float *values, int64_t count)
{
    double largest = 0.0;
    for (int64_t i = 0; i < count; i++) {
        const double size = fabs((double)values[i]);
        if (!isfinite(size))
            return INFINITY;
        if (size > largest)
            largest = size;
    }
    return largest;
}

/* Errors are relative to the derivative, but at least to a hundredth of the tensor's largest one:
 * small derivatives are sums of larger terms that cancel, and have their rounding. If there is a
 * kink within the step, the long and the short step disagree independently of backward. Such a
 * weight proves nothing and is replaced by another. */
static void check_tensor(const Trained *ref, Check check, const char *name, int64_t at,
                         int64_t count, const float *gradients)
{
    const double floor = 0.01 * largest_of(gradients + at, count);
    int32_t checked = 0;
    ck_assert_msg(floor > 0.0, "%s: all derivatives are zero", name);
    for (int32_t tried = 0; checked < check.samples && tried < 100 * check.samples; tried++) {
        // The stride has no common divisor with any count, so that the samples are spread.
        const int64_t place = at + (int64_t)tried * 7919 % count;
        float *weight = &trained_arena(ref, ARENA_WEIGHTS)[place];
        const double expected = (double)gradients[place];
        if (expected == 0.0 && tried >= check.samples)
            continue; // after a ReLU or a dropout: zero is right, but proves little
        const double scale = fmax(fabs(expected), floor);
        const double far = difference(ref, check.images, weight, step_long);
        const double near = difference(ref, check.images, weight, step_short);
        if (fabs(far - near) > 0.5 * check.tolerance * scale)
            continue;
        checked += expected != 0.0;
        ck_assert_msg(fabs(far - expected) < check.tolerance * scale,
                      "%s[%ld]: backward has %.9g, differences have %.9g and %.9g", name,
                      (long)(place - at), expected, far, near);
    }
    const int64_t possible = count < check.samples ? count : check.samples;
    ck_assert_msg(checked >= (possible + 1) / 2, "%s: only %d weights away from kinks", name,
                  checked);
}

static void check_net(const Net *net, Check check)
{
    Arena *arena = arena_create();
    const ImageSet set = make_images(arena, 5, check.images);
    const BackendSettings settings = {
        .net = net, .batch_max = check.images, .threads = 1, .seed = 3};
    Trained ref = trained_open(&backend_ref, &settings);
    trained_load(&ref, &set, 0, check.images, 12, true);
    trained_forward(&ref, true);
    trained_backward(&ref);
    const float *gradients = trained_arena(&ref, ARENA_GRADIENTS);
    for (int32_t i = 0; i < net->layer_count; i++) {
        const NetLayer *layer = &net->layers[i];
        if (layer->kernel_count == 0)
            continue;
        check_tensor(&ref, check, layer->name, layer->kernel_at, layer->kernel_count, gradients);
        check_tensor(&ref, check, layer->name, layer->bias_at, layer->bias_count, gradients);
    }
    trained_close(&ref);
    arena_destroy(arena);
}

START_TEST(backward_is_the_derivative_of_the_loss_in_all_kinds_of_layers)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    check_net(&net, (Check){.images = 2, .samples = 8, .tolerance = 1e-6});
}
END_TEST

START_TEST(backward_is_the_derivative_in_a_deeper_network)
{
    const Net net = slim_net("keras_cifar10_cnn_deep", 8);
    check_net(&net, (Check){.images = 2, .samples = 6, .tolerance = 1e-6});
}
END_TEST

START_TEST(backward_is_the_derivative_in_the_tutorials_network_at_full_size)
{
    const Net net = slim_net("keras_cifar10_cnn", 1);
    check_net(&net, (Check){.images = 1, .samples = 2, .tolerance = 1e-6});
}
END_TEST

START_TEST(the_first_of_equal_values_in_a_pool_gets_the_derivative)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const NetLayer *first = &net.layers[0], *second = &net.layers[1];
    const BackendSettings settings = {.net = &net, .batch_max = 1, .threads = 1, .seed = 3};
    Trained ref = trained_open(&backend_ref, &settings);
    // White pixels where row and column are even, passed on by one filter of the first layer ...
    uint8_t image[IMAGE_BYTES] = {0}, label = 1;
    for (int32_t y = 0; y < IMAGE_SIDE; y += 2)
        for (int32_t x = 0; x < IMAGE_SIDE; x += 2)
            image[(y * IMAGE_SIDE + x) * IMAGE_CHANNELS] = 255;
    float *weights = trained_arena(&ref, ARENA_WEIGHTS);
    memset(weights, 0, (size_t)(second->bias_at + second->bias_count) * sizeof *weights);
    weights[first->kernel_at + (int64_t)4 * first->in.channels * first->out.channels] = 1.0f;
    // ... and a second layer whose outputs are equal everywhere. The pools therefore take places
    // with even row and column, at which taps in even places see white and all others see black.
    for (int64_t i = 0; i < second->bias_count; i++)
        weights[second->bias_at + i] = 0.1f;
    trained_load(&ref, &(ImageSet){1, image, &label}, 0, 1, 0, false);
    trained_forward(&ref, true);
    trained_backward(&ref);
    const float *gradients = trained_arena(&ref, ARENA_GRADIENTS) + second->kernel_at;
    const int64_t tap_size = (int64_t)second->in.channels * second->out.channels;
    for (int32_t tap = 0; tap < 9; tap++) {
        bool is_even = tap / 3 % 2 == 0 && tap % 3 % 2 == 0;
        ck_assert_int_eq(largest_of(gradients + tap * tap_size, tap_size) > 0.0, is_even);
    }
    trained_close(&ref);
}
END_TEST

START_TEST(an_image_whose_loss_is_clipped_moves_nothing)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    Arena *arena = arena_create();
    const ImageSet set = make_images(arena, 5, 1);
    const BackendSettings settings = {.net = &net, .batch_max = 1, .threads = 1, .seed = 3};
    Trained ref = trained_open(&backend_ref, &settings);
    const NetLayer *last = &net.layers[net.layer_count - 1];
    // A logit that is 30 below the others gives a probability of about 1e-14.
    trained_arena(&ref, ARENA_WEIGHTS)[last->bias_at + set.labels[0]] = -30.0f;
    trained_load(&ref, &set, 0, 1, 0, false);
    ck_assert_double_eq_tol(trained_forward(&ref, true).loss_sum, -log(1e-7), 1e-12);
    trained_backward(&ref);
    ck_assert_double_eq(largest_of(trained_arena(&ref, ARENA_GRADIENTS), net.parameter_count), 0.0);
    trained_close(&ref);
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("gradients");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, backward_is_the_derivative_of_the_loss_in_all_kinds_of_layers);
    tcase_add_test(tests, backward_is_the_derivative_in_a_deeper_network);
    tcase_add_test(tests, backward_is_the_derivative_in_the_tutorials_network_at_full_size);
    tcase_add_test(tests, the_first_of_equal_values_in_a_pool_gets_the_derivative);
    tcase_add_test(tests, an_image_whose_loss_is_clipped_moves_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
