/* Kernels with one fault each, which gives the right results in the ascending order of threads, end
 * the program, and the same kernels without it do not. The other tests of this program are those of
 * the trainer's kernels, which must have no such fault. */
#include <csignal>

#include "trainer/cuda/toolkit/toolkit.h"

#include "tests/support/suite.h"
#include "tests/trainer/cuda/emulation/emulation.h"

enum { THREADS = 64, BLOCKS = 4 };

/* Each thread takes the value of the thread before it, twice. */
__global__ static void pass_on(float *out, bool is_faulty)
{
    __shared__ float values[THREADS];
    const int thread = (int)threadIdx.x, before = thread == 0 ? THREADS - 1 : thread - 1;
    values[thread] = (float)thread;
    __syncthreads();
    const float value = values[before];
    if (!is_faulty)
        __syncthreads(); // before values are replaced that another thread reads
    values[thread] = value;
    __syncthreads();
    out[thread] = values[before];
}

/* The same within a warp. */
__global__ static void pass_on_in_warp(float *out, bool is_faulty)
{
    __shared__ float values[THREADS];
    const int thread = (int)threadIdx.x, lane = thread % 32;
    const int before = lane == 0 ? thread + 31 : thread - 1;
    values[thread] = (float)thread;
    __syncwarp();
    const float value = values[before];
    if (!is_faulty)
        __syncwarp();
    values[thread] = value;
    __syncwarp();
    out[thread] = values[before];
}

/* A __syncwarp does not order the threads of two warps. */
__global__ static void cross_warps(float *out, bool is_faulty)
{
    __shared__ float values[THREADS];
    const int thread = (int)threadIdx.x;
    values[thread] = (float)thread;
    if (is_faulty)
        __syncwarp();
    else
        __syncthreads();
    out[thread] = values[thread < 32 ? thread : thread - 32];
}

/* A block reads what an earlier one has left in shared memory. */
__global__ static void read_leftovers(float *out, bool is_faulty)
{
    __shared__ float values[THREADS];
    const int thread = (int)threadIdx.x;
    if (!is_faulty || blockIdx.x == 0)
        values[thread] = (float)thread;
    __syncthreads();
    out[blockIdx.x * THREADS + threadIdx.x] = values[THREADS - 1 - thread];
}

/* Blocks write the same values to the same place. */
__global__ static void write_twice(float *out, bool is_faulty)
{
    out[(is_faulty ? 0 : blockIdx.x * THREADS) + threadIdx.x] = (float)threadIdx.x;
}

/* Each thread writes a byte, and reads those of three others with it. */
__global__ static void read_word_of_bytes(float *out, bool is_faulty)
{
    const int thread = (int)threadIdx.x;
    reinterpret_cast<unsigned char *>(out + THREADS)[thread] = (unsigned char)thread;
    if (!is_faulty)
        __syncthreads();
    out[thread] = out[THREADS + thread / 4];
}

/* Each thread writes a number, and replaces a byte of the number after it. */
__global__ static void write_byte_of_word(float *out, bool is_faulty)
{
    const int thread = (int)threadIdx.x, next = thread == THREADS - 1 ? 0 : thread + 1;
    out[thread] = 1.0f;
    if (!is_faulty)
        __syncthreads();
    reinterpret_cast<unsigned char *>(out)[next * 4 + 3] = 0;
}

/* The last block adds what the others have written. `step`: the part of the protocol that is
 * missing; 0: none. */
__device__ static void add_in_last(float *out, unsigned int *done, int missing)
{
    __shared__ bool is_last;
    const int thread = (int)threadIdx.x;
    out[blockIdx.x * THREADS + threadIdx.x] = 1.0f;
    if (missing != 1)
        __syncthreads(); // all threads of the block have written
    if (thread == 0) {
        if (missing != 2)
            __threadfence();
        is_last = atomicAdd(done, 1u) == gridDim.x - 1;
        if (is_last && missing != 3)
            __threadfence();
    }
    __syncthreads();
    if (!is_last)
        return;
    float sum = 0.0f;
    for (unsigned int block = 0; block < gridDim.x; block++)
        sum += out[block * THREADS + threadIdx.x];
    out[gridDim.x * THREADS + threadIdx.x] = sum;
    if (thread == 0)
        *done = 0;
}

template <int MISSING> __global__ static void add_all(float *out, bool is_faulty)
{
    auto *const done = reinterpret_cast<unsigned int *>(out + (BLOCKS + 1) * THREADS);
    add_in_last(out, done, is_faulty ? MISSING : 0);
}

static const struct {
    void (*kernel)(float *, bool);
    unsigned int blocks;
} rows[] = {
    {pass_on, 1},
    {pass_on_in_warp, 1},
    {cross_warps, 1},
    {read_leftovers, BLOCKS},
    {write_twice, BLOCKS},
    {add_all<1>, BLOCKS},
    {add_all<2>, BLOCKS},
    {add_all<3>, BLOCKS},
    {read_word_of_bytes, 1},
    {write_byte_of_word, 1},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void run(int row, bool is_faulty)
{
    const size_t bytes = ((BLOCKS + 1) * THREADS + 1) * sizeof(float);
    void *out = nullptr;
    ck_assert_int_eq(cudaMalloc(&out, bytes), cudaSuccess);
    ck_assert_int_eq(cudaMemset(out, 0, bytes), cudaSuccess);
    CUDA_LAUNCH(rows[row].kernel, rows[row].blocks, THREADS, nullptr, static_cast<float *>(out),
                is_faulty);
    ck_assert_int_eq(cudaFree(out), cudaSuccess);
}

START_TEST(accesses_without_an_order_end_the_program)
{
    run(_i, true);
}
END_TEST

START_TEST(accesses_with_an_order_do_not)
{
    for (int order = 0; order < CUDA_ORDER_COUNT; order++) {
        cuda_emulation_set_order(static_cast<CudaEmulationOrder>(order), 1);
        run(_i, false);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cuda_races");
    TCase *tests = tcase_create("kernels");
    tcase_add_loop_test_raise_signal(tests, accesses_without_an_order_end_the_program, SIGABRT, 0,
                                     ROWS);
    tcase_add_loop_test(tests, accesses_with_an_order_do_not, 0, ROWS);
    suite_add_tcase(suite, tests);
    return suite;
}
