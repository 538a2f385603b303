/* Evaluations in graphs, and copies of weights while steps continue. */
#include "sim/cli/files.h"
#include "tests/support/temporary_folder.h"
#include "tests/trainer/cuda/models.h"
#include "trainer/run/checkpoint_writer.h"

/* --- Evaluation --- */

static Score evaluate(const Trained *trained, const ImageSet *set, int32_t first, int32_t count,
                      int32_t batch)
{
    Score score;
    Status status;
    if (!cuda->evaluate(trained->model, set, first, count, batch, &score, &status))
        ck_abort_msg("%s", status.message);
    return score;
}

/* Batch by batch, by the functions of every backend. */
static Score evaluate_one_by_one(const Trained *trained, const ImageSet *set, int32_t first,
                                 int32_t count, int32_t batch)
{
    Score sum = {0}, score;
    int32_t indices[BATCH];
    Status status;
    for (int32_t at = first; at < first + count; at += batch) {
        const int32_t left = first + count - at;
        const Batch this = {.set = set, .indices = indices, .count = left < batch ? left : batch};
        for (int32_t i = 0; i < this.count; i++)
            indices[i] = at + i;
        cuda->gather(trained->model, &this);
        cuda->augment(trained->model, &this);
        ck_assert(cuda->forward(trained->model, false, &score, &status));
        score_add(&sum, score);
    }
    return sum;
}

static void check_same_scores(Score one, Score other)
{
    ck_assert_int_eq(one.images, other.images);
    ck_assert_int_eq(one.correct, other.correct);
    ck_assert_double_eq(one.loss_sum, other.loss_sum);
}

static void check_evaluation(Precision precision)
{
    enum { IMAGES = 45 };
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, IMAGES);
    Trained one = open_cuda(&net, BATCH, precision);
    run_at_once(&one, &set, BATCH, 0, 0, 2);
    const int64_t before = gpu_graph_launches();
    for (int32_t first = 0; first < 4; first += 3)
        check_same_scores(evaluate(&one, &set, first, IMAGES - first, BATCH),
                          evaluate_one_by_one(&one, &set, first, IMAGES - first, BATCH));
    // 22 batches and an image: one batch, sixteen, five times one, the image. Then 21 batches.
    gpu_check_graph_launches(before + 1 + 5 + 1 + 5);
    trained_close(&one);
}

START_TEST(an_evaluation_in_graphs_has_the_score_of_one_batch_by_batch)
{
    check_evaluation(PRECISION_FP32);
}
END_TEST

START_TEST(an_evaluation_is_the_same_when_the_gpu_lags_and_uses_other_orders)
{
    gpu_set_lag(true);
    gpu_set_order(GPU_ORDERS - 1);
    check_evaluation(PRECISION_BF16);
}
END_TEST

START_TEST(its_probabilities_are_those_of_the_last_batch)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 7);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    const size_t bytes = (size_t)net.class_count * sizeof(float);
    evaluate_one_by_one(&one, &set, 6, 1, BATCH);
    float *expected = memcpy(arena_alloc(arena, bytes), cuda->probabilities(one.model), bytes);
    evaluate(&one, &set, 0, 7, BATCH);
    ck_assert_mem_eq(cuda->probabilities(one.model), expected, bytes);
    evaluate(&one, &set, 6, 1, 100); // fewer images than a batch
    ck_assert_mem_eq(cuda->probabilities(one.model), expected, bytes);
    trained_close(&one);
}
END_TEST

START_TEST(evaluations_change_no_bit_of_a_training)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 9), test = make_images(arena, 7, 5);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    Trained other = open_cuda(&net, BATCH, PRECISION_FP32);
    for (uint64_t epoch = 0; epoch < 3; epoch++) {
        run_at_once(&one, &set, BATCH, epoch, 0, 5);
        run_at_once(&other, &set, BATCH, epoch, 0, 5);
        evaluate(&other, &test, 0, test.count, BATCH);
        check_same_arenas(&one, &other);
    }
    ck_assert_int_eq(cuda->kernels_per_step(one.model), cuda->kernels_per_step(other.model));
    trained_close(&one);
    trained_close(&other);
}
END_TEST

START_TEST(a_loss_that_is_not_a_number_is_in_the_score)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 9);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    trained_arena(&one, ARENA_WEIGHTS)[net.parameter_count - 1] = NAN;
    cuda->arena_changed(one.model, ARENA_WEIGHTS);
    ck_assert(!isfinite(evaluate(&one, &set, 0, 9, BATCH).loss_sum));
    trained_close(&one);
}
END_TEST

/* --- Copies --- */

static size_t bytes_of_net(const Net *net)
{
    return (size_t)net->parameter_count * sizeof(float);
}

static float *copy_of(const Trained *trained, ArenaKind kind)
{
    const size_t bytes = bytes_of_net(trained->net);
    return memcpy(arena_alloc(arena, bytes), trained_arena(trained, kind), bytes);
}

/* A lagging GPU copies to main memory only when copy_end waits: after the steps that follow. */
static void check_copies(void)
{
    const Net net = tiny_net();
    const size_t bytes = bytes_of_net(&net);
    const ImageSet set = make_images(arena, 6, 9);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    for (uint64_t epoch = 0; epoch < 3; epoch++) {
        const float *weights, *accumulators;
        Status status;
        run_at_once(&one, &set, BATCH, epoch, 0, 2);
        const float *expected = copy_of(&one, ARENA_WEIGHTS);
        const float *expected_accumulators = copy_of(&one, ARENA_ACCUMULATORS);
        ck_assert(cuda->copy_begin(one.model, &status));
        run_at_once(&one, &set, BATCH, epoch, 2, 3);
        ck_assert(cuda->copy_end(one.model, &weights, &accumulators, &status));
        ck_assert_mem_eq(weights, expected, bytes);
        ck_assert_mem_eq(accumulators, expected_accumulators, bytes);
        ck_assert(memcmp(weights, trained_arena(&one, ARENA_WEIGHTS), bytes) != 0);
    }
    trained_close(&one);
}

START_TEST(copies_are_of_the_weights_before_later_steps)
{
    check_copies();
}
END_TEST

START_TEST(so_are_copies_of_a_gpu_that_lags)
{
    gpu_set_lag(true);
    check_copies();
}
END_TEST

/* A model that begins from a copy between two steps of an epoch continues like the copied one. The
 * last of an epoch's steps has one image. */
enum { STEPS = 3 };

static void check_continues(Precision precision, int64_t step)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 5);
    const float *weights, *accumulators;
    Status status;
    Trained one = open_cuda(&net, BATCH, precision);
    run_at_once(&one, &set, BATCH, 0, 0, STEPS);
    run_at_once(&one, &set, BATCH, 1, 0, step);
    ck_assert(cuda->copy_begin(one.model, &status));
    run_at_once(&one, &set, BATCH, 1, step, STEPS - step);
    ck_assert(cuda->copy_end(one.model, &weights, &accumulators, &status));
    Trained other = open_cuda(&net, BATCH, precision);
    memcpy(trained_arena(&other, ARENA_WEIGHTS), weights, bytes_of_net(&net));
    memcpy(trained_arena(&other, ARENA_ACCUMULATORS), accumulators, bytes_of_net(&net));
    cuda->arena_changed(other.model, ARENA_WEIGHTS);
    cuda->arena_changed(other.model, ARENA_ACCUMULATORS);
    run_at_once(&other, &set, BATCH, 1, step, STEPS - step);
    run_at_once(&one, &set, BATCH, 2, 0, STEPS);
    run_at_once(&other, &set, BATCH, 2, 0, STEPS);
    check_same_arenas(&one, &other);
    trained_close(&one);
    trained_close(&other);
}

START_TEST(a_training_continues_within_an_epoch_with_the_same_bits)
{
    static const Precision precisions[] = {PRECISION_FP32, PRECISION_TF32, PRECISION_BF16};
    gpu_set_lag(_i % 2 == 1);
    for (int64_t step = 1; step < STEPS; step++)
        check_continues(precisions[_i / 2], step);
}
END_TEST

/* A copy that no caller waited for is replaced by the next, and does not outlive its model. */
START_TEST(a_copy_need_not_be_ended)
{
    const Net net = tiny_net();
    const ImageSet set = make_images(arena, 6, 4);
    const float *weights, *accumulators;
    Status status;
    gpu_set_lag(true);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    ck_assert(cuda->copy_begin(one.model, &status));
    run_at_once(&one, &set, BATCH, 0, 0, 2);
    ck_assert(cuda->copy_begin(one.model, &status));
    ck_assert(cuda->copy_end(one.model, &weights, &accumulators, &status));
    ck_assert_mem_eq(weights, trained_arena(&one, ARENA_WEIGHTS), bytes_of_net(&net));
    ck_assert(cuda->copy_begin(one.model, &status));
    trained_close(&one);
}
END_TEST

#ifdef TRAINYARD_CUDA_EMULATED
START_TEST(a_copy_that_fails_says_why)
{
    const Net net = tiny_net();
    const float *weights, *accumulators;
    Status status = {0};
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    ck_assert(cuda->copy_begin(one.model, &status));
    cuda_emulation_fail_call(1, cudaErrorECCUncorrectable, true);
    ck_assert(!cuda->copy_end(one.model, &weights, &accumulators, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_ptr_nonnull(strstr(status.message, "failed while copying weights: "));
    ck_assert(!cuda->copy_begin(one.model, &status));
    trained_close(&one);
}
END_TEST
#endif

/* --- Checkpoints --- */

static TrainingState state_at(int64_t epoch)
{
    return (TrainingState){.seed = SEED,
                           .ranks = 1,
                           .batch_size = BATCH,
                           .epoch = epoch,
                           .iteration = epoch * 5,
                           .train_images = 9,
                           .backend = "cuda",
                           .precision = "fp32"};
}

/* Writes two checkpoints while steps continue; their bytes are those of checkpoint_write. */
START_TEST(checkpoints_of_a_running_training_have_the_same_bytes)
{
    Net net;
    Status status;
    ck_assert(net_build("keras_cifar10_cnn", &net, &status));
    const char *folder = temporary_folder_create(arena);
    const ImageSet set = make_images(arena, 6, 9);
#ifdef TRAINYARD_CUDA_EMULATED
    cuda_emulation_set_idle(true); // kernels that run would take minutes; the weights are below
#endif
    gpu_set_lag(true);
    Trained one = open_cuda(&net, BATCH, PRECISION_FP32);
    const Trainer trainer = {
        .backend = cuda, .model = one.model, .net = &net, .comm = alone, .optimizer = optimizer};
    CheckpointWriter writer = {0};
    for (int64_t epoch = 1; epoch <= 2; epoch++) {
        const TrainingState state = state_at(epoch);
        const char *path = arena_printf(arena, "%s/%d", folder, (int)epoch);
        const char *other = arena_printf(arena, "%s/direct-%d", folder, (int)epoch);
        char *bytes[2];
        size_t length[2];
        int64_t written;
        trained_arena(&one, ARENA_WEIGHTS)[5] = (float)epoch;
        cuda->arena_changed(one.model, ARENA_WEIGHTS);
        const float *weights = copy_of(&one, ARENA_WEIGHTS);
        const float *accumulators = copy_of(&one, ARENA_ACCUMULATORS);
        ck_assert(checkpoint_writer_begin(&writer, &trainer, &state, path, &status));
        trained_arena(&one, ARENA_WEIGHTS)[5] = 99.0f; // like a step
        cuda->arena_changed(one.model, ARENA_WEIGHTS);
        run_at_once(&one, &set, BATCH, (uint64_t)epoch, 0, 5);
        ck_assert_msg(checkpoint_writer_end(&writer, &written, &status), "%s", status.message);
        ck_assert(checkpoint_write(other, &net, &optimizer, &state, weights, accumulators, &written,
                                   &status));
        ck_assert(file_read(arena, path, 64 << 20, &bytes[0], &length[0], &status));
        ck_assert(file_read(arena, other, 64 << 20, &bytes[1], &length[1], &status));
        ck_assert_uint_eq(length[0], length[1]);
        ck_assert(memcmp(bytes[0], bytes[1], length[0]) == 0);
    }
    trained_close(&one);
    temporary_folder_remove(folder);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cuda_between_epochs");
    TCase *tests;
    tests = add_case(suite, "evaluation");
    tcase_add_test(tests, an_evaluation_in_graphs_has_the_score_of_one_batch_by_batch);
    tcase_add_test(tests, an_evaluation_is_the_same_when_the_gpu_lags_and_uses_other_orders);
    tcase_add_test(tests, its_probabilities_are_those_of_the_last_batch);
    tcase_add_test(tests, evaluations_change_no_bit_of_a_training);
    tcase_add_test(tests, a_loss_that_is_not_a_number_is_in_the_score);
    tests = add_case(suite, "copies");
    tcase_add_test(tests, copies_are_of_the_weights_before_later_steps);
    tcase_add_test(tests, so_are_copies_of_a_gpu_that_lags);
    tcase_add_loop_test(tests, a_training_continues_within_an_epoch_with_the_same_bits, 0, 6);
    tcase_add_test(tests, a_copy_need_not_be_ended);
#ifdef TRAINYARD_CUDA_EMULATED
    tcase_add_test(tests, a_copy_that_fails_says_why);
#endif
    tests = add_case(suite, "checkpoints");
    tcase_add_test(tests, checkpoints_of_a_running_training_have_the_same_bytes);
    return suite;
}
