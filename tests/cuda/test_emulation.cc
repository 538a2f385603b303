#include <cstring>

#include <cuda_runtime.h>

#include "trainer/cuda/toolkit.h"

#include "tests/cuda_emulation/emulation.h"
#include "tests/support/suite.h"

__global__ static void number(int *out, int count)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count)
        out[i] = i;
}

/* Turns a block's values round, through shared memory. */
__global__ static void turn(int *values)
{
    __shared__ int all[256];
    all[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = all[blockDim.x - 1 - threadIdx.x];
}

START_TEST(threads_have_places)
{
    int *out = nullptr, host[1000];
    ck_assert_int_eq(cudaMalloc((void **)&out, sizeof host), cudaSuccess);
    CUDA_LAUNCH(number, 8, 128, nullptr, out, 1000);
    ck_assert_int_eq(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(host[i], i);
    CUDA_LAUNCH(turn, 1, 256, nullptr, out);
    ck_assert_int_eq(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
    for (int i = 0; i < 256; i++)
        ck_assert_int_eq(host[i], 255 - i);
    ck_assert_int_eq(cudaFree(out), cudaSuccess);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cuda_emulation");
    TCase *tests = tcase_create("emulation");
    tcase_add_test(tests, threads_have_places);
    suite_add_tcase(suite, tests);
    return suite;
}
