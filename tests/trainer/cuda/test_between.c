#include "trainer/cuda/kernels/kernels.h"

#include "tests/trainer/cuda/gpu.h"
#include "trainer/compute/dropout.h"
#include "trainer/compute/onednn_sieve.h"

enum { VALUES_MAX = 1 << 16, UNTOUCHED = 0xff };
static const uint64_t at_step = UINT64_C(0x500000007);

/* The same values as floats and as bf16. */
typedef struct {
    float floats[VALUES_MAX];
    uint16_t halves[VALUES_MAX];
} Values;

static void *values_of(Values *values, bool is_bf16)
{
    return is_bf16 ? (void *)values->halves : (void *)values->floats;
}

static int64_t value_bytes(bool is_bf16, int64_t count)
{
    return count * (int64_t)(is_bf16 ? sizeof(uint16_t) : sizeof(float));
}

static float value_at(const Values *values, bool is_bf16, int64_t i)
{
    return is_bf16 ? widened(values->halves[i]) : values->floats[i];
}

/* Some values are equal, negative, zero of either sign, infinite. */
static void fill(Values *values, uint32_t stream, int64_t count, bool follows_relu)
{
    static const float special[] = {0.5f, 0.5f, 0.0f, -0.0f, INFINITY, -1.0f};
    for (int64_t i = 0; i < count; i++) {
        const uint32_t word = test_word(stream + 100, i);
        float value = word % 4 == 0 ? special[word / 4 % 6] : test_value(stream, i);
        if (follows_relu && !(value > 0.0f))
            value = 0.0f;
        values->floats[i] = value;
        values->halves[i] = nearest_bf16(value);
    }
}

static void check_same(const Values *got, const Values *wanted, bool is_bf16, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const float value = value_at(got, is_bf16, i), other = value_at(wanted, is_bf16, i);
        if (!same_float(value, other))
            ck_abort_msg("value %d: %a, expected %a", (int)i, (double)value, (double)other);
    }
}

/* The same sieve of the processor, in NHWC. */
static Sieve twin_of(const CudaSieve *sieve, bool is_bf16)
{
    const NetLayer dropout = {.dropped_of_256 = sieve->dropped_of_256};
    return (Sieve){
        .in = {sieve->in_height, sieve->in_width, sieve->channels},
        .out = {sieve->in_height / sieve->side, sieve->in_width / sieve->side, sieve->channels},
        .side = sieve->side,
        .in_block = sieve->channels,
        .out_block = sieve->channels,
        .follows_relu = sieve->follows_relu,
        .is_bf16 = is_bf16,
        .scale = dropout_scale(&dropout)};
}

/* Index of the first byte other than `value`; -1: none. */
static int64_t value_other_than(uint8_t value, const uint8_t *bytes, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (bytes[i] != value)
            return i;
    return -1;
}

static struct {
    Values in, out, wanted_out, gradient, in_gradient, wanted_in_gradient;
    uint8_t kept[VALUES_MAX], places[VALUES_MAX], wanted_places[VALUES_MAX];
} of;

static void check_forward(const CudaSieve *sieve, CudaPrecision precision, bool is_training)
{
    const bool is_bf16 = precision == CUDA_BF16, drops = is_training && sieve->dropped_of_256 > 0;
    const Sieve twin = twin_of(sieve, is_bf16);
    const int64_t count = sieve->count * net_size(twin.out);
    const int64_t in_count = sieve->count * net_size(twin.in);
    const CudaStep here = {.step = at_step, .bad_step = -1};
    CudaStep *step = gpu_copy(&here, sizeof here);
    void *in = gpu_copy(values_of(&of.in, is_bf16), value_bytes(is_bf16, in_count));
    void *out = gpu_new(value_bytes(is_bf16, count));
    uint8_t *places = gpu_new(count);
    dropout_mask(sieve->seed, sieve->rank, at_step, sieve->dropout_layer, sieve->dropped_of_256,
                 count, of.kept);
    sieve_forward(&twin, sieve->count, values_of(&of.in, is_bf16), drops ? of.kept : NULL,
                  values_of(&of.wanted_out, is_bf16), of.wanted_places);
    cuda_sieve_forward(NULL, precision, sieve, step, is_training, in, out, places);
    gpu_read(values_of(&of.out, is_bf16), out, value_bytes(is_bf16, count));
    gpu_read(of.places, places, count);
    check_same(&of.out, &of.wanted_out, is_bf16, count);
    if (is_training)
        ck_assert_mem_eq(of.places, of.wanted_places, (size_t)count);
    else
        ck_assert_int_eq(value_other_than(UNTOUCHED, of.places, count), -1);
    gpu_free(step);
    gpu_free(in);
    gpu_free(out);
    gpu_free(places);
}

/* Uses the places of the last forward in training. */
static void check_backward(const CudaSieve *sieve, CudaPrecision precision)
{
    const bool is_bf16 = precision == CUDA_BF16;
    const Sieve twin = twin_of(sieve, is_bf16);
    const int64_t count = sieve->count * net_size(twin.out);
    const int64_t in_count = sieve->count * net_size(twin.in);
    void *gradient = gpu_copy(values_of(&of.gradient, is_bf16), value_bytes(is_bf16, count));
    uint8_t *places = gpu_copy(of.wanted_places, count);
    void *in_gradient = gpu_new(value_bytes(is_bf16, in_count));
    sieve_backward(&twin, sieve->count, values_of(&of.gradient, is_bf16), of.wanted_places,
                   values_of(&of.wanted_in_gradient, is_bf16));
    cuda_sieve_backward(NULL, precision, sieve, gradient, places, in_gradient);
    gpu_read(values_of(&of.in_gradient, is_bf16), in_gradient, value_bytes(is_bf16, in_count));
    check_same(&of.in_gradient, &of.wanted_in_gradient, is_bf16, in_count);
    gpu_free(gradient);
    gpu_free(places);
    gpu_free(in_gradient);
}

static void check_sieve(const CudaSieve *sieve)
{
    const int64_t in_count =
        (int64_t)sieve->count * sieve->in_height * sieve->in_width * sieve->channels;
    ck_assert_int_le(in_count, VALUES_MAX);
    fill(&of.in, 1, in_count, sieve->follows_relu);
    fill(&of.gradient, 2, in_count, false);
    for (CudaPrecision precision = CUDA_FP32; precision <= CUDA_TF32; precision++) {
        check_forward(sieve, precision, false);
        check_forward(sieve, precision, true);
        check_backward(sieve, precision);
    }
}

static const struct {
    int32_t count, height, width, channels, side;
} shapes[] = {
    {2, 30, 30, 32, 2},
    {3, 13, 13, 64, 2}, // the tutorial's pools, the second with incomplete rows
                        // and columns
    {5, 1, 1, 512, 1},  // and its last dropout
    {1, 7, 5, 16, 2},
    {3, 9, 10, 8, 3},
    {2, 11, 11, 16, 4},
    {3, 5, 4, 24, 1},
    {1, 2, 40, 64, 1},
    {2, 4, 44, 48, 2}, // rows of more than one block
    {3, 6, 6, 12, 2},  // whole vectors of floats, not of bf16
    {3, 4, 4, 3, 2},
    {2, 5, 7, 5, 2},
    {1, 1, 1, 1, 1},
    {7, 3, 3, 10, 1}, // single values
};

START_TEST(a_sieve_of_the_gpu_is_the_processors)
{
    static const int32_t dropped[] = {0, 64, 128, 1, 255};
    gpu_set_order(_i);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (size_t k = 0; k < sizeof dropped / sizeof dropped[0]; k++) {
            const CudaSieve sieve = {.count = shapes[i].count,
                                     .in_height = shapes[i].height,
                                     .in_width = shapes[i].width,
                                     .channels = shapes[i].channels,
                                     .side = shapes[i].side,
                                     .follows_relu = (i + k) % 2 == 0,
                                     .dropped_of_256 = dropped[k],
                                     .dropout_layer = (uint32_t)i,
                                     .seed = 11,
                                     .rank = 3};
            check_sieve(&sieve);
        }
}
END_TEST

START_TEST(nans_are_at_the_same_places_as_on_the_processor)
{
    static const float values[] = {NAN, 1.0f, 2.0f, 3.0f, 1.0f, NAN, -3.0f, 0.5f};
    const CudaSieve sieve = {.count = 1,
                             .in_height = 2,
                             .in_width = 4,
                             .channels = 1,
                             .side = 2,
                             .follows_relu = true,
                             .dropped_of_256 = 64};
    gpu_set_order(_i);
    for (int32_t i = 0; i < 8; i++) {
        of.in.floats[i] = of.gradient.floats[i] = values[i];
        of.in.halves[i] = of.gradient.halves[i] =
            isnan(values[i]) ? 0x7fc0 : nearest_bf16(values[i]);
    }
    check_forward(&sieve, CUDA_FP32, true);
    ck_assert(isnan(of.out.floats[0]) && !isnan(of.out.floats[1]));
    check_backward(&sieve, CUDA_FP32);
    check_forward(&sieve, CUDA_BF16, true);
    ck_assert(isnan(widened(of.out.halves[0])));
    check_backward(&sieve, CUDA_BF16);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cuda_between");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, a_sieve_of_the_gpu_is_the_processors, 0, GPU_ORDERS);
    tcase_add_loop_test(tests, nans_are_at_the_same_places_as_on_the_processor, 0, GPU_ORDERS);
    suite_add_tcase(suite, tests);
    return suite;
}
