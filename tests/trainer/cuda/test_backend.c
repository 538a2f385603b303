/* Compares the cuda backend with ref: layer by layer, and after 20 steps. Networks are slim if the
 * GPU is emulated, because that is slow. */
#include <math.h>

#include "tests/trainer/cuda/models.h"

enum { DIVISOR = GPU_IS_EMULATED ? 4 : 1 };

/* For layers and tensors: see tests/trainer/compute/test_backends.c. Measured with slim networks:
 * in tf32 9.8e-4, 1.2e-5 and 0.042, in bf16 2.3e-5 for losses and 0.09 for gradients. */
typedef struct {
    double output, loss, gradients;
} Tolerance;

static const Tolerance tolerances[PRECISION_COUNT] = {
    [PRECISION_FP32] = {.output = 1e-5, .loss = 1e-6, .gradients = 1e-4},
    [PRECISION_TF32] = {.output = 3e-3, .loss = 1e-4, .gradients = 0.1},
    [PRECISION_BF16] = {.output = 0.025, .loss = 0.005, .gradients = 0.4},
};

static void compare_outputs(const Trained *trained, const Trained *ref, int32_t images,
                            double tolerance)
{
    const Net *net = trained->net;
    int32_t compared = 0;
    for (int32_t i = 0; i < net->layer_count; i++) {
        const int64_t count = images * net_size(net->layers[i].out);
        float *out = arena_alloc(arena, (size_t)count * sizeof *out);
        float *expected = arena_alloc(arena, (size_t)count * sizeof *expected);
        if (!cuda->layer_output(trained->model, i, out))
            continue;
        ck_assert(backend_ref.layer_output(ref->model, i, expected));
        within("outputs of", net->layers[i].name, largest_difference(out, expected, count),
               tolerance);
        compared++;
    }
    ck_assert_int_ge(compared,
                     6); // of eleven: a product is merged with its sieve, a pool with its dropout
}

static void compare_gradients(const Trained *trained, const Trained *ref, double tolerance)
{
    const float *gradients = trained_arena(trained, ARENA_GRADIENTS);
    const float *expected = trained_arena(ref, ARENA_GRADIENTS);
    for (int32_t i = 0; i < trained->net->layer_count; i++) {
        const NetLayer *layer = &trained->net->layers[i];
        if (layer->kernel_count == 0)
            continue;
        within("gradients of the kernel of", layer->name,
               relative_distance(gradients + layer->kernel_at, expected + layer->kernel_at,
                                 layer->kernel_count),
               tolerance);
        within("gradients of the bias of", layer->name,
               relative_distance(gradients + layer->bias_at, expected + layer->bias_at,
                                 layer->bias_count),
               tolerance);
    }
}

static void compare_a_step(const Net *net, int32_t images, int32_t batch_max, Precision precision)
{
    const Tolerance tolerance = tolerances[precision];
    const ImageSet set = make_images(arena, 21, images);
    const Trained ref = open_ref(net, batch_max);
    Trained trained = open_cuda(net, batch_max, precision);
    for (int32_t is_training = 1; is_training >= 0; is_training--) {
        trained_load(&ref, &set, 0, images, 7, is_training);
        trained_load(&trained, &set, 0, images, 7, is_training);
        const Score expected = trained_forward(&ref, is_training);
        const Score score = trained_forward(&trained, is_training);
        within("losses", "", fabs(score.loss_sum / expected.loss_sum - 1.0), tolerance.loss);
        ck_assert_int_eq(score.images, images);
        compare_outputs(&trained, &ref, images, tolerance.output);
        const float *probabilities = cuda->probabilities(trained.model);
        const Score again = score_of(probabilities, set.labels, images, net->class_count);
        ck_assert_double_eq_tol(score.loss_sum, again.loss_sum, 1e-6 * again.loss_sum);
        ck_assert_int_eq(score.correct, again.correct);
        if (!is_training)
            break;
        trained_backward(&ref);
        trained_backward(&trained);
        compare_gradients(&trained, &ref, tolerance.gradients);
    }
    trained_close(&trained);
    backend_ref.close(ref.model);
}

START_TEST(a_step_is_that_of_ref)
{
    const Net net = slim_net("keras_cifar10_cnn", DIVISOR);
    compare_a_step(&net, 5, 5, PRECISION_FP32);
}
END_TEST

START_TEST(a_single_image_in_a_larger_model_is_that_of_ref)
{
    const Net net = slim_net("keras_cifar10_cnn", DIVISOR);
    compare_a_step(&net, 1, 6, PRECISION_FP32);
}
END_TEST

START_TEST(a_step_of_a_network_with_odd_widths_is_that_of_ref)
{
    const Net net = slim_net("keras_cifar10_cnn", 6); // 5 and 10 filters, 85 units
    compare_a_step(&net, 3, 3, PRECISION_FP32);
}
END_TEST

START_TEST(a_step_of_a_deeper_network_is_that_of_ref)
{
    const Net net = slim_net("keras_cifar10_cnn_deep", DIVISOR);
    compare_a_step(&net, 2, 3, PRECISION_FP32);
}
END_TEST

START_TEST(a_step_in_tf32_and_bf16_is_close_to_ref)
{
    const Net net = slim_net("keras_cifar10_cnn", DIVISOR);
    compare_a_step(&net, 4, 4, PRECISION_TF32);
    compare_a_step(&net, 4, 4, PRECISION_BF16);
}
END_TEST

START_TEST(dropout_drops_the_same_values_as_ref)
{
    const Net net = slim_net("keras_cifar10_cnn", DIVISOR);
    const ImageSet set = make_images(arena, 5, 4);
    Trained ref = open_ref(&net, 4), trained = open_cuda(&net, 4, PRECISION_FP32);
    trained_load(&ref, &set, 0, 4, 123456789, true);
    trained_load(&trained, &set, 0, 4, 123456789, true);
    trained_forward(&ref, true);
    trained_forward(&trained, true);
    int32_t dropped = 0;
    for (int32_t i = 0; i < net.layer_count; i++) {
        const int64_t count = 4 * net_size(net.layers[i].out);
        float *out = arena_alloc(arena, (size_t)count * sizeof *out);
        float *expected = arena_alloc(arena, (size_t)count * sizeof *expected);
        if (net.layers[i].kind != NET_DROPOUT)
            continue;
        ck_assert(cuda->layer_output(trained.model, i, out));
        ck_assert(backend_ref.layer_output(ref.model, i, expected));
        for (int64_t k = 0; k < count; k++) {
            ck_assert_int_eq(out[k] == 0.0f, expected[k] == 0.0f);
            dropped += out[k] == 0.0f;
        }
    }
    ck_assert_int_gt(dropped, 100);
    trained_close(&ref);
    trained_close(&trained);
}
END_TEST

START_TEST(twenty_steps_lead_where_ref_goes)
{
    enum { STEPS = 20, IMAGES = 2 };
    const Net net = slim_net("keras_cifar10_cnn", DIVISOR);
    const ImageSet set = make_images(arena, 22, 4 * IMAGES);
    Trained ref = open_ref(&net, IMAGES), trained = open_cuda(&net, IMAGES, PRECISION_FP32);
    const size_t bytes = (size_t)net.parameter_count * sizeof(float);
    float *start = memcpy(arena_alloc(arena, bytes), trained_arena(&ref, ARENA_WEIGHTS), bytes);
    for (int32_t step = 0; step < STEPS; step++) {
        const int32_t count = step < STEPS - 1 ? IMAGES : IMAGES / 2;
        const Score expected = trained_step(&ref, &set, step % 4 * IMAGES, count, (uint64_t)step);
        const Score score = trained_step(&trained, &set, step % 4 * IMAGES, count, (uint64_t)step);
        within("losses", "", fabs(score.loss_sum / expected.loss_sum - 1.0), 5e-3);
    }
    float *expected = trained_arena(&ref, ARENA_WEIGHTS);
    float *weights = trained_arena(&trained, ARENA_WEIGHTS);
    for (int64_t i = 0; i < net.parameter_count; i++) {
        expected[i] -= start[i];
        weights[i] -= start[i];
    }
    within("ways", "", relative_distance(weights, expected, net.parameter_count), 0.15);
    trained_close(&ref);
    trained_close(&trained);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("backend_cuda");
    TCase *tests;
    tests = add_case(suite, "against ref");
    tcase_add_test(tests, a_step_is_that_of_ref);
    tcase_add_test(tests, a_single_image_in_a_larger_model_is_that_of_ref);
    tcase_add_test(tests, a_step_of_a_network_with_odd_widths_is_that_of_ref);
    tcase_add_test(tests, a_step_of_a_deeper_network_is_that_of_ref);
    tcase_add_test(tests, a_step_in_tf32_and_bf16_is_close_to_ref);
    tcase_add_test(tests, dropout_drops_the_same_values_as_ref);
    tcase_add_test(tests, twenty_steps_lead_where_ref_goes);
    return suite;
}
