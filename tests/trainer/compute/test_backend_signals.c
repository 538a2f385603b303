/* A signal can arrive at any time, and its handler runs on the stack of the interrupted thread. If
 * a library computes with the stack pointer elsewhere, the handler overwrites other memory. */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/small_training.h"
#include "tests/support/suite.h"
#include "trainer/run/backends.h"

enum { IMAGES = 4, STEPS = 20, TASKS_MAX = 64 };

/* --- The thread that computes --- */

static const char *stack_base;
static atomic_int handled;
static atomic_bool is_over;

/* Ends the test at once, because the heap may be damaged. */
static void check_stack(int signal)
{
    enum { DEPTH_MAX = 1 << 20 };
    static const char message[] = "a signal handler ran outside of its thread's stack\n";
    const uintptr_t depth = (uintptr_t)stack_base - (uintptr_t)__builtin_frame_address(0);
    (void)signal;
    atomic_fetch_add(&handled, 1);
    if (depth < DEPTH_MAX)
        return;
    const ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)written;
    _exit(EXIT_FAILURE);
}

static void *keep_signalling(void *argument)
{
    const pthread_t *computing = argument;
    while (!atomic_load(&is_over)) {
        pthread_kill(*computing, SIGUSR1);
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
    return NULL;
}

static Trained open_with_threads(const Backend *backend, const Net *net, int32_t threads)
{
    const BackendSettings settings = {
        .net = net, .batch_max = IMAGES, .threads = threads, .seed = 5};
    return trained_open(backend, &settings);
}

static void check_backend(const Backend *backend, const Net *net, const ImageSet *set)
{
    Trained trained = open_with_threads(backend, net, 1);
    pthread_t computing = pthread_self(), signalling;
    atomic_store(&handled, 0);
    atomic_store(&is_over, false);
    ck_assert_int_eq(pthread_create(&signalling, NULL, keep_signalling, &computing), 0);
    for (uint64_t step = 0; step < STEPS; step++)
        trained_step(&trained, set, 0, IMAGES, step);
    atomic_store(&is_over, true);
    pthread_join(signalling, NULL);
    trained_close(&trained);
    ck_assert_int_gt(atomic_load(&handled), 0);
}

START_TEST(a_signal_in_the_middle_of_a_step_is_handled_on_the_stack)
{
    Arena *arena = arena_create();
    const Net net = slim_net("keras_cifar10_cnn", 1);
    const ImageSet set = make_images(arena, 31, IMAGES);
    struct sigaction action = {.sa_handler = check_stack, .sa_flags = SA_RESTART};
    stack_base = __builtin_frame_address(0);
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
    for (int32_t i = 0; backends[i]; i++) {
        const Backend *backend = backends[i];
        Status status = {0};
        if (backend == &backend_ref || backend->device) // slow; computes elsewhere
            continue;
        if (backend->probe(PRECISION_FP32, &status))
            check_backend(backend, &net, &set);
    }
    arena_destroy(arena);
}
END_TEST

/* --- The threads of oneDNN --- */

typedef struct {
    int32_t count;
    long ids[TASKS_MAX];
} Tasks;

/* The ids of this process' threads. */
static Tasks tasks_now(void)
{
    Tasks tasks = {0};
    DIR *entries = opendir("/proc/self/task");
    ck_assert_ptr_nonnull(entries);
    for (const struct dirent *entry; (entry = readdir(entries));)
        if (entry->d_name[0] != '.') {
            ck_assert_int_lt(tasks.count, TASKS_MAX);
            tasks.ids[tasks.count++] = strtol(entry->d_name, NULL, 10);
        }
    closedir(entries);
    return tasks;
}

static bool has_task(const Tasks *tasks, long id)
{
    for (int32_t i = 0; i < tasks->count; i++)
        if (tasks->ids[i] == id)
            return true;
    return false;
}

/* The signals that a thread blocks: bit n - 1 for signal n (man 5 proc). */
static uint64_t blocked_by(long id)
{
    static const char name[] = "SigBlk:";
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/self/task/%ld/status", id);
    FILE *stream = fopen(path, "r");
    ck_assert_ptr_nonnull(stream);
    do
        ck_assert_ptr_nonnull(fgets(line, sizeof line, stream));
    while (strncmp(line, name, sizeof name - 1) != 0);
    fclose(stream);
    return strtoull(line + sizeof name - 1, NULL, 16);
}

START_TEST(threads_that_onednn_starts_leave_signals_to_others)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGUSR1, SIGPROF};
    Arena *arena = arena_create();
    const Net net = slim_net("keras_cifar10_cnn", 1);
    const ImageSet set = make_images(arena, 31, IMAGES);
    Status status = {0};
    if (backend_onednn.probe(PRECISION_FP32, &status)) {
        const uint64_t own = blocked_by(getpid());
        const Tasks before = tasks_now();
        Trained trained = open_with_threads(&backend_onednn, &net, 2);
        trained_step(&trained, &set, 0, IMAGES, 0);
        const Tasks after = tasks_now();
        ck_assert_int_gt(after.count, before.count);
        for (int32_t i = 0; i < after.count; i++)
            for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++)
                if (!has_task(&before, after.ids[i]))
                    ck_assert_msg(blocked_by(after.ids[i]) >> (signals[k] - 1) & 1,
                                  "a thread of oneDNN does not block signal %d", signals[k]);
        ck_assert_uint_eq(blocked_by(getpid()), own); // as before, between steps
        trained_close(&trained);
    }
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("backend_signals");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_signal_in_the_middle_of_a_step_is_handled_on_the_stack);
    tcase_add_test(tests, threads_that_onednn_starts_leave_signals_to_others);
    suite_add_tcase(suite, tests);
    return suite;
}
