/* Checkpoints are written in a thread if the backend copies weights while steps continue, and at
 * once otherwise. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/memory.h"
#include "sim/cli/files.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"
#include "trainer/run/checkpoint_writer.h"

/* --- A backend --- */

/* The copy of a model, which the test lets arrive. */
typedef struct {
    float *arenas[3], *copies[2];
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool has_arrived, fails;
    pthread_t ended_by;
} Model;

static Arena *arena;
static const char *folder;
static Net net;
static Model model;

static size_t bytes_of_net(void)
{
    return (size_t)net.parameter_count * sizeof(float);
}

static float *fake_arena(void *opened, ArenaKind kind, Status *status)
{
    (void)status;
    return ((Model *)opened)->arenas[kind];
}

static bool fake_copy_begin(void *opened, Status *status)
{
    Model *of = opened;
    (void)status;
    for (int32_t i = 0; i < 2; i++)
        memcpy(of->copies[i], of->arenas[i], bytes_of_net());
    return true;
}

static bool fake_copy_end(void *opened, const float **weights, const float **accumulators,
                          Status *status)
{
    Model *of = opened;
    pthread_mutex_lock(&of->mutex);
    while (!of->has_arrived)
        pthread_cond_wait(&of->changed, &of->mutex);
    of->ended_by = pthread_self();
    pthread_mutex_unlock(&of->mutex);
    *weights = of->copies[0];
    *accumulators = of->copies[1];
    return !of->fails || status_fail(status, STATUS_MACHINE, place_in("fake", 0, 0), "no copy");
}

static const Backend at_once = {.name = "at once", .arena = fake_arena};
static const Backend meanwhile = {.name = "meanwhile",
                                  .arena = fake_arena,
                                  .copy_begin = fake_copy_begin,
                                  .copy_end = fake_copy_end};

static void let_arrive(void)
{
    pthread_mutex_lock(&model.mutex);
    model.has_arrived = true;
    pthread_cond_broadcast(&model.changed);
    pthread_mutex_unlock(&model.mutex);
}

static float *filled(float value)
{
    float *values = arena_alloc(arena, bytes_of_net());
    for (int64_t i = 0; i < net.parameter_count; i++)
        values[i] = value + (float)(i % 17);
    return values;
}

static void set_up(void)
{
    Status status;
    arena = arena_create();
    folder = temporary_folder_create(arena);
    ck_assert(net_build("keras_cifar10_cnn", &net, &status));
    model = (Model){.arenas = {filled(1.0f), filled(2.0f), filled(3.0f)},
                    .copies = {filled(0.0f), filled(0.0f)}};
    pthread_mutex_init(&model.mutex, NULL);
    pthread_cond_init(&model.changed, NULL);
}

static void tear_down(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static Trainer trainer_over(const Backend *backend)
{
    return (Trainer){
        .backend = backend,
        .model = &model,
        .net = &net,
        .optimizer = {.learning_rate = 1e-3, .rho = 0.9, .decay = 1e-6, .epsilon = 1e-7}};
}

static const TrainingState state = {.seed = 3,
                                    .ranks = 1,
                                    .batch_size = 32,
                                    .epoch = 2,
                                    .iteration = 20,
                                    .train_images = 320,
                                    .backend = "fake",
                                    .precision = "fp32"};

/* --- Tests --- */

static const char *path_of(const char *name)
{
    return arena_printf(arena, "%s/%s", folder, name);
}

static void check_same_files(const char *one, const char *other)
{
    char *bytes[2];
    size_t length[2];
    Status status;
    ck_assert(file_read(arena, one, 64 << 20, &bytes[0], &length[0], &status));
    ck_assert(file_read(arena, other, 64 << 20, &bytes[1], &length[1], &status));
    ck_assert_uint_eq(length[0], length[1]);
    ck_assert(memcmp(bytes[0], bytes[1], length[0]) == 0);
}

static void check_begin(CheckpointWriter *writer, const Trainer *trainer, const char *path)
{
    Status status;
    ck_assert(!checkpoint_writer_is_busy(writer));
    ck_assert_msg(checkpoint_writer_begin(writer, trainer, &state, path, &status), "%s",
                  status.message);
    ck_assert(checkpoint_writer_is_busy(writer));
}

static int64_t end_fine(CheckpointWriter *writer)
{
    int64_t bytes = 0;
    Status status;
    ck_assert_msg(checkpoint_writer_end(writer, &bytes, &status), "%s", status.message);
    ck_assert(!checkpoint_writer_is_busy(writer));
    ck_assert(!checkpoint_writer_is_over(writer));
    return bytes;
}

/* The weights change before the copy has arrived. */
START_TEST(a_file_that_is_written_meanwhile_has_the_bytes_of_one_written_at_once)
{
    const Trainer slow = trainer_over(&at_once), fast = trainer_over(&meanwhile);
    CheckpointWriter first = {0}, second = {0};
    check_begin(&first, &slow, path_of("at-once"));
    ck_assert(checkpoint_writer_is_over(&first));
    ck_assert(access(path_of("at-once"), F_OK) == 0);
    const int64_t bytes = end_fine(&first);
    check_begin(&second, &fast, path_of("meanwhile"));
    ck_assert(!checkpoint_writer_is_over(&second));
    memset(model.arenas[0], 0, bytes_of_net());
    memset(model.arenas[1], 0, bytes_of_net());
    ck_assert(access(path_of("meanwhile"), F_OK) != 0);
    let_arrive();
    ck_assert_int_eq(end_fine(&second), bytes);
    ck_assert(!pthread_equal(model.ended_by, pthread_self()));
    check_same_files(path_of("at-once"), path_of("meanwhile"));
}
END_TEST

START_TEST(a_writer_can_be_used_again)
{
    const Trainer trainer = trainer_over(&meanwhile);
    CheckpointWriter writer = {0};
    let_arrive();
    for (int32_t i = 0; i < 3; i++) {
        check_begin(&writer, &trainer, path_of("again"));
        while (!checkpoint_writer_is_over(&writer))
            sched_yield();
        end_fine(&writer);
    }
}
END_TEST

static void check_failure(const Backend *backend, const char *path, const char *message)
{
    const Trainer trainer = trainer_over(backend);
    CheckpointWriter writer = {0};
    int64_t bytes;
    Status status = {0};
    check_begin(&writer, &trainer, path);
    ck_assert(!checkpoint_writer_end(&writer, &bytes, &status));
    ck_assert(!checkpoint_writer_is_busy(&writer));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_msg(strstr(status.message, message) != NULL, "%s", status.message);
    ck_assert(access(path, F_OK) != 0);
}

START_TEST(a_file_that_cannot_be_written_is_reported_at_the_end)
{
    let_arrive();
    check_failure(&at_once, path_of("no/folder"), "No such file");
    check_failure(&meanwhile, path_of("no/folder"), "No such file");
}
END_TEST

START_TEST(a_copy_that_fails_is_reported_at_the_end)
{
    let_arrive();
    model.fails = true;
    check_failure(&meanwhile, path_of("copy"), "no copy");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("checkpoint_writer");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_file_that_is_written_meanwhile_has_the_bytes_of_one_written_at_once);
    tcase_add_test(tests, a_writer_can_be_used_again);
    tcase_add_test(tests, a_file_that_cannot_be_written_is_reported_at_the_end);
    tcase_add_test(tests, a_copy_that_fails_is_reported_at_the_end);
    suite_add_tcase(suite, tests);
    return suite;
}
