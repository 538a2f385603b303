#include "tools/trainyard/train/train_options.h"
#include "trainer/run/backends.h"
#include "trainer/run/training.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/memory.h"
#include "sim/cli/files.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"
#include "trainer/compute/backend.h"
#include "trainer/data/make_cifar.h"
#include "trainer/record/checkpoint_name.h"
#include "trainer/run/checkpoint.h"
#include "trainer/run/signals.h"

enum { FILE_BYTES_MAX = 64 << 20 };

static const char *folder;
static Arena *arena;
static Comm *comm;

/* Creates a folder with a small set, and a communication without other ranks. */
static void set_up(void)
{
    Status status;
    arena = arena_create();
    folder = temporary_folder_create(arena);
    ck_assert_int_eq(chdir(folder), 0);
    const MakeCifar set = {.folder = "data", .seed = 1, .images_per_file = 3};
    ck_assert(make_cifar(&set, arena, &status));
    ck_assert(comm_open("local", arena, &comm, &status));
}

static void tear_down(void)
{
    comm_close(comm);
    ck_assert_int_eq(chdir("/"), 0);
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

/* 7 images in batches of 3, so that the last batch is smaller. */
static TrainingSettings small_options(const char *place, int64_t epochs)
{
    TrainingSettings options = train_option_defaults;
    options.folder = place;
    options.data_folder = "data";
    options.limit = 7;
    options.batch_size = 3;
    options.epochs = epochs;
    options.is_json = true;
    return options;
}

static bool run(const TrainingSettings *options, TrainingResult *result, Status *status)
{
    *result = (TrainingResult){0};
    *status = (Status){0};
    bool is_done = training_run(options, NULL, comm, arena, result, status);
    ck_assert_int_eq(is_done, result->end == TRAINING_DONE);
    return is_done;
}

static void run_fine(const TrainingSettings *options)
{
    TrainingResult result;
    Status status;
    ck_assert_msg(run(options, &result, &status), "%s", status.message);
    text_free(&result.summary);
}

static void check_same_files(const char *one, const char *other)
{
    char *bytes[2];
    size_t lengths[2];
    Status status;
    ck_assert_msg(file_read(arena, one, FILE_BYTES_MAX, &bytes[0], &lengths[0], &status) &&
                      file_read(arena, other, FILE_BYTES_MAX, &bytes[1], &lengths[1], &status),
                  "%s", status.message);
    ck_assert_uint_eq(lengths[0], lengths[1]);
    ck_assert_msg(memcmp(bytes[0], bytes[1], lengths[0]) == 0, "%s and %s differ", one, other);
}

START_TEST(a_resumed_training_writes_the_files_of_an_uninterrupted_one)
{
    TrainingSettings straight = small_options("straight", 3);
    TrainingSettings first = small_options("parts", 1), rest = small_options("parts", 3);
    rest.resume = "latest";
    run_fine(&straight);
    run_fine(&first);
    run_fine(&rest);
    check_same_files("straight/logs/checkpoint-1.h5", "parts/logs/checkpoint-1.h5");
    check_same_files("straight/logs/checkpoint-3.h5", "parts/logs/checkpoint-3.h5");
    check_same_files("straight/saved_models/keras_cifar10_trained_model.h5",
                     "parts/saved_models/keras_cifar10_trained_model.h5");
    HistoryFile history;
    Status status;
    ck_assert(history_read("parts/logs/history.tsv", arena, &history, &status));
    ck_assert_int_eq(history.count, 3);
}
END_TEST

START_TEST(a_training_whose_epochs_are_done_still_saves_its_model)
{
    TrainingSettings options = small_options("out", 1);
    const char *model = "out/saved_models/keras_cifar10_trained_model.h5";
    run_fine(&options);
    ck_assert_int_eq(rename(model, "before.h5"), 0);
    options.resume = "out/logs/checkpoint-1.h5";
    run_fine(&options);
    check_same_files(model, "before.h5");
}
END_TEST

START_TEST(other_seeds_and_no_augmentation_are_other_trainings)
{
    static const struct {
        int64_t seed;
        bool is_augmented;
    } kinds[] = {{1, true}, {2, true}, {1, false}};
    double losses[3];
    for (int32_t i = 0; i < 3; i++) {
        TrainingSettings options = small_options("out", 1);
        HistoryFile history;
        Status status;
        options.log_folder = arena_printf(arena, "logs-%d", (int)i);
        options.seed = kinds[i].seed;
        options.is_augmented = kinds[i].is_augmented;
        run_fine(&options);
        ck_assert(history_read(arena_printf(arena, "logs-%d/history.tsv", (int)i), arena, &history,
                               &status));
        losses[i] = history.records[0].loss;
    }
    ck_assert_double_ne(losses[0], losses[1]);
    ck_assert_double_ne(losses[0], losses[2]);
}
END_TEST

static const struct {
    const char *what;
    int64_t batch_size, seed, limit, steps, epochs;
    bool is_augmented;
    const char *message; /* part of it */
} others[] = {
    {"another batch", 4, 1, 7, 0, 3, true, "--batch-size was 3 and is 4"},
    {"another seed", 3, 2, 7, 0, 3, true, "--seed was 1 and is 2"},
    {"fewer images", 3, 1, 6, 0, 3, true, "training images was 7 and is 6"},
    {"fewer steps", 3, 1, 7, 2, 3, true, "--steps was 3 and is 2"},
    {"images without augmentation", 3, 1, 7, 0, 3, false, "--data-augmentation was 1 and is 0"},
    {"too few epochs", 3, 1, 7, 0, 1, true, "has completed 2 epochs, more than the 1"},
};

START_TEST(a_checkpoint_of_another_training_is_refused_by_name)
{
    TrainingSettings begun = small_options("out", 2);
    run_fine(&begun);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        TrainingSettings options = small_options("out", others[i].epochs);
        TrainingResult result;
        Status status;
        options.batch_size = others[i].batch_size;
        options.seed = others[i].seed;
        options.limit = others[i].limit;
        options.steps = others[i].steps;
        options.is_augmented = others[i].is_augmented;
        options.resume = "latest";
        ck_assert_msg(!run(&options, &result, &status), "%s", others[i].what);
        ck_assert_int_eq(result.end, TRAINING_FAILED);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_str_eq(status.at.source, "out/logs/checkpoint-2.h5");
        ck_assert_msg(strstr(status.message, others[i].message), "%s: %s", others[i].what,
                      status.message);
    }
    check_same_files("out/logs/checkpoint-2.h5",
                     "out/saved_models/keras_cifar10_trained_model.h5"); // unchanged
}
END_TEST

static void fill(float *values, int64_t count, float value)
{
    for (int64_t i = 0; i < count; i++)
        values[i] = value;
}

/* The values of dense_1 times those of dense_2's kernel exceed the range of floats. */
static void make_logits_overflow(const Net *net, float *weights, float *accumulators)
{
    (void)accumulators;
    const NetLayer *last = &net->layers[net->layer_count - 1], *before = last - 2;
    ck_assert_str_eq(before->name, "dense_1");
    fill(weights + before->bias_at, before->bias_count, 1e30f);
    fill(weights + last->kernel_at, last->kernel_count, 1e30f);
}

/* A mean of squares is never negative. The root of a negative accumulator makes the first weight a
 * NaN, while the loss is still finite. */
static void make_update_fail(const Net *net, float *weights, float *accumulators)
{
    (void)net, (void)weights;
    accumulators[0] = -1.0f;
}

/* Writes a checkpoint after one epoch. All values are zero except those that `astray` sets. */
static void write_bad_checkpoint(const char *path,
                                 void (*astray)(const Net *, float *weights, float *accumulators))
{
    Net net;
    Status status;
    ck_assert(net_build("keras_cifar10_cnn", &net, &status));
    const RmsProp optimizer = rmsprop_of_keras(1e-4);
    const Backend *backend = backend_find("auto", PRECISION_FP32, &status);
    TrainingState state = {.seed = 1,
                           .ranks = 1,
                           .batch_size = 3,
                           .epoch = 1,
                           .iteration = 3,
                           .train_images = 7,
                           .is_augmented = true,
                           .precision = "fp32"};
    memcpy(state.backend, backend->name, strlen(backend->name) + 1);
    float *arenas = memory_zeroed(2 * (size_t)net.parameter_count * sizeof *arenas);
    int64_t bytes;
    astray(&net, arenas, arenas + net.parameter_count);
    ck_assert_msg(checkpoint_write(path, &net, &optimizer, &state, arenas,
                                   arenas + net.parameter_count, &bytes, &status),
                  "%s", status.message);
    free(arenas);
}

START_TEST(a_loss_that_is_not_a_number_ends_the_training)
{
    TrainingSettings options = small_options("out", 3);
    TrainingResult result;
    Status status;
    options.resume = "bad.h5";
    write_bad_checkpoint("bad.h5", make_logits_overflow);
    ck_assert(!run(&options, &result, &status));
    ck_assert_int_eq(result.end, TRAINING_DIVERGED);
    ck_assert_ptr_nonnull(strstr(status.message, "the loss is not a number in step 3"));
    ck_assert_ptr_nonnull(strstr(status.hint, "the last good checkpoint is bad.h5"));
    ck_assert_ptr_null(checkpoint_latest(arena, "out/logs", INT64_MAX));
}
END_TEST

START_TEST(a_bad_weight_that_the_loss_does_not_show_ends_the_training)
{
    TrainingSettings options = small_options("out", 3);
    TrainingResult result;
    Status status;
    options.resume = "bad.h5";
    write_bad_checkpoint("bad.h5", make_update_fail);
    ck_assert(!run(&options, &result, &status));
    ck_assert_int_eq(result.end, TRAINING_DIVERGED);
    ck_assert_ptr_nonnull(strstr(status.message, "weights are not numbers after step 3"));
}
END_TEST

START_TEST(a_signal_ends_the_training_after_its_step)
{
    TrainingSettings options = small_options("out", 3);
    TrainingResult result;
    Status status;
    signals_watch(1, true);
    signals_note_step(1, 1); // before it, a signal ends the process
    raise(SIGTERM);
    options.has_timeline = true;
    ck_assert(!run(&options, &result, &status));
    ck_assert_int_eq(result.end, TRAINING_INTERRUPTED);
    char said[SIGNALS_ROOM + 1];
    said[signals_message(signals_received(), said)] = '\0';
    ck_assert_ptr_nonnull(strstr(said, "ended by signal 15 in epoch 1, step 1"));
    ck_assert_int_eq(access("out/logs/timeline.rank0.tsv", R_OK), 0);
    signals_forget();
}
END_TEST

Suite *test_suite(void)
{
    Status status;
    Suite *suite = suite_create("training");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_resumed_training_writes_the_files_of_an_uninterrupted_one);
    tcase_add_test(tests, a_training_whose_epochs_are_done_still_saves_its_model);
    tcase_add_test(tests, other_seeds_and_no_augmentation_are_other_trainings);
    tcase_add_test(tests, a_checkpoint_of_another_training_is_refused_by_name);
    // A checkpoint holds finite floats only, from which logits in double cannot overflow.
    if (strcmp(backend_find("auto", PRECISION_FP32, &status)->name, "ref") != 0)
        tcase_add_test(tests, a_loss_that_is_not_a_number_ends_the_training);
    tcase_add_test(tests, a_bad_weight_that_the_loss_does_not_show_ends_the_training);
    tcase_add_test(tests, a_signal_ends_the_training_after_its_step);
    suite_add_tcase(suite, tests);
    return suite;
}
