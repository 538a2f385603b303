#include "trainer/record/checkpoint_name.h"
#include "trainer/run/checkpoint.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/philox.h"
#include "sim/cli/files.h"
#include "sim/formats/keras_file.h"
#include "sim/output/share/keras_model.h"
#include "tests/support/full_disk.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"
#include "trainer/run/checksum.h"

/* Every test has a separate folder, a network and a training. */
static const char *folder;
static Arena *arena;
static Net net;
static RmsProp optimizer;
static float *weights, *accumulators;
static const TrainingState state = {.seed = UINT64_MAX,
                                    .ranks = 4,
                                    .batch_size = 32,
                                    .epoch = 25,
                                    .iteration = 39075,
                                    .train_images = 50000,
                                    .is_augmented = true,
                                    .backend = "onednn",
                                    .precision = "bf16"};

static void set_up(void)
{
    Status status;
    arena = arena_create();
    folder = temporary_folder_create(arena);
    ck_assert(net_build("keras_cifar10_cnn", &net, &status));
    optimizer = rmsprop_of_keras(0.0004);
    weights = ARENA_ARRAY(arena, float, net.parameter_count);
    accumulators = ARENA_ARRAY(arena, float, net.parameter_count);
    // Arbitrary bits of finite numbers.
    for (int64_t i = 0; i < net.parameter_count; i++) {
        PhiloxBlock words = philox(7, (PhiloxBlock){{(uint32_t)i, 0, 0, 0}});
        for (int k = 0; k < 2; k++)
            if ((words.word[k] & 0x7f800000) == 0x7f800000)
                words.word[k] ^= 0x40000000;
        memcpy(&weights[i], &words.word[0], sizeof(float));
        memcpy(&accumulators[i], &words.word[1], sizeof(float));
    }
    static const uint32_t extremes[] = {0x00000000, 0x80000000, 0x00000001, 0x807fffff,
                                        0x00800000, 0x7f7fffff, 0xff7fffff};
    memcpy(weights, extremes, sizeof extremes);
}

static void tear_down(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static void append(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

static const char *path_of(const char *name)
{
    return arena_printf(arena, "%s/%s", folder, name);
}

static void write_to(const char *path)
{
    Status status = {0};
    int64_t bytes = 0;
    struct stat info;
    ck_assert_msg(
        checkpoint_write(path, &net, &optimizer, &state, weights, accumulators, &bytes, &status),
        "%s", status.message);
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_int_eq(bytes, info.st_size);
}

static char *written(size_t *length)
{
    Status status;
    char *bytes;
    const char *path = path_of("image.h5");
    write_to(path);
    ck_assert(file_read(arena, path, 1 << 25, &bytes, length, &status));
    return bytes;
}

static bool has_temporary_file(void)
{
    glob_t found;
    bool has = glob(path_of("*.tmp"), 0, NULL, &found) == 0;
    globfree(&found);
    return has;
}

static size_t arena_size(void)
{
    return (size_t)net.parameter_count * sizeof(float);
}

/* The status of reading bytes into arenas that are not used. */
static Status parsed(const char *bytes, size_t length, bool wants_state)
{
    static float *scratch;
    scratch = scratch ? scratch : malloc(2 * arena_size());
    TrainingState found;
    Status status = {0};
    bool is_read = checkpoint_parse("x.h5", bytes, length, &net, arena, wants_state ? &found : NULL,
                                    scratch, scratch + net.parameter_count, &status);
    ck_assert(is_read == (status.code == STATUS_OK));
    return status;
}

/* --- Reading written files --- */

START_TEST(every_bit_comes_back)
{
    float *found_weights = ARENA_ARRAY(arena, float, net.parameter_count);
    float *found_accumulators = ARENA_ARRAY(arena, float, net.parameter_count);
    TrainingState found;
    Status status = {0};
    write_to(path_of("a.h5"));
    ck_assert_msg(checkpoint_read(path_of("a.h5"), &net, arena, &found, found_weights,
                                  found_accumulators, &status),
                  "%s", status.message);
    ck_assert_mem_eq(found_weights, weights, arena_size());
    ck_assert_mem_eq(found_accumulators, accumulators, arena_size());
    ck_assert(found.seed == state.seed);
    ck_assert_int_eq(found.ranks, state.ranks);
    ck_assert_int_eq(found.batch_size, state.batch_size);
    ck_assert_int_eq(found.epoch, state.epoch);
    ck_assert_int_eq(found.iteration, state.iteration);
    ck_assert_int_eq(found.train_images, state.train_images);
    ck_assert(found.is_augmented);
    ck_assert_str_eq(found.backend, state.backend);
    ck_assert_str_eq(found.precision, state.precision);
}
END_TEST

START_TEST(the_same_training_gives_the_same_bytes)
{
    size_t first_length, length;
    const char *first = written(&first_length), *again = written(&length);
    ck_assert_uint_eq(first_length, length);
    ck_assert_mem_eq(first, again, length);
}
END_TEST

START_TEST(a_file_of_another_writer_gives_weights_but_no_training)
{
    Text image = {0};
    Status status = {0};
    const KerasModel model = {.network = "keras_cifar10_cnn", .ranks = 1, .seed = 3};
    FileWriter writer;
    const char *path = path_of("keras.h5");
    ck_assert(keras_model_write(&model, (ByteSink){&image, append}, &status));
    ck_assert(file_writer_open(&writer, path, &status));
    fwrite(image.data, 1, image.length, writer.stream);
    ck_assert(file_writer_commit(&writer, &status));
    ck_assert_msg(checkpoint_read(path, &net, arena, NULL, weights, NULL, &status), "%s",
                  status.message);
    // Glorot's limit of conv2d_1 is sqrt(6 / (9 * (3 + 32))) = 0.138; random bits are far above.
    for (int32_t i = 0; i < 864; i++)
        ck_assert(weights[i] >= -0.139f && weights[i] <= 0.139f);
    TrainingState found;
    ck_assert(!checkpoint_read(path, &net, arena, &found, weights, accumulators, &status));
    ck_assert_str_eq(status.message, "is not an unchanged checkpoint of trainyard");
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    text_free(&image);
}
END_TEST

/* --- Wrong files --- */

START_TEST(a_file_that_is_cut_short_is_refused_at_every_length)
{
    size_t length;
    const char *bytes = written(&length);
    for (size_t cut = 0; cut < length; cut = cut < 60 ? cut + 1 : cut * 3 / 2) {
        Status status = parsed(bytes, cut, false);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_ptr_nonnull(strstr(status.message, cut == 0  ? "is empty"
                                                     : cut < 8 ? "is not an HDF5 file"
                                                               : "is cut short"));
        ck_assert_str_eq(parsed(bytes, cut, true).message, status.message);
    }
    ck_assert_int_eq(parsed(bytes, length - 1, true).code, STATUS_BAD_INPUT);
    ck_assert_int_eq(parsed(bytes, length, true).code, STATUS_OK);
}
END_TEST

START_TEST(a_flipped_bit_ends_the_resumption_wherever_it_is)
{
    size_t length;
    char *bytes = written(&length);
    for (uint32_t i = 0; i < 24; i++) {
        // Half of the flips are in the part with the file's structure.
        uint64_t word = philox(11, (PhiloxBlock){{i, 0, 0, 0}}).word[0];
        size_t place = (size_t)(word % (i % 2 ? length : 1 << 14));
        char change = (char)(1 << (i % 8));
        bytes[place] = (char)(bytes[place] ^ change);
        Status status = parsed(bytes, length, true);
        ck_assert_msg(status.code == STATUS_BAD_INPUT, "byte %zu", place);
        bytes[place] = (char)(bytes[place] ^ change);
    }
    ck_assert_int_eq(parsed(bytes, length, true).code, STATUS_OK);
}
END_TEST

START_TEST(a_damaged_file_gives_a_model_or_a_message_but_never_a_crash)
{
    // Read as a Keras file, not as a checkpoint, so that the HDF5 library parses it.
    size_t length;
    char *bytes = written(&length);
    int refused = 0;
    for (uint32_t i = 0; i < 40; i++) {
        PhiloxBlock words = philox(13, (PhiloxBlock){{i, 0, 0, 0}});
        size_t place = words.word[0] % (1 << 14);
        char old = bytes[place];
        bytes[place] = (char)words.word[1];
        Status status = parsed(bytes, length, false);
        ck_assert(status.code == STATUS_OK || status.code == STATUS_BAD_INPUT ||
                  status.code == STATUS_CONFLICT);
        refused += status.code != STATUS_OK;
        bytes[place] = old;
    }
    ck_assert_int_gt(refused, 4);
}
END_TEST

START_TEST(files_that_are_not_checkpoints_are_refused_by_name)
{
    Status status = {0};
    TrainingState found;
    ck_assert(
        !checkpoint_read(path_of("none.h5"), &net, arena, &found, weights, accumulators, &status));
    ck_assert_str_eq(status.message, "there is no such file");
    ck_assert(!checkpoint_read(folder, &net, arena, &found, weights, accumulators, &status));
    ck_assert_str_eq(status.message, "is a folder, expected a file");
    ck_assert(file_write(path_of("text.h5"), "epoch,loss\n", 11, &status));
    ck_assert(!checkpoint_read(path_of("text.h5"), &net, arena, NULL, weights, NULL, &status));
    ck_assert_str_eq(status.message, "is not an HDF5 file");
    const KerasModel mnist = {.network = "keras_mnist_cnn", .ranks = 1};
    Text image = {0};
    ck_assert(keras_model_write(&mnist, (ByteSink){&image, append}, &status));
    ck_assert_ptr_nonnull(
        strstr(parsed(image.data, image.length, false).message, "is of another network: "));
    text_free(&image);
}
END_TEST

/* Reads a file with these attributes and a valid checksum. */
static Status parsed_with(KerasAttribute *attributes, int32_t count)
{
    Text image = {0};
    Status status = {0};
    attributes[count++] = (KerasAttribute){"trainyard_digest", checksum_blank, 0};
    const KerasFile file = {.network = net.keras,
                            .version = KERAS_2_3_1,
                            .optimizer_settings = "\"lr\": 0.1",
                            .iterations = 5,
                            .weights = weights,
                            .slots = accumulators,
                            .attributes = attributes,
                            .attribute_count = count};
    ck_assert(keras_file_write(&file, (ByteSink){&image, append}, &status));
    checksum_fill(image.data, image.length);
    status = parsed(image.data, image.length, true);
    text_free(&image);
    return status;
}

START_TEST(a_state_that_cannot_be_is_refused)
{
    KerasAttribute all[20] = {
        {"trainyard_checkpoint", NULL, 1},  {"trainyard_network", net.keras->name, 0},
        {"trainyard_seed", NULL, 3},        {"trainyard_ranks", NULL, 2},
        {"trainyard_batch_size", NULL, 32}, {"trainyard_epoch", NULL, 1},
        {"trainyard_iteration", NULL, 5},   {"trainyard_train_images", NULL, 160},
        {"trainyard_augmented", NULL, 0},   {"trainyard_backend", "ref", 0},
        {"trainyard_precision", "fp32", 0}};
    enum { COUNT = 11 };
    ck_assert_str_eq(parsed_with(all, COUNT).message, "");
    static const struct {
        int at;
        const char *text;
        int64_t integer;
        const char *message;
    } rows[] = {{0, NULL, 3,
                 "is a checkpoint of format 3, expected 1 or 2: another version of trainyard "
                 "wrote it"},
                {0, NULL, 2, "its trainyard attributes contradict each other"}, // without a step
                {1, "resnet50", 0, "its trainyard attributes contradict each other"},
                {3, NULL, 0, "its trainyard attributes contradict each other"},
                {3, NULL, INT64_C(1) << 32, "its trainyard attributes contradict each other"},
                {5, NULL, -1, "its trainyard attributes contradict each other"},
                {6, NULL, 6, "its trainyard attributes contradict each other"},
                {8, NULL, 2, "its trainyard attributes contradict each other"},
                {9, "much too long a name", 0, "its trainyard attributes contradict each other"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        KerasAttribute old = all[rows[i].at];
        all[rows[i].at].text = rows[i].text;
        all[rows[i].at].integer = rows[i].integer;
        Status status = parsed_with(all, COUNT);
        ck_assert_str_eq(status.message, rows[i].message);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        all[rows[i].at] = old;
    }
    ck_assert_str_eq(parsed_with(all, COUNT - 1).message,
                     "has no attribute \"trainyard_precision\"");
}
END_TEST

START_TEST(a_state_within_an_epoch_that_cannot_be_is_refused)
{
    static const char scores[] = "4607182418800017408 1 32\n0 0 32\n"; // a loss of 1, and of 0
    enum { STEP = 11, EPOCH_STEPS, SCORES, COUNT };
    KerasAttribute all[20] = {
        {"trainyard_checkpoint", NULL, 2},  {"trainyard_network", net.keras->name, 0},
        {"trainyard_seed", NULL, 3},        {"trainyard_ranks", NULL, 2},
        {"trainyard_batch_size", NULL, 32}, {"trainyard_epoch", NULL, 1},
        {"trainyard_iteration", NULL, 5},   {"trainyard_train_images", NULL, 160},
        {"trainyard_augmented", NULL, 0},   {"trainyard_backend", "ref", 0},
        {"trainyard_precision", "fp32", 0}, {"trainyard_step", NULL, 1},
        {"trainyard_epoch_steps", NULL, 4}, {"trainyard_scores", scores, 0}};
    static const struct {
        int at;
        const char *text;
        int64_t integer;
    } rows[] = {{STEP, NULL, 0},
                {STEP, NULL, 4}, // that is after the epoch
                {EPOCH_STEPS, NULL, 0},
                {EPOCH_STEPS, NULL, INT64_C(1) << 32},
                {SCORES, "4607182418800017408 1 32\n", 0}, // of one rank
                {SCORES, "4607182418800017408 1 32\n0 0 32", 0},
                {SCORES, "4607182418800017408 1 32\n0 33 32\n", 0},
                {SCORES, "4607182418800017408 1 32\n0 0 32 \n", 0},
                {SCORES, "4607182418800017408 1\n0 0 32\n", 0},
                {SCORES, "9218868437227405312 1 32\n0 0 32\n", 0}}; // infinite
    ck_assert_str_eq(parsed_with(all, COUNT).message, "");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        KerasAttribute old = all[rows[i].at];
        all[rows[i].at].text = rows[i].text;
        all[rows[i].at].integer = rows[i].integer;
        ck_assert_str_eq(parsed_with(all, COUNT).message,
                         "its trainyard attributes contradict each other");
        all[rows[i].at] = old;
    }
}
END_TEST

START_TEST(a_state_within_an_epoch_comes_back)
{
    static const Score scores[] = {{0.1, 3, 9}, {2e300, 0, 9}, {-0.0, 9, 9}, {5e-324, 1, 9}};
    TrainingState within = state, found;
    int64_t bytes;
    Status status = {0};
    const char *path = path_of("checkpoint-25-step-9.h5");
    within.step = 9;
    within.epoch_steps = 1563;
    within.scores = scores;
    ck_assert(
        checkpoint_write(path, &net, &optimizer, &within, weights, accumulators, &bytes, &status));
    ck_assert_msg(checkpoint_read(path, &net, arena, &found, weights, accumulators, &status), "%s",
                  status.message);
    ck_assert_int_eq(found.step, 9);
    ck_assert_int_eq(found.epoch_steps, 1563);
    ck_assert_mem_eq(found.scores, scores, sizeof scores);
}
END_TEST

/* --- Refused writes --- */

static bool try_write(const char *path, Status *status)
{
    int64_t bytes;
    return checkpoint_write(path, &net, &optimizer, &state, weights, accumulators, &bytes, status);
}

START_TEST(a_disk_that_fills_up_leaves_the_old_checkpoint_and_nothing_else)
{
    const char *path = path_of("checkpoint-1.h5");
    Status status = {0};
    TrainingState found;
    write_to(path);
    memset(weights, 0, arena_size());
    disk_full_begin(1 << 20);
    const bool is_replaced = try_write(path, &status);
    const bool is_written = try_write(path_of("checkpoint-2.h5"), &status);
    disk_full_end();
    ck_assert(!is_replaced);
    ck_assert(!is_written);
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert(!has_temporary_file());
    ck_assert_str_eq(checkpoint_latest(arena, folder, CHECKPOINT_LAST), path);
    float *found_weights = ARENA_ARRAY(arena, float, net.parameter_count);
    ck_assert(checkpoint_read(path, &net, arena, &found, found_weights, accumulators, &status));
    ck_assert_float_ne(found_weights[4], 0.0f); // the smallest normal number of the extremes
}
END_TEST

START_TEST(places_that_take_no_file_are_named)
{
    static const struct {
        const char *name;
        StatusCode code;
    } places[] = {{"missing/checkpoint.h5", STATUS_MACHINE}, {"taken.h5", STATUS_BAD_INPUT}};
    ck_assert_int_eq(mkdir(path_of("taken.h5"), 0777), 0);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        Status status = {0};
        ck_assert(!try_write(path_of(places[i].name), &status));
        ck_assert_int_eq(status.code, places[i].code);
        ck_assert_str_eq(status.at.source, path_of(places[i].name));
    }
    Status status = {0};
    ck_assert(!try_write("/dev/full", &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert(!has_temporary_file());
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("checkpoint");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, every_bit_comes_back);
    tcase_add_test(tests, the_same_training_gives_the_same_bytes);
    tcase_add_test(tests, a_file_of_another_writer_gives_weights_but_no_training);
    tcase_add_test(tests, a_file_that_is_cut_short_is_refused_at_every_length);
    tcase_add_test(tests, a_flipped_bit_ends_the_resumption_wherever_it_is);
    tcase_add_test(tests, a_damaged_file_gives_a_model_or_a_message_but_never_a_crash);
    tcase_add_test(tests, files_that_are_not_checkpoints_are_refused_by_name);
    tcase_add_test(tests, a_state_that_cannot_be_is_refused);
    tcase_add_test(tests, a_state_within_an_epoch_that_cannot_be_is_refused);
    tcase_add_test(tests, a_state_within_an_epoch_comes_back);
    tcase_add_test(tests, a_disk_that_fills_up_leaves_the_old_checkpoint_and_nothing_else);
    tcase_add_test(tests, places_that_take_no_file_are_named);
    suite_add_tcase(suite, tests);
    return suite;
}
