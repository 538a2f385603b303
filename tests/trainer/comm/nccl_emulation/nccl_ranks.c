/* One rank of a test of sums on GPUs: `mpirun -n N nccl_ranks WORD CASE`. Each rank has a separate
 * emulated GPU. tests/trainer/comm/nccl_emulation/run.sh starts it. A check that fails ends all
 * ranks with exit code 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/base/memory.h"
#include "sim/base/name_table.h"
#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"
#include "tests/support/small_training.h"
#include "tests/trainer/comm/nccl_emulation/nccl_emulation.h"
#include "tests/trainer/cuda/emulation/emulation.h"
#include "trainer/comm/allreduce_bench.h"
#include "trainer/cuda/toolkit/nccl_version.h"
#include "trainer/run/step.h"

static Comm *comm;
static const char *word;
static int32_t rank, size;

static void check_at(bool holds, const char *condition, int line)
{
    if (holds)
        return;
    fprintf(stderr, "nccl_ranks.c:%d: rank %d of %d: failed: %s\n", line, rank, size, condition);
    comm_abort(comm, 1);
}
#define CHECK(condition) check_at(condition, #condition, __LINE__)

static void fine_at(bool done, const Status *status, int line)
{
    if (!done)
        check_at(false, status->message, line);
}
#define FINE(call) fine_at(call, &status, __LINE__)
#define CUDA(call) check_at((call) == cudaSuccess, #call, __LINE__)

static void use_gpus(void)
{
    Status status;
    CUDA(cudaSetDevice(comm_local_rank(comm)));
    FINE(comm_use_gpus(comm, true, &status));
    CHECK(strcmp(comm_name(comm), "nccl") == 0);
}

/* Whole numbers, whose sums a float holds exactly. */
static float whole(int32_t of_rank, int64_t i)
{
    return (float)((i * 7 + of_rank * INT64_C(3)) % 16);
}

/* --- Sums --- */

static float *on_gpu(int64_t count, cudaStream_t stream)
{
    float *values = memory_zeroed((size_t)count * sizeof *values);
    void *there = NULL;
    for (int64_t i = 0; i < count; i++)
        values[i] = whole(rank, i);
    CUDA(cudaMalloc(&there, (size_t)count * sizeof *values));
    CUDA(cudaMemcpyAsync(there, values, (size_t)count * sizeof *values, cudaMemcpyHostToDevice,
                         stream));
    CUDA(cudaStreamSynchronize(stream));
    free(values);
    return there;
}

/* The values are `times` the sum over all ranks. */
static void check_sum(const float *there, int64_t count, float times)
{
    float *values = memory_zeroed((size_t)count * sizeof *values);
    CUDA(cudaMemcpy(values, there, (size_t)count * sizeof *values, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < count; i++) {
        float sum = 0;
        for (int32_t r = 0; r < size; r++)
            sum += whole(r, i);
        CHECK(values[i] == sum * times);
    }
    free(values);
}

static void run_sums(void)
{
    static const int64_t counts[] = {1, 5, 1000, 70000};
    cudaStream_t stream;
    Status status;
    use_gpus();
    CHECK(comm_sums_on_gpu(comm) && comm_sums_in_graph(comm));
    CUDA(cudaStreamCreate(&stream));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        float *values = on_gpu(counts[i], stream);
        FINE(comm_sum_on_gpu(comm, values, counts[i], stream, &status));
        CUDA(cudaStreamSynchronize(stream));
        check_sum(values, counts[i], 1);
        CUDA(cudaFree(values));
    }
    CUDA(cudaStreamDestroy(stream));
}

/* Two sums in a graph that is launched twice. Each sum multiplies by the number of ranks. */
static void run_graph(void)
{
    enum { COUNT = 5000 };
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    Status status;
    use_gpus();
    CUDA(cudaStreamCreate(&stream));
    float *values = on_gpu(COUNT, stream);
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < 2; i++)
        FINE(comm_sum_on_gpu(comm, values, COUNT, stream, &status));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cuda_graph_instantiate(&executable, graph));
    for (int i = 0; i < 2; i++)
        CUDA(cudaGraphLaunch(executable, stream));
    CUDA(cudaStreamSynchronize(stream));
    check_sum(values, COUNT, (float)(size * size * size));
    CUDA(cudaGraphExecDestroy(executable));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaFree(values));
    CUDA(cudaStreamDestroy(stream));
}

static void run_bench(void)
{
    AllreduceBench bench;
    SumTiming timing;
    Spread spread_us;
    Status status;
    FINE(allreduce_bench_open(comm, &sum_place_gpu, 5000, &bench, &status));
    CHECK(strcmp(comm_name(comm), "nccl") == 0);
    bench.iterations = 3;
    bench.warmup = 1;
    bench.checks = true;
    for (int32_t in_place = 0; in_place < 2; in_place++) {
        FINE(allreduce_bench_time(&bench, 4999, in_place, &timing, &status));
        CHECK(timing.wrong == 0 && timing.time_us > 0);
    }
    FINE(allreduce_bench_spread(&bench, 5000, &spread_us, &status));
    CHECK(spread_us.min > 0);
    allreduce_bench_close(&bench);
    CHECK(cuda_emulation_counts().live_allocations == 0);
    CHECK(cuda_emulation_counts().live_streams == 0);
}

/* --- Training --- */

enum {
    TRAIN_IMAGES = 9,
    TRAIN_BATCH = 2,
    TRAIN_STEPS = (TRAIN_IMAGES + TRAIN_BATCH - 1) / TRAIN_BATCH
};

extern const Backend backend_cuda_emulated;

/* A model with the same weights on all ranks. */
static void model_open(const Net *net, Trainer *trainer)
{
    const BackendSettings settings = {.net = net,
                                      .batch_max = TRAIN_BATCH,
                                      .threads = 1,
                                      .local_rank = comm_local_rank(comm),
                                      .seed = 5,
                                      .rank = (uint32_t)rank};
    const Backend *backend = trainer->backend;
    Status status;
    FINE(backend->open(&settings, &trainer->model, &status));
    float *weights = backend->arena(trainer->model, ARENA_WEIGHTS, &status);
    CHECK(weights);
    net_initial_weights(net, settings.seed, weights);
    backend->arena_changed(trainer->model, ARENA_WEIGHTS);
}

static uint64_t arena_hash(const Trainer *trainer, ArenaKind kind, uint64_t hash)
{
    Status status;
    const float *values = trainer->backend->arena(trainer->model, kind, &status);
    CHECK(values);
    return bytes_hash(hash, values, (size_t)trainer->net->parameter_count * sizeof *values);
}

/* Trains a slim network for one epoch from the initial weights, each rank in a different order.
 * Returns a hash of weights and accumulators. */
static uint64_t train(Arena *arena, Timeline *timeline)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const ImageSet set = make_images(arena, 6, TRAIN_IMAGES);
    Trainer trainer = {.backend = &backend_cuda_emulated,
                       .net = &net,
                       .comm = comm,
                       .timeline = timeline,
                       .ready_ns = ARENA_ARRAY(arena, int64_t, size),
                       .optimizer = rmsprop_of_keras(1e-4 * size),
                       .seed = 5,
                       .order = ARENA_ARRAY(arena, int32_t, TRAIN_IMAGES)};
    Status status;
    model_open(&net, &trainer);
    for (int64_t step = 0, done; step < TRAIN_STEPS; step += done) {
        const StepRun run = {.set = &set,
                             .first = step,
                             .count = TRAIN_STEPS - step,
                             .batch_size = TRAIN_BATCH,
                             .step = (uint64_t)step,
                             .is_augmented = true};
        Score score;
        FINE(trainer_steps(&trainer, &run, &done, &score, &status));
    }
    const uint64_t hash =
        arena_hash(&trainer, ARENA_ACCUMULATORS, arena_hash(&trainer, ARENA_WEIGHTS, HASH_START));
    trainer.backend->close(trainer.model);
    return hash;
}

/* Sums on the processor, on the GPU step by step, and on the GPU in graphs give the same weights
 * bit for bit, on all ranks. All sums add the ranks in the same order (run.sh). */
static void run_training(void)
{
    Arena *arena = arena_create();
    Status status;
    cuda_emulation_set_lag(true); // so that missing waits are noticed
    const uint64_t by_processor = train(arena, NULL);
    use_gpus();
    Timeline *timeline = timeline_create(rank, size, machine_clock_ns());
    const uint64_t by_step = train(arena, timeline);
    CHECK(cuda_emulation_counts().graph_launches == 0);
    const uint64_t in_graphs = train(arena, NULL);
    CHECK(cuda_emulation_counts().graph_launches > 0);
    CHECK(by_processor == by_step && by_processor == in_graphs);
    uint64_t of_rank_0 = by_processor;
    FINE(comm_broadcast(comm, &of_rank_0, sizeof of_rank_0, &status));
    CHECK(of_rank_0 == by_processor);
    timeline_destroy(timeline);
    arena_destroy(arena);
}

/* --- Everything else --- */

static int64_t heard_ns;

static void hear(void *listener, int64_t waited_ns, const int32_t *late, int32_t late_count)
{
    (void)listener;
    CHECK(late_count >= 1 && late[late_count - 1] == size - 1);
    heard_ns = waited_ns;
}

/* Values that are not on GPUs are sent in the same way as before. */
static void run_rest(void)
{
    Status status;
    const int32_t sum_of_ranks = size * (size - 1) / 2;
    float values[] = {1, (float)rank};
    double more = rank;
    int64_t least = 5 - rank, ready_ns[8] = {0}, spread = rank, all[8];
    use_gpus();
    FINE(comm_sum(comm, values, 2, &status));
    CHECK(values[0] == (float)size && values[1] == (float)sum_of_ranks);
    FINE(comm_sum_doubles(comm, &more, 1, &status));
    CHECK(more == sum_of_ranks);
    FINE(comm_min(comm, &least, &status));
    CHECK(least == 5 - (size - 1));
    FINE(comm_broadcast(comm, &spread, sizeof spread, &status));
    CHECK(spread == 0);
    FINE(comm_gather(comm, &least, sizeof least, rank == 0 ? all : NULL, &status));
    CHECK(rank > 0 || all[size - 1] == least);
    FINE(comm_barrier(comm, &status));
    comm_watch_stalls(comm, NS_PER_S / 5, hear, NULL);
    if (rank == size - 1)
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    FINE(comm_ready(comm, 3, ready_ns, &status));
    CHECK(rank > 0 || (heard_ns > 0 && ready_ns[size - 1] > ready_ns[0]));
    FINE(comm_check(comm, 3, &status));
    FINE(comm_barrier(comm, &status)); // no rank may end before the others are ready
}

/* NCCL is too old on one rank: all ranks can sum, but none in graphs. */
static void run_old(void)
{
    if (rank == size - 1)
        nccl_emulation_set_version(2804); // 2.8.4
    use_gpus();
    CHECK(comm_sums_on_gpu(comm) && !comm_sums_in_graph(comm));
}

/* --- Failures --- */

static void run_shared(void)
{
    Status status = {0};
    CUDA(cudaSetDevice(rank == size - 1 ? 0 : rank)); // the last rank takes the GPU of the first
    const bool is_done = comm_use_gpus(comm, true, &status);
    CHECK(strcmp(comm_name(comm), "mpi") == 0 && !comm_sums_on_gpu(comm));
    CHECK(is_done == (strcmp(word, "auto") == 0));
    if (!is_done) {
        char expected[100];
        snprintf(expected, sizeof expected, "ranks 0 and %d share the GPU 0000:01:00.0 of ",
                 size - 1);
        CHECK(status.code == STATUS_MACHINE && strstr(status.message, expected));
        CHECK(strstr(status.message, "which NCCL refuses") && strstr(status.hint, "--comm mpi"));
    }
    FINE(comm_barrier(comm, &status)); // the communication before still works
}

static void run_processors(void)
{
    Status status = {0};
    CHECK(comm_use_gpus(comm, false, &status) == (strcmp(word, "auto") == 0));
    CHECK(!comm_sums_on_gpu(comm));
    FINE(comm_barrier(comm, &status));
}

/* The last rank fails before NCCL starts: the other ranks are notified. */
static void run_no_id(void)
{
    Status status = {0};
    char expected[80];
    CUDA(cudaSetDevice(rank));
    cuda_emulation_fail_call(1, cudaErrorUnknown, false);
    if (rank < size - 1)
        cuda_emulation_reset(), cuda_emulation_set_devices(8, 8, 0), CUDA(cudaSetDevice(rank));
    CHECK(!comm_use_gpus(comm, true, &status) && status.code == STATUS_MACHINE);
    snprintf(expected, sizeof expected,
             rank == size - 1 ? "rank %d of %d: cudaGetDevice: unknown error"
                              : "finding its GPU: rank %d could not",
             size - 1, size);
    CHECK(strstr(status.message, expected));
    FINE(comm_barrier(comm, &status));
}

static void run_no_start(void)
{
    Status status = {0};
    CUDA(cudaSetDevice(rank));
    nccl_emulation_fail_init(
        ncclSystemError); // on all ranks, because with real NCCL the others might wait
    CHECK(!comm_use_gpus(comm, true, &status) && status.code == STATUS_MACHINE);
    CHECK(strstr(status.message, "ncclCommInitRank: unhandled system error"));
    CHECK(strstr(status.hint, "NCCL_DEBUG=INFO") && strcmp(comm_name(comm), "mpi") == 0);
    FINE(comm_barrier(comm, &status));
}

/* The last rank never gets into NCCL, where the others wait for it. */
static void run_no_peer(void)
{
    Status status = {0};
    CUDA(cudaSetDevice(rank));
    comm_limit_start(comm, NS_PER_S);
    if (rank == size - 1)
        nccl_emulation_fail_init(ncclSystemError);
    (void)!comm_use_gpus(comm, true, &status);
    CHECK(false); // the others have ended this rank too
}

/* An asynchronous error: the next step reports rank and step, and all ranks end. */
static void run_broken(void)
{
    Status status = {0};
    char expected[80];
    use_gpus();
    FINE(comm_ready(comm, 6, NULL, &status));
    if (rank == size - 1)
        nccl_emulation_set_async_error(ncclRemoteError);
    // Ranks above 1 notice it only in the next collective call.
    const bool continues = comm_check(comm, 7, &status) && comm_ready(comm, 7, NULL, &status) &&
                           comm_barrier(comm, &status);
    CHECK(!continues && status.code == STATUS_MACHINE);
    snprintf(expected, sizeof expected, "rank %d of %d, step 7: NCCL: remote process exited", rank,
             size);
    if (rank == size - 1)
        CHECK(strstr(status.message, expected) && strstr(status.hint, "what NCCL said last"));
    fprintf(stderr, "%s\n", status.message);
    comm_abort(comm, 5);
}

/* mpirun ends a rank that waits for a GPU, which waits for a rank that has ended. */
static void run_gone(void)
{
    Status status = {0};
    use_gpus();
    FINE(comm_barrier(comm, &status));
    if (rank == size - 1)
        _Exit(9);
    while (comm_check(comm, 4, &status))
        nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
    CHECK(false);
}

/* 2.8.4 and 2.28.9, before and after the change of numbering. */
static void run_versions(void)
{
    const NcclVersion old = nccl_version_of(2804), later = nccl_version_of(22809);
    CHECK(old.major == 2 && old.minor == 8 && old.patch == 4);
    CHECK(later.major == 2 && later.minor == 28 && later.patch == 9);
    CHECK(!nccl_can_be_captured(2804) && nccl_can_be_captured(20908));
}

typedef struct {
    const char *name;
    void (*run)(void);
} Case;

static const Case cases[] = {
    {"sums", run_sums},
    {"graph", run_graph},
    {"bench", run_bench},
    {"training", run_training},
    {"rest", run_rest},
    {"old", run_old},
    {"shared", run_shared},
    {"no_id", run_no_id},
    {"no_start", run_no_start},
    {"no_peer", run_no_peer},
    {"broken", run_broken},
    {"gone", run_gone},
    {"versions", run_versions},
    {"processors", run_processors},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    Arena *arena = arena_create();
    Status status;
    if (argc != 3 || !comm_open(argv[1], arena, &comm, &status)) {
        fprintf(stderr, "nccl_ranks: %s\n", argc != 3 ? "WORD CASE" : status.message);
        return 3;
    }
    word = argv[1];
    rank = comm_rank(comm);
    size = comm_size(comm);
    cuda_emulation_set_devices(8, 8, 0);
    const Case *chosen = cases;
    while (chosen->name && strcmp(chosen->name, argv[2]) != 0)
        chosen++;
    CHECK(chosen->name);
    chosen->run();
    comm_close(comm);
    arena_destroy(arena);
    return 0;
}
