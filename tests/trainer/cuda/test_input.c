#include "trainer/cuda/kernels/kernels.h"

#include <stdlib.h>

#include "tests/trainer/cuda/gpu.h"
#include "trainer/data/augment.h"
#include "trainer/data/dataset.h"
#include "trainer/data/shuffle.h"

/* --- The order of images --- */

static int32_t power_of_two_from(int32_t count)
{
    int32_t power = 1;
    while (power < count)
        power *= 2;
    return power;
}

static void check_shuffle(uint64_t seed, uint32_t rank, uint64_t epoch, int32_t count)
{
    const int32_t padded = power_of_two_from(count);
    const int64_t bytes = count * (int64_t)sizeof(int32_t);
    uint64_t *keys = gpu_new(padded * (int64_t)sizeof *keys);
    int32_t *indices = gpu_new(padded * (int64_t)sizeof *indices), *order = gpu_new(bytes);
    int32_t *wanted = malloc((size_t)bytes), *got = malloc((size_t)bytes);
    shuffle_order(seed, rank, epoch, count, wanted);
    cuda_shuffle(NULL, seed, rank, epoch, count, padded, keys, indices, order);
    gpu_read(got, order, bytes);
    ck_assert_mem_eq(got, wanted, (size_t)bytes);
    gpu_free(keys);
    gpu_free(indices);
    gpu_free(order);
    free(wanted);
    free(got);
}

START_TEST(the_gpu_shuffles_as_the_processor_does)
{
    static const int32_t counts[] = {1, 2, 3, 31, 32, 100, 1000, 2047, 2048, 2049, 9000};
    gpu_set_order(_i);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        check_shuffle(42, 0, i, counts[i]);
    check_shuffle(UINT64_MAX - 1, 7, UINT64_C(0x123456789a), 500);
}
END_TEST

START_TEST(an_order_of_the_size_of_cifar_10_is_the_same)
{
    gpu_set_order(2);
    check_shuffle(1, 3, 12, 50000);
}
END_TEST

/* --- Images --- */

enum { SET = 40, BATCH_MAX = 21, FIRST = 9, OUT_MAX = BATCH_MAX * IMAGE_BYTES };

static struct {
    uint8_t images[SET * IMAGE_BYTES], labels[SET];
    int32_t order[FIRST + BATCH_MAX];
} set;

static void make_set(void)
{
    for (int64_t i = 0; i < SET * IMAGE_BYTES; i++)
        set.images[i] = (uint8_t)(test_word(1, i) >> 24);
    for (int32_t i = 0; i < SET; i++)
        set.labels[i] = (uint8_t)(i * 7 % 10);
    for (int32_t i = 0; i < FIRST + BATCH_MAX; i++)
        set.order[i] = (i * 17 + 5) % SET;
}

/* Computes on the processor the image at `place` of the batch that begins `skipped` images after
 * FIRST. */
static void wanted_image(const CudaInput *input, uint64_t step, int32_t place, int32_t skipped,
                         float *out)
{
    const uint8_t *image = set.images + (int64_t)set.order[FIRST + skipped + place] * IMAGE_BYTES;
    if (input->is_augmented)
        augment_image(image, augmentation_draw(input->seed, input->rank, step, (uint32_t)place),
                      out);
    else
        plain_image(image, out);
}

static void check_input(CudaPrecision precision, bool is_augmented, uint64_t at_step, int32_t count)
{
    static float wanted[IMAGE_BYTES], floats[OUT_MAX];
    static uint16_t halves[OUT_MAX];
    static uint8_t labels[BATCH_MAX];
    const bool is_bf16 = precision == CUDA_BF16;
    const int64_t bytes = (int64_t)count * IMAGE_BYTES * (is_bf16 ? 2 : 4);
    const CudaStep here = {.step = at_step, .first = FIRST, .bad_step = -1};
    const CudaInput input = {.images = gpu_copy(set.images, sizeof set.images),
                             .labels = gpu_copy(set.labels, sizeof set.labels),
                             .order = gpu_copy(set.order, sizeof set.order),
                             .seed = 99,
                             .rank = 5,
                             .is_augmented = is_augmented};
    CudaStep *step = gpu_copy(&here, sizeof here);
    void *out = gpu_new(bytes);
    uint8_t *batch_labels = gpu_new(count);
    cuda_input(NULL, precision, &input, step, count, out, batch_labels);
    gpu_read(is_bf16 ? (void *)halves : (void *)floats, out, bytes);
    gpu_read(labels, batch_labels, count);
    for (int32_t place = 0; place < count; place++) {
        ck_assert_int_eq(labels[place], set.labels[set.order[FIRST + place]]);
        wanted_image(&input, at_step, place, 0, wanted);
        if (is_bf16)
            check_rounded(halves + (int64_t)place * IMAGE_BYTES, wanted, IMAGE_BYTES);
        else
            check_floats(floats + (int64_t)place * IMAGE_BYTES, wanted, IMAGE_BYTES);
    }
    void *all[] = {(void *)input.images, (void *)input.labels, (void *)input.order, step, out,
                   batch_labels};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        gpu_free(all[i]);
}

START_TEST(images_come_from_their_places_shifted_and_flipped_as_on_the_processor)
{
    static const CudaPrecision precisions[] = {CUDA_FP32, CUDA_BF16, CUDA_TF32};
    gpu_set_order(_i);
    make_set();
    for (size_t i = 0; i < sizeof precisions / sizeof precisions[0]; i++) {
        check_input(precisions[i], true, 3, BATCH_MAX);
        check_input(precisions[i], true, UINT64_C(0x1200000034), 1);
        check_input(precisions[i], false, 4, 5);
    }
}
END_TEST

/* --- A graph --- */

/* After the capture, the number of the step and the index of its batch are only on the GPU. */
START_TEST(a_captured_step_takes_the_next_batch_each_time)
{
    enum { COUNT = 4, LAUNCHES = 3, CLASSES = 10 };
    static float got[COUNT * IMAGE_BYTES], wanted[IMAGE_BYTES];
    const CudaStep here = {.step = 8, .first = FIRST, .bad_step = -1};
    make_set();
    const CudaInput input = {.images = gpu_copy(set.images, sizeof set.images),
                             .labels = gpu_copy(set.labels, sizeof set.labels),
                             .order = gpu_copy(set.order, sizeof set.order),
                             .seed = 5,
                             .is_augmented = true};
    CudaStep *step = gpu_copy(&here, sizeof here);
    float *out = gpu_new(sizeof got);
    uint8_t *batch_labels = gpu_new(COUNT);
    const CudaRmsProp optimizer = {0};
    float *logits = gpu_new(COUNT * CLASSES * (int64_t)sizeof *logits);
    float *probabilities = gpu_new(COUNT * CLASSES * (int64_t)sizeof *probabilities);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    gpu_must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    gpu_must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cuda_input(stream, CUDA_FP32, &input, step, COUNT, out, batch_labels);
    cuda_loss(stream, CUDA_FP32, logits, batch_labels, COUNT, CLASSES, probabilities, NULL,
              &optimizer, step);
    gpu_must(cudaStreamEndCapture(stream, &graph));
    gpu_must(cuda_graph_instantiate(&executable, graph));
    for (int32_t i = 0; i < LAUNCHES; i++) {
        gpu_must(cudaGraphLaunch(executable, stream));
        gpu_must(cudaStreamSynchronize(stream));
        gpu_read(got, out, sizeof got);
        for (int32_t place = 0; place < COUNT; place++) {
            wanted_image(&input, 8 + (uint64_t)i, place, i * COUNT, wanted);
            check_floats(got + (int64_t)place * IMAGE_BYTES, wanted, IMAGE_BYTES);
        }
    }
    gpu_must(cudaGraphExecDestroy(executable));
    gpu_must(cudaGraphDestroy(graph));
    gpu_must(cudaStreamDestroy(stream));
    void *all[] = {(void *)input.images,
                   (void *)input.labels,
                   (void *)input.order,
                   step,
                   out,
                   batch_labels,
                   logits,
                   probabilities};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        gpu_free(all[i]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cuda_input");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, the_gpu_shuffles_as_the_processor_does, 0, GPU_ORDERS);
    tcase_add_test(tests, an_order_of_the_size_of_cifar_10_is_the_same);
    tcase_add_loop_test(tests,
                        images_come_from_their_places_shifted_and_flipped_as_on_the_processor, 0,
                        GPU_ORDERS);
    tcase_add_test(tests, a_captured_step_takes_the_next_batch_each_time);
    suite_add_tcase(suite, tests);
    return suite;
}
