#include "trainer/cuda/kernels/kernels.h"

#include "tests/trainer/cuda/gpu.h"
#include "trainer/compute/loss.h"
#include "trainer/compute/optimizer.h"

enum { COUNT_MAX = 300, VALUES_MAX = 1 << 15 };

typedef struct {
    float probabilities[VALUES_MAX], gradient[VALUES_MAX];
    uint16_t half_gradient[VALUES_MAX];
    CudaStep step;
} Result;

static float logits[VALUES_MAX];
static uint8_t labels[COUNT_MAX];

/* cuda_loss of `logits` and `labels`; `gradient` only if requested. */
static void compute_and_end(CudaPrecision precision, int32_t count, int32_t classes,
                            CudaStep before, bool has_gradient, const CudaRmsProp *optimizer,
                            Result *result)
{
    const int64_t values = (int64_t)count * classes, bytes = values * (int64_t)sizeof(float);
    float *gpu_logits = gpu_copy(logits, bytes), *probabilities = gpu_new(bytes);
    uint8_t *gpu_labels = gpu_copy(labels, count);
    CudaStep *step = gpu_copy(&before, sizeof before);
    void *gradient = gpu_new(bytes);
    ck_assert_int_le(values, VALUES_MAX);
    cuda_loss(NULL, precision, gpu_logits, gpu_labels, count, classes, probabilities,
              has_gradient ? gradient : NULL, optimizer, step);
    gpu_read(result->probabilities, probabilities, bytes);
    gpu_read(result->gradient, gradient, bytes);
    gpu_read(result->half_gradient, gradient, bytes / 2);
    gpu_read(&result->step, step, sizeof *step);
    gpu_free(gpu_logits);
    gpu_free(probabilities);
    gpu_free(gpu_labels);
    gpu_free(step);
    gpu_free(gradient);
}

static void compute(CudaPrecision precision, int32_t count, int32_t classes, CudaStep before,
                    bool has_gradient, Result *result)
{
    compute_and_end(precision, count, classes, before, has_gradient, NULL, result);
    ck_assert_uint_eq(result->step.step, before.step);
    ck_assert_int_eq(result->step.first, before.first);
}

static void fill(int32_t count, int32_t classes, float size)
{
    for (int64_t i = 0; i < (int64_t)count * classes; i++)
        logits[i] = size * test_value(1, i);
    for (int32_t i = 0; i < count; i++)
        labels[i] = (uint8_t)(test_word(2, i) % (uint32_t)classes);
}

static void check_gradient(const Result *result, CudaPrecision precision, int32_t count,
                           int32_t classes)
{
    static float wanted[VALUES_MAX];
    loss_gradient(result->probabilities, labels, count, classes, wanted);
    if (precision == CUDA_BF16)
        check_rounded(result->half_gradient, wanted, (int64_t)count * classes);
    else
        check_floats(result->gradient, wanted, (int64_t)count * classes);
}

/* A GPU's exp and the order of its sums may change the last bits of a double. A float then has the
 * same bits unless the double is about halfway between two floats. Everything computed from the
 * probabilities is the same as on the processor. */
static void check_loss(CudaPrecision precision, int32_t count, int32_t classes)
{
    static float wanted[VALUES_MAX];
    static Result result;
    const CudaStep before = {
        .step = 5, .first = 64, .loss_sum = 2.5, .correct = 3, .images = 7, .bad_step = -1};
    compute(precision, count, classes, before, true, &result);
    softmax(logits, count, classes, wanted);
    for (int64_t i = 0; i < (int64_t)count * classes; i++)
        if (!(fabsf(result.probabilities[i] - wanted[i]) <= 2.5e-7f * wanted[i] + 1e-44f))
            ck_abort_msg("value %d: %a, expected %a", (int)i, (double)result.probabilities[i],
                         (double)wanted[i]);
    check_gradient(&result, precision, count, classes);
    const Score score = score_of(result.probabilities, labels, count, classes);
    ck_assert_double_eq_tol(result.step.loss_sum, 2.5 + score.loss_sum, 1e-13 * score.loss_sum);
    ck_assert_int_eq(result.step.correct, 3 + score.correct);
    ck_assert_int_eq(result.step.images, 7 + count);
    ck_assert_int_eq(result.step.blocks_done, 0);
    ck_assert_int_eq(result.step.bad_step, -1);
    ck_assert_uint_eq(result.step.step, 5);
    ck_assert_int_eq(result.step.first, 64);
}

START_TEST(probabilities_gradient_and_score_are_the_processors)
{
    static const struct {
        int32_t count, classes;
    } shapes[] = {{1, 10}, {7, 10}, {8, 10}, {9, 10}, {32, 10},  {300, 10}, {5, 1},
                  {6, 2},  {9, 16}, {9, 17}, {3, 33}, {17, 100}, {11, 256}};
    static const CudaPrecision precisions[] = {CUDA_FP32, CUDA_BF16, CUDA_TF32};
    gpu_set_order(_i);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (size_t k = 0; k < sizeof precisions / sizeof precisions[0]; k++)
            for (int32_t size = 1; size < 200; size *= 5) { // 125: most losses are clipped
                fill(shapes[i].count, shapes[i].classes, (float)size);
                check_loss(precisions[k], shapes[i].count, shapes[i].classes);
            }
}
END_TEST

START_TEST(the_score_is_the_same_bits_each_time)
{
    static Result results[GPU_ORDERS];
    fill(COUNT_MAX, 10, 4.0f);
    for (int32_t i = 0; i < GPU_ORDERS; i++) {
        gpu_set_order(i);
        compute(CUDA_FP32, COUNT_MAX, 10, (CudaStep){.bad_step = -1}, true, &results[i]);
        ck_assert_mem_eq(&results[i], &results[0], sizeof results[0]);
    }
}
END_TEST

START_TEST(without_a_gradient_array_no_gradient_is_written)
{
    static Result result;
    fill(20, 10, 1.0f);
    compute(CUDA_FP32, 20, 10, (CudaStep){.bad_step = -1}, false, &result);
    for (int32_t i = 0; i < 200; i++)
        ck_assert_uint_eq(float_bits(result.gradient[i]), 0xffffffff);
    ck_assert_int_eq(result.step.images, 20);
}
END_TEST

START_TEST(the_first_of_equally_likely_classes_counts)
{
    static Result result;
    gpu_set_order(_i);
    memset(logits, 0, sizeof logits);
    logits[20] = logits[38] = 3.0f; // classes 0 and 18 of the second image; there are 20 classes
    labels[0] = 0;
    labels[1] = 0;
    compute(CUDA_FP32, 2, 20, (CudaStep){.bad_step = -1}, true, &result);
    ck_assert_int_eq(result.step.correct, 2);
    labels[0] = 1;
    labels[1] = 18;
    compute(CUDA_FP32, 2, 20, (CudaStep){.bad_step = -1}, true, &result);
    ck_assert_int_eq(result.step.correct, 0);
}
END_TEST

START_TEST(nan_and_infinity_reach_probabilities_gradient_and_sum)
{
    static const float bad[] = {NAN, INFINITY};
    static Result result;
    gpu_set_order(_i);
    for (int32_t place = 0; place < 10; place++)
        for (int32_t k = 0; k < 4; k++) {
            const CudaPrecision precision = k & 1 ? CUDA_BF16 : CUDA_FP32;
            fill(12, 10, 1.0f);
            logits[30 + place] = bad[k / 2];
            labels[3] = (uint8_t)(k == 0 ? 0 : 4);
            compute(precision, 12, 10, (CudaStep){.bad_step = -1}, true, &result);
            for (int32_t c = 0; c < 10; c++)
                ck_assert(isnan(result.probabilities[30 + c]));
            ck_assert(!isnan(result.probabilities[29]) && !isnan(result.probabilities[40]));
            check_gradient(&result, precision, 12, 10);
            ck_assert(isnan(result.step.loss_sum));
            ck_assert_int_eq(result.step.correct,
                             score_of(result.probabilities, labels, 12, 10).correct);
        }
}
END_TEST

static Result ended;
static const CudaRmsProp on_gpu = {.learning_rate = 8e-4, .decay = 1e-6};

START_TEST(the_rate_of_a_step_is_the_optimizers)
{
    const RmsProp optimizer = {.learning_rate = 8e-4, .rho = 0.9, .decay = 1e-6, .epsilon = 1e-7};
    static const uint64_t steps[] = {0, 1, 2, 3, 1563, 20319, 156300, 1u << 31, 1ull << 40};
    fill(32, 10, 1.0f);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const CudaStep before = {.step = steps[i], .first = 7, .bad_step = -1};
        compute_and_end(CUDA_FP32, 32, 10, before, true, &on_gpu, &ended);
        ck_assert_uint_eq(float_bits(ended.step.rate),
                          float_bits(rmsprop_rate(&optimizer, (int64_t)steps[i])));
        ck_assert_uint_eq(ended.step.step, steps[i] + 1);
        ck_assert_int_eq(ended.step.first, 7 + 32);
        ck_assert_uint_eq(ended.step.blocks_done, 0);
    }
}
END_TEST

/* Image 5 has a loss that is not finite, or none has. */
START_TEST(after_a_step_comes_the_next_and_the_first_bad_one_is_kept)
{
    static const struct {
        float logit;
        int64_t bad_step, wanted;
    } rows[] = {{1.5f, -1, -1}, {NAN, -1, 41}, {INFINITY, -1, 41}, {NAN, 7, 7}, {1.5f, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const CudaStep before = {.step = 41, .first = 320, .bad_step = rows[i].bad_step};
        fill(9, 10, 1.0f);
        logits[5 * 10 + 3] = rows[i].logit;
        compute_and_end(CUDA_FP32, 9, 10, before, true, &on_gpu, &ended);
        ck_assert_uint_eq(ended.step.step, 42);
        ck_assert_int_eq(ended.step.first, 329);
        ck_assert_int_eq(ended.step.bad_step, rows[i].wanted);
        ck_assert_int_eq(ended.step.images, rows[i].bad_step < 0 ? 9 : 0);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cuda_loss");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, probabilities_gradient_and_score_are_the_processors, 0, GPU_ORDERS);
    tcase_add_test(tests, the_score_is_the_same_bits_each_time);
    tcase_add_test(tests, without_a_gradient_array_no_gradient_is_written);
    tcase_add_loop_test(tests, the_first_of_equally_likely_classes_counts, 0, GPU_ORDERS);
    tcase_add_loop_test(tests, nan_and_infinity_reach_probabilities_gradient_and_sum, 0,
                        GPU_ORDERS);
    tcase_add_test(tests, the_rate_of_a_step_is_the_optimizers);
    tcase_add_test(tests, after_a_step_comes_the_next_and_the_first_bad_one_is_kept);
    suite_add_tcase(suite, tests);
    return suite;
}
