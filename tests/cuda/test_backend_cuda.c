/* The cuda backend over the emulated runtime: what it computes against ref, its ways to make steps
 * against each other, and what becomes of it when a GPU is missing, too small or lost. Networks are
 * slim, because an emulated GPU is slow. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "tests/cuda_emulation/emulation.h"
#include "tests/support/small_training.h"
#include "tests/support/suite.h"
#include "trainer/backend.h"
#include "trainer/comm_kind.h"
#include "trainer/shuffle.h"
#include "trainer/step.h"

extern const Backend backend_cuda_emulated;
static const Backend *const cuda = &backend_cuda_emulated;

enum { SEED = 11, BATCH = 2 };

static Arena *arena;
static Comm *alone;

static void set_up(void)
{
    Status status;
    cuda_emulation_reset();
    arena = arena_create();
    ck_assert(comm_open("local", arena, &alone, &status));
}

static void tear_down(void)
{
    comm_close(alone);
    arena_destroy(arena);
}

static BackendSettings settings_of(const Net *net, int32_t batch_max, Precision precision)
{
    return (BackendSettings){.net = net,
                             .batch_max = batch_max,
                             .precision = precision,
                             .threads = 1,
                             .seed = SEED,
                             .rank = 3};
}

static Trained open_cuda(const Net *net, int32_t batch_max, Precision precision)
{
    const BackendSettings settings = settings_of(net, batch_max, precision);
    return trained_open(cuda, &settings);
}

static Trained open_ref(const Net *net, int32_t batch_max)
{
    const BackendSettings settings = settings_of(net, batch_max, PRECISION_FP32);
    return trained_open(&backend_ref, &settings);
}

static void check_same_arenas(const Trained *one, const Trained *other)
{
    const size_t bytes = (size_t)one->net->parameter_count * sizeof(float);
    for (ArenaKind kind = ARENA_WEIGHTS; kind <= ARENA_GRADIENTS; kind++)
        ck_assert_msg(memcmp(trained_arena(one, kind), trained_arena(other, kind), bytes) == 0,
                      "arena %d differs", (int)kind);
}

/* --- Against ref --- */

/* Of layers and tensors: see tests/trainer/test_backends.c. Measured here, with slim networks: in
 * tf32 9.8e-4, 1.2e-5 and 0.042, in bf16 2.3e-5 for losses and 0.09 for gradients. */
typedef struct {
    double output, loss, gradients;
} Tolerance;

static const Tolerance tolerances[PRECISION_COUNT] = {
    [PRECISION_FP32] = {.output = 1e-5, .loss = 1e-6, .gradients = 1e-4},
    [PRECISION_TF32] = {.output = 3e-3, .loss = 1e-4, .gradients = 0.1},
    [PRECISION_BF16] = {.output = 0.025, .loss = 0.005, .gradients = 0.4},
};

static void within(const char *what, const char *layer, double difference, double tolerance)
{
    if (getenv("SHOW_DIFFERENCES"))
        printf("%s %s: %.2e of %.0e\n", what, layer, difference, tolerance);
    ck_assert_msg(difference <= tolerance, "%s %s differ by %.3g, allowed is %.3g", what, layer,
                  difference, tolerance);
}

static void compare_outputs(const Trained *trained, const Trained *ref, int32_t images,
                            double tolerance)
{
    const Net *net = trained->net;
    int32_t compared = 0;
    for (int32_t i = 0; i < net->layer_count; i++) {
        const int64_t count = images * net_size(net->layers[i].out);
        float *out = arena_alloc(arena, (size_t)count * sizeof *out);
        float *expected = arena_alloc(arena, (size_t)count * sizeof *expected);
        if (!cuda->layer_output(trained->model, i, out))
            continue;
        ck_assert(backend_ref.layer_output(ref->model, i, expected));
        within("outputs of", net->layers[i].name, largest_difference(out, expected, count),
               tolerance);
        compared++;
    }
    ck_assert_int_ge(compared, 9); // of eleven: two pools go into their dropouts at once
}

static void compare_gradients(const Trained *trained, const Trained *ref, double tolerance)
{
    const float *gradients = trained_arena(trained, ARENA_GRADIENTS);
    const float *expected = trained_arena(ref, ARENA_GRADIENTS);
    for (int32_t i = 0; i < trained->net->layer_count; i++) {
        const NetLayer *layer = &trained->net->layers[i];
        if (layer->kernel_count == 0)
            continue;
        within("gradients of the kernel of", layer->name,
               relative_distance(gradients + layer->kernel_at, expected + layer->kernel_at,
                                 layer->kernel_count),
               tolerance);
        within("gradients of the bias of", layer->name,
               relative_distance(gradients + layer->bias_at, expected + layer->bias_at,
                                 layer->bias_count),
               tolerance);
    }
}

static void compare_a_step(const Net *net, int32_t images, int32_t batch_max, Precision precision)
{
    const Tolerance tolerance = tolerances[precision];
    const ImageSet set = make_images(arena, 21, images);
    const Trained ref = open_ref(net, batch_max);
    Trained trained = open_cuda(net, batch_max, precision);
    for (int32_t is_training = 1; is_training >= 0; is_training--) {
        trained_load(&ref, &set, 0, images, 7, is_training);
        trained_load(&trained, &set, 0, images, 7, is_training);
        const Score expected = trained_forward(&ref, is_training);
        const Score score = trained_forward(&trained, is_training);
        within("losses", "", fabs(score.loss_sum / expected.loss_sum - 1.0), tolerance.loss);
        ck_assert_int_eq(score.images, images);
        compare_outputs(&trained, &ref, images, tolerance.output);
        const float *probabilities = cuda->probabilities(trained.model);
        const Score again = score_of(probabilities, set.labels, images, net->class_count);
        ck_assert_double_eq_tol(score.loss_sum, again.loss_sum, 1e-6 * again.loss_sum);
        ck_assert_int_eq(score.correct, again.correct);
        if (!is_training)
            break;
        trained_backward(&ref);
        trained_backward(&trained);
        compare_gradients(&trained, &ref, tolerance.gradients);
    }
    trained_close(&trained);
    backend_ref.close(ref.model);
}

START_TEST(a_step_is_that_of_ref)
{
    const Net net = slim_net("keras_cifar10_cnn", 4);
    compare_a_step(&net, 5, 5, PRECISION_FP32);
}
END_TEST

START_TEST(so_is_a_single_image_in_a_model_for_more)
{
    const Net net = slim_net("keras_cifar10_cnn", 4);
    compare_a_step(&net, 1, 6, PRECISION_FP32);
}
END_TEST

START_TEST(so_is_a_step_of_a_network_with_odd_widths)
{
    const Net net = slim_net("keras_cifar10_cnn", 6); // 5 and 10 filters, 85 units
    compare_a_step(&net, 3, 3, PRECISION_FP32);
}
END_TEST

START_TEST(so_is_a_step_of_a_deeper_network)
{
    const Net net = slim_net("keras_cifar10_cnn_deep", 4);
    compare_a_step(&net, 2, 3, PRECISION_FP32);
}
END_TEST

START_TEST(in_tf32_and_bf16_it_is_near)
{
    const Net net = slim_net("keras_cifar10_cnn", 4);
    compare_a_step(&net, 4, 4, PRECISION_TF32);
    compare_a_step(&net, 4, 4, PRECISION_BF16);
}
END_TEST

START_TEST(dropout_drops_what_ref_drops)
{
    const Net net = slim_net("keras_cifar10_cnn", 4);
    const ImageSet set = make_images(arena, 5, 4);
    Trained ref = open_ref(&net, 4), trained = open_cuda(&net, 4, PRECISION_FP32);
    trained_load(&ref, &set, 0, 4, 123456789, true);
    trained_load(&trained, &set, 0, 4, 123456789, true);
    trained_forward(&ref, true);
    trained_forward(&trained, true);
    int32_t dropped = 0;
    for (int32_t i = 0; i < net.layer_count; i++) {
        const int64_t count = 4 * net_size(net.layers[i].out);
        float *out = arena_alloc(arena, (size_t)count * sizeof *out);
        float *expected = arena_alloc(arena, (size_t)count * sizeof *expected);
        if (net.layers[i].kind != NET_DROPOUT)
            continue;
        ck_assert(cuda->layer_output(trained.model, i, out));
        ck_assert(backend_ref.layer_output(ref.model, i, expected));
        for (int64_t k = 0; k < count; k++) {
            ck_assert_int_eq(out[k] == 0.0f, expected[k] == 0.0f);
            dropped += out[k] == 0.0f;
        }
    }
    ck_assert_int_gt(dropped, 100);
    trained_close(&ref);
    trained_close(&trained);
}
END_TEST

START_TEST(twenty_steps_lead_where_ref_goes)
{
    enum { STEPS = 20, IMAGES = 4 };
    const Net net = slim_net("keras_cifar10_cnn", 4);
    const ImageSet set = make_images(arena, 22, 4 * IMAGES);
    Trained ref = open_ref(&net, IMAGES), trained = open_cuda(&net, IMAGES, PRECISION_FP32);
    const size_t bytes = (size_t)net.parameter_count * sizeof(float);
    float *start = memcpy(arena_alloc(arena, bytes), trained_arena(&ref, ARENA_WEIGHTS), bytes);
    for (int32_t step = 0; step < STEPS; step++) {
        const int32_t count = step < STEPS - 1 ? IMAGES : IMAGES / 2;
        const Score expected = trained_step(&ref, &set, step % 4 * IMAGES, count, (uint64_t)step);
        const Score score = trained_step(&trained, &set, step % 4 * IMAGES, count, (uint64_t)step);
        within("losses", "", fabs(score.loss_sum / expected.loss_sum - 1.0), 5e-3);
    }
    float *expected = trained_arena(&ref, ARENA_WEIGHTS);
    float *weights = trained_arena(&trained, ARENA_WEIGHTS);
    for (int64_t i = 0; i < net.parameter_count; i++) {
        expected[i] -= start[i];
        weights[i] -= start[i];
    }
    within("ways", "", relative_distance(weights, expected, net.parameter_count), 0.15);
    trained_close(&ref);
    trained_close(&trained);
}
END_TEST

/* --- Many steps at once --- */

static const RmsProp optimizer = {
    .learning_rate = 1e-3, .rho = 0.9, .decay = 1e-6, .epsilon = 1e-7};

static int64_t steps_of(const ImageSet *set, int32_t batch)
{
    return (set->count + batch - 1) / batch;
}

/* The steps [first, first + count) of `epoch`, function by function. */
static Score run_one_by_one(const Trained *trained, const ImageSet *set, int32_t batch,
                            uint64_t epoch, int64_t first, int64_t count, float gradient_scale)
{
    int32_t *order = arena_alloc(arena, (size_t)set->count * sizeof *order);
    Score sum = {0}, score;
    Status status;
    shuffle_order(SEED, 3, epoch, set->count, order);
    for (int64_t i = first; i < first + count; i++) {
        const int64_t step = (int64_t)epoch * steps_of(set, batch) + i;
        const int32_t left = set->count - (int32_t)i * batch;
        const Batch this = {.set = set,
                            .indices = order + i * batch,
                            .count = left < batch ? left : batch,
                            .step = (uint64_t)step,
                            .is_augmented = true};
        cuda->gather(trained->model, &this);
        cuda->augment(trained->model, &this);
        ck_assert(cuda->forward(trained->model, true, &score, &status));
        ck_assert(cuda->backward(trained->model, &status));
        ck_assert(cuda->update(trained->model, &optimizer, rmsprop_rate(&optimizer, step),
                               gradient_scale));
        score_add(&sum, score);
    }
    return sum;
}

static StepRun run_of(const ImageSet *set, int32_t batch, uint64_t epoch, int64_t first,
                      int64_t count)
{
    return (StepRun){.set = set,
                     .epoch = epoch,
                     .first = first,
                     .count = count,
                     .batch_size = batch,
                     .step = epoch * (uint64_t)steps_of(set, batch) + (uint64_t)first,
                     .is_augmented = true,
                     .optimizer = &optimizer,
                     .gradient_scale = 1.0f};
}

/* The same at once. */
static Score run_at_once(const Trained *trained, const ImageSet *set, int32_t batch, uint64_t epoch,
                         int64_t first, int64_t count)
{
    const StepRun run = run_of(set, batch, epoch, first, count);
    int64_t bad_step = 0;
    Score score;
    Status status;
    if (!cuda->steps(trained->model, &run, alone, &score, &bad_step, &status))
        ck_abort_msg("%s", status.message);
    ck_assert_int_eq(bad_step, -1);
    return score;
}

static void check_at_once(Precision precision)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const ImageSet set = make_images(arena, 6, 2 * 37 + 1);
    Trained one = open_cuda(&net, BATCH, precision), other = open_cuda(&net, BATCH, precision);
    for (uint64_t epoch = 0; epoch < 2; epoch++) {
        const Score expected = run_one_by_one(&one, &set, BATCH, epoch, 0, 38, 1.0f);
        Score score = run_at_once(&other, &set, BATCH, epoch, 0, 20);
        score_add(&score, run_at_once(&other, &set, BATCH, epoch, 20, 1));
        // With the last one, of a single image.
        score_add(&score, run_at_once(&other, &set, BATCH, epoch, 21, 17));
        ck_assert_int_eq(score.images, set.count);
        ck_assert_int_eq(score.correct, expected.correct);
        ck_assert_double_eq_tol(score.loss_sum, expected.loss_sum, 1e-12 * expected.loss_sum);
        check_same_arenas(&one, &other);
    }
    ck_assert_int_gt(cuda_emulation_counts().graph_launches, 4);
    trained_close(&one);
    trained_close(&other);
}

START_TEST(steps_at_once_are_the_same_to_the_bit)
{
    check_at_once(PRECISION_FP32);
}
END_TEST

START_TEST(so_they_are_in_bf16)
{
    check_at_once(PRECISION_BF16);
}
END_TEST

START_TEST(so_they_are_when_the_gpu_lags_and_goes_in_other_orders)
{
    cuda_emulation_set_lag(true);
    cuda_emulation_set_order(CUDA_ORDER_SHUFFLED, 9);
    check_at_once(PRECISION_FP32);
}
END_TEST

START_TEST(orders_of_threads_change_no_bit)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const ImageSet set = make_images(arena, 6, 38);
    Trained all[CUDA_ORDER_COUNT];
    for (int32_t i = 0; i < CUDA_ORDER_COUNT; i++) {
        cuda_emulation_set_order((CudaEmulationOrder)i, 4);
        all[i] = open_cuda(&net, BATCH, PRECISION_FP32);
        run_at_once(&all[i], &set, BATCH, 0, 0, 19);
        check_same_arenas(&all[0], &all[i]);
    }
    for (int32_t i = 0; i < CUDA_ORDER_COUNT; i++)
        trained_close(&all[i]);
}
END_TEST

START_TEST(a_resumed_training_goes_on_to_the_bit)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const size_t bytes = (size_t)net.parameter_count * sizeof(float);
    const ImageSet set = make_images(arena, 6, 41);
    for (Precision precision = 0; precision < PRECISION_COUNT; precision++) {
        Trained one = open_cuda(&net, BATCH, precision);
        run_at_once(&one, &set, BATCH, 0, 0, 21);
        Trained other = open_cuda(&net, BATCH, precision);
        for (ArenaKind kind = ARENA_WEIGHTS; kind <= ARENA_ACCUMULATORS; kind++) {
            memcpy(trained_arena(&other, kind), trained_arena(&one, kind), bytes);
            cuda->arena_changed(other.model, kind);
        }
        run_at_once(&one, &set, BATCH, 1, 0, 21);
        run_at_once(&other, &set, BATCH, 1, 0, 21);
        check_same_arenas(&one, &other);
        trained_close(&one);
        trained_close(&other);
    }
}
END_TEST

START_TEST(batch_sizes_and_optimizers_may_change)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const ImageSet set = make_images(arena, 6, 24);
    Trained one = open_cuda(&net, 5, PRECISION_FP32), other = open_cuda(&net, 5, PRECISION_FP32);
    for (int32_t round = 0; round < 3; round++)
        for (int32_t batch = 5; batch >= 1; batch -= 2) {
            const int64_t steps = steps_of(&set, batch);
            run_one_by_one(&one, &set, batch, 0, 0, steps, 1.0f);
            run_at_once(&other, &set, batch, 0, 0, steps);
            check_same_arenas(&one, &other);
        }
    StepRun run = run_of(&set, 5, 0, 0, 3);
    int64_t bad_step;
    Score score;
    Status status;
    run.gradient_scale = 0.25f;
    run_one_by_one(&one, &set, 5, 0, 0, 3, 0.25f);
    ck_assert(cuda->steps(other.model, &run, alone, &score, &bad_step, &status));
    check_same_arenas(&one, &other);
    trained_close(&one);
    trained_close(&other);
}
END_TEST

START_TEST(sets_that_take_turns_stay_on_the_gpu)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const ImageSet train = make_images(arena, 6, 10), test = make_images(arena, 7, 4);
    const ImageSet third = make_images(arena, 8, 6);
    Trained one = open_cuda(&net, 4, PRECISION_FP32), ref = open_ref(&net, 4);
    int64_t bytes = 0;
    for (int32_t i = 0; i < 3; i++) {
        run_at_once(&one, &train, BATCH, (uint64_t)i, 0, 5);
        trained_load(&one, &test, 0, 4, 0, false);
        trained_forward(&one, false);
        if (i == 0)
            bytes = cuda_emulation_counts().allocated_bytes;
        ck_assert_int_eq(cuda_emulation_counts().allocated_bytes, bytes);
    }
    // A third takes the place of one of them, and what is computed is of it.
    memcpy(trained_arena(&ref, ARENA_WEIGHTS), trained_arena(&one, ARENA_WEIGHTS),
           (size_t)net.parameter_count * sizeof(float));
    const ImageSet *const sets[] = {&third, &train, &test, &third};
    for (int32_t i = 0; i < 4; i++) {
        trained_load(&one, sets[i], 1, 3, 0, false);
        trained_load(&ref, sets[i], 1, 3, 0, false);
        within("losses", "",
               fabs(trained_forward(&one, false).loss_sum / trained_forward(&ref, false).loss_sum -
                    1.0),
               1e-6);
    }
    trained_close(&one);
    trained_close(&ref);
    const CudaEmulationCounts counts = cuda_emulation_counts();
    ck_assert_int_eq(counts.live_bytes + counts.live_pinned_bytes, 0);
    ck_assert_int_eq(
        counts.live_streams + counts.live_events + counts.live_graphs + counts.live_executables, 0);
}
END_TEST

/* --- Several ranks --- */

/* Doubles what it is given, as a second rank with the same gradients would. */
typedef struct {
    float *values;
    int64_t count;
} Doubling;

static void double_values(void *opened)
{
    const Doubling *doubling = opened;
    for (int64_t i = 0; i < doubling->count; i++)
        doubling->values[i] *= 2.0f;
}

static int32_t sums_made, sums_to_failure;

static bool sum_on_gpu(Comm *comm, float *values, int64_t count, void *stream, Status *status)
{
    (void)comm;
    if (sums_to_failure > 0 && --sums_to_failure == 0)
        return status_fail(status, STATUS_MACHINE, place_in("test", 0, 0), "a sum fails");
    Doubling *doubling = ARENA_NEW(arena, Doubling);
    *doubling = (Doubling){values, count};
    sums_made++;
    ck_assert_int_eq(cudaLaunchHostFunc(stream, double_values, doubling), cudaSuccess);
    return true;
}

static Comm two_ranks(CommKind *kind)
{
    *kind = comm_local;
    kind->sum_on_gpu = sum_on_gpu;
    return (Comm){.kind = kind, .sums_in_graph = true, .size = 2, .local_size = 2};
}

/* Twice the gradient by half the scale is the same gradient, to the bit. */
static void check_two_ranks(void)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const ImageSet set = make_images(arena, 6, 41);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    Trained other = open_cuda(&net, BATCH, PRECISION_FP32);
    const size_t bytes = (size_t)net.parameter_count * sizeof(float);
    CommKind kind;
    Comm comm = two_ranks(&kind);
    StepRun run = run_of(&set, BATCH, 0, 0, 21);
    int64_t bad_step;
    Score score;
    Status status;
    run.gradient_scale = 0.5f;
    run_at_once(&one, &set, BATCH, 0, 0, 21);
    ck_assert(cuda->steps(other.model, &run, &comm, &score, &bad_step, &status));
    for (ArenaKind kind_of = ARENA_WEIGHTS; kind_of <= ARENA_ACCUMULATORS; kind_of++)
        ck_assert(memcmp(trained_arena(&one, kind_of), trained_arena(&other, kind_of), bytes) == 0);
    trained_close(&one);
    trained_close(&other);
}

START_TEST(gradients_are_summed_where_they_are_all_and_once)
{
    cuda_emulation_set_lag(true);
    check_two_ranks();
    // Two a step: the first step, sixteen in a graph, one in another; the last, of one image.
    ck_assert_int_eq(sums_made, 2 * (1 + 16 + 1 + 1));
}
END_TEST

START_TEST(sums_of_a_library_that_knows_no_graphs_are_made_without)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const ImageSet set = make_images(arena, 6, 41);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    CommKind kind;
    Comm comm = two_ranks(&kind);
    const StepRun run = run_of(&set, BATCH, 0, 0, 21);
    int64_t bad_step;
    Score score;
    Status status;
    comm.sums_in_graph = false;
    ck_assert(cuda->steps(one.model, &run, &comm, &score, &bad_step, &status));
    ck_assert_int_eq(sums_made, 2 * 21);
    ck_assert_int_eq(cuda_emulation_counts().graph_launches, 0);
    trained_close(&one);
}
END_TEST

START_TEST(a_sum_that_no_graph_takes_is_made_without)
{
    sums_to_failure = 5; // in the graph of the second step on
    check_two_ranks();
    ck_assert_int_eq(sums_made, 2 + 2 + 2 * 19 + 2);
}
END_TEST

START_TEST(an_exchange_function_by_function_sums_all)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const ImageSet set = make_images(arena, 6, 4);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    const size_t bytes = (size_t)net.parameter_count * sizeof(float);
    CommKind kind;
    Comm comm = two_ranks(&kind);
    Status status;
    trained_load(&one, &set, 0, 2, 0, true);
    trained_forward(&one, true);
    trained_backward(&one);
    float *before = memcpy(arena_alloc(arena, bytes), trained_arena(&one, ARENA_GRADIENTS), bytes);
    ck_assert(cuda->exchange(one.model, &comm, &status));
    const float *after = trained_arena(&one, ARENA_GRADIENTS);
    for (int64_t i = 0; i < net.parameter_count; i++)
        ck_assert(after[i] == 2.0f * before[i]);
    trained_close(&one);
}
END_TEST

START_TEST(a_sum_that_fails_ends_the_run_with_its_reason)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const ImageSet set = make_images(arena, 6, 41);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    CommKind kind;
    Comm comm = two_ranks(&kind);
    const StepRun run = run_of(&set, BATCH, 0, 0, 21);
    int64_t bad_step;
    Score score;
    Status status = {0};
    sums_to_failure = 2;
    ck_assert(!cuda->steps(one.model, &run, &comm, &score, &bad_step, &status));
    ck_assert_str_eq(status.message, "a sum fails");
    trained_close(&one);
}
END_TEST

/* --- The trainer above it --- */

static Trainer trainer_over(const Trained *trained, int32_t images)
{
    return (Trainer){.backend = cuda,
                     .model = trained->model,
                     .net = trained->net,
                     .comm = alone,
                     .ready_ns = ARENA_ARRAY(arena, int64_t, 1),
                     .optimizer = optimizer,
                     .seed = SEED,
                     .order = ARENA_ARRAY(arena, int32_t, images)};
}

/* An epoch; returns how many calls it took. */
static int32_t train_epoch(Trainer *trainer, const ImageSet *set, uint64_t epoch, Score *sum)
{
    const int64_t steps = steps_of(set, BATCH);
    int32_t calls = 0;
    *sum = (Score){0};
    for (int64_t step = 0, done; step < steps; step += done, calls++) {
        const StepRun run = run_of(set, BATCH, epoch, step, steps - step);
        Score score;
        Status status;
        if (!trainer_steps(trainer, &run, &done, &score, &status))
            ck_abort_msg("%s", status.message);
        ck_assert_int_ge(done, 1);
        score_add(sum, score);
    }
    return calls;
}

START_TEST(the_trainer_goes_the_same_way_with_and_without_a_timeline)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const ImageSet set = make_images(arena, 6, 41);
    BackendSettings settings = settings_of(&net, BATCH, PRECISION_FP32);
    settings.rank = 0; // as its communication says
    Trained one = trained_open(cuda, &settings), other = trained_open(cuda, &settings);
    Trainer fast = trainer_over(&one, set.count), slow = trainer_over(&other, set.count);
    slow.timeline = timeline_create(0, 1, timeline_clock_ns());
    ck_assert(trainer_goes_at_once(&fast));
    ck_assert(!trainer_goes_at_once(&slow));
    for (uint64_t epoch = 0; epoch < 2; epoch++) {
        Score at_once, one_by_one;
        ck_assert_int_le(train_epoch(&fast, &set, epoch, &at_once), 21);
        ck_assert_int_eq(train_epoch(&slow, &set, epoch, &one_by_one), 21);
        ck_assert_int_eq(at_once.images, 41);
        ck_assert_int_eq(at_once.correct, one_by_one.correct);
        check_same_arenas(&one, &other);
    }
    timeline_destroy(slow.timeline);
    trained_close(&one);
    trained_close(&other);
}
END_TEST

/* The last bias. */
static void spoil_weight(const Trained *trained)
{
    trained_arena(trained, ARENA_WEIGHTS)[trained->net->parameter_count - 1] = NAN;
    cuda->arena_changed(trained->model, ARENA_WEIGHTS);
}

START_TEST(a_loss_that_is_no_number_ends_it_with_the_first_such_step)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const ImageSet set = make_images(arena, 6, 41);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    Trainer trainer = trainer_over(&one, set.count);
    const StepRun run = run_of(&set, BATCH, 1, 2, 19);
    int64_t done;
    Score score;
    Status status = {0};
    spoil_weight(&one);
    ck_assert(!trainer_steps(&trainer, &run, &done, &score, &status));
    ck_assert(trainer.has_diverged);
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_str_eq(status.message, "the loss is not a number in step 23 (rank 0)");
    trained_close(&one);
}
END_TEST

START_TEST(a_weight_that_is_no_number_does_so_without_blaming_the_loss)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const ImageSet set = make_images(arena, 6, 41);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    Trainer trainer = trainer_over(&one, set.count);
    const StepRun run = run_of(&set, BATCH, 0, 0, 19);
    int64_t done;
    Score score;
    Status status = {0};
    trainer.optimizer.learning_rate = 1e300; // infinite as a float
    ck_assert(!trainer_steps(&trainer, &run, &done, &score, &status));
    ck_assert(trainer.has_diverged);
    ck_assert_str_eq(status.message, "weights are not numbers after step 0");
    ck_assert(isfinite(score.loss_sum));
    trained_close(&one);
}
END_TEST

START_TEST(layers_are_timed_for_who_asks)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const ImageSet set = make_images(arena, 27, 2);
    LayerTimes times = {0};
    BackendSettings settings = settings_of(&net, 2, PRECISION_FP32);
    settings.times = &times;
    Trained trained = trained_open(cuda, &settings);
    trained_step(&trained, &set, 0, 2, 0);
    for (int32_t i = 0; i < net.layer_count; i++) {
        const bool has_stage =
            i == 0 || net.layers[i].kind != NET_DROPOUT || net.layers[i - 1].kind != NET_POOL;
        ck_assert_int_eq(times.forward_ns[i] > 0, has_stage);
        ck_assert_int_eq(times.backward_ns[i] > 0, has_stage);
    }
    trained_close(&trained);
}
END_TEST

/* --- Which GPU --- */

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

START_TEST(a_machine_without_driver_or_gpu_is_told_apart)
{
    cuda_emulation_set_devices(0, 0, 0);
    check_refusal("there is no NVIDIA GPU that can be used");
    cuda_emulation_reset();
    cuda_emulation_fail_call(1, cudaErrorInsufficientDriver, false);
    check_refusal("the NVIDIA driver is for CUDA 13.0, and this build is with CUDA 13.0");
    cuda_emulation_reset();
    cuda_emulation_fail_call(1, cudaErrorInsufficientDriver, true);
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

START_TEST(tf32_wants_tensor_cores_and_bf16_does_without)
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

START_TEST(a_probe_takes_nothing)
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

/* --- What fails --- */

static void check_nothing_is_left(void)
{
    const CudaEmulationCounts counts = cuda_emulation_counts();
    ck_assert_int_eq(counts.live_bytes + counts.live_pinned_bytes, 0);
    ck_assert_int_eq(counts.live_streams + counts.live_events + counts.live_executables, 0);
}

static bool opens(const Net *net, int32_t batch_max, Status *status)
{
    const BackendSettings settings = settings_of(net, batch_max, PRECISION_FP32);
    void *model = NULL;
    *status = (Status){0};
    bool is_open = cuda->open(&settings, &model, status);
    cuda->close(model);
    return is_open;
}

START_TEST(too_little_memory_says_how_much_is_wanted_and_free)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    Status status;
    ck_assert(opens(&net, 64, &status));
    cuda_emulation_set_memory(4000000);
    ck_assert(!opens(&net, 64, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_ptr_nonnull(strstr(status.message, "too little memory for batches of 64 images: "));
    ck_assert_ptr_nonnull(strstr(status.message, " MB are wanted, 4.0 MB were free"));
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

START_TEST(a_set_that_does_not_fit_is_said_by_the_next_that_can)
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

/* All functions once, as long as they work. */
static bool use_all(const Net *net, const ImageSet *set, Status *status)
{
    const BackendSettings settings = settings_of(net, BATCH, PRECISION_FP32);
    const StepRun run = run_of(set, BATCH, 0, 0, 1); // a lost GPU would go on capturing
    const int32_t indices[BATCH] = {1, 0};
    const Batch batch = {.set = set, .indices = indices, .count = BATCH, .is_augmented = true};
    void *model = NULL;
    int64_t bad_step;
    Score score;
    *status = (Status){0};
    bool is_fine = cuda->open(&settings, &model, status);
    if (is_fine) {
        float *weights = cuda->arena(model, ARENA_WEIGHTS, status);
        if (weights)
            net_initial_weights(net, SEED, weights);
        cuda->arena_changed(model, ARENA_WEIGHTS);
        cuda->gather(model, &batch);
        cuda->augment(model, &batch);
        is_fine =
            weights && cuda->forward(model, true, &score, status) && cuda->backward(model, status);
        ck_assert(cuda->update(model, &optimizer, 1e-3f, 1.0f)); // a GPU is no weight
        ck_assert_ptr_nonnull(cuda->probabilities(model));
        is_fine = is_fine && cuda->steps(model, &run, alone, &score, &bad_step, status) &&
                  cuda->arena(model, ARENA_GRADIENTS, status);
    }
    cuda->close(model);
    return is_fine;
}

START_TEST(a_gpu_that_is_lost_at_any_call_ends_with_a_reason)
{
    const Net net = slim_net("keras_cifar10_cnn", 16);
    const ImageSet set = make_images(arena, 6, 40);
    Status status;
    ck_assert(use_all(&net, &set, &status));
    const int64_t calls = cuda_emulation_counts().calls;
    // Every call of opening, and some of the many behind it.
    for (int64_t nth = 1, failed = 0; nth <= calls; nth += nth < 60 ? 1 : 17) {
        cuda_emulation_reset();
        cuda_emulation_fail_call(nth, cudaErrorECCUncorrectable, true);
        if (use_all(&net, &set, &status)) {
            ck_assert_msg(nth > calls - 200, "call %d of %d fails, and nobody says so", (int)nth,
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

START_TEST(steps_that_no_graph_takes_go_without_one)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
    const ImageSet set = make_images(arena, 6, 10);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    run_at_once(&one, &set, BATCH, 0, 0, 5);
    // Behind the first step's state on its way: the capture's begin, and something in it.
    for (int64_t nth = 2; nth < 12; nth += 3) {
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

START_TEST(a_gpu_that_is_lost_in_a_step_says_which)
{
    const Net net = slim_net("keras_cifar10_cnn", 8);
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
    cuda->close(one.model);
}
END_TEST

START_TEST(a_gpu_that_is_lost_going_forward_says_so)
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

static TCase *add_case(Suite *suite, const char *name)
{
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    suite_add_tcase(suite, tests);
    return tests;
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("backend_cuda");
    TCase *tests;
    tests = add_case(suite, "against ref");
    tcase_add_test(tests, a_step_is_that_of_ref);
    tcase_add_test(tests, so_is_a_single_image_in_a_model_for_more);
    tcase_add_test(tests, so_is_a_step_of_a_network_with_odd_widths);
    tcase_add_test(tests, so_is_a_step_of_a_deeper_network);
    tcase_add_test(tests, in_tf32_and_bf16_it_is_near);
    tcase_add_test(tests, dropout_drops_what_ref_drops);
    tcase_add_test(tests, twenty_steps_lead_where_ref_goes);
    tests = add_case(suite, "at once");
    tcase_add_test(tests, steps_at_once_are_the_same_to_the_bit);
    tcase_add_test(tests, so_they_are_in_bf16);
    tcase_add_test(tests, so_they_are_when_the_gpu_lags_and_goes_in_other_orders);
    tcase_add_test(tests, orders_of_threads_change_no_bit);
    tcase_add_test(tests, a_resumed_training_goes_on_to_the_bit);
    tcase_add_test(tests, batch_sizes_and_optimizers_may_change);
    tcase_add_test(tests, sets_that_take_turns_stay_on_the_gpu);
    tests = add_case(suite, "ranks");
    tcase_add_test(tests, gradients_are_summed_where_they_are_all_and_once);
    tcase_add_test(tests, sums_of_a_library_that_knows_no_graphs_are_made_without);
    tcase_add_test(tests, a_sum_that_no_graph_takes_is_made_without);
    tcase_add_test(tests, an_exchange_function_by_function_sums_all);
    tcase_add_test(tests, a_sum_that_fails_ends_the_run_with_its_reason);
    tests = add_case(suite, "trainer");
    tcase_add_test(tests, the_trainer_goes_the_same_way_with_and_without_a_timeline);
    tcase_add_test(tests, a_loss_that_is_no_number_ends_it_with_the_first_such_step);
    tcase_add_test(tests, a_weight_that_is_no_number_does_so_without_blaming_the_loss);
    tcase_add_test(tests, layers_are_timed_for_who_asks);
    tests = add_case(suite, "devices");
    tcase_add_test(tests, a_machine_without_driver_or_gpu_is_told_apart);
    tcase_add_test(tests, a_gpu_that_the_build_has_no_code_for_is_refused);
    tcase_add_test(tests, tf32_wants_tensor_cores_and_bf16_does_without);
    tcase_add_test(tests, a_probe_takes_nothing);
    tcase_add_test(tests, ranks_take_gpus_in_turn);
    tests = add_case(suite, "failures");
    tcase_add_test(tests, too_little_memory_says_how_much_is_wanted_and_free);
    tcase_add_test(tests, more_images_than_products_count_are_refused);
    tcase_add_test(tests, a_set_that_does_not_fit_is_said_by_the_next_that_can);
    tcase_add_test(tests, a_gpu_that_is_lost_at_any_call_ends_with_a_reason);
    tcase_add_test(tests, steps_that_no_graph_takes_go_without_one);
    tcase_add_test(tests, a_gpu_that_is_lost_in_a_step_says_which);
    tcase_add_test(tests, a_gpu_that_is_lost_going_forward_says_so);
    return suite;
}
