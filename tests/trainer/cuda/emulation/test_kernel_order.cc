/* The emulated GPU runs kernels like a real one, and detects faulty kernels. */
#include <csignal>
#include <cstring>
#include <vector>

#include "trainer/cuda/kernels/warp_matrix.cuh"

#include "tests/support/suite.h"
#include "tests/trainer/cuda/emulation/emulation.h"

/* GPU memory that is freed by the destructor. */
template <class T> class Array
{
  public:
    explicit Array(std::vector<T> values) : count(values.size())
    {
        ck_assert_int_eq(cudaMalloc((void **)&memory, bytes()), cudaSuccess);
        ck_assert_int_eq(cudaMemcpy(memory, values.data(), bytes(), cudaMemcpyHostToDevice),
                         cudaSuccess);
    }
    explicit Array(size_t zeros) : Array(std::vector<T>(zeros))
    {
    }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;
    ~Array()
    {
        (void)cudaFree(memory);
    }
    std::vector<T> values() const
    {
        std::vector<T> copy(count);
        ck_assert_int_eq(cudaMemcpy(copy.data(), memory, bytes(), cudaMemcpyDeviceToHost),
                         cudaSuccess);
        return copy;
    }
    T *gpu() const
    {
        return memory;
    }

  private:
    size_t bytes() const
    {
        return count * sizeof(T);
    }
    size_t count;
    T *memory = nullptr;
};

/* Calls `body` in each order; shuffled ones with several seeds. */
template <class Body> void in_all_orders(Body body)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        cuda_emulation_set_order(seed == 0   ? CUDA_ORDER_ASCENDING
                                 : seed == 1 ? CUDA_ORDER_DESCENDING
                                             : CUDA_ORDER_SHUFFLED,
                                 seed);
        body();
    }
}

/* --- Places and arguments --- */

__global__ static void put_places(uint3 *blocks, uint3 *threads, dim3 *sizes)
{
    unsigned int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned int i = block * blockDim.x * blockDim.y * blockDim.z + thread;
    blocks[i] = blockIdx;
    threads[i] = threadIdx;
    if (i == 0) {
        sizes[0] = gridDim;
        sizes[1] = blockDim;
    }
}

START_TEST(threads_and_blocks_have_their_places)
{
    const dim3 grid(3, 2, 4), block(5, 3, 2);
    const unsigned int threads = 5 * 3 * 2, all = 3 * 2 * 4 * threads;
    in_all_orders([&] {
        Array<uint3> blocks(all), places(all);
        Array<dim3> sizes(2);
        CUDA_LAUNCH(put_places, grid, block, nullptr, blocks.gpu(), places.gpu(), sizes.gpu());
        auto in = blocks.values(), at = places.values();
        for (unsigned int i = 0; i < all; i++) {
            ck_assert_uint_eq(in[i].x + 3 * (in[i].y + 2 * in[i].z), i / threads);
            ck_assert_uint_eq(at[i].x + 5 * (at[i].y + 3 * at[i].z), i % threads);
            ck_assert(in[i].x < 3 && in[i].y < 2 && at[i].x < 5 && at[i].y < 3);
        }
        ck_assert_uint_eq(sizes.values()[0].z, 4);
        ck_assert_uint_eq(sizes.values()[1].y, 3);
    });
}
END_TEST

__global__ static void note_order(int *noted, int *next)
{
    noted[atomicAdd(next, 1)] = (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

START_TEST(threads_and_blocks_run_in_the_chosen_order)
{
    std::vector<std::vector<int>> noted;
    in_all_orders([&] {
        Array<int> order(6 * 64), next(1);
        CUDA_LAUNCH(note_order, 6, 64, nullptr, order.gpu(), next.gpu());
        noted.push_back(order.values());
        std::vector<bool> seen(6 * 64);
        for (int i : noted.back()) {
            ck_assert(!seen[(size_t)i]);
            seen[(size_t)i] = true;
        }
    });
    for (int i = 0; i < 6 * 64; i++) {
        ck_assert_int_eq(noted[0][(size_t)i], i);
        ck_assert_int_eq(noted[1][(size_t)i], 6 * 64 - 1 - i);
    }
    for (size_t i = 0; i < noted.size(); i++)
        for (size_t j = 0; j < i; j++)
            ck_assert(noted[i] != noted[j]);
}
END_TEST

struct Settings {
    int value;
};

__global__ static void put(int *out, Settings settings, float factor)
{
    *out = (int)(factor * (float)settings.value);
}

START_TEST(arguments_are_copied_and_converted_at_the_launch)
{
    Array<int> out(1);
    Settings settings = {5};
    cudaStream_t stream;
    ck_assert_int_eq(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    cuda_emulation_set_lag(true);
    CUDA_LAUNCH(put, 1, 1, stream, out.gpu(), settings, 3);
    settings.value = 7;
    ck_assert_int_eq(cudaStreamSynchronize(stream), cudaSuccess);
    ck_assert_int_eq(out.values()[0], 15);
    ck_assert_int_eq(cudaStreamDestroy(stream), cudaSuccess);
}
END_TEST

START_TEST(an_impossible_launch_is_an_error)
{
    static const struct {
        dim3 grid, block;
    } rows[] = {{dim3(0), dim3(32)},          {dim3(1), dim3(0)},
                {dim3(1), dim3(1025)},        {dim3(1), dim3(32, 33)},
                {dim3(1), dim3(1, 1, 65)},    {dim3(1, 65536), dim3(1)},
                {dim3(1, 1, 65536), dim3(1)}, {dim3(0x80000000u), dim3(1)}};
    Array<int> out(1);
    for (const auto &row : rows) {
        CUDA_LAUNCH(put, row.grid, row.block, nullptr, out.gpu(), Settings{1}, 1.0f);
        ck_assert_int_eq(cudaGetLastError(), cudaErrorInvalidConfiguration);
        ck_assert_int_eq(cudaGetLastError(), cudaSuccess);
    }
    ck_assert_int_eq(out.values()[0], 0);
    ck_assert_int_eq(cuda_emulation_counts().launches, 0);
}
END_TEST

/* --- Barriers --- */

enum { TURNED = 256 };

template <bool HAS_BARRIER> __global__ static void turn(int *values)
{
    __shared__ int all[TURNED];
    all[threadIdx.x] = values[threadIdx.x];
    if (HAS_BARRIER)
        __syncthreads();
    values[threadIdx.x] = all[blockDim.x - 1 - threadIdx.x];
}

static std::vector<int> numbers(int from, int count)
{
    std::vector<int> all((size_t)count);
    for (int i = 0; i < count; i++)
        all[(size_t)i] = from + i;
    return all;
}

START_TEST(values_cross_a_barrier)
{
    in_all_orders([&] {
        Array<int> values(numbers(0, TURNED));
        CUDA_LAUNCH((turn<true>), 1, TURNED, nullptr, values.gpu());
        auto turned = values.values();
        for (int i = 0; i < TURNED; i++)
            ck_assert_int_eq(turned[(size_t)i], TURNED - 1 - i);
    });
}
END_TEST

START_TEST(a_missing_barrier_gives_other_values_in_another_order)
{
    std::vector<std::vector<int>> results;
    in_all_orders([&] {
        Array<int> values(numbers(0, TURNED));
        CUDA_LAUNCH((turn<false>), 1, TURNED, nullptr, values.gpu());
        results.push_back(values.values());
    });
    ck_assert(results[0] != results[1]);
    ck_assert(results[0] != results[2]);
}
END_TEST

/* Sums a block over many barriers; some threads return before the last barriers. */
__global__ static void halve(int *values)
{
    __shared__ int sums[TURNED];
    sums[threadIdx.x] = values[threadIdx.x];
    for (unsigned int half = TURNED / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x >= half)
            return;
        sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    values[0] = sums[0];
}

START_TEST(threads_that_returned_are_not_waited_for)
{
    in_all_orders([&] {
        Array<int> values(numbers(0, TURNED));
        CUDA_LAUNCH(halve, 1, TURNED, nullptr, values.gpu());
        ck_assert_int_eq(values.values()[0], TURNED * (TURNED - 1) / 2);
    });
}
END_TEST

__global__ static void part_at_barriers()
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
}

START_TEST(threads_at_different_barriers_end_the_program)
{
    CUDA_LAUNCH(part_at_barriers, 1, 64, nullptr);
}
END_TEST

__global__ static void half_a_warp(int *out)
{
    if (threadIdx.x < 16)
        *out = __shfl_sync(0xffffffff, *out, 0);
    __syncthreads();
}

START_TEST(a_shuffle_that_half_a_warp_reaches_ends_the_program)
{
    Array<int> out(1);
    CUDA_LAUNCH(half_a_warp, 1, 32, nullptr, out.gpu());
}
END_TEST

__global__ static void lane_returns(int *out)
{
    if (threadIdx.x == 5)
        return;
    *out = __shfl_sync(0xffffffff, *out, 0);
}

START_TEST(a_shuffle_without_a_lane_that_returned_ends_the_program)
{
    Array<int> out(1);
    if (_i == 1)
        cuda_emulation_set_order(CUDA_ORDER_DESCENDING, 0);
    CUDA_LAUNCH(lane_returns, 1, 32, nullptr, out.gpu());
}
END_TEST

__global__ static void some_lanes(int *out)
{
    if (threadIdx.x < 16)
        *out = __shfl_sync(0xffff, *out, 0);
}

START_TEST(a_mask_of_some_lanes_ends_the_program)
{
    Array<int> out(1);
    CUDA_LAUNCH(some_lanes, 1, 32, nullptr, out.gpu());
}
END_TEST

/* --- Warps --- */

__global__ static void shuffle(float *out, uint64_t *wide, int kind, int argument, int width)
{
    int lane = (int)(threadIdx.x % 32);
    float value = (float)threadIdx.x;
    switch (kind) {
    case 0:
        value = __shfl_sync(0xffffffff, value, argument, width);
        break;
    case 1:
        value = __shfl_xor_sync(0xffffffff, value, argument, width);
        break;
    case 2:
        value = __shfl_down_sync(0xffffffff, value, (unsigned int)argument, width);
        break;
    case 3:
        value = __shfl_up_sync(0xffffffff, value, (unsigned int)argument, width);
        break;
    default:
        break;
    }
    out[threadIdx.x] = value;
    unsigned long long word = __shfl_xor_sync(0xffffffff, (unsigned long long)lane << 40, 1);
    wide[threadIdx.x] = word;
}

START_TEST(shuffles_move_values_between_lanes)
{
    // PTX ISA, "shfl.sync": a source outside the group of `width` lanes gives the lane's value; an
    // index wraps around in the group.
    static const struct {
        int kind, argument, width, from[4]; // of lanes 0, 7, 8 and 31
    } rows[] = {{0, 3, 32, {3, 3, 3, 3}},  {0, 3, 8, {3, 3, 11, 27}},     {0, 9, 8, {1, 1, 9, 25}},
                {1, 1, 32, {1, 6, 9, 30}}, {1, 16, 32, {16, 23, 24, 15}}, {1, 8, 8, {0, 7, 0, 23}},
                {2, 1, 32, {1, 8, 9, 31}}, {2, 1, 8, {1, 7, 9, 31}},      {3, 1, 32, {0, 6, 7, 30}},
                {3, 1, 8, {0, 6, 8, 30}}};
    static const int lanes[4] = {0, 7, 8, 31};
    in_all_orders([&] {
        for (const auto &row : rows) {
            Array<float> out(64);
            Array<uint64_t> wide(64);
            CUDA_LAUNCH(shuffle, 1, 64, nullptr, out.gpu(), wide.gpu(), row.kind, row.argument,
                        row.width);
            auto values = out.values();
            for (int i = 0; i < 4; i++) {
                ck_assert_float_eq(values[(size_t)lanes[i]], (float)row.from[i]);
                ck_assert_float_eq(values[(size_t)(32 + lanes[i])], (float)(32 + row.from[i]));
            }
            for (size_t i = 0; i < 64; i++)
                ck_assert_uint_eq(wide.values()[i], ((uint64_t)(i % 32) ^ 1) << 40);
        }
    });
}
END_TEST

__global__ static void sum_warps(int *values, unsigned int *ballots)
{
    __shared__ int sums[8];
    int sum = values[threadIdx.x];
    for (int bits = 16; bits > 0; bits /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, bits);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    values[threadIdx.x] = sums[(threadIdx.x + 32) / 32 % 8];
    ballots[threadIdx.x] = __ballot_sync(0xffffffff, threadIdx.x % 3 == 0);
}

START_TEST(shuffles_and_barriers_alternate)
{
    in_all_orders([&] {
        Array<int> values(numbers(0, 256));
        Array<unsigned int> ballots(256);
        CUDA_LAUNCH(sum_warps, 1, 256, nullptr, values.gpu(), ballots.gpu());
        auto sums = values.values();
        auto votes = ballots.values();
        for (int i = 0; i < 256; i++) {
            int warp = (i / 32 + 1) % 8;
            ck_assert_int_eq(sums[(size_t)i], 32 * 32 * warp + 31 * 32 / 2);
            for (int lane = 0; lane < 32; lane++)
                ck_assert_int_eq((int)(votes[(size_t)i] >> lane & 1),
                                 (i / 32 * 32 + lane) % 3 == 0);
        }
    });
}
END_TEST

/* --- Tensor cores --- */

enum { ROWS = 16, COLUMNS = 8, DEPTH = 16 };

struct Operands {
    float a[ROWS][DEPTH], b[DEPTH][COLUMNS], d[ROWS][COLUMNS];
};

/* Small whole numbers, whose products and sums are exact; those of `a` differ for each place. */
static Operands operands()
{
    Operands all;
    for (int row = 0; row < ROWS; row++)
        for (int k = 0; k < DEPTH; k++)
            all.a[row][k] = (float)(row * DEPTH + k - 100);
    for (int k = 0; k < DEPTH; k++)
        for (int column = 0; column < COLUMNS; column++)
            all.b[k][column] = (float)((k * 37 + column * 11) % 64 - 32);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            all.d[row][column] = (float)(row * 1000 - column);
    return all;
}

/* The places of elements as described in warp_matrix.cuh, implemented separately. */
__global__ static void multiply_tf32(Operands *all, uint32_t dirt)
{
    int group = (int)threadIdx.x % 32 / 4, member = (int)threadIdx.x % 4;
    float d[4];
    uint32_t a[4], b[2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            d[2 * i + j] = all->d[group + 8 * i][2 * member + j];
            a[i + 2 * j] = float_as_tf32(all->a[group + 8 * i][member + 4 * j]) | dirt;
        }
    for (int j = 0; j < 2; j++)
        b[j] = float_as_tf32(all->b[member + 4 * j][group]) | dirt;
    warp_mma_tf32(d, a, b);
    __syncwarp();
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            all->d[group + 8 * i][2 * member + j] = d[2 * i + j];
}

__device__ static uint32_t bf16_pair(float low, float high)
{
    return __float_as_uint(low) >> 16 | (__float_as_uint(high) & 0xffff0000u);
}

__global__ static void multiply_bf16(Operands *all)
{
    int group = (int)threadIdx.x % 32 / 4, member = (int)threadIdx.x % 4;
    float d[4];
    uint32_t a[4], b[2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const float *row = all->a[group + 8 * i];
            int k = 2 * member + 8 * j;
            d[2 * i + j] = all->d[group + 8 * i][2 * member + j];
            a[i + 2 * j] = bf16_pair(row[k], row[k + 1]);
        }
    for (int j = 0; j < 2; j++) {
        int k = 2 * member + 8 * j;
        b[j] = bf16_pair(all->b[k][group], all->b[k + 1][group]);
    }
    warp_mma_bf16(d, a, b);
    __syncwarp();
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            all->d[group + 8 * i][2 * member + j] = d[2 * i + j];
}

static void check_product(const Operands &before, const Operands &after, int depth)
{
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) {
            float sum = before.d[row][column];
            for (int k = 0; k < depth; k++)
                sum += before.a[row][k] * before.b[k][column];
            ck_assert_float_eq(after.d[row][column], sum);
        }
}

START_TEST(tensor_cores_multiply_tf32)
{
    // Tensor cores ignore the lowest 13 bits, which are all set here.
    const Operands before = operands();
    in_all_orders([&] {
        for (uint32_t dirt : {0u, 0x1fffu}) {
            Array<Operands> all(std::vector<Operands>{before});
            CUDA_LAUNCH(multiply_tf32, 1, 32, nullptr, all.gpu(), dirt);
            check_product(before, all.values()[0], 8);
        }
    });
}
END_TEST

START_TEST(tensor_cores_multiply_bf16)
{
    const Operands before = operands();
    in_all_orders([&] {
        Array<Operands> all(std::vector<Operands>{before});
        CUDA_LAUNCH(multiply_bf16, 1, 32, nullptr, all.gpu());
        check_product(before, all.values()[0], 16);
    });
}
END_TEST

START_TEST(tf32_is_the_nearest_and_away_from_zero_between_two)
{
    // 10 bits of mantissa are kept: a unit is 0x2000, and half a unit is rounded away from zero.
    // PTX ISA, "cvt", .rna.
    static const struct {
        uint32_t value, nearest;
    } rows[] = {{0x3f800000, 0x3f800000}, {0x3f800fff, 0x3f800000}, {0x3f801000, 0x3f802000},
                {0xbf801000, 0xbf802000}, {0x3f801fff, 0x3f802000}, {0x3f803000, 0x3f804000},
                {0x3fffffff, 0x40000000}, {0x7f7fffff, 0x7f800000}, {0x7f800000, 0x7f800000},
                {0x80000000, 0x80000000}, {0x00000fff, 0x00000000}};
    for (const auto &row : rows)
        ck_assert_uint_eq(float_as_tf32(__uint_as_float(row.value)), row.nearest);
    ck_assert(isnan(__uint_as_float(float_as_tf32(__uint_as_float(0x7fffffff)))));
    ck_assert(isnan(__uint_as_float(float_as_tf32(__uint_as_float(0xffffffff)))));
}
END_TEST

/* --- Memory --- */

__global__ static void count_words(const uint32_t *words, int count, uint32_t word, int *found)
{
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < count;
         i += (int)(gridDim.x * blockDim.x))
        if (words[i] == word)
            atomicAdd(found, 1);
}

START_TEST(new_memory_is_filled_with_nan)
{
    Array<int> found(1);
    uint32_t *words = nullptr;
    ck_assert_int_eq(cudaMalloc((void **)&words, 1000 * sizeof *words), cudaSuccess);
    CUDA_LAUNCH(count_words, 3, 64, nullptr, words, 1000, 0xffffffffu, found.gpu());
    ck_assert_int_eq(found.values()[0], 1000);
    ck_assert_int_eq(cudaFree(words), cudaSuccess);
}
END_TEST

#if CUDA_EMULATED_ASAN

__global__ static void write_at(int *values, int i)
{
    values[i] = 1;
}

START_TEST(an_access_outside_ends_the_program)
{
    Array<int> values(5);
    CUDA_LAUNCH(write_at, 1, 1, nullptr, values.gpu(), 5);
}
END_TEST

START_TEST(the_processor_that_touches_the_gpus_memory_ends_the_program)
{
    Array<int> values(5);
    CUDA_LAUNCH(write_at, 1, 1, nullptr, values.gpu(), 4);
    *(volatile int *)values.gpu() = 1;
}
END_TEST

#else

__global__ static void read_shared(uint32_t *out)
{
    __shared__ uint32_t words[32];
    out[threadIdx.x] = words[threadIdx.x];
    words[threadIdx.x] = 1;
}

START_TEST(shared_memory_is_filled_with_nan_before_a_kernel)
{
    Array<uint32_t> out(32);
    for (int i = 0; i < 2; i++) {
        CUDA_LAUNCH(read_shared, 1, 32, nullptr, out.gpu());
        ck_assert_uint_eq(out.values()[7], 0xffffffff);
    }
}
END_TEST

#endif

/* --- Failures --- */

START_TEST(a_kernel_that_fails_takes_the_gpu_with_it)
{
    Array<int> out(1);
    cuda_emulation_fail_launch(2, cudaErrorIllegalAddress);
    CUDA_LAUNCH(put, 1, 1, nullptr, out.gpu(), Settings{1}, 1.0f);
    ck_assert_int_eq(cudaGetLastError(), cudaSuccess);
    CUDA_LAUNCH(put, 1, 1, nullptr, out.gpu(), Settings{2}, 1.0f);
    ck_assert_int_eq(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    CUDA_LAUNCH(put, 1, 1, nullptr, out.gpu(), Settings{3}, 1.0f);
    ck_assert_int_eq(cudaGetLastError(), cudaErrorIllegalAddress);
    ck_assert_int_eq(cudaGetLastError(), cudaErrorIllegalAddress);
    int *more = nullptr;
    ck_assert_int_eq(cudaMalloc((void **)&more, 4), cudaErrorIllegalAddress);
    ck_assert_int_eq(cuda_emulation_counts().launches, 1);
    cuda_emulation_reset();
    ck_assert_int_eq(out.values()[0], 1);
}
END_TEST

/* --- Graphs --- */

__global__ static void append(int *digits, int digit)
{
    *digits = *digits * 10 + digit;
}

START_TEST(a_captured_kernel_runs_whenever_its_graph_is_launched)
{
    Array<int> digits(1);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    ck_assert_int_eq(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    ck_assert_int_eq(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    CUDA_LAUNCH(append, 1, 1, stream, digits.gpu(), 1);
    CUDA_LAUNCH(append, 1, 1, stream, digits.gpu(), 2);
    ck_assert_int_eq(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ck_assert_int_eq(cuda_emulation_counts().launches, 0);
    ck_assert_int_eq(cuda_graph_instantiate(&executable, graph), cudaSuccess);
    ck_assert_int_eq(cudaGraphDestroy(graph), cudaSuccess);
    in_all_orders([&] {
        ck_assert_int_eq(cudaMemset(digits.gpu(), 0, 4), cudaSuccess);
        for (int i = 0; i < 3; i++)
            ck_assert_int_eq(cudaGraphLaunch(executable, stream), cudaSuccess);
        ck_assert_int_eq(digits.values()[0], 121212);
    });
    ck_assert_int_eq(cuda_emulation_counts().launches, 8 * 3 * 2);
    ck_assert_int_eq(cuda_emulation_counts().graph_launches, 8 * 3);
    ck_assert_int_eq(cudaGraphExecDestroy(executable), cudaSuccess);
    ck_assert_int_eq(cudaStreamDestroy(stream), cudaSuccess);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cuda_emulation");
    TCase *tests = tcase_create("kernels");
    tcase_add_test(tests, threads_and_blocks_have_their_places);
    tcase_add_test(tests, threads_and_blocks_run_in_the_chosen_order);
    tcase_add_test(tests, arguments_are_copied_and_converted_at_the_launch);
    tcase_add_test(tests, an_impossible_launch_is_an_error);
    tcase_add_test(tests, values_cross_a_barrier);
    tcase_add_test(tests, a_missing_barrier_gives_other_values_in_another_order);
    tcase_add_test(tests, threads_that_returned_are_not_waited_for);
    tcase_add_test_raise_signal(tests, threads_at_different_barriers_end_the_program, SIGABRT);
    tcase_add_test_raise_signal(tests, a_shuffle_that_half_a_warp_reaches_ends_the_program,
                                SIGABRT);
    tcase_add_loop_test_raise_signal(tests, a_shuffle_without_a_lane_that_returned_ends_the_program,
                                     SIGABRT, 0, 2);
    tcase_add_test_raise_signal(tests, a_mask_of_some_lanes_ends_the_program, SIGABRT);
    tcase_add_test(tests, shuffles_move_values_between_lanes);
    tcase_add_test(tests, shuffles_and_barriers_alternate);
    tcase_add_test(tests, tensor_cores_multiply_tf32);
    tcase_add_test(tests, tensor_cores_multiply_bf16);
    tcase_add_test(tests, tf32_is_the_nearest_and_away_from_zero_between_two);
    tcase_add_test(tests, new_memory_is_filled_with_nan);
#if CUDA_EMULATED_ASAN
    tcase_add_exit_test(tests, an_access_outside_ends_the_program, 1);
    tcase_add_exit_test(tests, the_processor_that_touches_the_gpus_memory_ends_the_program, 1);
#else
    tcase_add_test(tests, shared_memory_is_filled_with_nan_before_a_kernel);
#endif
    tcase_add_test(tests, a_kernel_that_fails_takes_the_gpu_with_it);
    tcase_add_test(tests, a_captured_kernel_runs_whenever_its_graph_is_launched);
    suite_add_tcase(suite, tests);
    return suite;
}
