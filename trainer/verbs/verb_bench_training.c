/* `trainyard bench-training`: the steps of a training, timed, without epochs and files. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/philox.h"
#include "sim/base/table.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cli/report.h"
#include "trainer/options/bench_training_options.h"
#include "trainer/sgemm_rate.h"
#include "trainer/shuffle.h"
#include "trainer/step.h"
#include "trainer/verbs/program.h"

typedef struct {
    const BenchTrainingOptions *options;
    Net net;
    ImageSet set;
    int32_t *order;
    LayerTimes times;
    SgemmRate sgemm; /* 0: not measured */
    Trainer trainer;
} Bench;

/* --- What is trained on --- */

/* As many as CIFAR-10 has, so that fetching them costs what it costs there. */
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
        return status_fail(status, STATUS_BAD_INPUT,
                           place_in("trainyard: bench-training: --batch-size", 0, 0),
                           "is %" PRId64 ", but the set has %" PRId32 " images",
                           options->batch_size, bench->set.count);
    bench->order = ARENA_ARRAY(arena, int32_t, bench->set.count);
    shuffle_order((uint64_t)options->seed, (uint32_t)comm_rank(bench->trainer.comm), 0,
                  bench->set.count, bench->order);
    return true;
}

/* --- The model --- */

static bool model_open(Bench *bench, Status *status)
{
    const BenchTrainingOptions *options = bench->options;
    Trainer *trainer = &bench->trainer;
    const BackendSettings settings = {
        .net = &bench->net,
        .batch_max = (int32_t)options->batch_size,
        .precision = (Precision)options->precision,
        .threads = (int32_t)options->threads,
        .seed = (uint64_t)options->seed,
        .rank = (uint32_t)comm_rank(trainer->comm),
        .times = options->has_layers ? &bench->times : NULL,
    };
    if (!net_build(options->network, &bench->net, status))
        return false;
    trainer->backend = backend_find(backend_words[options->backend], settings.precision, status);
    if (!trainer->backend || !trainer->backend->open(&settings, &trainer->model, status))
        return false;
    trainer->net = &bench->net;
    trainer->optimizer = rmsprop_of_keras(1e-4 * comm_size(trainer->comm));
    net_initial_weights(&bench->net, settings.seed,
                        trainer->backend->arena(trainer->model, ARENA_WEIGHTS));
    return trainer_broadcast(trainer, status);
}

/* --- Steps --- */

static bool steps_run(Bench *bench, int64_t first, int64_t count, Status *status)
{
    const int64_t batch_size = bench->options->batch_size;
    const int64_t batches = bench->set.count / batch_size;
    for (int64_t step = first; step < first + count; step++) {
        const Batch batch = {.set = &bench->set,
                             .indices = bench->order + step % batches * batch_size,
                             .count = (int32_t)batch_size,
                             .step = (uint64_t)step,
                             .is_augmented = true};
        Score score;
        if (!trainer_step(&bench->trainer, &batch, &score, status))
            return false;
    }
    return true;
}

/* Called before and after the steps, because a machine's clock may wander: the median is the mean
 * of both. */
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

/* Warms up, then times; `took_ns` is of all timed steps, between barriers. */
static bool bench_run(Bench *bench, int64_t *took_ns, Status *status)
{
    const BenchTrainingOptions *options = bench->options;
    Comm *comm = bench->trainer.comm;
    if (!sgemm_measure(bench, status) || !steps_run(bench, 0, options->warmup, status) ||
        !comm_barrier(comm, status))
        return false;
    bench->times = (LayerTimes){0};
    int64_t begin_ns = timeline_clock_ns();
    bench->trainer.timeline = timeline_create(comm_rank(comm), comm_size(comm), begin_ns);
    if (!steps_run(bench, options->warmup, options->steps, status) || !comm_barrier(comm, status))
        return false;
    *took_ns = timeline_clock_ns() - begin_ns;
    return sgemm_measure(bench, status);
}

/* --- Results --- */

/* Milliseconds a step. */
typedef struct {
    double mean, min, median, p90;
} Times;

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static Times times_of(double *each, int64_t count)
{
    Times times = {0};
    for (int64_t i = 0; i < count; i++)
        times.mean += each[i] / (double)count;
    qsort(each, (size_t)count, sizeof *each, by_size);
    times.min = each[0];
    times.median = each[count / 2];
    times.p90 = each[(count - 1) * 9 / 10];
    return times;
}

/* The part of a step that is a phase; PHASE_COUNT: all of it. */
static Times phase_times(const Bench *bench, Phase phase)
{
    const TimelineFile timeline = timeline_view(bench->trainer.timeline);
    const int64_t steps = bench->options->steps;
    double *each = memory_zeroed((size_t)steps * sizeof *each);
    const TimelineSpan *spans = timeline.spans;
    for (int64_t i = 0; i < timeline.count; i++)
        if (phase == PHASE_COUNT || spans[i].phase == phase)
            each[spans[i].step - bench->options->warmup] +=
                (double)(spans[i].end_ns - spans[i].begin_ns) / (double)NS_PER_MS;
    Times times = times_of(each, steps);
    free(each);
    return times;
}

typedef struct {
    double images_per_s; /* of all ranks */
    double gflop;        /* a step of one rank */
    double gflops;       /* per second and rank */
    Times step;
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
        .step = phase_times(bench, PHASE_COUNT),
    };
    result.gflops = result.gflop * steps / took_s;
    return result;
}

/* A step of `gflop` in `ms` as a share of the rate, in percent. */
static double share_of(double gflop, double ms, double flops_per_s)
{
    return 100.0 * gflop * 1e9 / (ms * 1e-3) / flops_per_s;
}

/* --- Printing --- */

static void row_of_times(Table *table, const char *name, Times times, double step_mean)
{
    Text cells[5] = {0};
    const double values[] = {times.min, times.median, times.mean, times.p90};
    for (int32_t i = 0; i < 4; i++)
        text_printf(&cells[i], "%.3f", values[i]);
    text_printf(&cells[4], "%.1f", 100.0 * times.mean / step_mean);
    table_row(table, (const char *[]){name, text_string(&cells[0]), text_string(&cells[1]),
                                      text_string(&cells[2]), text_string(&cells[3]),
                                      text_string(&cells[4])});
    for (int32_t i = 0; i < 5; i++)
        text_free(&cells[i]);
}

static void print_phases(const Bench *bench, const Result *result, Arena *arena, Text *out)
{
    static const TableColumn columns[] = {{"Phase", TABLE_TEXT},       {"Min ms", TABLE_NUMBER},
                                          {"Median ms", TABLE_NUMBER}, {"Mean ms", TABLE_NUMBER},
                                          {"P90 ms", TABLE_NUMBER},    {"%", TABLE_NUMBER}};
    Table *table = table_create(arena, columns, sizeof columns / sizeof columns[0]);
    for (int32_t phase = 0; phase < PHASE_COUNT; phase++) {
        Times times = phase_times(bench, (Phase)phase);
        if (times.mean > 0.0)
            row_of_times(table, phase_names[phase], times, result->step.mean);
    }
    row_of_times(table, "step", result->step, result->step.mean);
    table_print(table, out);
}

static double layer_ms(const Bench *bench, int64_t ns)
{
    return (double)ns / (double)bench->options->steps / (double)NS_PER_MS;
}

static void print_layers(const Bench *bench, Arena *arena, Text *out)
{
    static const TableColumn columns[] = {
        {"Layer", TABLE_TEXT}, {"Forward ms", TABLE_NUMBER}, {"Backward ms", TABLE_NUMBER}};
    Table *table = table_create(arena, columns, sizeof columns / sizeof columns[0]);
    for (int32_t i = 0; i < bench->net.layer_count; i++) {
        Text forward = {0}, backward = {0};
        text_printf(&forward, "%.3f", layer_ms(bench, bench->times.forward_ns[i]));
        text_printf(&backward, "%.3f", layer_ms(bench, bench->times.backward_ns[i]));
        table_row(table, (const char *[]){bench->net.layers[i].name, text_string(&forward),
                                          text_string(&backward)});
        text_free(&forward);
        text_free(&backward);
    }
    text_add(out, "\n");
    table_print(table, out);
}

static void print_text(const Bench *bench, const Result *result, Arena *arena, Text *out)
{
    const BenchTrainingOptions *options = bench->options;
    text_printf(out,
                "%s, %s, backend %s, %" PRId32 " rank%s of %" PRId64
                " thread%s, batches of %" PRId64 ", %" PRId64 " steps\n\n",
                options->network, precision_names[options->precision], bench->trainer.backend->name,
                comm_size(bench->trainer.comm), comm_size(bench->trainer.comm) == 1 ? "" : "s",
                options->threads, options->threads == 1 ? "" : "s", options->batch_size,
                options->steps);
    print_phases(bench, result, arena, out);
    if (options->has_layers)
        print_layers(bench, arena, out);
    text_printf(out, "\n%.0f images/s, %.1f GFLOP/s a rank (%.3f GFLOP a step)\n",
                result->images_per_s, result->gflops, result->gflop);
    if (options->has_sgemm)
        text_printf(out,
                    "sgemm: %.1f GFLOP/s, at best %.1f; the median step reaches %.1f %% of it, the "
                    "shortest %.1f %% of the best\n",
                    bench->sgemm.median / 1e9, bench->sgemm.best / 1e9,
                    share_of(result->gflop, result->step.median, bench->sgemm.median),
                    share_of(result->gflop, result->step.min, bench->sgemm.best));
}

static void json_times(Text *out, Times times)
{
    text_printf(out, "{\"min\": %.4f, \"median\": %.4f, \"mean\": %.4f, \"p90\": %.4f}", times.min,
                times.median, times.mean, times.p90);
}

static void json_phases(const Bench *bench, Text *out)
{
    text_add(out, ", \"phases_ms\": {");
    for (int32_t phase = 0, printed = 0; phase < PHASE_COUNT; phase++) {
        Times times = phase_times(bench, (Phase)phase);
        if (times.mean <= 0.0)
            continue;
        text_printf(out, "%s\"%s\": ", printed++ > 0 ? ", " : "", phase_names[phase]);
        json_times(out, times);
    }
    text_add(out, "}");
}

static void json_layers(const Bench *bench, Text *out)
{
    text_add(out, ", \"layers_ms\": {");
    for (int32_t i = 0; i < bench->net.layer_count; i++)
        text_printf(out, "%s\"%s\": {\"forward\": %.4f, \"backward\": %.4f}", i > 0 ? ", " : "",
                    bench->net.layers[i].name, layer_ms(bench, bench->times.forward_ns[i]),
                    layer_ms(bench, bench->times.backward_ns[i]));
    text_add(out, "}");
}

static void print_json(const Bench *bench, const Result *result, Text *out)
{
    const BenchTrainingOptions *options = bench->options;
    text_printf(
        out,
        "{\"network\": \"%s\", \"precision\": \"%s\", \"backend\": \"%s\", \"ranks\": %" PRId32
        ", \"threads\": %" PRId64 ", \"batch_size\": %" PRId64 ", \"steps\": %" PRId64
        ", \"images_per_s\": %.1f, \"gflop_per_step\": %.4f, \"gflops\": %.2f, "
        "\"step_ms\": ",
        options->network, precision_names[options->precision], bench->trainer.backend->name,
        comm_size(bench->trainer.comm), options->threads, options->batch_size, options->steps,
        result->images_per_s, result->gflop, result->gflops);
    json_times(out, result->step);
    json_phases(bench, out);
    if (options->has_layers)
        json_layers(bench, out);
    if (options->has_sgemm)
        text_printf(out,
                    ", \"sgemm_gflops\": {\"median\": %.2f, \"best\": %.2f}, "
                    "\"sgemm_share_percent\": {\"median\": %.2f, \"best\": %.2f}",
                    bench->sgemm.median / 1e9, bench->sgemm.best / 1e9,
                    share_of(result->gflop, result->step.median, bench->sgemm.median),
                    share_of(result->gflop, result->step.min, bench->sgemm.best));
    text_add(out, "}\n");
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
        print_json(bench, &result, out);
    else
        print_text(bench, &result, arena, out);
    return true;
}

static int bench_training(const BenchTrainingOptions *options, Arena *arena)
{
    Bench *bench = ARENA_NEW(arena, Bench);
    Status status = {0};
    Text out = {0};
    *bench = (Bench){.options = options};
    if (!comm_open(comm_words[options->comm], arena, &bench->trainer.comm, &status))
        return report_status(&status);
    Comm *comm = bench->trainer.comm;
    bench->trainer.ready_ns = ARENA_ARRAY(arena, int64_t, comm_size(comm));
    if (!run(bench, arena, &out, &status)) {
        int exit_code = report_status(&status);
        if (comm_size(comm) > 1)
            comm_abort(comm, exit_code); // the others may be waiting for this rank
        return exit_code;
    }
    fputs(text_string(&out), stdout);
    text_free(&out);
    bench->trainer.backend->close(bench->trainer.model);
    timeline_destroy(bench->trainer.timeline);
    comm_close(comm);
    return EXIT_FINE;
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
