/* cuBLAS and cuDNN as engines of the cuda backend, with emulated libraries. Compares their products
 * with plain loops and steps with ref, and tests the choice between engines and their failures. */
#include <math.h>

#include "tests/trainer/cuda/engine_emulation/engine_emulation.h"
#include "tests/trainer/cuda/models.h"
#include "tests/trainer/cuda/product_cases.h"
#include "trainer/compute/engines_report.h"
#include "trainer/cuda/model.h"

/* --- Products ---
 *
 * The functions of kernels.h, implemented by an engine's ways in turn. trainyard's kernels compute
 * logits that the engine declines.
 */

static struct {
    const CudaEngine *engine;
    void *state;
    int32_t way;      /* modulo the number of ways */
    int32_t declined; /* shapes */
    void *scratch;
    int64_t scratch_bytes;
} tried;

/* Allocates exactly the bytes that the way needs, so that every access beyond is detected. */
static void *scratch_of(const CudaWay *way, const CudaTask *task)
{
    const int64_t floats =
        way->engine == &cuda_engine_own ? cuda_product_scratch(&task->product) : 0;
    const int64_t bytes = way->scratch_bytes + floats * (int64_t)sizeof(float);
    if (bytes != tried.scratch_bytes) {
        ck_assert_int_eq(cudaFree(tried.scratch), cudaSuccess);
        ck_assert_int_eq(cudaMalloc(&tried.scratch, (size_t)bytes), cudaSuccess);
        tried.scratch_bytes = bytes;
    }
    return tried.scratch;
}

static void run_task(const CudaTask *task, CudaOperands *with)
{
    CudaWay ways[CUDA_WAYS_MAX];
    int32_t count = tried.engine->find(tried.state, task, ways, CUDA_WAYS_MAX);
    if (count == 0)
        count = cuda_engine_own.find(NULL, task, ways, CUDA_WAYS_MAX);
    CudaWay *way = &ways[tried.way % count];
    with->scratch = scratch_of(way, task);
    const char *error = way->engine->run(way, task, with);
    if (way->algorithm == 4) { // exists, but fails
        ck_assert_str_eq(error, "CUDNN_STATUS_NOT_SUPPORTED");
        *way = ways[0];
        error = way->engine->run(way, task, with);
    }
    ck_assert_msg(error == NULL, "%s: %s", way->engine->name, error);
}

static void tried_forward(cudaStream_t stream, CudaPrecision precision, const CudaProduct *product,
                          const void *in, const void *kernel, const float *bias, bool logits,
                          void *out, float *scratch, const CudaFused *fused)
{
    const CudaTask task = {CUDA_PASS_FORWARD, precision, *product, logits, {0}};
    CudaOperands with = {.in = in, .kernel = kernel, .bias = bias, .out = out, .done = fused->done};
    (void)stream, (void)scratch;
    run_task(&task, &with);
}

static void tried_backward_data(cudaStream_t stream, CudaPrecision precision,
                                const CudaProduct *product, const void *out_gradient,
                                const void *kernel, const void *relu_out, void *in_gradient,
                                float *scratch, const CudaFused *fused)
{
    const CudaTask task = {CUDA_PASS_DATA, precision, *product, false, {0}};
    CudaOperands with = {.out_gradient = out_gradient,
                         .kernel = kernel,
                         .relu_out = relu_out,
                         .in_gradient = in_gradient,
                         .done = fused->done};
    (void)stream, (void)scratch;
    run_task(&task, &with);
}

static void tried_backward_weights(cudaStream_t stream, CudaPrecision precision,
                                   const CudaProduct *product, const void *in,
                                   const void *out_gradient, float *kernel_gradient,
                                   float *bias_gradient, float *parts, CudaParts *unadded)
{
    const CudaTask task = {CUDA_PASS_WEIGHTS, precision, *product, false, {0}};
    CudaOperands with = {.in = in,
                         .out_gradient = out_gradient,
                         .kernel_gradient = kernel_gradient,
                         .bias_gradient = bias_gradient,
                         .parts = parts,
                         .left = unadded};
    (void)stream;
    unadded->count = 0;
    run_task(&task, &with);
}

static const Functions by_engine = {
    "an engine", true, true, tried_forward, tried_backward_data, tried_backward_weights};

/* In addition to the small shapes: rows whose bias' gradient is summed in parts, and in the largest
 * number of parts. */
static const Shape many_rows[] = {
    {"rows in parts", 1, 20, 20, 4, 8, 3, 1, true, ALL},
    {"rows in many parts", 1, 190, 190, 1, 3, 1, 0, true, WEIGHTS},
};

/* The passes of a shape that the engine can do. */
static int passes_of(const Shape *shape, CudaPrecision precision)
{
    static const int passes[CUDA_PASS_COUNT] = {FORWARD, DATA, WEIGHTS};
    CudaWay ways[CUDA_WAYS_MAX];
    int can = 0;
    for (CudaPass pass = 0; pass < CUDA_PASS_COUNT; pass++) {
        const CudaTask task = {.pass = pass, .precision = precision, .product = product_of(shape)};
        if (tried.engine->find(tried.state, &task, ways, CUDA_WAYS_MAX) > 0)
            can |= passes[pass];
    }
    return can & shape->passes;
}

static void check_products(const Shape *shapes, size_t count, CudaPrecision precision, int32_t ways)
{
    for (size_t i = 0; i < count; i++) {
        Shape shape = shapes[i];
        shape.passes = passes_of(&shape, precision);
        tried.declined += shape.passes == 0;
        if (shape.passes == 0)
            continue;
        Case c = open_case(&by_engine, precision, &shape);
        for (tried.way = 0; tried.way < ways; tried.way++) {
            shape.passes &= tried.way > 0 ? FORWARD : ALL; // only forward has several ways
            cuda_emulation_set_order((CudaEmulationOrder)(tried.way % CUDA_ORDER_COUNT), i);
            Results results = run(&c);
            check_results(&c, &results);
            close_results(&results);
        }
        close_case(&c);
    }
}

static void check_engine(const CudaEngine *engine, CudaPrecision precision, int32_t ways)
{
    tried.engine = engine;
    ck_assert_ptr_null(engine->open(NULL, &tried.state));
    check_products(small_shapes, sizeof small_shapes / sizeof small_shapes[0], precision, ways);
    check_products(many_rows, sizeof many_rows / sizeof many_rows[0], precision, ways);
    engine->close(tried.state);
    ck_assert_int_eq(engine_emulation()->live, 0);
    ck_assert_int_gt(tried.declined, 0);
}

START_TEST(products_of_cublas_are_those_of_plain_loops)
{
    check_engine(&cuda_engine_cublas, (CudaPrecision)_i, 1);
    ck_assert_int_gt(engine_emulation()->gemms, 5);
}
END_TEST

START_TEST(products_of_cudnn_are_those_of_plain_loops_by_every_algorithm)
{
    check_engine(&cuda_engine_cudnn, (CudaPrecision)_i, 3);
    ck_assert_int_gt(engine_emulation()->convolutions, 20);
}
END_TEST

START_TEST(relu_keeps_nan)
{
    const Shape shape = {"NaN", 2, 3, 3, 16, 16, 1, 0, true, FORWARD};
    const CudaEngine *const all[] = {&cuda_engine_cublas, &cuda_engine_cudnn};
    tried.engine = all[_i];
    ck_assert_ptr_null(tried.engine->open(NULL, &tried.state));
    Case c = open_case(&by_engine, CUDA_FP32, &shape);
    cudaFree(c.in.device);
    c.in.values[3] = NAN;
    c.in.device = upload(c.in.values, c.in.count, false, 0);
    Results results = run(&c);
    for (int32_t i = 0; i < 16; i++)
        ck_assert(isnan(((float *)results.out)[i]));
    ck_assert(!isnan(((float *)results.out)[16]));
    close_results(&results);
    close_case(&c);
    tried.engine->close(tried.state);
}
END_TEST

/* --- Models --- */

enum { IMAGES = 2 };

/* Counts time: trainyard's product kernel takes 1 us; libraries take no time, or longer. */
static void set_times(bool are_libraries_fast)
{
    EngineEmulation *libraries = engine_emulation();
    cuda_emulation_count_time("multiply", 1000);
    libraries->gemm_ns = are_libraries_fast ? 0 : 2000;
    for (int32_t i = 0; i < ENGINE_EMULATION_ALGORITHMS; i++)
        libraries->convolution_ns[i] = libraries->gemm_ns;
}

static const CudaStage *stage_of(const Trained *trained, const char *layer)
{
    const CudaModel *model = trained->model;
    for (int32_t i = 0; i < model->stage_count; i++)
        if (strcmp(model->stages[i].layer->name, layer) == 0)
            return &model->stages[i];
    ck_abort_msg("no layer %s", layer);
}

static const CudaWay *way_of(const Trained *trained, const char *layer, CudaPass pass)
{
    const CudaChoice *choice = &stage_of(trained, layer)->choices[pass];
    return &choice->ways[choice->chosen];
}

static char *engines_of(const Trained *trained)
{
    Text text = {0};
    engines_print(cuda, trained->model, trained->net, &text);
    char *line = arena_printf(arena, "%s", text_string(&text));
    text_free(&text);
    return line;
}

/* For layers and tensors, as in test_backend.c. */
static const struct {
    double loss, gradients;
} tolerances[PRECISION_COUNT] = {
    [PRECISION_FP32] = {1e-6, 1e-4},
    [PRECISION_TF32] = {1e-4, 0.1},
    [PRECISION_BF16] = {0.005, 0.4},
};

static void check_step(const Trained *trained, const Net *net, int32_t images, Precision precision)
{
    const ImageSet set = make_images(arena, 21, images);
    Trained ref = open_ref(net, images);
    trained_load(&ref, &set, 0, images, 7, true);
    trained_load(trained, &set, 0, images, 7, true);
    const Score expected = trained_forward(&ref, true), score = trained_forward(trained, true);
    within("losses", "", fabs(score.loss_sum / expected.loss_sum - 1.0),
           tolerances[precision].loss);
    trained_backward(&ref);
    trained_backward(trained);
    const float *gradients = trained_arena(trained, ARENA_GRADIENTS);
    const float *wanted = trained_arena(&ref, ARENA_GRADIENTS);
    for (int32_t i = 0; i < net->layer_count; i++) {
        const NetLayer *layer = &net->layers[i];
        const int64_t at = layer->kernel_at, count = layer->kernel_count + layer->bias_count;
        if (layer->kernel_count > 0)
            within("gradients of", layer->name,
                   relative_distance(gradients + at, wanted + at, count),
                   tolerances[precision].gradients);
    }
    trained_close(&ref);
}

START_TEST(a_step_by_libraries_is_that_of_ref)
{
    static const char *const engines[PRECISION_COUNT] = {
        [PRECISION_FP32] =
            "conv2d_1 cudnn, -, cudnn; conv2d_3 cudnn, cudnn, cudnn; conv2d_4 cudnn, cudnn, cudnn; "
            "dense_1 cublas, cublas, cublas; dense_2 own, own, cublas\n",
        // cuDNN cannot compute float gradients of kernels from bf16.
        [PRECISION_BF16] =
            "conv2d_1 cudnn, -, own; conv2d_3 cudnn, cudnn, own; conv2d_4 cudnn, cudnn, own; "
            "dense_1 cublas, cublas, cublas; dense_2 own, own, cublas\n",
    };
    const Precision precision = (Precision)_i;
    const char *expected = engines[precision == PRECISION_TF32 ? PRECISION_FP32 : precision];
    const Net net = tiny_net();
    set_times(true);
    Trained trained = open_fastest(&net, IMAGES, precision);
    ck_assert_str_eq(
        engines_of(&trained),
        arena_printf(arena, "\nProducts by (forward, to data, to weights): %s", expected));
    const int64_t before = engine_emulation()->convolutions;
    check_step(&trained, &net, IMAGES, precision);
    ck_assert_int_eq(engine_emulation()->convolutions - before,
                     precision == PRECISION_BF16 ? 5 : 8);
    check_step(&trained, &net, IMAGES - 1, precision); // with trainyard's kernels
    ck_assert_int_eq(engine_emulation()->convolutions - before,
                     precision == PRECISION_BF16 ? 5 : 8);
    trained_close(&trained);
    ck_assert_int_eq(engine_emulation()->live, 0);
}
END_TEST

START_TEST(engines_slower_than_own_kernels_are_not_chosen)
{
    const Net net = tiny_net();
    set_times(false);
    Trained trained = open_fastest(&net, 1, PRECISION_BF16);
    ck_assert_ptr_null(strstr(engines_of(&trained), "cu"));
    // All were measured: two algorithms forward, and one for the gradient of the input.
    ck_assert_int_gt(engine_emulation()->convolutions, 3 * 2 + 2);
    ck_assert_int_gt(engine_emulation()->gemms, 6);
    trained_close(&trained);
}
END_TEST

START_TEST(the_fastest_algorithm_with_fixed_bits_is_chosen)
{
    const Net net = tiny_net();
    for (int32_t fastest = 0; fastest < 2; fastest++) {
        set_times(true);
        engine_emulation()->convolution_ns[1 - fastest] = 100;
        Trained trained = open_fastest(&net, 1, PRECISION_TF32);
        ck_assert_int_eq(way_of(&trained, "conv2d_4", CUDA_PASS_FORWARD)->algorithm, fastest);
        // The algorithms 0 and 3 are not faster than 1, and their bits vary.
        ck_assert_int_eq(way_of(&trained, "conv2d_4", CUDA_PASS_DATA)->algorithm, 1);
        ck_assert_int_eq(way_of(&trained, "conv2d_4", CUDA_PASS_WEIGHTS)->algorithm, 1);
        trained_close(&trained);
    }
}
END_TEST

START_TEST(a_deterministic_model_uses_no_library_and_no_clock)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 21, 1);
    BackendSettings settings = settings_of(&net, 1, PRECISION_BF16);
    set_times(false);
    Trained slow = trained_open(cuda, &settings);
    const int64_t tried_before = engine_emulation()->gemms + engine_emulation()->convolutions;
    set_times(true);
    engine_emulation()->cublas_create = CUBLAS_STATUS_NOT_INITIALIZED;
    engine_emulation()->cudnn_create = CUDNN_STATUS_NOT_INITIALIZED;
    settings.engine = ENGINE_OWN;
    Trained fixed = trained_open(cuda, &settings);
    ck_assert_ptr_null(strstr(engines_of(&fixed), "cu"));
    for (uint64_t step = 0; step < 2; step++) {
        trained_step(&slow, &set, 0, 1, step);
        trained_step(&fixed, &set, 0, 1, step);
    }
    check_same_arenas(&slow, &fixed);
    ck_assert_int_eq(engine_emulation()->gemms + engine_emulation()->convolutions, tried_before);
    trained_close(&slow);
    trained_close(&fixed);
}
END_TEST

START_TEST(graphs_of_steps_give_the_bits_of_steps_one_by_one)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 7); // the last batch is smaller
    set_times(true);
    Trained one = open_fastest(&net, IMAGES, PRECISION_BF16);
    Trained other = open_fastest(&net, IMAGES, PRECISION_BF16);
    cuda_emulation_set_lag(true);
    for (int64_t i = 0; i < 4; i++)
        run_at_once(&one, &set, IMAGES, 0, i, 1);
    const int64_t before = cuda_emulation_counts().graph_launches;
    run_at_once(&other, &set, IMAGES, 0, 0, 4);
    ck_assert_int_gt(cuda_emulation_counts().graph_launches, before);
    check_same_arenas(&one, &other);
    trained_close(&one);
    trained_close(&other);
}
END_TEST

static Trained open_with(const Net *net, int32_t batch_max, Precision precision, EngineWish engine)
{
    BackendSettings settings = settings_of(net, batch_max, precision);
    settings.engine = engine;
    return trained_open(cuda, &settings);
}

START_TEST(a_wanted_engine_computes_what_it_can)
{
    static const char *const expected[ENGINE_COUNT] = {
        [ENGINE_OWN] = "conv2d_1 own, -, own; conv2d_3 own, own, own; conv2d_4 own, own, own; "
                       "dense_1 own, own, own; dense_2 own, own, own\n",
        [ENGINE_CUBLAS] = "conv2d_1 own, -, own; conv2d_3 own, own, own; conv2d_4 own, own, own; "
                          "dense_1 cublas, cublas, cublas; dense_2 cublas, cublas, cublas\n",
        [ENGINE_CUDNN] = "conv2d_1 cudnn, -, cudnn; conv2d_3 cudnn, cudnn, cudnn; conv2d_4 cudnn, "
                         "cudnn, cudnn; dense_1 own, own, own; dense_2 own, own, own\n"};
    const Net net = tiny_net();
    set_times(false); // libraries are slower
    for (EngineWish engine = ENGINE_OWN; engine < ENGINE_COUNT; engine++) {
        Trained trained = open_with(&net, IMAGES, PRECISION_FP32, engine);
        ck_assert_str_eq(engines_of(&trained),
                         arena_printf(arena, "\nProducts by (forward, to data, to weights): %s",
                                      expected[engine]));
        check_step(&trained, &net, IMAGES, PRECISION_FP32);
        trained_close(&trained);
    }
}
END_TEST

/* For trainyard's own kernels, test_branches.c does the same. */
START_TEST(branches_of_steps_share_no_memory_with_any_engine)
{
    const Net net = slim_net("keras_cifar10_cnn", 2);
    const ImageSet set = make_images(arena, 6, 2 * IMAGES);
    CudaEmulationConflict first;
    static const EngineWish engines[] = {ENGINE_CUBLAS, ENGINE_CUDNN};
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        const EngineWish engine = engines[i];
        cuda_emulation_set_idle(true); // while algorithms are tried, and in a step without a graph
        Trained one = open_with(&net, IMAGES, (Precision)_i, engine);
        run_at_once(&one, &set, IMAGES, 0, 0, 1);
        cuda_emulation_set_idle(false);
        cuda_emulation_set_watch(true);
        const int64_t before = cuda_emulation_counts().graph_launches;
        run_at_once(&one, &set, IMAGES, 0, 1, 1);
        if (cuda_emulation_conflicts(&first) > 0)
            ck_abort_msg("%s: \"%s\" and \"%s\"", engine_words[engine], first.one, first.other);
        ck_assert_int_eq(cuda_emulation_counts().graph_launches, before + 1);
        cuda_emulation_set_watch(false);
        trained_close(&one);
    }
}
END_TEST

START_TEST(the_choice_is_part_of_a_summary)
{
    const Net net = tiny_net();
    set_times(true);
    Trained trained = open_fastest(&net, 1, PRECISION_BF16);
    Text text = {0};
    json_print(&text, engines_json(cuda, trained.model, &net, arena), JSON_COMPACT);
    ck_assert_ptr_nonnull(strstr(text_string(&text),
                                 "{\"conv2d_1\":{\"forward\":\"cudnn\",\"weights\":"
                                 "\"own\",\"tried_us\":{\"forward\":{\"own\":"));
    ck_assert_ptr_nonnull(
        strstr(text_string(&text), "\"conv2d_3\":{\"forward\":\"cudnn\",\"data\":"));
    text_free(&text);
    trained_close(&trained);
    // Backends that do not choose report nothing.
    trained = open_ref(&net, 1);
    ck_assert_ptr_null(engines_json(&backend_ref, trained.model, &net, arena));
    engines_print(&backend_ref, trained.model, &net, &text);
    ck_assert_str_eq(text_string(&text), "");
    text_free(&text);
    trained_close(&trained);
}
END_TEST

/* --- Failures --- */

static bool opens(Status *status)
{
    const Net net = tiny_net();
    const BackendSettings settings = settings_of(&net, 1, PRECISION_BF16);
    void *model = NULL;
    *status = (Status){0};
    const bool is_open = cuda->open(&settings, &model, status);
    cuda->close(model);
    const CudaEmulationCounts counts = cuda_emulation_counts();
    ck_assert_int_eq(engine_emulation()->live, 0);
    ck_assert_int_eq(counts.live_streams + counts.live_events + counts.live_executables, 0);
    ck_assert_int_eq(counts.live_bytes, 0);
    return is_open;
}

START_TEST(a_library_that_does_not_start_ends_it_with_its_error)
{
    Status status;
    engine_emulation()->cudnn_create = CUDNN_STATUS_NOT_INITIALIZED;
    ck_assert(!opens(&status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_str_eq(status.message, "cudnn cannot be used on GPU 0 (Emulated GPU sm_80): "
                                     "CUDNN_STATUS_NOT_INITIALIZED");
    ck_assert_str_eq(status.hint, "--deterministic, or --engine own, computes without libraries");
    engine_emulation()->cublas_create = CUBLAS_STATUS_ARCH_MISMATCH;
    ck_assert(!opens(&status));
    ck_assert_str_eq(status.message, "cublas cannot be used on GPU 0 (Emulated GPU sm_80): "
                                     "CUBLAS_STATUS_ARCH_MISMATCH");
}
END_TEST

START_TEST(a_way_that_does_not_work_is_not_chosen)
{
    const Net net = tiny_net();
    set_times(true);
    engine_emulation()->cudnn_convolution = CUDNN_STATUS_EXECUTION_FAILED;
    engine_emulation()->cublas_gemm = CUBLAS_STATUS_NOT_SUPPORTED;
    Trained trained = open_fastest(&net, 1, PRECISION_BF16);
    ck_assert_ptr_null(strstr(engines_of(&trained), "cu"));
    check_step(&trained, &net, 1, PRECISION_BF16);
    trained_close(&trained);
}
END_TEST

START_TEST(a_wanted_engine_without_a_way_that_works_is_an_error)
{
    const Net net = tiny_net();
    BackendSettings settings = settings_of(&net, 1, PRECISION_BF16);
    void *model = NULL;
    Status status = {0};
    settings.engine = ENGINE_CUDNN;
    set_times(true);
    engine_emulation()->cudnn_convolution = CUDNN_STATUS_EXECUTION_FAILED;
    ck_assert(!cuda->open(&settings, &model, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_str_eq(status.message,
                     "no way of cudnn to compute conv2d_1 forward in bf16 works on GPU 0 "
                     "(Emulated GPU sm_80): CUDNN_STATUS_EXECUTION_FAILED");
    ck_assert_str_eq(status.hint, "use another --engine: fastest leaves out ways that do not work");
    ck_assert_int_eq(engine_emulation()->live, 0);
}
END_TEST

START_TEST(working_memory_of_libraries_is_counted)
{
    Status status;
    cuda_emulation_set_memory(4 << 20); // the workspace of cuBLAS
    ck_assert(!opens(&status));
    ck_assert_ptr_nonnull(strstr(status.message, "too little memory for batches of 1 images: "));
}
END_TEST

/* The error that ends a running step. */
START_TEST(a_library_that_fails_in_a_step_ends_it_with_its_error)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 12);
    Score score;
    int64_t bad_step;
    Status status = {0}, again = {0};
    set_times(true);
    Trained one = open_fastest(&net, 1, PRECISION_BF16);
    trained_load(&one, &set, 0, 1, 417, true);
    engine_emulation()->cudnn_convolution = CUDNN_STATUS_EXECUTION_FAILED;
    ck_assert(!cuda->forward(one.model, true, &score, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_str_eq(status.message,
                     "GPU 0 (Emulated GPU sm_80) of rank 3 failed while going forward (step 417): "
                     "cudnn: CUDNN_STATUS_EXECUTION_FAILED");
    ck_assert(!cuda->backward(one.model, &again));
    ck_assert_str_eq(again.message, status.message);
    trained_close(&one);
    // Also if steps are queued without waiting, and during a capture.
    engine_emulation()->cudnn_convolution = CUDNN_STATUS_SUCCESS;
    one = open_fastest(&net, 1, PRECISION_BF16);
    run_at_once(&one, &set, 1, 0, 0, 1);
    engine_emulation()->cublas_gemm = CUBLAS_STATUS_EXECUTION_FAILED;
    const StepRun run = run_of(&set, 1, 0, 1, 4);
    status = (Status){0};
    ck_assert(!cuda->steps(one.model, &run, alone, &score, &bad_step, &status));
    ck_assert_ptr_nonnull(strstr(status.message, " failed while going forward (step 1 to 4): "
                                                 "cublas: CUBLAS_STATUS_EXECUTION_FAILED"));
    trained_close(&one);
}
END_TEST

/* Each loss is in a separate process, because a lost GPU would continue capturing. */
enum { LOSSES = 4 };

START_TEST(a_gpu_that_is_lost_while_engines_are_tried_ends_with_a_reason)
{
    const Net net = tiny_net();
    const BackendSettings settings = settings_of(&net, 1, PRECISION_BF16);
    void *model = NULL;
    Status status;
    set_times(true);
    ck_assert(opens(&status));
    const int64_t calls = cuda_emulation_counts().calls;
    cuda_emulation_reset();
    cuda_emulation_fail_call((_i + 1) * calls / (LOSSES + 1), cudaErrorECCUncorrectable, true);
    status = (Status){0};
    ck_assert(!cuda->open(&settings, &model, &status));
    ck_assert_ptr_nonnull(strstr(status.message, "cudaErrorECCUncorrectable"));
    ck_assert_int_eq(engine_emulation()->live, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cuda_engines");
    TCase *tests;
    tests = add_case(suite, "products");
    tcase_add_loop_test(tests, products_of_cublas_are_those_of_plain_loops, 0, PRECISIONS);
    tcase_add_loop_test(tests, products_of_cudnn_are_those_of_plain_loops_by_every_algorithm, 0,
                        PRECISIONS);
    tcase_add_loop_test(tests, relu_keeps_nan, 0, 2);
    tests = add_case(suite, "the choice");
    tcase_add_loop_test(tests, a_step_by_libraries_is_that_of_ref, 0, PRECISION_COUNT);
    tcase_add_test(tests, engines_slower_than_own_kernels_are_not_chosen);
    tcase_add_test(tests, the_fastest_algorithm_with_fixed_bits_is_chosen);
    tcase_add_test(tests, a_deterministic_model_uses_no_library_and_no_clock);
    tcase_add_test(tests, graphs_of_steps_give_the_bits_of_steps_one_by_one);
    tcase_add_test(tests, a_wanted_engine_computes_what_it_can);
    tcase_add_loop_test(tests, branches_of_steps_share_no_memory_with_any_engine, 0,
                        PRECISION_COUNT);
    tcase_add_test(tests, the_choice_is_part_of_a_summary);
    tests = add_case(suite, "failures");
    tcase_add_test(tests, a_library_that_does_not_start_ends_it_with_its_error);
    tcase_add_test(tests, a_way_that_does_not_work_is_not_chosen);
    tcase_add_test(tests, a_wanted_engine_without_a_way_that_works_is_an_error);
    tcase_add_test(tests, working_memory_of_libraries_is_counted);
    tcase_add_test(tests, a_library_that_fails_in_a_step_ends_it_with_its_error);
    tcase_add_loop_test(tests, a_gpu_that_is_lost_while_engines_are_tried_ends_with_a_reason, 0,
                        LOSSES);
    return suite;
}
