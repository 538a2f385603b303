/* Branches of a graph that could run at the same time: the emulation finds those that access the
 * same memory, and steps and evaluations have none. */
#include "tests/trainer/cuda/models.h"
#include "trainer/cuda/toolkit/toolkit.h"

/* --- Finding conflicts --- */

enum { BYTES = 10000 };

/* The work of a branch: a memset of `written`, or a copy of `read` to it. */
typedef struct {
    void *written;
    const void *read;
} Work;

static void queue(cudaStream_t stream, Work work)
{
    if (work.read)
        gpu_must(cudaMemcpyAsync(work.written, work.read, BYTES, cudaMemcpyDeviceToDevice, stream));
    else
        gpu_must(cudaMemsetAsync(work.written, 1, BYTES, stream));
}

/* Launches a graph of two pieces of work, one after the other or in two branches. Returns the
 * number of conflicts. */
static int64_t conflicts_of(Work one, Work other, bool are_ordered)
{
    cudaStream_t main, side;
    cudaEvent_t forked, joined;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CudaEmulationConflict first;
    gpu_must(cudaStreamCreateWithFlags(&main, cudaStreamNonBlocking));
    gpu_must(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    gpu_must(cudaEventCreate(&forked));
    gpu_must(cudaEventCreate(&joined));
    gpu_must(cudaStreamBeginCapture(main, cudaStreamCaptureModeThreadLocal));
    if (are_ordered)
        queue(main, one);
    gpu_must(cudaEventRecord(forked, main));
    gpu_must(cudaStreamWaitEvent(side, forked, 0));
    queue(side, other);
    if (!are_ordered)
        queue(main, one);
    gpu_must(cudaEventRecord(joined, side));
    gpu_must(cudaStreamWaitEvent(main, joined, 0));
    gpu_must(cudaStreamEndCapture(main, &graph));
    gpu_must(cuda_graph_instantiate(&executable, graph));
    gpu_must(cudaGraphLaunch(executable, main));
    gpu_must(cudaStreamSynchronize(main));
    gpu_must(cudaGraphExecDestroy(executable));
    gpu_must(cudaGraphDestroy(graph));
    gpu_must(cudaEventDestroy(forked));
    gpu_must(cudaEventDestroy(joined));
    gpu_must(cudaStreamDestroy(main));
    gpu_must(cudaStreamDestroy(side));
    return cuda_emulation_conflicts(&first);
}

START_TEST(branches_that_write_what_another_accesses_are_conflicts)
{
    enum { PAGES = 3 }; // of 4096 bytes
    char *const a = gpu_new(BYTES), *const b = gpu_new(BYTES), *const c = gpu_new(BYTES);
    const struct {
        Work one, other;
        int64_t conflicts;
    } rows[] = {{{a, NULL}, {a, NULL}, PAGES}, // both write
                {{a, NULL}, {b, a}, PAGES},    // one reads
                {{b, a}, {a, NULL}, PAGES},    //
                {{b, a}, {c, a}, 0},           // both only read
                {{a, NULL}, {b, NULL}, 0},     //
                {{b, a}, {a, b}, 2 * PAGES}};
    cuda_emulation_set_watch(true);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_int_eq(conflicts_of(rows[i].one, rows[i].other, false), rows[i].conflicts);
        ck_assert_int_eq(conflicts_of(rows[i].one, rows[i].other, true), 0);
    }
    gpu_free(a);
    gpu_free(b);
    gpu_free(c);
}
END_TEST

/* --- Steps --- */

static void check_no_conflict(const char *what)
{
    CudaEmulationConflict first;
    const int64_t conflicts = cuda_emulation_conflicts(&first);
    if (conflicts > 0)
        ck_abort_msg("%s: %d conflicts, the first of \"%s\" and \"%s\"", what, (int)conflicts,
                     first.one, first.other);
}

/* The first step and the first evaluation run without a graph, the others in one graph each. */
static void check_graphs(const Net *net, int32_t batches, Precision precision)
{
    const ImageSet set = make_images(arena, 6, batches * BATCH);
    Trained one = open_cuda(net, BATCH, precision);
    Score score;
    Status status;
    const int64_t before = gpu_graph_launches();
    cuda_emulation_set_idle(true);
    run_at_once(&one, &set, BATCH, 0, 0, 1);
    cuda_emulation_set_idle(false);
    run_at_once(&one, &set, BATCH, 0, 1, batches - 1);
    check_no_conflict("steps");
    ck_assert(cuda->evaluate(one.model, &set, 0, set.count, BATCH, &score, &status));
    check_no_conflict("evaluations");
    gpu_check_graph_launches(before + 2);
    trained_close(&one);
}

/* In the wider network the sums of all passes have parts. */
START_TEST(branches_of_steps_share_no_memory)
{
    const Net tiny = tiny_net(), half = slim_net("keras_cifar10_cnn", 2);
    cuda_emulation_set_watch(true);
    for (Precision precision = 0; precision < PRECISION_COUNT; precision++) {
        check_graphs(&tiny, 1 + 16, precision);
        check_graphs(&half, 1 + 1, precision);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cuda_branches");
    TCase *tests = add_case(suite, "branches");
    tcase_add_test(tests, branches_that_write_what_another_accesses_are_conflicts);
    tcase_add_test(tests, branches_of_steps_share_no_memory);
    return suite;
}
