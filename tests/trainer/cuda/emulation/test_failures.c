/* The cuda backend when a GPU is missing, too old, too small or lost. */
#include "tests/trainer/cuda/models.h"

/* --- Choice of a GPU --- */

static Status refusal(Precision precision)
{
    Status status = {0};
    ck_assert(!cuda->probe(precision, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert(status.hint[0]);
    return status;
}

static void check_refusal(const char *message)
{
    const Status status = refusal(PRECISION_FP32);
    ck_assert_str_eq(status.message, message);
}

START_TEST(a_missing_driver_and_a_missing_gpu_have_different_messages)
{
    cuda_emulation_set_devices(0, 0, 0);
    check_refusal("there is no NVIDIA GPU that can be used");
    cuda_emulation_reset();
    cuda_emulation_set_driver(11040);
    check_refusal("the NVIDIA driver is for CUDA 11.4, and this build is with CUDA 13.0");
    cuda_emulation_reset();
    cuda_emulation_set_driver(0);
    check_refusal("there is no NVIDIA driver on this machine");
    cuda_emulation_reset();
    cuda_emulation_fail_call(1, cudaErrorOperatingSystem, true);
    check_refusal("the GPUs cannot be counted: cudaErrorOperatingSystem: OS call failed or "
                  "operation not supported on this OS");
}
END_TEST

START_TEST(a_gpu_that_the_build_has_no_code_for_is_refused)
{
    // The build's list is "70-real 75-real 80-real 90a 110".
    static const struct {
        int major, minor;
        bool works;
    } gpus[] = {{3, 7, false}, {6, 1, false}, {7, 0, true}, {7, 2, true},  {7, 5, true},
                {8, 0, true},  {8, 9, true},  {9, 0, true}, {9, 1, false}, {10, 0, false},
                {11, 0, true}, {12, 0, true}, {12, 1, true}};
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
        Status status = {0};
        cuda_emulation_set_devices(1, gpus[i].major, gpus[i].minor);
        ck_assert_msg(cuda->probe(PRECISION_FP32, &status) == gpus[i].works, "%d.%d: %s",
                      gpus[i].major, gpus[i].minor, status.message);
        if (!gpus[i].works)
            ck_assert_ptr_nonnull(strstr(status.message, "this build has no code for GPU 0 ("));
    }
}
END_TEST

START_TEST(tf32_needs_tensor_cores_and_bf16_does_not)
{
    Status status;
    cuda_emulation_set_devices(1, 7, 5);
    ck_assert(cuda->probe(PRECISION_FP32, &status));
    ck_assert(cuda->probe(PRECISION_BF16, &status));
    status = refusal(PRECISION_TF32);
    ck_assert_ptr_nonnull(strstr(status.message, "tf32 needs a GPU of compute capability 8.0"));
    ck_assert_ptr_nonnull(strstr(status.message, "has 7.5"));
    ck_assert_str_eq(status.hint, "--precision fp32");
    cuda_emulation_set_devices(1, 8, 0);
    ck_assert(cuda->probe(PRECISION_TF32, &status));
}
END_TEST

START_TEST(a_probe_allocates_nothing)
{
    Status status;
    ck_assert(cuda->probe(PRECISION_FP32, &status));
    const CudaEmulationCounts counts = cuda_emulation_counts();
    ck_assert_int_eq(counts.allocated_bytes + counts.launches + counts.live_streams, 0);
}
END_TEST

START_TEST(ranks_take_gpus_in_turn)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    BackendSettings settings = settings_of(&net, BATCH, PRECISION_FP32);
    cuda_emulation_set_devices(2, 8, 6);
    for (int32_t i = 0; i < 4; i++) {
        int device = -1;
        settings.local_rank = i;
        Trained trained = trained_open(cuda, &settings);
        ck_assert_int_eq(cudaGetDevice(&device), cudaSuccess);
        ck_assert_int_eq(device, i % 2);
        ck_assert_int_eq(cuda->device_count(trained.model), 2);
        ck_assert(cuda->device(trained.model)[0]);
        trained_close(&trained);
    }
}
END_TEST

/* --- Failures --- */

static void check_nothing_is_left(void)
{
    const CudaEmulationCounts counts = cuda_emulation_counts();
    ck_assert_int_eq(counts.live_bytes + counts.live_pinned_bytes, 0);
    ck_assert_int_eq(counts.live_streams + counts.live_events + counts.live_executables, 0);
}

static bool opens_with(BackendSettings settings, Status *status)
{
    void *model = NULL;
    *status = (Status){0};
    bool is_open = cuda->open(&settings, &model, status);
    cuda->close(model);
    return is_open;
}

static bool opens(const Net *net, int32_t batch_max, Status *status)
{
    return opens_with(settings_of(net, batch_max, PRECISION_FP32), status);
}

START_TEST(an_engine_that_the_build_lacks_is_refused)
{
    const Net net = tiny_net();
    BackendSettings settings = settings_of(&net, 1, PRECISION_FP32);
    for (EngineWish engine = 0; engine < ENGINE_COUNT; engine++) {
        const bool is_library = engine == ENGINE_CUBLAS || engine == ENGINE_CUDNN;
        Status status;
        settings.engine = engine;
        ck_assert(opens_with(settings, &status) == !is_library);
        check_nothing_is_left();
        if (!is_library)
            continue;
        ck_assert_int_eq(status.code, STATUS_MACHINE);
        ck_assert_str_eq(status.message,
                         arena_printf(arena, "this build has no engine %s", engine_words[engine]));
        ck_assert_ptr_nonnull(strstr(status.hint, "--engine"));
    }
}
END_TEST

START_TEST(too_little_memory_is_reported_with_the_bytes_needed_and_free)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    Status status;
    ck_assert(opens(&net, 64, &status));
    cuda_emulation_set_memory(4000000);
    ck_assert(!opens(&net, 64, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_ptr_nonnull(strstr(status.message, "too little memory for batches of 64 images: "));
    ck_assert_ptr_nonnull(strstr(status.message, " MB are needed, 4.0 MB are free"));
    ck_assert_ptr_nonnull(strstr(status.hint, "--batch-size"));
    check_nothing_is_left();
    ck_assert(opens(&net, 1, &status));
    check_nothing_is_left();
}
END_TEST

START_TEST(more_images_than_products_count_are_refused)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    Status status;
    ck_assert(!opens(&net, 4097, &status));
    ck_assert_str_eq(status.message, "the cuda backend computes 4096 images at once, not 4097");
    ck_assert_str_eq(status.hint, "--batch-size 4096");
    check_nothing_is_left();
}
END_TEST

START_TEST(a_set_that_does_not_fit_is_reported_by_the_next_function_with_a_status)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const ImageSet set = make_images(arena, 6, 200);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    const StepRun run = run_of(&set, BATCH, 0, 0, 3);
    int64_t bad_step;
    Score score;
    Status status = {0};
    cuda_emulation_set_memory(cuda_emulation_counts().live_bytes + 300000);
    trained_load(&one, &set, 0, 2, 0, true);
    ck_assert(!cuda->forward(one.model, true, &score, &status));
    ck_assert_ptr_nonnull(strstr(status.message, "too little memory for the data set"));
    status = (Status){0};
    ck_assert(!cuda->steps(one.model, &run, alone, &score, &bad_step, &status));
    ck_assert_ptr_nonnull(strstr(status.message, "too little memory for the data set"));
    trained_close(&one);
    check_nothing_is_left();
}
END_TEST

/* Calls all functions once, until one fails; reads the GPU's clock, too. */
static bool use_all(const Net *net, const ImageSet *set, Status *status)
{
    BackendSettings settings = settings_of(net, BATCH, PRECISION_FP32);
    const StepRun run = run_of(set, BATCH, 0, 0, 1); // a lost GPU would continue capturing
    const int32_t indices[BATCH] = {1, 0};
    const Batch batch = {.set = set, .indices = indices, .count = BATCH, .is_augmented = true};
    void *model = NULL;
    int64_t bad_step;
    Score score;
    *status = (Status){0};
    settings.profile = profile_create(arena, net);
    bool is_fine = cuda->open(&settings, &model, status);
    if (is_fine) {
        profile_begin(settings.profile, 0);
        float *weights = cuda->arena(model, ARENA_WEIGHTS, status);
        if (weights)
            net_initial_weights(net, SEED, weights);
        cuda->arena_changed(model, ARENA_WEIGHTS);
        cuda->gather(model, &batch);
        cuda->augment(model, &batch);
        is_fine =
            weights && cuda->forward(model, true, &score, status) && cuda->backward(model, status);
        ck_assert(cuda->update(model, &optimizer, 1e-3f,
                               1.0f)); // true: a GPU's failure is not a bad weight
        ck_assert_ptr_nonnull(cuda->probabilities(model));
        is_fine = is_fine && cuda->steps(model, &run, alone, &score, &bad_step, status) &&
                  cuda->arena(model, ARENA_GRADIENTS, status);
    }
    cuda->close(model);
    return is_fine;
}

START_TEST(a_gpu_that_is_lost_at_any_call_ends_with_a_reason)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 40);
    Status status;
    ck_assert(use_all(&net, &set, &status));
    const int64_t calls = cuda_emulation_counts().calls;
    // Every call while opening, and some of the many later ones.
    for (int64_t nth = 1, failed = 0; nth <= calls; nth += nth < 60 ? 1 : 17) {
        cuda_emulation_reset();
        cuda_emulation_fail_call(nth, cudaErrorECCUncorrectable, true);
        if (use_all(&net, &set, &status)) {
            ck_assert_msg(nth > calls - 200, "call %d of %d fails without a message", (int)nth,
                          (int)calls);
            continue; // while closing
        }
        failed++;
        ck_assert_int_eq(status.code, STATUS_MACHINE);
        ck_assert_msg(strstr(status.message, "cudaErrorECCUncorrectable") != NULL, "%s",
                      status.message);
        ck_assert_int_gt(failed, 0);
    }
}
END_TEST

START_TEST(steps_that_cannot_be_captured_run_without_a_graph)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 10);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    run_at_once(&one, &set, BATCH, 0, 0, 5);
    // After the copy of the first step's state and the start of its rate: the begin of the capture,
    // and calls in it.
    for (int64_t nth = 3; nth < 12; nth += 3) {
        Trained other = open_cuda(&net, BATCH, PRECISION_FP32);
        run_at_once(&other, &set, BATCH, 0, 0, 1);
        const int64_t before = cuda_emulation_counts().graph_launches;
        cuda_emulation_fail_call(nth, cudaErrorStreamCaptureUnsupported, false);
        run_at_once(&other, &set, BATCH, 0, 1, 4);
        ck_assert_int_eq(cuda_emulation_counts().graph_launches, before);
        check_same_arenas(&one, &other);
        trained_close(&other);
    }
    trained_close(&one);
}
END_TEST

/* Makes a failure of the copy with which the next steps or evaluation begin. Their graph is
 * captured after it. */
static void fail_beginning(void)
{
    cuda_emulation_fail_call(1, cudaErrorInvalidValue, false);
}

static void check_beginning_failed(Trained *trained, const Status *status)
{
    ck_assert_int_eq(status->code, STATUS_MACHINE);
    ck_assert_ptr_nonnull(strstr(status->message, "failed while beginning a step"));
    ck_assert_ptr_nonnull(strstr(status->message, "cudaErrorInvalidValue"));
    trained_close(trained);
}

START_TEST(a_failure_before_a_graph_is_captured_is_not_forgotten)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 10);
    const StepRun run = run_of(&set, BATCH, 0, 1, 4);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    int64_t bad_step;
    Score score;
    Status status = {0};
    run_at_once(&one, &set, BATCH, 0, 0, 1);
    fail_beginning();
    ck_assert(!cuda->steps(one.model, &run, alone, &score, &bad_step, &status));
    check_beginning_failed(&one, &status);
    one = open_cuda(&net, BATCH, PRECISION_FP32);
    ck_assert(cuda->evaluate(one.model, &set, 0, BATCH, BATCH, &score, &status));
    fail_beginning();
    status = (Status){0};
    ck_assert(!cuda->evaluate(one.model, &set, 0, BATCH, BATCH, &score, &status));
    check_beginning_failed(&one, &status);
}
END_TEST

START_TEST(a_gpu_that_is_lost_in_a_step_is_reported_with_the_step)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 41);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    run_at_once(&one, &set, BATCH, 0, 0, 21);
    const StepRun run = run_of(&set, BATCH, 1, 0, 20);
    int64_t bad_step;
    Score score;
    Status status = {0}, again = {0};
    cuda_emulation_fail_launch(300, cudaErrorIllegalAddress);
    ck_assert(!cuda->steps(one.model, &run, alone, &score, &bad_step, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_ptr_nonnull(strstr(status.message, " of rank 3 failed while training (step 21 to 40"
                                                 "): cudaErrorIllegalAddress: an illegal memory "
                                                 "access was encountered"));
    ck_assert_ptr_null(cuda->arena(one.model, ARENA_WEIGHTS, &again));
    ck_assert_str_eq(again.message, status.message);
    cuda_emulation_reset(); // lost memory cannot be freed
    cuda->close(one.model);
}
END_TEST

START_TEST(a_gpu_that_is_lost_in_forward_is_reported)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const ImageSet set = make_images(arena, 6, 4);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    Score score;
    Status status = {0};
    trained_load(&one, &set, 0, 2, 417, true);
    cuda_emulation_fail_launch(3, cudaErrorLaunchFailure);
    ck_assert(!cuda->forward(one.model, true, &score, &status));
    ck_assert_ptr_nonnull(
        strstr(status.message, "failed while going forward (step 417): cudaErrorLaunchFailure"));
    ck_assert(!cuda->backward(one.model, &status));
    cuda->close(one.model);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cuda_failures");
    TCase *tests;
    tests = add_case(suite, "devices");
    tcase_add_test(tests, a_missing_driver_and_a_missing_gpu_have_different_messages);
    tcase_add_test(tests, a_gpu_that_the_build_has_no_code_for_is_refused);
    tcase_add_test(tests, tf32_needs_tensor_cores_and_bf16_does_not);
    tcase_add_test(tests, a_probe_allocates_nothing);
    tcase_add_test(tests, ranks_take_gpus_in_turn);
    tests = add_case(suite, "failures");
    tcase_add_test(tests, an_engine_that_the_build_lacks_is_refused);
    tcase_add_test(tests, too_little_memory_is_reported_with_the_bytes_needed_and_free);
    tcase_add_test(tests, more_images_than_products_count_are_refused);
    tcase_add_test(tests, a_set_that_does_not_fit_is_reported_by_the_next_function_with_a_status);
    tcase_add_test(tests, a_gpu_that_is_lost_at_any_call_ends_with_a_reason);
    tcase_add_test(tests, steps_that_cannot_be_captured_run_without_a_graph);
    tcase_add_test(tests, a_failure_before_a_graph_is_captured_is_not_forgotten);
    tcase_add_test(tests, a_gpu_that_is_lost_in_a_step_is_reported_with_the_step);
    tcase_add_test(tests, a_gpu_that_is_lost_in_forward_is_reported);
    return suite;
}
