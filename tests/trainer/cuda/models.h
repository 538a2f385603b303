/* Shared by tests of the cuda backend: the backend, on the emulated runtime or a GPU, and runs of
 * steps. */
#ifndef TESTS_TRAINER_CUDA_MODELS_H
#define TESTS_TRAINER_CUDA_MODELS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/small_training.h"
#include "tests/trainer/cuda/gpu.h"
#include "trainer/compute/backend_ref.h"
#include "trainer/cuda/backend_cuda.h"

#ifdef TRAINYARD_CUDA_EMULATED
extern const Backend backend_cuda_emulated;
static const Backend *const cuda = &backend_cuda_emulated;
#else
static const Backend *const cuda = &backend_cuda;
#endif

enum { SEED = 11, RANK = 3, BATCH = 2 };

static Arena *arena;
static Comm *alone;

static inline void set_up(void)
{
    Status status;
    gpu_reset();
    arena = arena_create();
    ck_assert(comm_open("local", arena, &alone, &status));
}

static inline void tear_down(void)
{
    comm_close(alone);
    arena_destroy(arena);
}

static inline TCase *add_case(Suite *suite, const char *name)
{
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    suite_add_tcase(suite, tests);
    return tests;
}

/* --- Models --- */

static inline BackendSettings settings_of(const Net *net, int32_t batch_max, Precision precision)
{
    return (BackendSettings){.net = net,
                             .batch_max = batch_max,
                             .precision = precision,
                             .threads = 1,
                             .seed = SEED,
                             .rank = RANK};
}

/* With the fastest engine of each product. They may differ between models, and in the last bits. */
static inline Trained open_fastest(const Net *net, int32_t batch_max, Precision precision)
{
    const BackendSettings settings = settings_of(net, batch_max, precision);
    return trained_open(cuda, &settings);
}

/* With the same engine in all models. */
static inline Trained open_cuda(const Net *net, int32_t batch_max, Precision precision)
{
    BackendSettings settings = settings_of(net, batch_max, precision);
    settings.engine = ENGINE_OWN;
    return trained_open(cuda, &settings);
}

static inline Trained open_ref(const Net *net, int32_t batch_max)
{
    const BackendSettings settings = settings_of(net, batch_max, PRECISION_FP32);
    return trained_open(&backend_ref, &settings);
}

/* --- Runs --- */

/* The optimizer of all runs. */
static const RmsProp optimizer = {
    .learning_rate = 1e-3, .rho = 0.9, .decay = 1e-6, .epsilon = 1e-7};

static inline int64_t steps_of(const ImageSet *set, int32_t batch)
{
    return (set->count + batch - 1) / batch;
}

static inline StepRun run_of(const ImageSet *set, int32_t batch, uint64_t epoch, int64_t first,
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

/* Whole steps of the backend. */
static inline Score run_at_once(const Trained *trained, const ImageSet *set, int32_t batch,
                                uint64_t epoch, int64_t first, int64_t count)
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

/* --- Comparisons --- */

static inline void within(const char *what, const char *layer, double difference, double tolerance)
{
    if (getenv("SHOW_DIFFERENCES"))
        printf("%s %s: %.2e of %.0e\n", what, layer, difference, tolerance);
    ck_assert_msg(difference <= tolerance, "%s %s differ by %.3g, allowed is %.3g", what, layer,
                  difference, tolerance);
}

static inline void check_same_arenas(const Trained *one, const Trained *other)
{
    const size_t bytes = (size_t)one->net->parameter_count * sizeof(float);
    for (ArenaKind kind = ARENA_WEIGHTS; kind <= ARENA_GRADIENTS; kind++)
        ck_assert_msg(memcmp(trained_arena(one, kind), trained_arena(other, kind), bytes) == 0,
                      "arena %d differs", (int)kind);
}

#endif
