/* `trainyard bench-training`: times the steps of a training, without epochs and files. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/philox.h"
#include "sim/base/table.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"
#include "sim/cli/program.h"
#include "sim/cli/report.h"
#include "sim/schema/plain.h"
#include "tools/trainyard/train/bench_training_answer.h"
#include "tools/trainyard/train/bench_training_options.h"
#include "trainer/base/spread.h"
#include "trainer/comm/comm_words.h"
#include "trainer/compute/engines_report.h"
#include "trainer/compute/sgemm_rate.h"
#include "trainer/run/backends.h"
#include "trainer/run/step.h"

typedef struct {
    const BenchTrainingOptions *options;
    Arena *arena;
    Net net;
    ImageSet set;
    double *each_ms; /* [steps]: times if the backend makes whole steps; NULL: see the timeline */
    SgemmRate sgemm; /* 0: not measured */
    Trainer trainer;
} Bench;

/* --- The data set --- */

/* The number of CIFAR-10, so that fetching images takes the same time. */
enum { RANDOM_IMAGES = 50000 };

static void random_set(uint64_t seed, Arena *arena, ImageSet *set)
{
    const size_t bytes = (size_t)RANDOM_IMAGES * IMAGE_BYTES;
    *set = (ImageSet){.count = RANDOM_IMAGES,
                      .images = arena_alloc(arena, bytes),
                      .labels = arena_alloc(arena, RANDOM_IMAGES)};
    for (size_t i = 0; i < bytes; i += sizeof(PhiloxBlock)) {
        PhiloxBlock block = philox(seed, (PhiloxBlock){{(uint32_t)(i / sizeof block)}});
        memcpy(set->images + i, &block, sizeof block);
    }
    for (int32_t i = 0; i < RANDOM_IMAGES; i++)
        set->labels[i] = set->images[(size_t)i * IMAGE_BYTES] % CLASS_COUNT;
}
_Static_assert((int64_t)RANDOM_IMAGES *IMAGE_BYTES % (int64_t)sizeof(PhiloxBlock) == 0,
               "whole blocks");

static bool set_make(Bench *bench, Arena *arena, Status *status)
{
    const BenchTrainingOptions *options = bench->options;
    Dataset dataset;
    if (!options->data_folder) {
        random_set((uint64_t)options->seed, arena, &bench->set);
    } else if (dataset_read(options->data_folder, arena, &dataset, status)) {
        bench->set = dataset.train;
    } else {
        return false;
    }
    if (bench->set.count < options->batch_size)
        return status_fail(status, STATUS_BAD_INPUT, place_in("--batch-size", 0, 0),
                           "is %" PRId64 ", but the set has %" PRId32 " images",
                           options->batch_size, bench->set.count);
    bench->trainer.seed = (uint64_t)options->seed;
    bench->trainer.order = ARENA_ARRAY(arena, int32_t, bench->set.count);
    return true;
}

/* --- The model --- */

/* A named engine is not ignored silently. */
static bool check_engine(const Bench *bench, Status *status)
{
    const int64_t engine = bench->options->engine;
    const Backend *backend = bench->trainer.backend;
    if (engine == ENGINE_FASTEST || backend->engines)
        return true;
    status_fail(status, STATUS_BAD_INPUT, place_in("--engine", 0, 0),
                "is %s, but backend %s has no choice of engines", engine_words[engine],
                backend->name);
    return status_hint(status, "leave it out, or use --backend cuda");
}

static bool model_open(Bench *bench, Status *status)
{
    const BenchTrainingOptions *options = bench->options;
    Trainer *trainer = &bench->trainer;
    BackendSettings settings = {
        .net = &bench->net,
        .batch_max = (int32_t)options->batch_size,
        .precision = (Precision)options->precision,
        .threads = (int32_t)options->threads,
        .local_rank = comm_local_rank(trainer->comm),
        .seed = (uint64_t)options->seed,
        .rank = (uint32_t)comm_rank(trainer->comm),
        .engine = (EngineWish)options->engine,
    };
    if (!net_build(options->network, &bench->net, status))
        return false;
    if (options->has_profile)
        settings.profile = trainer->profile = profile_create(bench->arena, &bench->net);
    trainer->backend = backend_find(backend_words[options->backend], settings.precision, status);
    if (!trainer->backend || !check_engine(bench, status) ||
        !trainer->backend->open(&settings, &trainer->model, status))
        return false;
    if (!comm_use_gpus(trainer->comm, trainer->backend->exchange != NULL, status))
        return false;
    trainer->net = &bench->net;
    trainer->optimizer = rmsprop_of_keras(1e-4 * comm_size(trainer->comm));
    float *weights = trainer->backend->arena(trainer->model, ARENA_WEIGHTS, status);
    if (!weights)
        return false;
    net_initial_weights(&bench->net, settings.seed, weights);
    trainer->backend->arena_changed(trainer->model, ARENA_WEIGHTS);
    return trainer_broadcast(trainer, status);
}

/* --- Steps --- */

/* Whole steps per call are limited, so that there are several times to compare. */
enum { STEPS_AT_ONCE_MAX = 64 };

/* The steps from `step` up to `end` that are full batches of one epoch. */
static StepRun run_from(const Bench *bench, int64_t step, int64_t end)
{
    const int64_t batch_size = bench->options->batch_size;
    const int64_t batches = bench->set.count / batch_size, first = step % batches;
    const int64_t left = end - step < batches - first ? end - step : batches - first;
    return (StepRun){.set = &bench->set,
                     .first = first,
                     .count = left < STEPS_AT_ONCE_MAX ? left : STEPS_AT_ONCE_MAX,
                     .batch_size = (int32_t)batch_size,
                     .step = (uint64_t)step,
                     .is_augmented = true};
}

/* Makes steps [first, end). If `each_ms` is not NULL, it gets the time of each step; steps of one
 * call get their mean. */
static bool steps_run(Bench *bench, int64_t first, int64_t end, double *each_ms, Status *status)
{
    for (int64_t step = first, done; step < end; step += done) {
        const StepRun run = run_from(bench, step, end);
        const int64_t begin_ns = machine_clock_ns();
        Score score;
        if (!trainer_steps(&bench->trainer, &run, &done, &score, status))
            return false;
        const double took_ms = (double)(machine_clock_ns() - begin_ns) / (double)NS_PER_MS;
        for (int64_t i = 0; each_ms && i < done; i++)
            each_ms[step - first + i] = took_ms / (double)done;
    }
    return true;
}

/* Called before and after the steps, because a machine's clock rate may vary. The median is the
 * mean of both medians. */
static bool sgemm_measure(Bench *bench, Status *status)
{
    SgemmRate rate;
    if (!bench->options->has_sgemm)
        return true;
    if (!sgemm_rate((int32_t)bench->options->threads, &rate, status))
        return false;
    bench->sgemm.median += rate.median / 2;
    bench->sgemm.best = rate.best > bench->sgemm.best ? rate.best : bench->sgemm.best;
    return true;
}

/* The steps that are profiled after the timed ones. */
enum { PROFILED_MOST = 128 };

/* Where steps are made at once, measuring their stages changes their times: other steps are
 * profiled. */
static bool profile_apart(Bench *bench, Status *status)
{
    const BenchTrainingOptions *options = bench->options;
    const int64_t first = options->warmup + options->steps;
    const int64_t count = options->steps < PROFILED_MOST ? options->steps : PROFILED_MOST;
    bench->trainer.is_profiled = true;
    return steps_run(bench, first, first + count, NULL, status);
}

/* Warms up, then times; `took_ns` is the time of all timed steps, between barriers. */
static bool bench_run(Bench *bench, int64_t *took_ns, Status *status)
{
    const BenchTrainingOptions *options = bench->options;
    Comm *comm = bench->trainer.comm;
    const int64_t first = options->warmup, end = first + options->steps;
    if (!sgemm_measure(bench, status) || !steps_run(bench, 0, first, NULL, status) ||
        !comm_barrier(comm, status))
        return false;
    const bool makes_whole_steps = trainer_makes_whole_steps(&bench->trainer);
    bench->trainer.is_profiled = options->has_profile && !makes_whole_steps;
    int64_t begin_ns = machine_clock_ns();
    if (!makes_whole_steps)
        bench->trainer.timeline = timeline_create(comm_rank(comm), comm_size(comm), begin_ns);
    else
        bench->each_ms = ARENA_ARRAY(bench->arena, double, options->steps);
    if (!steps_run(bench, first, end, bench->each_ms, status) || !comm_barrier(comm, status))
        return false;
    *took_ns = machine_clock_ns() - begin_ns;
    if (options->has_profile && makes_whole_steps && !profile_apart(bench, status))
        return false;
    return sgemm_measure(bench, status);
}

/* --- Results --- */

/* The times of a phase per step in milliseconds; PHASE_COUNT: of the whole step. */
static Spread phase_ms(const Bench *bench, Phase phase)
{
    const int64_t steps = bench->options->steps;
    if (bench->each_ms)
        return phase == PHASE_COUNT ? spread_of(bench->each_ms, steps) : (Spread){0};
    const TimelineFile timeline = timeline_view(bench->trainer.timeline);
    double *each_ms = memory_zeroed((size_t)steps * sizeof *each_ms);
    const TimelineSpan *spans = timeline.spans;
    for (int64_t i = 0; i < timeline.count; i++)
        if (phase == PHASE_COUNT || spans[i].phase == phase)
            each_ms[spans[i].step - bench->options->warmup] +=
                (double)(spans[i].end_ns - spans[i].begin_ns) / (double)NS_PER_MS;
    const Spread spread_ms = spread_of(each_ms, steps);
    free(each_ms);
    return spread_ms;
}

typedef struct {
    double images_per_s; /* of all ranks */
    double gflop;        /* per step of one rank */
    double gflop_per_s;  /* of one rank */
    Spread step_ms;
} Result;

static Result result_of(const Bench *bench, int64_t took_ns)
{
    const BenchTrainingOptions *options = bench->options;
    const double took_s = (double)took_ns / (double)NS_PER_S;
    const double steps = (double)options->steps, images = (double)options->batch_size;
    const double macs = (double)(net_forward_macs(&bench->net) + net_backward_macs(&bench->net));
    Result result = {
        .images_per_s = comm_size(bench->trainer.comm) * images * steps / took_s,
        .gflop = 2e-9 * macs * images,
        .step_ms = phase_ms(bench, PHASE_COUNT),
    };
    result.gflop_per_s = result.gflop * steps / took_s;
    return result;
}

/* A step of `gflop` in `ms` as a share of the rate, in percent. */
static double share_of(double gflop, double ms, double flops_per_s)
{
    return 100.0 * gflop * 1e9 / (ms * 1e-3) / flops_per_s;
}

/* --- Printing --- */

static const char *cell(Arena *arena, double value, int digits)
{
    return arena_printf(arena, "%.*f", digits, value);
}

static void add_phase_row(Table *table, const char *name, Spread ms, double step_ms, Arena *arena)
{
    table_row(table, (const char *[]){name, cell(arena, ms.min, 3), cell(arena, ms.median, 3),
                                      cell(arena, ms.mean, 3), cell(arena, ms.p90, 3),
                                      cell(arena, 100.0 * ms.mean / step_ms, 1)});
}

static void print_phases(const Bench *bench, const Result *result, Arena *arena, Text *out)
{
    static const TableColumn columns[] = {{"Phase", TABLE_TEXT},       {"Min ms", TABLE_NUMBER},
                                          {"Median ms", TABLE_NUMBER}, {"Mean ms", TABLE_NUMBER},
                                          {"P90 ms", TABLE_NUMBER},    {"%", TABLE_NUMBER}};
    Table *table = table_create(arena, columns, sizeof columns / sizeof columns[0]);
    for (int32_t phase = 0; phase < PHASE_COUNT; phase++) {
        const Spread ms = phase_ms(bench, (Phase)phase);
        if (ms.mean > 0.0)
            add_phase_row(table, phase_names[phase], ms, result->step_ms.mean, arena);
    }
    add_phase_row(table, "step", result->step_ms, result->step_ms.mean, arena);
    table_print(table, out);
}

/* NULL: the processor. */
static const char *device_of(const Bench *bench)
{
    const Trainer *trainer = &bench->trainer;
    return trainer->backend->device ? trainer->backend->device(trainer->model) : NULL;
}

/* 0: not known. */
static int32_t kernels_of(const Bench *bench)
{
    const Trainer *trainer = &bench->trainer;
    return trainer->backend->kernels_per_step ? trainer->backend->kernels_per_step(trainer->model)
                                              : 0;
}

static void print_text(const Bench *bench, const Result *result, Arena *arena, Text *out)
{
    const BenchTrainingOptions *options = bench->options;
    const char *device = device_of(bench);
    text_printf(out,
                "%s, %s, backend %s%s%s, %" PRId32 " rank%s of %" PRId64
                " thread%s, batches of %" PRId64 ", %" PRId64 " steps\n\n",
                options->network, precision_names[options->precision], bench->trainer.backend->name,
                device ? " on " : "", device ? device : "", comm_size(bench->trainer.comm),
                plural(comm_size(bench->trainer.comm)), options->threads, plural(options->threads),
                options->batch_size, options->steps);
    print_phases(bench, result, arena, out);
    if (options->has_profile) {
        text_add(out, "\n");
        profile_print(bench->trainer.profile, out);
    }
    if (options->has_profile || options->engine != ENGINE_FASTEST)
        engines_print(bench->trainer.backend, bench->trainer.model, &bench->net, out);
    text_printf(out, "\n%.0f images/s, %.1f GFLOP/s per rank (%.3f GFLOP per step)\n",
                result->images_per_s, result->gflop_per_s, result->gflop);
    if (kernels_of(bench) > 0)
        text_printf(out, "%" PRId32 " kernels per step\n", kernels_of(bench));
    if (options->has_sgemm)
        text_printf(out,
                    "sgemm: median %.1f GFLOP/s, best %.1f; the median step reaches %.1f %% of the "
                    "median, the "
                    "shortest %.1f %% of the best\n",
                    bench->sgemm.median / 1e9, bench->sgemm.best / 1e9,
                    share_of(result->gflop, result->step_ms.median, bench->sgemm.median),
                    share_of(result->gflop, result->step_ms.min, bench->sgemm.best));
}

/* --- JSON --- */

/* Those that took time. */
static PhaseAnswer *phase_answers(const Bench *bench, Arena *arena, uint32_t *count)
{
    PhaseAnswer *answers = ARENA_ARRAY(arena, PhaseAnswer, PHASE_COUNT);
    *count = 0;
    for (int32_t phase = 0; phase < PHASE_COUNT; phase++) {
        const Spread ms = phase_ms(bench, (Phase)phase);
        if (ms.mean > 0.0)
            answers[(*count)++] = (PhaseAnswer){phase_names[phase], ms};
    }
    return answers;
}

static void print_json(const Bench *bench, const Result *result, Arena *arena, Text *out)
{
    const BenchTrainingOptions *options = bench->options;
    const Trainer *trainer = &bench->trainer;
    const SgemmRate sgemm = bench->sgemm;
    const PairAnswer none = {(double)NAN, (double)NAN};
    BenchTrainingAnswer answer = {
        .network = options->network,
        .precision = precision_names[options->precision],
        .backend = trainer->backend->name,
        .device = device_of(bench),
        .engines = engines_json(trainer->backend, trainer->model, &bench->net, arena),
        .ranks = comm_size(trainer->comm),
        .threads = options->threads,
        .batch_size = options->batch_size,
        .steps = options->steps,
        .images_per_s = result->images_per_s,
        .gflop_per_step = result->gflop,
        .gflop_per_s = result->gflop_per_s,
        .kernels = kernels_of(bench) > 0 ? kernels_of(bench) : PLAIN_UNKNOWN,
        .step_ms = result->step_ms,
        .profile = options->has_profile ? profile_json(trainer->profile, arena) : NULL,
        .sgemm_gflop_per_s = none,
        .sgemm_share_percent = none};
    answer.phases = phase_answers(bench, arena, &answer.phase_count);
    if (options->has_sgemm) {
        answer.sgemm_gflop_per_s = (PairAnswer){sgemm.median / 1e9, sgemm.best / 1e9};
        answer.sgemm_share_percent =
            (PairAnswer){share_of(result->gflop, result->step_ms.median, sgemm.median),
                         share_of(result->gflop, result->step_ms.min, sgemm.best)};
    }
    json_print(out, plain_write(arena, &bench_training_answer_type, &answer), JSON_INDENTED);
}

/* --- The program --- */

static bool run(Bench *bench, Arena *arena, Text *out, Status *status)
{
    int64_t took_ns = 0;
    if (!set_make(bench, arena, status) || !model_open(bench, status) ||
        !bench_run(bench, &took_ns, status))
        return false;
    if (comm_rank(bench->trainer.comm) != 0)
        return true;
    const Result result = result_of(bench, took_ns);
    if (bench->options->is_json)
        print_json(bench, &result, arena, out);
    else
        print_text(bench, &result, arena, out);
    return true;
}

static int bench_training(const BenchTrainingOptions *options, Arena *arena)
{
    Bench *bench = ARENA_NEW(arena, Bench);
    Trainer *trainer = &bench->trainer;
    Status status = {0};
    Text out = {0};
    *bench = (Bench){.options = options, .arena = arena};
    if (!comm_open(comm_words[options->comm], arena, &trainer->comm, &status))
        return report_status(&status);
    trainer->ready_ns = ARENA_ARRAY(arena, int64_t, comm_size(trainer->comm));
    const bool is_fine = run(bench, arena, &out, &status);
    const int exit_code = is_fine ? EXIT_FINE : report_status(&status);
    if (!is_fine && comm_size(trainer->comm) > 1)
        comm_abort(trainer->comm, exit_code); // other ranks may wait for this rank
    fputs(text_string(&out), stdout);
    text_free(&out);
    if (trainer->backend)
        trainer->backend->close(trainer->model);
    timeline_destroy(trainer->timeline);
    comm_close(trainer->comm);
    return exit_code;
}

int program_run(int argc, char **argv)
{
    Arena *arena = arena_create();
    BenchTrainingOptions options = bench_training_option_defaults;
    Operands operands;
    int exit_code;
    if (options_read(&bench_training_option_table, arena, argc, argv, &options, &operands,
                     &exit_code))
        exit_code = bench_training(&options, arena);
    arena_destroy(arena);
    return exit_code;
}
