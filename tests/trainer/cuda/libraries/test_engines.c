/* The engines with NVIDIA's cuDNN and cuBLAS, as far as these work without a GPU. */
#include "tests/support/suite.h"
#include "trainer/cuda/engine_cudnn.h"

/* keras_cifar10_cnn's convolutions, and odd ones. */
static const CudaProduct products[] = {
    {32, 32, 32, 3, 32, 32, 32, 3, 1, true},  {32, 32, 32, 32, 30, 30, 32, 3, 0, true},
    {16, 15, 15, 32, 15, 15, 64, 3, 1, true}, {1, 15, 15, 64, 13, 13, 64, 3, 0, true},
    {5, 6, 7, 10, 6, 7, 3, 5, 2, false},      {4096, 2, 3, 16, 2, 3, 24, 1, 0, true},
};
enum { PRODUCTS = sizeof products / sizeof products[0] };
static const CudaPrecision precisions[] = {CUDA_FP32, CUDA_BF16, CUDA_TF32};
enum { PRECISIONS = sizeof precisions / sizeof precisions[0] };

static void must(cudnnStatus_t status)
{
    ck_assert_msg(status == CUDNN_STATUS_SUCCESS, "%s", cudnnGetErrorString(status));
}

static void check_tensor(cudnnTensorDescriptor_t tensor, CudaPrecision precision, int count,
                         int channels, int height, int width)
{
    cudnnDataType_t type;
    int n, c, h, w, image, channel, row, pixel;
    must(cudnnGetTensor4dDescriptor(tensor, &type, &n, &c, &h, &w, &image, &channel, &row, &pixel));
    ck_assert_int_eq(type, precision == CUDA_BF16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT);
    ck_assert(n == count && c == channels && h == height && w == width);
    // In a batch of one the stride from image to image is arbitrary.
    ck_assert(channel == 1 && pixel == channels && row == width * channels);
    ck_assert(n == 1 || image == height * width * channels);
}

START_TEST(cudnn_sees_the_shapes_of_our_convolutions)
{
    const CudaProduct *p = &products[_i % PRODUCTS];
    const CudaPrecision precision = precisions[_i / PRODUCTS];
    const CudaTask task = {.precision = precision, .product = *p};
    CudnnShapes shapes;
    cudnnDataType_t type;
    cudnnTensorFormat_t format;
    cudnnMathType_t math;
    int n, c, h, w;
    must(cudnn_shapes_make(&task, &shapes));
    check_tensor(shapes.in, precision, p->count, p->in_channels, p->in_height, p->in_width);
    check_tensor(shapes.out, precision, p->count, p->out_channels, p->out_height, p->out_width);
    must(cudnnGetFilter4dDescriptor(shapes.kernel, &type, &format, &n, &c, &h, &w));
    ck_assert(n == p->out_channels && c == p->in_channels && h == p->side && w == p->side);
    ck_assert(format == CUDNN_TENSOR_NHWC && type == cudnn_type(precision));
    must(cudnnGetConvolutionMathType(shapes.convolution, &math));
    ck_assert_int_eq(math, precision == CUDA_FP32   ? CUDNN_FMA_MATH
                           : precision == CUDA_TF32 ? CUDNN_DEFAULT_MATH
                                                    : CUDNN_TENSOR_OP_MATH);
    // The output has the shape that cuDNN computes.
    must(cudnnGetConvolution2dForwardOutputDim(shapes.convolution, shapes.in, shapes.kernel, &n, &c,
                                               &h, &w));
    ck_assert(n == p->count && c == p->out_channels && h == p->out_height && w == p->out_width);
    cudnn_shapes_free(&shapes);
}
END_TEST

START_TEST(a_shape_that_cudnn_refuses_is_an_error)
{
    CudaTask task = {.precision = CUDA_FP32, .product = products[0]};
    CudnnShapes shapes;
    task.product.in_channels = 0;
    ck_assert_int_eq(cudnn_shapes_make(&task, &shapes), CUDNN_STATUS_BAD_PARAM);
    cudnn_shapes_free(&shapes);
}
END_TEST

/* With a GPU they start and stop. */
START_TEST(the_libraries_do_not_start_without_a_gpu)
{
    int count = 0;
    void *state = NULL;
    const bool has_gpu = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
    const char *error = cuda_engine_cudnn.open(NULL, &state);
    ck_assert_str_eq(error ? error : "", has_gpu ? "" : "CUDNN_STATUS_NOT_INITIALIZED");
    cuda_engine_cudnn.close(state);
    state = NULL;
    error = cuda_engine_cublas.open(NULL, &state);
    ck_assert_str_eq(error ? error : "", has_gpu ? "" : "CUBLAS_STATUS_NOT_INITIALIZED");
    cuda_engine_cublas.close(state);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("engine_libraries");
    TCase *cases = tcase_create("engine_libraries");
    tcase_add_loop_test(cases, cudnn_sees_the_shapes_of_our_convolutions, 0, PRODUCTS * PRECISIONS);
    tcase_add_test(cases, a_shape_that_cudnn_refuses_is_an_error);
    tcase_add_test(cases, the_libraries_do_not_start_without_a_gpu);
    suite_add_tcase(suite, cases);
    return suite;
}
