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
#include "trainer/compute/backend_words.h"
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

static int word_of(const char *const *words, const char *word)
{
    int i = 0;
    while (strcmp(words[i], word) != 0)
        i++;
    return i;
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
    ck_assert_ptr_null(checkpoint_latest(arena, "out/logs", CHECKPOINT_LAST));
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

/* Runs a training that gets a signal before its first step. */
static void interrupt(const TrainingSettings *options, char said[SIGNALS_ROOM + 1])
{
    TrainingResult result;
    Status status;
    signals_watch(1, true);
    signals_note_step(1, 1); // before it, a signal ends the process
    raise(SIGTERM);
    ck_assert(!run(options, &result, &status));
    ck_assert_int_eq(result.end, TRAINING_INTERRUPTED);
    ck_assert_int_eq(result.signal, SIGTERM);
    said[signals_message(result.signal, said)] = '\0';
    signals_forget();
}

START_TEST(a_signal_ends_the_training_after_its_step_with_a_checkpoint)
{
    TrainingSettings options = small_options("out", 3);
    char said[SIGNALS_ROOM + 1];
    options.has_timeline = true;
    interrupt(&options, said);
    ck_assert_str_eq(said, "trainyard: train: ended by signal 15 in epoch 1, step 1\n"
                           "  hint: continue with --resume out/logs/checkpoint-0-step-1.h5\n");
    ck_assert_int_eq(access("out/logs/timeline.rank0.tsv", R_OK), 0);
}
END_TEST

/* All columns of the history but the times. */
static void check_same_history(const char *one, const char *other)
{
    HistoryFile files[2];
    Status status;
    ck_assert(history_read(one, arena, &files[0], &status));
    ck_assert(history_read(other, arena, &files[1], &status));
    ck_assert_int_eq(files[0].count, files[1].count);
    for (int64_t i = 0; i < files[0].count; i++)
        for (int32_t k = 0; k < 5; k++)
            ck_assert_double_eq(epoch_measure(&files[0].records[i], &epoch_measures[k]),
                                epoch_measure(&files[1].records[i], &epoch_measures[k]));
}

/* A training that is interrupted after every single step gives the bits of one that is not. */
static void check_each_step(const char *backend, Precision precision)
{
    TrainingSettings straight = small_options("straight", 2), parts = small_options("parts", 2);
    Status status;
    straight.backend = parts.backend = word_of(backend_words, backend);
    straight.precision = parts.precision = (int)precision;
    if (!backend_find(backend, precision, &status))
        return; // this build or this machine has none
    run_fine(&straight);
    for (int step = 1; step <= 2 * 3; step++) {
        char said[SIGNALS_ROOM + 1];
        interrupt(&parts, said);
        parts.resume = "latest";
        const CheckpointPoint point = {step / 3, step % 3};
        ck_assert_ptr_nonnull(strstr(said, checkpoint_path(arena, "parts/logs", point)));
    }
    run_fine(&parts);
    check_same_files("straight/logs/checkpoint-1.h5", "parts/logs/checkpoint-1.h5");
    check_same_files("straight/logs/checkpoint-2.h5", "parts/logs/checkpoint-2.h5");
    check_same_files("straight/saved_models/keras_cifar10_trained_model.h5",
                     "parts/saved_models/keras_cifar10_trained_model.h5");
    check_same_history("straight/logs/history.tsv", "parts/logs/history.tsv");
}

START_TEST(a_training_that_is_interrupted_after_each_step_gives_the_same_bits)
{
    static const struct {
        const char *backend;
        Precision precision;
    } rows[] = {{"ref", PRECISION_FP32}, {"onednn", PRECISION_FP32}, {"onednn", PRECISION_BF16}};
    check_each_step(rows[_i].backend, rows[_i].precision);
}
END_TEST

/* The checkpoints of 3 epochs of 3 steps, "0-step-2 1 ...". */
START_TEST(checkpoints_follow_epochs_steps_or_a_time)
{
    static const struct {
        const char *every;
        CheckpointPoint points[9];
        int count;
    } rows[] = {
        {NULL, {{1, 0}, {2, 0}, {3, 0}}, 3},
        {"2", {{2, 0}}, 1},
        {"2epochs", {{2, 0}}, 1},
        {"4epochs", {{0, 0}}, 0},
        {"2 steps", {{0, 2}, {1, 1}, {2, 0}, {2, 2}}, 4},
        {"3steps", {{1, 0}, {2, 0}, {3, 0}}, 3},
        {"1h", {{0, 0}}, 0},
        {"1ns", {{0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}, {3, 0}}, 9},
    };
    const char *place = arena_printf(arena, "out-%d", _i),
               *logs = arena_printf(arena, "%s/logs", place);
    TrainingSettings options = small_options(place, 3);
    CheckpointPoint most = CHECKPOINT_LAST, found;
    options.checkpoint_every = rows[_i].every;
    run_fine(&options);
    for (int i = rows[_i].count - 1; i >= 0; i--) {
        ck_assert(checkpoint_latest_point(logs, most, &found));
        ck_assert_int_eq(checkpoint_point_compare(found, rows[_i].points[i]), 0);
        most = found.steps > 0 ? (CheckpointPoint){found.epochs, found.steps - 1}
                               : (CheckpointPoint){found.epochs - 1, INT64_MAX};
    }
    ck_assert(!checkpoint_latest_point(logs, most, &found));
}
END_TEST

START_TEST(a_distance_of_checkpoints_that_cannot_be_read_is_refused)
{
    TrainingSettings options = small_options("out", 3);
    TrainingResult result;
    Status status;
    options.checkpoint_every = "10 minutes";
    ck_assert(!run(&options, &result, &status));
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    ck_assert_str_eq(status.at.source, "--checkpoint-every");
    ck_assert_str_eq(status.message,
                     "is \"10 minutes\", expected a number of epochs, steps or a time");
    ck_assert_str_eq(status.hint, "for example 2epochs, 500steps or 10m");
    ck_assert_int_ne(access("out", F_OK), 0);
}
END_TEST

/* A training that begins where an earlier one came further: whatever it leaves when it is
 * interrupted, the latest checkpoint is its own. */
START_TEST(checkpoints_of_an_earlier_training_are_never_resumed)
{
    TrainingSettings earlier = small_options("out", 2), later = small_options("out", 2);
    TrainingSettings straight = small_options("straight", 2);
    char said[SIGNALS_ROOM + 1];
    earlier.checkpoint_every = "1step";
    later.seed = straight.seed = 9;
    run_fine(&straight);
    run_fine(&earlier);
    for (int step = 1; step <= 2 * 3; step++) {
        interrupt(&later, said);
        later.resume = "latest";
    }
    run_fine(&later);
    check_same_files("straight/logs/checkpoint-2.h5", "out/logs/checkpoint-2.h5");
    check_same_history("straight/logs/history.tsv", "out/logs/history.tsv");
}
END_TEST

START_TEST(a_checkpoint_within_an_epoch_of_another_training_is_refused)
{
    TrainingSettings options = small_options("out", 3);
    TrainingResult result;
    Status status;
    options.checkpoint_every = "2steps";
    run_fine(&options);
    options.resume = "out/logs/checkpoint-0-step-2.h5";
    options.steps = 2;
    ck_assert(!run(&options, &result, &status));
    ck_assert_str_eq(status.message, "belongs to another training: --steps was 3 and is 2");
    options.steps = 0;
    options.epochs = 2;
    options.resume = "out/logs/checkpoint-2-step-2.h5";
    ck_assert(!run(&options, &result, &status));
    ck_assert_str_eq(status.message, "has completed 2 epochs and steps of another, more than the 2 "
                                     "of --epochs");
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
    tcase_add_test(tests, a_signal_ends_the_training_after_its_step_with_a_checkpoint);
    tcase_add_loop_test(tests, a_training_that_is_interrupted_after_each_step_gives_the_same_bits,
                        0, 3);
    tcase_add_loop_test(tests, checkpoints_follow_epochs_steps_or_a_time, 0, 8);
    tcase_add_test(tests, a_distance_of_checkpoints_that_cannot_be_read_is_refused);
    tcase_add_test(tests, checkpoints_of_an_earlier_training_are_never_resumed);
    tcase_add_test(tests, a_checkpoint_within_an_epoch_of_another_training_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
