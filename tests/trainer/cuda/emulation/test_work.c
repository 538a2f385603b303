/* The work that launches name by CUDA_WORK: of every kernel of a step, equal to the multiply-adds
 * that the kernels make. */
#include "tests/trainer/cuda/models.h"

enum { KERNELS_MAX = 128 };

static CudaEmulationKernel kernels[KERNELS_MAX];

static int32_t kernels_of_graph(void)
{
    const int32_t count = cuda_emulation_kernels(kernels, KERNELS_MAX);
    ck_assert_int_ge(count, 1);
    ck_assert_int_le(count, KERNELS_MAX);
    return count;
}

/* Launches a graph of one step, and compares. Only products multiply and add in one operation. */
static void check_multiply_adds(const Net *net, int32_t batch, Precision precision)
{
    const ImageSet set = make_images(arena, 6, batch);
    Trained one = open_cuda(net, batch, precision);
    int64_t expected = 0;
    run_at_once(&one, &set, batch, 0, 0, 1);
    run_at_once(&one, &set, batch, 1, 0, 1); // makes the graph
    const int64_t before = cuda_emulation_multiply_adds();
    run_at_once(&one, &set, batch, 2, 0, 1);
    const int32_t count = kernels_of_graph();
    for (int32_t i = 0; i < count; i++) {
        const CudaWork *work = &kernels[i].work;
        ck_assert_msg(kernels[i].has_work, "%s has no work", kernels[i].name);
        ck_assert_int_le(work->operations, work->tile_operations);
        ck_assert_int_le(work->block_operations, work->tile_operations);
        ck_assert_int_gt(work->read_bytes, 0);
        ck_assert_int_gt(work->written_bytes, 0);
        expected += work->is_product ? work->tile_operations : 0;
    }
    ck_assert_int_eq(2 * (cuda_emulation_multiply_adds() - before), expected);
    trained_close(&one);
}

START_TEST(counted_multiply_adds_are_those_that_kernels_make)
{
    const Net tiny = tiny_net(), slim = slim_net("keras_cifar10_cnn", 8);
    for (Precision precision = 0; precision < PRECISION_COUNT; precision++) {
        check_multiply_adds(&tiny, 3, precision);
        check_multiply_adds(&slim, 1, precision);
    }
}
END_TEST

/* The tutorial's network, on paper: multiply-adds of an image, forward. */
static const int64_t forward_of_image = 32 * 32 * 27 * 32    // conv2d_1
                                        + 30 * 30 * 288 * 32 // conv2d_2
                                        + 15 * 15 * 288 * 64 // conv2d_3
                                        + 13 * 13 * 576 * 64 // conv2d_4
                                        + 2304 * 512         // dense_1
                                        + 512 * 10;          // dense_2

START_TEST(operations_of_a_step_are_those_on_paper)
{
    enum { IMAGES = 32 };
    Net net;
    Status status;
    ck_assert(net_build("keras_cifar10_cnn", &net, &status));
    const ImageSet set = make_images(arena, 6, IMAGES);
    cuda_emulation_set_idle(true);
    Trained one = open_cuda(&net, IMAGES, PRECISION_BF16);
    for (uint64_t epoch = 0; epoch < 2; epoch++)
        run_at_once(&one, &set, IMAGES, epoch, 0, 1);
    int64_t products = 0;
    const int32_t count = kernels_of_graph();
    for (int32_t i = 0; i < count; i++)
        products += kernels[i].work.is_product ? kernels[i].work.operations : 0;
    // Forward, gradients of inputs (not of images) and of weights.
    ck_assert_int_eq(products, 2 * IMAGES * (3 * forward_of_image - 32 * 32 * 27 * 32));
    trained_close(&one);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("work");
    TCase *tests = add_case(suite, "counted");
    tcase_add_test(tests, counted_multiply_adds_are_those_that_kernels_make);
    tcase_add_test(tests, operations_of_a_step_are_those_on_paper);
    return suite;
}
