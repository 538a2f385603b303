/* Runs kernels: the threads of a block one after the other, each until it waits. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include <cuda_emulated_sanitizer.h>

#include "tests/trainer/cuda/emulation/fiber.h"
#include "tests/trainer/cuda/emulation/runtime.h"

/* Data of the emulation that kernels read, in one section, so that their accesses are recognised.
 */
#if CUDA_EMULATED_ASAN
#define OF_LAUNCH // AddressSanitizer guards only the common sections
#else
#define OF_LAUNCH __attribute__((section("cuda_emulated_launch")))
#endif

OF_LAUNCH uint3 threadIdx, blockIdx;
OF_LAUNCH dim3 blockDim, gridDim;
OF_LAUNCH uint64_t cuda_emulated_multiply_adds;

/* The linker's names for the ends of __shared__ arrays; null if a program has no such arrays. */
extern "C" char shared_begin[] __asm__("__start_cuda_emulated_shared") __attribute__((weak));
extern "C" char shared_end[] __asm__("__stop_cuda_emulated_shared") __attribute__((weak));

namespace emulation
{

bool is_idle;

namespace
{

constexpr uint32_t WARP = 32, THREADS_MAX = 1024;

struct Thread {
    Fiber *fiber; // null: not started, or finished
    bool is_over;
    CudaEmulatedPlace place; // where it waits; its `what` is null if it does not wait
};

/* The operands of one lane in a tensor-core product. */
struct Fragments {
    float *d;
    const uint32_t *a, *b;
};

struct Warp {
    uint32_t lanes, over, arrived;
    CudaEmulatedPlace place; // of the lanes that arrived
    // Two sets: a lane may pass its next value while others still read the previous ones.
    uint64_t values[2][WARP];
    int set; // filled by the next exchange
    Fragments fragments[WARP];
};

struct Block {
    const char *kernel;
    const std::function<void()> *thread;
    uint32_t threads, over, arrived;
    Thread all[THREADS_MAX];
    Warp warps[THREADS_MAX / WARP];
    // Threads that can continue, the next one last. Lanes that a warp waits for run soon, so that a
    // warp gets far ahead of the others until a barrier stops it.
    uint32_t ready[THREADS_MAX], ready_count;
    uint32_t current;
};

OF_LAUNCH Block block;
bool runs;                                                     // a kernel cannot launch another one
std::vector<Fiber *> &idle_fibers = *new std::vector<Fiber *>; // never destroyed, like fibers
Fiber *running_fiber, *caller;

CudaEmulationKernel next_launch; // what CUDA_WORK has said about it
CudaEmulationOrder order = CUDA_ORDER_ASCENDING;
uint64_t random_state = 1;

/* --- Messages --- */

uint3 place_of(uint32_t thread)
{
    if (thread < blockDim.x) // the usual case, without divisions
        return {thread, 0, 0};
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): is_possible has checked it
    return {thread % blockDim.x, thread / blockDim.x % blockDim.y,
            thread / blockDim.x / blockDim.y};
}

void print_thread(uint32_t thread)
{
    uint3 at = place_of(thread);
    fprintf(stderr, "  thread (%u, %u, %u) ", at.x, at.y, at.z);
    const CudaEmulatedPlace &place = block.all[thread].place;
    if (block.all[thread].is_over)
        fprintf(stderr, "has returned\n");
    else if (place.what != nullptr)
        fprintf(stderr, "is in %s at %s:%d\n", place.what, place.file, place.line);
    else
        fprintf(stderr, "has not reached it\n");
}

bool is_same(const CudaEmulatedPlace &a, const CudaEmulatedPlace &b)
{
    return a.what == b.what && a.line == b.line && a.file == b.file;
}

/* Prints the places of threads, one line for each different state, and ends the program. */
[[noreturn]] void fail(const char *complaint)
{
    fprintf(stderr, "cuda emulation: kernel %s, block (%u, %u, %u): %s\n", block.kernel, blockIdx.x,
            blockIdx.y, blockIdx.z, complaint);
    for (uint32_t i = 0; i < block.threads; i++) {
        const Thread &last = block.all[i == 0 ? 0 : i - 1], &thread = block.all[i];
        if (i == 0 || thread.is_over != last.is_over || !is_same(thread.place, last.place))
            print_thread(i);
    }
    abort();
}

/* --- Scheduling --- */

void set_current(uint32_t thread)
{
    block.current = thread;
    threadIdx = place_of(thread);
    races_set_thread(thread);
}

void run_threads();

/* Switches from the running thread, which waits or has finished, to the next one. */
void run_next()
{
    if (block.ready_count == 0)
        fail("no thread can continue");
    uint32_t next = block.ready[--block.ready_count];
    set_current(next);
    Thread &thread = block.all[next];
    thread.place.what = nullptr;
    if (thread.fiber == nullptr) {
        if (idle_fibers.empty())
            idle_fibers.push_back(fiber_create(run_threads));
        thread.fiber = idle_fibers.back();
        idle_fibers.pop_back();
    }
    Fiber *from = running_fiber;
    running_fiber = thread.fiber;
    if (from != running_fiber)
        fiber_switch(from, running_fiber);
}

void release_block()
{
    Permutation permutation = next_permutation(block.threads);
    uint64_t thread = permutation.last();
    for (uint32_t i = 0; i < block.threads; i++, thread = permutation.before(thread))
        if (!block.all[thread].is_over)
            block.ready[block.ready_count++] = (uint32_t)thread;
    block.arrived = 0;
}

/* Called after the last thread has reached a barrier. */
void complete_block_barrier()
{
    CudaEmulatedPlace first = {nullptr, nullptr, 0};
    for (uint32_t i = 0; i < block.threads; i++) {
        const Thread &thread = block.all[i];
        if (thread.is_over)
            continue;
        if (first.what == nullptr)
            first = thread.place;
        else if (!is_same(first, thread.place))
            fail("threads wait at different barriers");
    }
    races_barrier();
    release_block();
}

void end_thread()
{
    Thread &thread = block.all[block.current];
    thread.is_over = true;
    thread.fiber = nullptr;
    block.over++;
    Warp &warp = block.warps[block.current / WARP];
    warp.over++;
    if (warp.arrived > 0)
        fail("a lane returns for which its warp waits");
    if (block.arrived > 0 && block.arrived + block.over == block.threads)
        complete_block_barrier();
}

/* The entry of fibers: runs one thread after the other, until run_next switches to another
 * fiber. */
void run_threads()
{
    for (;;) {
        (*block.thread)();
        end_thread();
        // This fiber is the next idle one, so that a thread that has not started runs in it.
        idle_fibers.push_back(running_fiber);
        if (block.over < block.threads) {
            run_next();
            continue;
        }
        Fiber *own = running_fiber;
        running_fiber = caller;
        fiber_switch(own, caller);
    }
}

void run_block()
{
    for (uint32_t i = 0; i < block.threads; i++)
        block.all[i] = Thread();
    uint32_t warps = (block.threads + WARP - 1) / WARP;
    for (uint32_t i = 0; i < warps; i++) {
        Warp &warp = block.warps[i];
        uint32_t left = block.threads - i * WARP;
        warp.lanes = left < WARP ? left : WARP;
        warp.over = warp.arrived = 0;
        warp.set = 0;
    }
    block.over = block.ready_count = 0;
    release_block();
    running_fiber = caller;
    run_next();
}

void run_grid(const char *name, dim3 grid, dim3 threads, const std::function<void()> &thread)
{
    if (!launch_starts(name) || is_idle)
        return;
    if (runs)
        fail("a kernel or a host function launches a kernel");
    runs = true;
    gridDim = grid;
    blockDim = threads;
    block.kernel = name;
    block.thread = &thread;
    block.threads = threads.x * threads.y * threads.z;
    caller = fiber_of_caller();
    if (shared_begin != nullptr)
        memset(shared_begin, 0xFF, (size_t)(shared_end - shared_begin));
    uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    races_begin(blocks);
    Permutation permutation = next_permutation(blocks);
    uint64_t i = permutation.first();
    for (uint64_t place = 0; place < blocks; place++, i = permutation.after(i)) {
        blockIdx = {(unsigned)(i % grid.x), (unsigned)(i / grid.x % grid.y),
                    (unsigned)(i / grid.x / grid.y)};
        races_begin_block((uint32_t)i);
        run_block();
    }
    races_end();
    runs = false;
}

/* A lane arrives. After the last one has arrived, calls `complete`, and all lanes continue. */
template <class Complete>
void meet_in_warp(const CudaEmulatedPlace &place, unsigned int mask, Complete complete)
{
    Warp &warp = block.warps[block.current / WARP];
    block.all[block.current].place = place;
    if (mask != 0xffffffffu)
        fail("the emulation supports warp functions of all lanes only");
    if (warp.over > 0)
        fail("a lane of the warp has returned");
    if (warp.arrived == 0)
        warp.place = place;
    else if (!is_same(warp.place, place))
        fail("lanes of a warp wait at different places");
    if (++warp.arrived == warp.lanes) {
        complete(warp);
        warp.arrived = 0;
        uint32_t first = block.current / WARP * WARP;
        Permutation permutation = next_permutation(warp.lanes);
        uint64_t lane = permutation.last();
        for (uint32_t i = 0; i < warp.lanes; i++, lane = permutation.before(lane))
            block.ready[block.ready_count++] = first + (uint32_t)lane;
    }
    run_next();
}

/* --- Tensor cores --- */

double tf32(uint32_t bits)
{
    return (double)__uint_as_float(bits & 0xffffe000u);
}

double bf16(uint32_t bits)
{
    return (double)__uint_as_float(bits << 16);
}

/* PTX ISA, "Matrix Fragments for mma.m16n8k8" (.tf32) and "... mma.m16n8k16" (.bf16): the place of
 * an element among the lanes and their registers. With group = lane / 4 and member = lane % 4:
 * d[2 i + j] is row group + 8 i, column 2 member + j of the product. */
enum { ROWS = 16, COLUMNS = 8 };

/* Factors with `DEPTH` products for each sum. They are doubles, which hold the product of two tf32
 * or bf16 exactly. */
template <int DEPTH> struct Matrices {
    double a[ROWS][DEPTH], b[DEPTH][COLUMNS];
};

template <int DEPTH> void multiply(const Warp &warp, const Matrices<DEPTH> &matrices)
{
    double sums[ROWS][COLUMNS];
    for (uint32_t lane = 0; lane < WARP; lane++)
        for (uint32_t i = 0; i < 4; i++)
            sums[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2] = (double)warp.fragments[lane].d[i];
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t k = 0; k < DEPTH; k++)
            for (uint32_t column = 0; column < COLUMNS; column++)
                sums[row][column] += matrices.a[row][k] * matrices.b[k][column];
    for (uint32_t lane = 0; lane < WARP; lane++)
        for (uint32_t i = 0; i < 4; i++)
            warp.fragments[lane].d[i] = (float)sums[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2];
}

void multiply_tf32(const Warp &warp)
{
    Matrices<8> matrices;
    for (uint32_t lane = 0; lane < WARP; lane++) {
        const Fragments &own = warp.fragments[lane];
        uint32_t group = lane / 4, member = lane % 4;
        for (uint32_t i = 0; i < 4; i++) // a0 to a3: the rows first
            matrices.a[group + i % 2 * 8][member + i / 2 * 4] = tf32(own.a[i]);
        for (uint32_t i = 0; i < 2; i++)
            matrices.b[member + i * 4][group] = tf32(own.b[i]);
    }
    multiply(warp, matrices);
}

void multiply_bf16(const Warp &warp)
{
    Matrices<16> matrices;
    for (uint32_t lane = 0; lane < WARP; lane++) {
        const Fragments &own = warp.fragments[lane];
        uint32_t group = lane / 4, member = lane % 4;
        for (uint32_t i = 0; i < 4; i++) {
            double *pair = &matrices.a[group + i % 2 * 8][member * 2 + i / 2 * 8];
            pair[0] = bf16(own.a[i] & 0xffffu); // the lower half is the lower k
            pair[1] = bf16(own.a[i] >> 16);
        }
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t k = member * 2 + i * 8;
            matrices.b[k][group] = bf16(own.b[i] & 0xffffu);
            matrices.b[k + 1][group] = bf16(own.b[i] >> 16);
        }
    }
    multiply(warp, matrices);
}

void multiply_in_warp(const CudaEmulatedPlace &place, const Fragments &own,
                      void (*product)(const Warp &warp))
{
    Warp &warp = block.warps[block.current / WARP];
    block.all[block.current].place = place;
    if (warp.lanes != WARP)
        fail("tensor cores need a warp of 32 lanes");
    warp.fragments[block.current % WARP] = own;
    meet_in_warp(place, 0xffffffffu, product);
}

} // namespace

void fail_access(const char *complaint)
{
    fail(complaint);
}

/* --- Orders --- */

static uint64_t random_number()
{
    random_state ^= random_state << 13; // Marsaglia, "Xorshift RNGs", 2003
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state >> 16;
}

void set_order(CudaEmulationOrder chosen, uint64_t seed)
{
    order = chosen;
    random_state = seed * 2 + 1; // never 0
}

Permutation next_permutation(uint64_t count)
{
    if (order == CUDA_ORDER_ASCENDING || order == CUDA_ORDER_COUNT || count == 1)
        return {count, 1, 0};
    if (order == CUDA_ORDER_DESCENDING)
        return {count, count - 1, count - 1};
    uint64_t factor = 1 + random_number() % (count - 1);
    while (std::gcd(factor, count) != 1)
        factor = 1 + factor % (count - 1);
    return {count, factor, random_number() % count};
}

} // namespace emulation

using namespace emulation;

/* --- Functions that kernels call --- */

void cuda_emulated_block_barrier(CudaEmulatedPlace place)
{
    block.all[block.current].place = place;
    if (++block.arrived + block.over == block.threads)
        complete_block_barrier();
    run_next();
}

void cuda_emulated_warp_barrier(CudaEmulatedPlace place, unsigned int mask)
{
    meet_in_warp(place, mask, [](const Warp &) { races_warp_barrier(block.current / WARP); });
}

const uint64_t *cuda_emulated_exchange(CudaEmulatedPlace place, unsigned int mask, uint64_t value)
{
    Warp &warp = block.warps[block.current / WARP];
    const uint64_t *values = warp.values[warp.set];
    warp.values[warp.set][block.current % WARP] = value;
    meet_in_warp(place, mask, [](Warp &complete) { complete.set ^= 1; });
    return values;
}

int cuda_emulated_lane()
{
    return (int)(block.current % WARP);
}

int cuda_emulated_lanes()
{
    return (int)block.warps[block.current / WARP].lanes;
}

void cuda_emulated_fail(CudaEmulatedPlace place, const char *complaint)
{
    block.all[block.current].place = place;
    fail(complaint);
}

uint32_t cuda_emulated_tf32(float value)
{
    // Values above the largest tf32 become infinity without a special case.
    return value != value ? 0x7fffffffu : (__float_as_uint(value) + 0x1000u) & 0xffffe000u;
}

void cuda_emulated_mma_tf32(float d[4], const uint32_t a[4], const uint32_t b[2], const char *file,
                            int line)
{
    if (cuda_emulated_lane() == 0)
        cuda_emulated_multiply_adds += ROWS * COLUMNS * 8;
    multiply_in_warp({"mma", file, line}, {d, a, b}, multiply_tf32);
}

void cuda_emulated_mma_bf16(float d[4], const uint32_t a[4], const uint32_t b[2], const char *file,
                            int line)
{
    if (cuda_emulated_lane() == 0)
        cuda_emulated_multiply_adds += ROWS * COLUMNS * 16;
    multiply_in_warp({"mma", file, line}, {d, a, b}, multiply_bf16);
}

/* The limits of CUDA C++ Programming Guide, "Compute Capabilities", the same since 3.5. */
static bool is_possible(dim3 grid, dim3 threads)
{
    if (threads.x == 0 || threads.y == 0 || threads.z == 0 || threads.x > 1024 ||
        threads.y > 1024 || threads.z > 64 ||
        (uint64_t)threads.x * threads.y * threads.z > THREADS_MAX)
        return false;
    return grid.x != 0 && grid.y != 0 && grid.z != 0 && grid.x <= 0x7fffffffu && grid.y <= 65535 &&
           grid.z <= 65535;
}

void cuda_emulated_work(const CudaWork &work)
{
    next_launch.work = work;
    next_launch.has_work = true;
}

void cuda_emulated_launch(const char *name, const void *kernel, dim3 grid, dim3 threads,
                          cudaStream_t stream, std::function<void()> thread)
{
    (void)call([&] {
        next_launch.name = name;
        next_launch.function = kernel;
        next_launch.grid[0] = grid.x;
        next_launch.grid[1] = grid.y;
        next_launch.grid[2] = grid.z;
        next_launch.threads = threads.x * threads.y * threads.z;
        const CudaEmulationKernel launch = next_launch;
        next_launch = CudaEmulationKernel();
        if (!is_possible(grid, threads))
            return cudaErrorInvalidConfiguration;
        return submit(
            stream, cudaGraphNodeTypeKernel,
            [name, grid, threads, thread = std::move(thread)] {
                run_grid(name, grid, threads, thread);
            },
            &launch);
    });
}
