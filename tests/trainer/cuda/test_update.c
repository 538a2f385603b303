#include "trainer/cuda/kernels/kernels.h"

#include <stdlib.h>

#include "tests/trainer/cuda/gpu.h"
#include "trainer/compute/optimizer.h"

enum { COUNT_MAX = 5000, STEPS = 3 };

static const RmsProp optimizer = {
    .learning_rate = 3e-4, .rho = 0.9, .decay = 1e-2, .epsilon = 1e-7};

static CudaRmsProp same_on_gpu(float gradient_scale)
{
    const float rho = (float)optimizer.rho;
    return (CudaRmsProp){.learning_rate = optimizer.learning_rate,
                         .decay = optimizer.decay,
                         .rho = rho,
                         .rest = 1.0f - rho,
                         .epsilon = (float)optimizer.epsilon,
                         .gradient_scale = gradient_scale};
}

static float gradients[COUNT_MAX], weights[COUNT_MAX], accumulators[COUNT_MAX];

/* Gradients from tiny to large, and zeros. */
static void fill(int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        gradients[i] = i % 13 == 0 ? 0.0f : ldexpf(test_value(1, i), (int)(i % 40) - 30);
        weights[i] = test_value(2, i);
        accumulators[i] = i % 7 == 0 ? 0.0f : fabsf(test_value(3, i));
    }
}

typedef struct {
    float *gradients, *weights, *accumulators;
    uint16_t *halves; /* NULL: fp32 */
    CudaStep *step;
    int64_t count;
    CudaUnadded unadded; /* empty unless a test fills it */
} Arenas;

static Arenas arenas_make(int64_t count, bool has_halves)
{
    const int64_t bytes = count * (int64_t)sizeof(float);
    const CudaStep step = {.step = 100, .bad_step = -1};
    return (Arenas){.gradients = gpu_copy(gradients, bytes),
                    .weights = gpu_copy(weights, bytes),
                    .accumulators = gpu_copy(accumulators, bytes),
                    .halves = has_halves ? gpu_new(bytes / 2) : NULL,
                    .step = gpu_copy(&step, sizeof step),
                    .count = count};
}

/* Copies the changed arrays back, and frees all memory. */
static CudaStep arenas_read(Arenas *arenas, float *got_weights, float *got_accumulators,
                            uint16_t *got_halves)
{
    const int64_t bytes = arenas->count * (int64_t)sizeof(float);
    CudaStep step;
    gpu_read(got_weights, arenas->weights, bytes);
    gpu_read(got_accumulators, arenas->accumulators, bytes);
    if (arenas->halves)
        gpu_read(got_halves, arenas->halves, bytes / 2);
    gpu_read(&step, arenas->step, sizeof step);
    gpu_free(arenas->gradients);
    gpu_free(arenas->weights);
    gpu_free(arenas->accumulators);
    gpu_free(arenas->halves);
    gpu_free(arenas->step);
    return step;
}

/* Updates in step `number`, which cuda_loss has ended, or which it never ends. */
static void update(const CudaRmsProp *by, int64_t number, bool has_ended, const Arenas *arenas)
{
    CudaStep step;
    gpu_read(&step, arenas->step, sizeof step);
    step.step = (uint64_t)number + has_ended;
    step.rate = rmsprop_rate(&optimizer, number);
    gpu_must(cudaMemcpy(arenas->step, &step, sizeof step, cudaMemcpyHostToDevice));
    // In two pieces, the later one first.
    const int64_t middle = arenas->count * 3 / 7 / 4 * 4;
    CudaUnadded later = {.count = 0}, earlier = {.count = 0};
    for (int32_t i = 0; i < arenas->unadded.count; i++) {
        CudaUnadded *piece = arenas->unadded.all[i].at < middle ? &earlier : &later;
        piece->all[piece->count++] = arenas->unadded.all[i];
    }
    cuda_update(NULL, by, middle, arenas->count, &later, arenas->gradients, arenas->accumulators,
                arenas->weights, arenas->halves, has_ended, arenas->step);
    if (middle > 0)
        cuda_update(NULL, by, 0, middle, &earlier, arenas->gradients, arenas->accumulators,
                    arenas->weights, arenas->halves, has_ended, arenas->step);
}

static void check_update(int64_t count, float gradient_scale, bool has_halves)
{
    static float got_weights[COUNT_MAX], got_accumulators[COUNT_MAX];
    static uint16_t got_halves[COUNT_MAX];
    const CudaRmsProp by = same_on_gpu(gradient_scale);
    fill(count);
    Arenas arenas = arenas_make(count, has_halves);
    for (int32_t i = 0; i < STEPS; i++) {
        update(&by, 100 + i, true, &arenas);
        ck_assert(rmsprop_update(&optimizer, rmsprop_rate(&optimizer, 100 + i), gradient_scale,
                                 count, gradients, accumulators, weights));
    }
    const CudaStep step = arenas_read(&arenas, got_weights, got_accumulators, got_halves);
    check_floats(got_weights, weights, count);
    check_floats(got_accumulators, accumulators, count);
    if (has_halves)
        check_rounded(got_halves, weights, count);
    ck_assert_int_eq(step.bad_step, -1);
}

START_TEST(steps_of_the_optimizer_are_the_processors_to_the_bit)
{
    static const int64_t counts[] = {1, 2, 3, 4, 5, 1022, 1023, 1024, 1025, 4098, COUNT_MAX};
    gpu_set_order(_i);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        check_update(counts[i], 1.0f, false);
        check_update(counts[i], 1.0f / 3.0f, true);
    }
}
END_TEST

/* Gradients of `size` values from `at` on in `count` parts, whose sum in the fixed order they are.
 */
static CudaParts in_parts(int32_t count, int32_t size, int64_t at)
{
    float *parts = calloc((size_t)(count * size), sizeof *parts);
    for (int32_t i = 0; i < size; i++) {
        gradients[at + i] = 0.0f;
        for (int32_t group = 0; group < 8 && group < count; group++) {
            float sum = 0.0f;
            for (int32_t part = group; part < count; part += 8)
                sum += parts[part * size + i] = test_value(4 + (uint32_t)part, i);
            gradients[at + i] += sum;
        }
    }
    const CudaParts made = {gpu_copy(parts, (int64_t)count * size * (int64_t)sizeof *parts), count,
                            size, at};
    free(parts);
    return made;
}

START_TEST(gradients_in_parts_are_added_first)
{
    static float got_weights[COUNT_MAX], got_accumulators[COUNT_MAX], got[COUNT_MAX];
    static uint16_t got_halves[COUNT_MAX];
    const CudaRmsProp by = same_on_gpu(1.0f);
    const int64_t count = 1500;
    gpu_set_order(_i);
    fill(count);
    CudaUnadded unadded = {
        4,
        {in_parts(2, 5, 1), in_parts(128, 70, 6), in_parts(67, 300, 80), in_parts(9, 333, 1167)}};
    Arenas arenas = arenas_make(count, true);
    gpu_must(cudaMemset(arenas.gradients, 0xff, (size_t)count * sizeof(float)));
    cuda_add_parts(NULL, &unadded, arenas.gradients);
    gpu_read(got, arenas.gradients, count * (int64_t)sizeof(float));
    for (int64_t i = 0; i < count; i++) {
        const bool is_added = (i >= 1 && i < 76) || (i >= 80 && i < 380) || i >= 1167;
        ck_assert(is_added ? got[i] == gradients[i] : isnan(got[i]));
    }
    gpu_must(cudaMemcpy(arenas.gradients, gradients, (size_t)count * sizeof(float),
                        cudaMemcpyHostToDevice));
    for (int32_t i = 0; i < unadded.count; i++)
        gpu_must(cudaMemset(arenas.gradients + unadded.all[i].at, 0xff,
                            (size_t)unadded.all[i].size * sizeof(float)));
    arenas.unadded = unadded;
    update(&by, 100, true, &arenas);
    ck_assert(rmsprop_update(&optimizer, rmsprop_rate(&optimizer, 100), 1.0f, count, gradients,
                             accumulators, weights));
    gpu_read(got, arenas.gradients, count * (int64_t)sizeof(float));
    check_floats(got, gradients, count);
    const CudaStep step = arenas_read(&arenas, got_weights, got_accumulators, got_halves);
    check_floats(got_weights, weights, count);
    check_floats(got_accumulators, accumulators, count);
    check_rounded(got_halves, weights, count);
    ck_assert_int_eq(step.bad_step, -1);
    for (int32_t i = 0; i < unadded.count; i++)
        gpu_free((void *)(uintptr_t)unadded.all[i].parts);
}
END_TEST

START_TEST(the_first_step_with_a_weight_that_is_not_finite_is_kept)
{
    static float got_weights[COUNT_MAX], got_accumulators[COUNT_MAX];
    static uint16_t got_halves[COUNT_MAX];
    static const float bad[] = {NAN, INFINITY};
    static const int64_t places[] = {0, 3, 700, 1024, 1026}; // the last one is after all vectors
    const int64_t count = 1027;
    const CudaRmsProp by = same_on_gpu(1.0f);
    gpu_set_order(_i);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
            fill(count);
            weights[places[i]] = bad[k];
            Arenas arenas = arenas_make(count, true);
            for (int32_t n = 0; n < STEPS; n++)
                update(&by, n, k == 0, &arenas);
            const CudaStep step = arenas_read(&arenas, got_weights, got_accumulators, got_halves);
            ck_assert_int_eq(step.bad_step, 0);
            ck_assert(!isfinite(got_weights[places[i]]));
            ck_assert(!isfinite(widened(got_halves[places[i]])));
        }
}
END_TEST

START_TEST(weights_are_narrowed_to_the_nearest)
{
    static const struct {
        uint32_t bits;
        uint16_t half;
    } rows[] = {
        {0x3f800000, 0x3f80}, {0x3f808000, 0x3f80}, // 1 + 2^-8 is a tie, rounded to even
        {0x3f818000, 0x3f82}, {0x3f808001, 0x3f81}, {0xbf80ffff, 0xbf81}, {0x00000001, 0x0000},
        {0x80000000, 0x8000}, {0x7f7fffff, 0x7f80}, // the largest float becomes infinite
        {0x7f800000, 0x7f80}, {0xff800000, 0xff80},
    };
    static const uint32_t nans[] = {0x7fffffff, 0x7f800001, 0xffffffff, 0x7fc00000, 0xffc00000};
    enum { ROWS = sizeof rows / sizeof rows[0], NANS = sizeof nans / sizeof nans[0] };
    enum { COUNT = ROWS + NANS };
    float values[COUNT];
    uint16_t halves[COUNT];
    gpu_set_order(_i);
    for (int32_t i = 0; i < COUNT; i++)
        memcpy(&values[i], i < ROWS ? &rows[i].bits : &nans[i - ROWS], sizeof values[i]);
    for (int64_t count = 1; count <= COUNT; count++) {
        float *from = gpu_copy(values, count * (int64_t)sizeof *from);
        uint16_t *to = gpu_new(count * (int64_t)sizeof *to);
        cuda_narrow(NULL, from, count, to);
        gpu_read(halves, to, count * (int64_t)sizeof *to);
        gpu_free(from);
        gpu_free(to);
        for (int64_t i = 0; i < count; i++)
            if (i < ROWS)
                ck_assert_uint_eq(halves[i], rows[i].half);
            else
                ck_assert(isnan(widened(halves[i])));
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cuda_update");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, steps_of_the_optimizer_are_the_processors_to_the_bit, 0, GPU_ORDERS);
    tcase_add_loop_test(tests, gradients_in_parts_are_added_first, 0, GPU_ORDERS);
    tcase_add_loop_test(tests, the_first_step_with_a_weight_that_is_not_finite_is_kept, 0,
                        GPU_ORDERS);
    tcase_add_loop_test(tests, weights_are_narrowed_to_the_nearest, 0, GPU_ORDERS);
    suite_add_tcase(suite, tests);
    return suite;
}
