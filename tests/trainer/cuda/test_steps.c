/* Whole steps of the cuda backend give the same bits as phase by phase, with and without graphs,
 * with other ranks and called by the trainer. */
#include <math.h>

#include "sim/cli/machine_clock.h"
#include "tests/trainer/cuda/models.h"
#include "trainer/comm/kind.h"
#include "trainer/data/shuffle.h"
#include "trainer/run/step.h"

/* --- The same bits --- */

/* Makes steps [first, first + count) of `epoch` phase by phase. */
static Score run_one_by_one(const Trained *trained, const ImageSet *set, int32_t batch,
                            uint64_t epoch, int64_t first, int64_t count, float gradient_scale)
{
    int32_t *order = arena_alloc(arena, (size_t)set->count * sizeof *order);
    Score sum = {0}, score;
    Status status;
    shuffle_order(SEED, RANK, epoch, set->count, order);
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

/* The number is known only if there was a graph. It is at least one for each layer's product and
 * its two gradients. */
static void check_kernels_per_step(const Trained *without_graph, const Trained *with_graph)
{
    ck_assert_int_eq(cuda->kernels_per_step(without_graph->model), 0);
    ck_assert_int_ge(cuda->kernels_per_step(with_graph->model), 6 * 3);
}

/* Makes steps in both ways, until every kind of graph has run twice. */
static void check_at_once(Precision precision)
{
    enum { IMAGES = 37, STEPS = 19, MORE = 3 };
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, IMAGES);
    Trained one = open_cuda(&net, BATCH, precision), other = open_cuda(&net, BATCH, precision);
    const Score expected = run_one_by_one(&one, &set, BATCH, 0, 0, STEPS, 1.0f);
    Score score = run_at_once(&other, &set, BATCH, 0, 0, 18);      // one step, sixteen, one
    score_add(&score, run_at_once(&other, &set, BATCH, 0, 18, 1)); // a step of a single image
    ck_assert_int_eq(score.images, IMAGES);
    ck_assert_int_eq(score.correct, expected.correct);
    ck_assert_double_eq_tol(score.loss_sum, expected.loss_sum, 1e-12 * expected.loss_sum);
    check_same_arenas(&one, &other);
    run_one_by_one(&one, &set, BATCH, 1, STEPS - MORE, MORE, 1.0f);
    run_at_once(&other, &set, BATCH, 1, STEPS - MORE, MORE);
    check_same_arenas(&one, &other);
    gpu_check_graph_launches(2 + 3);
    check_kernels_per_step(&one, &other);
    trained_close(&one);
    trained_close(&other);
}

START_TEST(whole_steps_are_the_same_bit_by_bit)
{
    check_at_once(PRECISION_FP32);
}
END_TEST

START_TEST(whole_steps_are_the_same_in_bf16_when_the_gpu_lags_and_uses_other_orders)
{
    gpu_set_lag(true);
    gpu_set_order(GPU_ORDERS - 1);
    check_at_once(PRECISION_BF16);
}
END_TEST

START_TEST(orders_of_threads_change_no_bit)
{
    const Net net = slim_net("keras_cifar10_cnn", 16);
    const ImageSet set = make_images(arena, 6, 5);
    Trained all[GPU_ORDERS];
    for (int32_t i = 0; i < GPU_ORDERS; i++) {
        gpu_set_order(i);
        all[i] = open_cuda(&net, BATCH, PRECISION_FP32);
        run_at_once(&all[i], &set, BATCH, 0, 0, 3);
        check_same_arenas(&all[0], &all[i]);
    }
    for (int32_t i = 0; i < GPU_ORDERS; i++)
        trained_close(&all[i]);
}
END_TEST

START_TEST(a_resumed_training_continues_with_the_same_bits)
{
    const Net net = tiny_net();
    const size_t bytes = (size_t)net.parameter_count * sizeof(float);
    const ImageSet set = make_images(arena, 6, 9);
    for (Precision precision = 0; precision < PRECISION_COUNT; precision++) {
        Trained one = open_cuda(&net, BATCH, precision);
        run_at_once(&one, &set, BATCH, 0, 0, 5);
        Trained other = open_cuda(&net, BATCH, precision);
        for (ArenaKind kind = ARENA_WEIGHTS; kind <= ARENA_ACCUMULATORS; kind++) {
            memcpy(trained_arena(&other, kind), trained_arena(&one, kind), bytes);
            cuda->arena_changed(other.model, kind);
        }
        run_at_once(&one, &set, BATCH, 1, 0, 5);
        run_at_once(&other, &set, BATCH, 1, 0, 5);
        check_same_arenas(&one, &other);
        trained_close(&one);
        trained_close(&other);
    }
}
END_TEST

/* The model has memory for the largest batch that there is, not for the batch size. */
START_TEST(a_set_smaller_than_a_batch_is_one_step)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 3);
    Trained one = open_cuda(&net, 3, PRECISION_FP32), other = open_cuda(&net, 3, PRECISION_FP32);
    for (uint64_t epoch = 0; epoch < 3; epoch++) {
        ck_assert_int_eq(run_at_once(&one, &set, 32, epoch, 0, 1).images, 3);
        run_one_by_one(&other, &set, 32, epoch, 0, 1, 1.0f);
        check_same_arenas(&one, &other);
    }
    trained_close(&one);
    trained_close(&other);
}
END_TEST

START_TEST(batch_sizes_and_optimizers_may_change)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 11);
    Trained one = open_cuda(&net, 5, PRECISION_FP32), other = open_cuda(&net, 5, PRECISION_FP32);
    for (int32_t round = 0; round < 2; round++)
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
    const Net net = tiny_net();
    const ImageSet train = make_images(arena, 6, 10), test = make_images(arena, 7, 4);
    const ImageSet third = make_images(arena, 8, 6);
    Trained one = open_cuda(&net, 4, PRECISION_FP32), ref = open_ref(&net, 4);
    int64_t bytes = 0;
    for (int32_t i = 0; i < 3; i++) {
        run_at_once(&one, &train, BATCH, (uint64_t)i, 0, 5);
        trained_load(&one, &test, 0, 4, 0, false);
        trained_forward(&one, false);
        if (i == 0)
            bytes = gpu_allocated_bytes();
        ck_assert_int_eq(gpu_allocated_bytes(), bytes);
    }
    // A third set replaces one of them and is used.
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
    gpu_check_nothing_is_left();
}
END_TEST

/* --- Several ranks --- */

/* Doubles gradients, like a second rank with the same gradients, in a copy on the processor. Sums
 * run one after the other, so one copy is enough. */
typedef struct {
    int64_t count;
    float *copy;
} Doubling;

static float *pinned; // [parameter_count]: source and target of a running graph's copies

static void double_values(void *opened)
{
    const Doubling *doubling = opened;
    for (int64_t i = 0; i < doubling->count; i++)
        doubling->copy[i] *= 2.0f;
}

static int32_t sums_made, sums_to_failure;

static bool sum_on_gpu(Comm *comm, float *values, int64_t count, void *stream, Status *status)
{
    (void)comm;
    if (sums_to_failure > 0 && --sums_to_failure == 0)
        return status_fail(status, STATUS_MACHINE, place_in("test", 0, 0), "a sum fails");
    Doubling *doubling = ARENA_NEW(arena, Doubling);
    const size_t bytes = (size_t)count * sizeof *values;
    *doubling = (Doubling){count, pinned};
    sums_made++;
    ck_assert_int_eq(cudaMemcpyAsync(doubling->copy, values, bytes, cudaMemcpyDeviceToHost, stream),
                     cudaSuccess);
    ck_assert_int_eq(cudaLaunchHostFunc(stream, double_values, doubling), cudaSuccess);
    ck_assert_int_eq(cudaMemcpyAsync(values, doubling->copy, bytes, cudaMemcpyHostToDevice, stream),
                     cudaSuccess);
    return true;
}

static Comm two_ranks(const Net *net, CommKind *kind)
{
    const size_t bytes = (size_t)net->parameter_count * sizeof *pinned;
    gpu_must(cudaMallocHost((void **)&pinned, bytes));
    sums_made = 0;
    *kind = comm_local;
    kind->sum_on_gpu = sum_on_gpu;
    return (Comm){.kind = kind, .sums_in_graph = true, .size = 2, .local_size = 2};
}

/* Twice the gradient times half the scale is the same gradient, bit by bit. */
static void check_two_ranks(void)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 37);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    Trained other = open_cuda(&net, BATCH, PRECISION_FP32);
    const size_t bytes = (size_t)net.parameter_count * sizeof(float);
    CommKind kind;
    Comm comm = two_ranks(&net, &kind);
    StepRun run = run_of(&set, BATCH, 0, 0, 19);
    int64_t bad_step;
    Score score;
    Status status;
    run.gradient_scale = 0.5f;
    run_at_once(&one, &set, BATCH, 0, 0, 19);
    ck_assert(cuda->steps(other.model, &run, &comm, &score, &bad_step, &status));
    for (ArenaKind kind_of = ARENA_WEIGHTS; kind_of <= ARENA_ACCUMULATORS; kind_of++)
        ck_assert(memcmp(trained_arena(&one, kind_of), trained_arena(&other, kind_of), bytes) == 0);
    trained_close(&one);
    trained_close(&other);
}

START_TEST(all_gradients_are_summed_on_the_gpu_once)
{
    gpu_set_lag(true);
    check_two_ranks();
    // Two sums per step: the first step, sixteen steps in a graph, one in another, and the last
    // step of one image.
    ck_assert_int_eq(sums_made, 2 * (1 + 16 + 1 + 1));
}
END_TEST

START_TEST(sums_of_a_library_without_graphs_are_made_without_graphs)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 9);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    CommKind kind;
    Comm comm = two_ranks(&net, &kind);
    const StepRun run = run_of(&set, BATCH, 0, 0, 5);
    int64_t bad_step;
    Score score;
    Status status;
    comm.sums_in_graph = false;
    ck_assert(cuda->steps(one.model, &run, &comm, &score, &bad_step, &status));
    ck_assert_int_eq(sums_made, 2 * 5);
    gpu_check_graph_launches(0);
    trained_close(&one);
}
END_TEST

START_TEST(a_sum_that_cannot_be_captured_is_made_without_a_graph)
{
    sums_to_failure = 5; // fails while the second step's graph is captured
    check_two_ranks();
    ck_assert_int_eq(sums_made, 2 + 2 + 2 * 17 + 2);
}
END_TEST

START_TEST(an_exchange_phase_by_phase_sums_all_gradients)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 4);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    const size_t bytes = (size_t)net.parameter_count * sizeof(float);
    CommKind kind;
    Comm comm = two_ranks(&net, &kind);
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
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 9);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    CommKind kind;
    Comm comm = two_ranks(&net, &kind);
    const StepRun run = run_of(&set, BATCH, 0, 0, 5);
    int64_t bad_step;
    Score score;
    Status status = {0};
    sums_to_failure = 2;
    ck_assert(!cuda->steps(one.model, &run, &comm, &score, &bad_step, &status));
    ck_assert_str_eq(status.message, "a sum fails");
    trained_close(&one);
}
END_TEST

/* --- With the trainer --- */

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

/* Trains one epoch; returns the number of calls. */
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
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 9);
    BackendSettings settings = settings_of(&net, BATCH, PRECISION_FP32);
    settings.rank = 0; // the rank of its communication
    Trained one = trained_open(cuda, &settings), other = trained_open(cuda, &settings);
    Trainer fast = trainer_over(&one, set.count), slow = trainer_over(&other, set.count);
    slow.timeline = timeline_create(0, 1, machine_clock_ns());
    ck_assert(trainer_makes_whole_steps(&fast));
    ck_assert(!trainer_makes_whole_steps(&slow));
    for (uint64_t epoch = 0; epoch < 2; epoch++) {
        Score at_once, one_by_one;
        ck_assert_int_le(train_epoch(&fast, &set, epoch, &at_once), 5);
        ck_assert_int_eq(train_epoch(&slow, &set, epoch, &one_by_one), 5);
        ck_assert_int_eq(at_once.images, 9);
        ck_assert_int_eq(at_once.correct, one_by_one.correct);
        check_same_arenas(&one, &other);
    }
    timeline_destroy(slow.timeline);
    trained_close(&one);
    trained_close(&other);
}
END_TEST

/* Makes the last bias a NaN. */
static void set_weight_to_nan(const Trained *trained)
{
    trained_arena(trained, ARENA_WEIGHTS)[trained->net->parameter_count - 1] = NAN;
    cuda->arena_changed(trained->model, ARENA_WEIGHTS);
}

START_TEST(a_loss_that_is_not_a_number_ends_it_with_the_first_such_step)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 9);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    Trainer trainer = trainer_over(&one, set.count);
    const StepRun run = run_of(&set, BATCH, 1, 2, 3);
    int64_t done;
    Score score;
    Status status = {0};
    set_weight_to_nan(&one);
    ck_assert(!trainer_steps(&trainer, &run, &done, &score, &status));
    ck_assert(trainer.has_diverged);
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_str_eq(status.message, "the loss is not a number in step 7 (rank 0)");
    trained_close(&one);
}
END_TEST

START_TEST(a_weight_that_is_not_a_number_ends_it_without_blaming_the_loss)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 9);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    Trainer trainer = trainer_over(&one, set.count);
    const StepRun run = run_of(&set, BATCH, 0, 0, 5);
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

/* --- Profiles --- */

static Profile *profiled_settings(const Net *net, BackendSettings *settings)
{
    *settings = settings_of(net, BATCH, PRECISION_FP32);
    settings->rank = 0; // the rank of its communication
    settings->profile = profile_create(arena, net);
    return settings->profile;
}

/* The stages of a step of `net` on a GPU, in their order. */
static int32_t stages_wanted(const Net *net, bool has_exchange, int32_t stages[PROFILE_STAGES])
{
    int32_t count = 0;
    bool is_own[NET_LAYERS_MAX] = {0}; // a pool and the following dropout are one stage
    for (int32_t i = 0; i < net->layer_count; i++)
        is_own[i] =
            i == 0 || net->layers[i].kind != NET_DROPOUT || net->layers[i - 1].kind != NET_POOL;
    stages[count++] = PROFILE_INPUT;
    for (int32_t i = 0; i < net->layer_count; i++)
        if (is_own[i])
            stages[count++] = profile_forward(i);
    stages[count++] = PROFILE_LOSS;
    for (int32_t i = net->layer_count - 1; i >= 0; i--)
        if (is_own[i])
            stages[count++] = profile_backward(i);
    if (has_exchange)
        stages[count++] = PROFILE_EXCHANGE;
    stages[count++] = PROFILE_UPDATE;
    return count;
}

/* Checks that `spans` begins with all stages of `step`, in order, one after the other, within
 * [begin, end]. */
static int64_t check_stages(const TimelineSpan *spans, const Net *net, bool has_exchange,
                            int64_t step, int64_t begin_ns, int64_t end_ns)
{
    int32_t wanted[PROFILE_STAGES];
    const int32_t count = stages_wanted(net, has_exchange, wanted);
    for (int32_t i = 0; i < count; i++) {
        ck_assert_int_eq(spans[i].stage, wanted[i]);
        ck_assert_int_eq(spans[i].step, step);
        ck_assert_int_ge(spans[i].begin_ns, i == 0 ? begin_ns : spans[i - 1].end_ns);
        ck_assert_int_ge(spans[i].end_ns, spans[i].begin_ns);
    }
    ck_assert_int_lt(spans[0].begin_ns, spans[count - 1].end_ns);
    ck_assert_int_le(spans[count - 1].end_ns, end_ns);
    return count;
}

/* Makes steps [first, end) of epoch 0, each profiled if `is_profiled`. */
static void train_steps(Trainer *trainer, const ImageSet *set, int64_t first, int64_t end,
                        bool is_profiled)
{
    trainer->is_profiled = is_profiled;
    for (int64_t step = first, done; step < end; step += done) {
        const StepRun run = run_of(set, BATCH, 0, step, end - step);
        Score score;
        Status status;
        if (!trainer_steps(trainer, &run, &done, &score, &status))
            ck_abort_msg("%s", status.message);
        ck_assert_msg(!is_profiled || done == 1, "profiled steps go one by one");
    }
}

/* Profiles steps 1 to 3 of 5 and checks the timeline; compares with a training without a profile.
 */
static void check_whole_steps(const Net *net, Comm *comm, const char *way, int64_t graphs)
{
    enum { FIRST = 1, END = 4, STEPS = 5 };
    const ImageSet set = make_images(arena, 6, BATCH * STEPS);
    BackendSettings settings;
    Trained plain = trained_open(
        cuda, &(BackendSettings){.net = net, .batch_max = BATCH, .threads = 1, .seed = SEED});
    Profile *profile = profiled_settings(net, &settings);
    Trained one = trained_open(cuda, &settings);
    Trainer without = trainer_over(&plain, set.count), with = trainer_over(&one, set.count);
    without.comm = with.comm = comm;
    with.profile = profile;
    train_steps(&without, &set, 0, STEPS, false);
    const int64_t before = gpu_graph_launches();
    train_steps(&with, &set, 0, FIRST, false);
    with.timeline = timeline_create(0, comm_size(comm), machine_clock_ns());
    profile_add_to(profile, with.timeline);
    train_steps(&with, &set, FIRST, END, true);
    gpu_check_graph_launches(before + graphs);
    const TimelineFile file = timeline_view(with.timeline);
    int64_t at = 0;
    for (int64_t step = FIRST; step < END; step++) {
        int64_t whole = at;
        while (whole < file.count && file.spans[whole].phase != PHASE_WHOLE)
            whole++;
        ck_assert_int_lt(whole, file.count);
        const TimelineSpan *span = &file.spans[whole];
        ck_assert_int_eq(span->step, step);
        at += check_stages(&file.spans[at], net, comm_size(comm) > 1, step, span->begin_ns,
                           span->end_ns);
        ck_assert_int_eq(at++, whole); // there are no other spans
    }
    ck_assert_int_eq(at, file.count);
    const ProfileFigures *figures = profile_figures(profile);
    int64_t sum_ns = 0;
    for (int32_t i = 0; i < PROFILE_STAGES; i++)
        sum_ns += figures->stages_ns[i];
    ck_assert_int_eq(figures->steps, END - FIRST);
    ck_assert_int_eq(
        sum_ns,
        figures->step_ns); // with one clock each stage begins at the end of the previous one
    ck_assert_str_eq(figures->clock, "GPU");
    ck_assert_str_eq(figures->way, way);
    timeline_destroy(with.timeline);
    with.timeline = NULL;
    train_steps(&with, &set, END, STEPS, false);
    check_same_arenas(&plain, &one);
    trained_close(&plain);
    trained_close(&one);
}

static const char by_graph[] = "the GPU's clock, each step one CUDA graph";

START_TEST(stages_of_whole_steps_are_measured_within_their_graph)
{
    const Net net = tiny_net();
    check_whole_steps(&net, alone, by_graph, 3);
}
END_TEST

START_TEST(stages_are_measured_when_the_gpu_lags)
{
    const Net net = tiny_net();
    gpu_set_lag(true);
    gpu_set_order(GPU_ORDERS - 1);
    check_whole_steps(&net, alone, by_graph, 3);
}
END_TEST

START_TEST(an_exchange_of_whole_steps_is_a_stage)
{
    const Net net = tiny_net();
    CommKind kind;
    Comm comm = two_ranks(&net, &kind);
    check_whole_steps(&net, &comm, by_graph, 3);
    comm.sums_in_graph = false;
    check_whole_steps(&net, &comm, "the GPU's clock, kernel by kernel", 0);
}
END_TEST

START_TEST(a_first_step_that_loads_kernels_is_not_measured)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, BATCH * 3);
    BackendSettings settings;
    Profile *profile = profiled_settings(&net, &settings);
    Trained one = trained_open(cuda, &settings);
    Trainer trainer = trainer_over(&one, set.count);
    trainer.profile = profile;
    train_steps(&trainer, &set, 0, 3, true);
    ck_assert_int_eq(profile_figures(profile)->steps, 2);
    ck_assert_str_eq(profile_figures(profile)->way, by_graph);
    trained_close(&one);
}
END_TEST

START_TEST(stages_of_steps_phase_by_phase_are_within_their_phases)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 27, 2);
    BackendSettings settings;
    Profile *profile = profiled_settings(&net, &settings);
    Trained trained = trained_open(cuda, &settings);
    Timeline *timeline = timeline_create(0, 1, machine_clock_ns());
    profile_add_to(profile, timeline);
    const int64_t begin_ns = machine_clock_ns();
    profile_begin(profile, 5);
    trained_step(&trained, &set, 0, 2, 5);
    profile_end(profile);
    const int64_t took_ns = machine_clock_ns() - begin_ns;
    trained_load(&trained, &set, 0, 2, 6, false);
    trained_forward(&trained, false); // an evaluation is not profiled
    const TimelineFile file = timeline_view(timeline);
    ck_assert_int_eq(check_stages(file.spans, &net, false, 5, 0, INT64_MAX), file.count);
    const ProfileFigures *figures = profile_figures(profile);
    ck_assert_int_eq(figures->steps, 1);
    ck_assert_int_le(figures->step_ns, took_ns);
    ck_assert_str_eq(figures->clock, "GPU");
    timeline_destroy(timeline);
    trained_close(&trained);
}
END_TEST

START_TEST(a_closed_model_frees_its_events)
{
    const Net net = tiny_net();
    BackendSettings settings;
    profiled_settings(&net, &settings);
    Trained trained = trained_open(cuda, &settings);
    ck_assert(!GPU_IS_EMULATED || gpu_live_events() > 2);
    trained_close(&trained);
    ck_assert_int_eq(gpu_live_events(), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cuda_steps");
    TCase *tests;
    tests = add_case(suite, "at once");
    tcase_add_test(tests, whole_steps_are_the_same_bit_by_bit);
    tcase_add_test(tests, whole_steps_are_the_same_in_bf16_when_the_gpu_lags_and_uses_other_orders);
    tcase_add_test(tests, orders_of_threads_change_no_bit);
    tcase_add_test(tests, a_resumed_training_continues_with_the_same_bits);
    tcase_add_test(tests, a_set_smaller_than_a_batch_is_one_step);
    tcase_add_test(tests, batch_sizes_and_optimizers_may_change);
    tcase_add_test(tests, sets_that_take_turns_stay_on_the_gpu);
    tests = add_case(suite, "ranks");
    tcase_add_test(tests, all_gradients_are_summed_on_the_gpu_once);
    tcase_add_test(tests, sums_of_a_library_without_graphs_are_made_without_graphs);
    tcase_add_test(tests, a_sum_that_cannot_be_captured_is_made_without_a_graph);
    tcase_add_test(tests, an_exchange_phase_by_phase_sums_all_gradients);
    tcase_add_test(tests, a_sum_that_fails_ends_the_run_with_its_reason);
    tests = add_case(suite, "trainer");
    tcase_add_test(tests, the_trainer_goes_the_same_way_with_and_without_a_timeline);
    tcase_add_test(tests, a_loss_that_is_not_a_number_ends_it_with_the_first_such_step);
    tcase_add_test(tests, a_weight_that_is_not_a_number_ends_it_without_blaming_the_loss);
    tests = add_case(suite, "profile");
    tcase_add_test(tests, stages_of_whole_steps_are_measured_within_their_graph);
    tcase_add_test(tests, stages_are_measured_when_the_gpu_lags);
    tcase_add_test(tests, an_exchange_of_whole_steps_is_a_stage);
    tcase_add_test(tests, a_first_step_that_loads_kernels_is_not_measured);
    tcase_add_test(tests, stages_of_steps_phase_by_phase_are_within_their_phases);
    tcase_add_test(tests, a_closed_model_frees_its_events);
    return suite;
}
