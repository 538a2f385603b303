/* `trainyard bench-allreduce`: prints a table like nccl-tests, or JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/cli/json_file.h"
#include "sim/cli/program.h"
#include "sim/cli/report.h"
#include "sim/schema/plain.h"
#include "tools/trainyard/train/bench_allreduce_answer.h"
#include "tools/trainyard/train/bench_allreduce_options.h"
#include "trainer/base/floats.h"
#include "trainer/comm/allreduce_bench.h"
#include "trainer/comm/comm_words.h"
#include "trainer/comm/cores.h"
#include "trainer/compute/net.h"

enum { FLOAT_BYTES = sizeof(float) };
#define SIZE_MAX_BYTES (INT64_C(4) << 30) // MPI's counts have type int; gradients are much smaller

typedef struct {
    int64_t bytes;
    SumTiming out_of_place, in_place;
} Row;

enum { ROWS_MAX = 32 }; // from 4 B to 4 GiB, doubled each time

typedef struct {
    const BenchAllreduceOptions *options;
    Comm *comm;
    Row rows[ROWS_MAX];
    int32_t row_count;
    int64_t gradient_bytes;
    const char *network;
    Spread gradients_us;
} Results;

/* --- Measuring --- */

static bool check_options(const BenchAllreduceOptions *options, Status *status)
{
    const Place min_size = place_in("--min-size", 0, 0);
    const Place max_size = place_in("--max-size", 0, 0);
    if (options->min_bytes < FLOAT_BYTES)
        return status_fail(status, STATUS_BAD_INPUT, min_size,
                           "is %" PRId64 " B, expected at least the %d B of a float",
                           options->min_bytes, FLOAT_BYTES);
    if (options->between_bytes > SIZE_MAX_BYTES)
        return status_fail(status, STATUS_BAD_INPUT, place_in("--between", 0, 0),
                           "is %" PRId64 " B, expected at most 4GiB", options->between_bytes);
    if (options->max_bytes > SIZE_MAX_BYTES)
        return status_fail(status, STATUS_BAD_INPUT, max_size,
                           "is %" PRId64 " B, expected at most 4GiB", options->max_bytes);
    if (options->min_bytes > options->max_bytes)
        return status_fail(status, STATUS_BAD_INPUT, min_size,
                           "is %" PRId64 " B, more than the %" PRId64 " B of --max-size",
                           options->min_bytes, options->max_bytes);
    return true;
}

static void print_header(const Results *results);
static void print_row(const Results *results, const Row *row);

/* Measures all rows. Rank 0 prints each row at once, unless the output is JSON. */
static bool measure_rows(const AllreduceBench *bench, Results *results, Status *status)
{
    const BenchAllreduceOptions *options = results->options;
    const bool prints = comm_rank(results->comm) == 0 && !options->is_json;
    for (int64_t bytes = options->min_bytes; bytes <= options->max_bytes;
         bytes *= options->factor) {
        const int64_t count = bytes / FLOAT_BYTES;
        Row *row = &results->rows[results->row_count++];
        row->bytes = count * FLOAT_BYTES;
        if (!allreduce_bench_time(bench, count, false, &row->out_of_place, status) ||
            !allreduce_bench_time(bench, count, true, &row->in_place, status))
            return false;
        if (prints)
            print_row(results, row);
    }
    return true;
}

/* NCCL sums values on GPUs. A build without NCCL has already refused the word. */
static const SumPlace *place_of(const BenchAllreduceOptions *options)
{
#ifdef TRAINYARD_HAVE_NCCL
    if (strcmp(comm_words[options->comm], "nccl") == 0)
        return &sum_place_gpu;
#endif
    (void)options;
    return &sum_place_memory;
}

static bool measure(Results *results, Status *status)
{
    const BenchAllreduceOptions *options = results->options;
    const int64_t largest =
        options->max_bytes > results->gradient_bytes ? options->max_bytes : results->gradient_bytes;
    AllreduceBench bench;
    if (!allreduce_bench_open(results->comm, place_of(options), largest / FLOAT_BYTES, &bench,
                              status))
        return false;
    bench.iterations = options->iterations;
    bench.warmup = options->warmup;
    bench.checks = options->checks;
    bench.between_count = (options->between_bytes + FLOAT_BYTES - 1) / FLOAT_BYTES;
    bench.between = bench.between_count > 0 ? floats_zeroed(bench.between_count) : NULL;
    if (comm_rank(results->comm) == 0 && !options->is_json)
        print_header(results);
    bool is_fine = measure_rows(&bench, results, status) &&
                   allreduce_bench_spread(&bench, results->gradient_bytes / FLOAT_BYTES,
                                          &results->gradients_us, status);
    free(bench.between);
    allreduce_bench_close(&bench);
    return is_fine;
}

static double wrong_values(const Results *results)
{
    double wrong = 0;
    for (int32_t i = 0; i < results->row_count; i++)
        wrong += results->rows[i].out_of_place.wrong + results->rows[i].in_place.wrong;
    return wrong;
}

static double mean_bus_bandwidth(const Results *results)
{
    const int32_t ranks = comm_size(results->comm);
    double sum = 0;
    for (int32_t i = 0; i < results->row_count; i++) {
        const Row *row = &results->rows[i];
        sum += bus_bandwidth(row->bytes, row->out_of_place.time_us, ranks) +
               bus_bandwidth(row->bytes, row->in_place.time_us, ranks);
    }
    return sum / (2 * results->row_count);
}

/* --- The table, with the widths and digits of nccl-tests, so that its parsers can read it --- */

static void print_header(const Results *results)
{
    const BenchAllreduceOptions *options = results->options;
    const Comm *comm = results->comm;
    printf("# %" PRId32 " rank%s by %s, %" PRId32 " on the machine of rank 0 with %" PRId32
           " core%s; %" PRId64 " sums to warm up, %" PRId64 " timed\n",
           comm_size(comm), plural(comm_size(comm)), comm_name(comm), comm_local_size(comm),
           comm_local_cores(comm), plural(comm_local_cores(comm)), options->warmup,
           options->iterations);
    puts("# Training sums in place; out-of-place copies the values first.\n#");
    printf("# %10s  %12s  %8s  %6s  %6s           out-of-place                       in-place\n",
           "", "", "", "", "");
    printf("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %6s  %7s  %6s  %6s  %6s\n", "size", "count",
           "type", "redop", "root", "time", "algbw", "busbw", "#wrong", "time", "algbw", "busbw",
           "#wrong");
    printf("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %6s  %7s  %6s  %6s\n", "(B)", "(elements)",
           "", "", "", "(us)", "(GB/s)", "(GB/s)", "", "(us)", "(GB/s)", "(GB/s)");
    fflush(stdout);
}

static void print_timing(const Results *results, int64_t bytes, const SumTiming *timing)
{
    const double time_us = timing->time_us;
    const int digits = time_us >= 10000 ? 0 : time_us >= 100 ? 1 : 2;
    printf("  %7.*f  %6.2f  %6.2f  ", digits, time_us, algorithm_bandwidth(bytes, time_us),
           bus_bandwidth(bytes, time_us, comm_size(results->comm)));
    if (results->options->checks)
        printf("%6.0f", timing->wrong);
    else
        printf("%6s", "N/A");
}

static void print_row(const Results *results, const Row *row)
{
    printf("%12" PRId64 "  %12" PRId64 "  %8s  %6s  %6d", row->bytes, row->bytes / FLOAT_BYTES,
           "float", "sum", -1);
    print_timing(results, row->bytes, &row->out_of_place);
    print_timing(results, row->bytes, &row->in_place);
    putchar('\n');
    fflush(stdout); // the next row may take minutes
}

static void print_footer(const Results *results)
{
    const Spread *spread_us = &results->gradients_us;
    if (results->options->checks)
        printf("# Out of bounds values : %.0f %s\n", wrong_values(results),
               wrong_values(results) > 0 ? "FAILED" : "OK");
    printf("# Avg bus bandwidth    : %g\n", mean_bus_bandwidth(results));
    printf("# Gradients of %s (%" PRId64
           " B) in place: median %.3f ms, min %.3f ms, p90 %.3f ms, busbw %.2f GB/s\n",
           results->network, results->gradient_bytes, spread_us->median / 1000,
           spread_us->min / 1000, spread_us->p90 / 1000,
           bus_bandwidth(results->gradient_bytes, spread_us->median, comm_size(results->comm)));
}

/* --- JSON --- */

static SumAnswer sum_answer(const Results *results, int64_t bytes, const SumTiming *timing)
{
    return (SumAnswer){.time_us = timing->time_us,
                       .algorithm_gb_per_s = algorithm_bandwidth(bytes, timing->time_us),
                       .bus_gb_per_s =
                           bus_bandwidth(bytes, timing->time_us, comm_size(results->comm)),
                       .wrong = results->options->checks ? (int64_t)timing->wrong : PLAIN_UNKNOWN};
}

static SumRowAnswer *row_answers(Arena *arena, const Results *results)
{
    SumRowAnswer *rows = ARENA_ARRAY(arena, SumRowAnswer, results->row_count);
    for (int32_t i = 0; i < results->row_count; i++) {
        const Row *row = &results->rows[i];
        rows[i] =
            (SumRowAnswer){.bytes = row->bytes,
                           .count = row->bytes / FLOAT_BYTES,
                           .type = "float",
                           .operation = "sum",
                           .out_of_place = sum_answer(results, row->bytes, &row->out_of_place),
                           .in_place = sum_answer(results, row->bytes, &row->in_place)};
    }
    return rows;
}

static void print_json(Arena *arena, const Results *results)
{
    const Comm *comm = results->comm;
    const BenchAllreduceAnswer answer = {.version = TRAINYARD_VERSION,
                                         .comm = comm_name(comm),
                                         .ranks = comm_size(comm),
                                         .local_ranks = comm_local_size(comm),
                                         .local_cores = comm_local_cores(comm),
                                         .warmup = results->options->warmup,
                                         .iterations = results->options->iterations,
                                         .between_bytes = results->options->between_bytes,
                                         .rows = row_answers(arena, results),
                                         .row_count = (uint32_t)results->row_count,
                                         .mean_bus_gb_per_s = mean_bus_bandwidth(results),
                                         .gradients = {.network = results->network,
                                                       .bytes = results->gradient_bytes,
                                                       .median_us = results->gradients_us.median,
                                                       .min_us = results->gradients_us.min,
                                                       .p90_us = results->gradients_us.p90}};
    json_show(plain_write(arena, &bench_allreduce_answer_type, &answer));
}

/* --- The verb --- */

static void warn_if_crowded(Arena *arena, const Comm *comm)
{
    Problems warnings = problems_create(arena);
    cores_warn(&warnings, comm_local_size(comm), 1, comm_local_cores(comm));
    report_warnings(&warnings);
}

static bool run(Arena *arena, Results *results, Status *status)
{
    const bool speaks = comm_rank(results->comm) == 0;
    Net net;
    if (!net_build("keras_cifar10_cnn", &net, status))
        return false;
    results->network = net.keras->name;
    results->gradient_bytes = net.parameter_count * FLOAT_BYTES;
    if (speaks)
        warn_if_crowded(arena, results->comm);
    if (!measure(results, status))
        return false;
    if (speaks && results->options->is_json)
        print_json(arena, results);
    else if (speaks)
        print_footer(results);
    return true;
}

/* All ranks have the same wrong options, so only rank 0 reports them. */
static int run_checked(Arena *arena, Results *results)
{
    Status status;
    if (!check_options(results->options, &status))
        return comm_rank(results->comm) == 0 ? report_status(&status) : exit_code_of(status.code);
    if (!run(arena, results, &status))
        comm_abort(results->comm, report_status(&status));
    return wrong_values(results) > 0 ? EXIT_NO : EXIT_FINE;
}

int program_run(int argc, char **argv)
{
    Arena *arena = arena_create();
    BenchAllreduceOptions options = bench_allreduce_defaults;
    Operands operands;
    Status status;
    int exit_code;
    Results results = {.options = &options};
    if (!options_read(&bench_allreduce_option_table, arena, argc, argv, &options, &operands,
                      &exit_code)) {
        // options_read has reported it
    } else if (!comm_open(comm_words[options.comm], arena, &results.comm, &status)) {
        exit_code = report_status(&status);
    } else {
        exit_code = run_checked(arena, &results);
        comm_close(results.comm);
    }
    arena_destroy(arena);
    return exit_code;
}
