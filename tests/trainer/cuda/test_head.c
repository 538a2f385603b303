/* The last layer with the loss, compared with loops and with the processor's loss. */
#include "tests/trainer/cuda/gpu.h"
#include "trainer/compute/loss.h"
#include "trainer/compute/optimizer.h"
#include "trainer/cuda/kernels/kernels.h"

enum { COUNT_MAX = 37, CHANNELS_MAX = 512, CLASSES_MAX = 16 };
enum { INS_MAX = COUNT_MAX * CHANNELS_MAX, OUTS_MAX = COUNT_MAX * CLASSES_MAX };

typedef enum { NOTHING, RELU, DROPOUT } Before;

typedef struct {
    int32_t count, channels, classes;
    Before before;
} HeadShape;

static const HeadShape shapes[] = {
    {32, 512, 10, DROPOUT}, {1, 1, 1, NOTHING},    {5, 33, 2, RELU},     {4, 64, 16, DROPOUT},
    {37, 20, 10, RELU},     {3, 480, 16, NOTHING}, {9, 129, 3, DROPOUT},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static float in[INS_MAX], kernel[CHANNELS_MAX * CLASSES_MAX], bias[CLASSES_MAX];
static uint8_t labels[COUNT_MAX], places[INS_MAX];

static bool is_bf16(CudaPrecision precision)
{
    return precision == CUDA_BF16;
}

static float in_type(CudaPrecision precision, float value)
{
    return is_bf16(precision) ? widened(nearest_bf16(value)) : value;
}

static void fill(const HeadShape *shape, CudaPrecision precision)
{
    const int32_t ins = shape->count * shape->channels;
    for (int32_t i = 0; i < ins; i++) {
        const float value = in_type(precision, test_value(1, i));
        in[i] = shape->before == RELU && value < 0.0f ? 0.0f : value;
        places[i] = test_word(5, i) % 3 == 0 ? 255 : 0;
    }
    for (int32_t i = 0; i < shape->channels * shape->classes; i++)
        kernel[i] = in_type(precision, test_value(2, i));
    for (int32_t i = 0; i < shape->classes; i++)
        bias[i] = test_value(3, i);
    for (int32_t i = 0; i < shape->count; i++)
        labels[i] = (uint8_t)(test_word(4, i) % (uint32_t)shape->classes);
}

static void *upload(CudaPrecision precision, const float *values, int64_t count)
{
    static uint16_t halves[INS_MAX];
    for (int64_t i = 0; i < count; i++)
        halves[i] = nearest_bf16(values[i]);
    return is_bf16(precision) ? gpu_copy(halves, 2 * count) : gpu_copy(values, 4 * count);
}

static void download(CudaPrecision precision, const void *memory, int64_t count, float *values)
{
    static uint16_t halves[INS_MAX];
    if (!is_bf16(precision)) {
        gpu_read(values, memory, 4 * count);
        return;
    }
    gpu_read(halves, memory, 2 * count);
    for (int64_t i = 0; i < count; i++)
        values[i] = widened(halves[i]);
}

typedef struct {
    float logits[OUTS_MAX], probabilities[OUTS_MAX], gradient[OUTS_MAX], in_gradient[INS_MAX];
    CudaStep step;
} HeadResult;

static HeadResult result;

static void run_head(const HeadShape *shape, CudaPrecision precision, bool is_training,
                     const CudaSieve *sieve)
{
    const int64_t ins = shape->count * shape->channels, outs = shape->count * shape->classes;
    const CudaStep before = {.step = 41, .first = 320, .bad_step = -1};
    const CudaRmsProp optimizer = {.learning_rate = 8e-4, .decay = 1e-6};
    CudaStep *step = gpu_copy(&before, sizeof before);
    void *const values = upload(precision, in, ins);
    const CudaHead head = {.count = shape->count,
                           .channels = shape->channels,
                           .classes = shape->classes,
                           .in = values,
                           .kernel = upload(precision, kernel, shape->channels * shape->classes),
                           .bias = gpu_copy(bias, shape->classes * (int64_t)sizeof *bias),
                           .labels = gpu_copy(labels, shape->count),
                           .logits = gpu_new(outs * 4),
                           .probabilities = gpu_new(outs * 4),
                           .gradient = is_training ? gpu_new(outs * 4) : NULL,
                           .in_gradient = is_training ? gpu_new(ins * 4) : NULL,
                           .places = shape->before == DROPOUT ? gpu_copy(places, ins) : NULL,
                           .relu_out = shape->before == RELU ? values : NULL};
    cuda_head(NULL, precision, &head, sieve, &optimizer, step);
    gpu_read(result.logits, head.logits, outs * 4);
    gpu_read(result.probabilities, head.probabilities, outs * 4);
    gpu_read(&result.step, step, sizeof *step);
    if (is_training) {
        download(precision, head.gradient, outs, result.gradient);
        download(precision, head.in_gradient, ins, result.in_gradient);
    }
    void *const all[] = {values,
                         (void *)(uintptr_t)head.kernel,
                         (void *)(uintptr_t)head.bias,
                         (void *)(uintptr_t)head.labels,
                         head.logits,
                         head.probabilities,
                         head.gradient,
                         head.in_gradient,
                         step,
                         (void *)(uintptr_t)head.places};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        gpu_free(all[i]);
}

/* As `check` of product_cases.h: each of `terms` additions rounds, and a result in bf16 once or,
 * after a dropout's scale, twice. */
static void check_sum(const char *what, int64_t i, float got, double wanted, double magnitude,
                      int32_t terms, double rounding)
{
    const double allowed = terms * 0x1p-24 * magnitude;
    if (!(fabs((double)got - wanted) <= allowed + rounding * (fabs(wanted) + allowed)))
        ck_abort_msg("%s[%lld] is %.9g, not %.9g", what, (long long)i, (double)got, wanted);
}

static void check_logits(const HeadShape *shape)
{
    for (int32_t image = 0; image < shape->count; image++)
        for (int32_t k = 0; k < shape->classes; k++) {
            double sum = (double)bias[k], magnitude = fabs(sum);
            for (int32_t c = 0; c < shape->channels; c++) {
                const double term = (double)in[image * shape->channels + c] *
                                    (double)kernel[c * shape->classes + k];
                sum += term;
                magnitude += fabs(term);
            }
            const int64_t at = image * shape->classes + k;
            check_sum("logits", at, result.logits[at], sum, magnitude, shape->channels + 1, 0.0);
        }
}

static void check_loss(const HeadShape *shape, CudaPrecision precision, bool is_training)
{
    static float wanted[OUTS_MAX];
    const int64_t outs = shape->count * shape->classes;
    softmax(result.logits, shape->count, shape->classes, wanted);
    for (int64_t i = 0; i < outs; i++) // a GPU's exp may round otherwise
        ck_assert_float_eq_tol(result.probabilities[i], wanted[i], 3e-7f * wanted[i] + 1e-37f);
    const Score score = score_of(result.probabilities, labels, shape->count, shape->classes);
    ck_assert_int_eq(result.step.correct, score.correct);
    ck_assert_int_eq(result.step.images, shape->count);
    ck_assert_double_eq_tol(result.step.loss_sum, score.loss_sum, 1e-12 * score.loss_sum);
    if (!is_training)
        return;
    loss_gradient(result.probabilities, labels, shape->count, shape->classes, wanted);
    for (int64_t i = 0; i < outs; i++)
        wanted[i] = in_type(precision, wanted[i]);
    check_floats(result.gradient, wanted, outs);
}

static void check_in_gradient(const HeadShape *shape, CudaPrecision precision, double scale)
{
    const double rounding = !is_bf16(precision) ? 0x1p-23 : 0x1p-7;
    for (int32_t image = 0; image < shape->count; image++)
        for (int32_t c = 0; c < shape->channels; c++) {
            const int64_t at = image * shape->channels + c;
            const bool is_stopped = (shape->before == DROPOUT && places[at] != 0) ||
                                    (shape->before == RELU && in[at] == 0.0f);
            double sum = 0.0, magnitude = 0.0;
            for (int32_t k = 0; k < shape->classes; k++) {
                const double term = scale * (double)result.gradient[image * shape->classes + k] *
                                    (double)kernel[c * shape->classes + k];
                sum += term;
                magnitude += fabs(term);
            }
            if (is_stopped)
                ck_assert_float_eq(result.in_gradient[at], 0.0f);
            else
                check_sum("in_gradient", at, result.in_gradient[at], sum, magnitude, shape->classes,
                          rounding);
        }
}

START_TEST(the_last_layer_and_the_loss_are_those_of_loops)
{
    const HeadShape *shape = &shapes[_i];
    const RmsProp optimizer = {.learning_rate = 8e-4, .rho = 0.9, .decay = 1e-6, .epsilon = 1e-7};
    const CudaSieve dropout = {.side = 1, .dropped_of_256 = 128};
    const CudaSieve *sieve = shape->before == DROPOUT ? &dropout : NULL;
    for (CudaPrecision precision = CUDA_FP32; precision <= CUDA_TF32; precision++)
        for (int32_t is_training = 0; is_training < 2; is_training++) {
            gpu_set_order((_i + is_training) % GPU_ORDERS);
            fill(shape, precision);
            run_head(shape, precision, is_training, sieve);
            check_logits(shape);
            check_loss(shape, precision, is_training);
            if (is_training)
                check_in_gradient(shape, precision, sieve ? 2.0 : 1.0);
            ck_assert_uint_eq(result.step.step, 42);
            ck_assert_int_eq(result.step.first, 320 + shape->count);
            ck_assert_uint_eq(float_bits(result.step.rate),
                              float_bits(rmsprop_rate(&optimizer, 41)));
            ck_assert_uint_eq(result.step.blocks_done, 0);
        }
}
END_TEST

/* The logits of one image become NaN, and no others; the step is a bad one. */
START_TEST(a_nan_stays_in_its_image)
{
    const HeadShape *shape = &shapes[0];
    fill(shape, CUDA_FP32);
    in[7 * shape->channels + 100] = NAN;
    run_head(shape, CUDA_FP32, true, NULL);
    for (int32_t i = 0; i < shape->count * shape->classes; i++)
        ck_assert_int_eq(!!isnan(result.probabilities[i]), i / shape->classes == 7);
    ck_assert_int_eq(result.step.bad_step, 41);
}
END_TEST

START_TEST(other_layers_do_not_fit)
{
    const CudaSieve dropout = {.side = 1}, pool = {.side = 2};
    const CudaProduct fits = {.count = 32,
                              .in_height = 1,
                              .in_width = 1,
                              .in_channels = 512,
                              .out_height = 1,
                              .out_width = 1,
                              .out_channels = 10,
                              .side = 1};
    ck_assert(cuda_head_fits(&fits, NULL) && cuda_head_fits(&fits, &dropout));
    ck_assert(!cuda_head_fits(&fits, &pool));
    CudaProduct other = fits;
    other.out_channels = 17;
    ck_assert(!cuda_head_fits(&other, NULL));
    other = fits;
    other.in_channels = 800;
    ck_assert(!cuda_head_fits(&other, NULL));
    other = fits;
    other.has_relu = true;
    ck_assert(!cuda_head_fits(&other, NULL));
    other = fits;
    other.out_height = other.in_height = 2;
    ck_assert(!cuda_head_fits(&other, NULL));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cuda_head");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, the_last_layer_and_the_loss_are_those_of_loops, 0, SHAPES);
    tcase_add_test(tests, a_nan_stays_in_its_image);
    tcase_add_test(tests, other_layers_do_not_fit);
    suite_add_tcase(suite, tests);
    return suite;
}
