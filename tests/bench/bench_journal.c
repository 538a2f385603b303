/* Journals of large studies: resuming 10^6 runs, and merging 1,000 shards.
 *
 *     bench_journal      prints the table; exit code 1 when a bar is missed
 *
 * Processor seconds, user and system, so that other processes of the machine and the disk do not
 * count. A run has four metrics with all 17 digits, as results of simulations have. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim/base/invariant.h"
#include "sim/cli/files.h"
#include "sim/cli/report.h"
#include "sim/study/journal/merge.h"

enum { METRICS = 4, POINTS = 1000, REPLICATIONS = 1000, SHARDS = 1000 };

static const char *const metrics[METRICS] = {"workloads.day.queue_s.mean",
                                             "workloads.day.waited_within(20m)", "cost_usd.total",
                                             "utilisation"};
static const JournalIdentity identity = {.version = "bench",
                                         .rng = "philox4x32-10",
                                         .study = "0123456789abcdef",
                                         .scenario = "0123456789abcdef",
                                         .catalogue = "0123456789abcdef",
                                         .workloads = "",
                                         .metrics = metrics,
                                         .metric_count = METRICS};

static double processor_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void require(bool is_right, const Status *status)
{
    if (is_right)
        return;
    fprintf(stderr, "bench_journal: %s\n", status->message);
    exit(EXIT_MACHINE);
}

static void append_run(Journal *journal, int32_t point, int32_t replication)
{
    static const uint8_t flags[METRICS];
    const double part = (1 + point) / (1.0 + replication);
    const double values[METRICS] = {1601.4 * part, 1 / (1 + part), 17.23 * part, part / 1001};
    Status status;
    const bool is_written =
        journal_append(journal,
                       &(RunRecord){.point = point,
                                    .replication = replication,
                                    .seed = (uint64_t)replication + 1,
                                    .value_count = METRICS,
                                    .values = values,
                                    .flags = flags,
                                    .fingerprint = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)point},
                       &status);
    require(is_written, &status);
}

/* Writes points first to last - 1 into the journal of `shard`. */
static void write_runs(const char *folder, int32_t shard, int32_t first, int32_t last)
{
    Arena *arena = arena_create();
    Status status;
    Journal *journal = journal_open(arena, folder, &identity, shard, 0, &status);
    require(journal != NULL, &status);
    for (int32_t point = first; point < last; point++)
        for (int32_t i = 0; i < REPLICATIONS; i++)
            append_run(journal, point, i);
    require(journal_close(journal, &status), &status);
    arena_destroy(arena);
}

/* Opening and scanning the journal of all runs, as a study does that continues. */
static double resume(const char *folder)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    RunRecords records;
    Status status;
    const double begin_s = processor_s();
    Journal *journal = journal_open(arena, folder, &identity, 0, 0, &status);
    require(journal != NULL, &status);
    require(journal_scan(arena, folder, &identity, &records, &problems), problems.items);
    require(journal_close(journal, &status), &status);
    const double seconds = processor_s() - begin_s;
    invariant(records.count == (int64_t)POINTS * REPLICATIONS);
    arena_destroy(arena);
    return seconds;
}

/* Each shard has its own folder with a thousandth of the runs. */
static double merge(Arena *arena, const char *folder)
{
    const char *folders[SHARDS];
    for (int32_t i = 0; i < SHARDS; i++) {
        folders[i] = arena_printf(arena, "%s/shard-%d", folder, i);
        write_runs(folders[i], i, i * (POINTS / SHARDS), (i + 1) * (POINTS / SHARDS));
    }
    Problems problems = problems_create(arena);
    JournalMerge merged;
    const char *target = arena_printf(arena, "%s/merged", folder);
    const double begin_s = processor_s();
    require(journal_merge(arena, folders, SHARDS, target, &merged, &problems), problems.items);
    const double seconds = processor_s() - begin_s;
    invariant(merged.added_count == (int64_t)POINTS * REPLICATIONS);
    return seconds;
}

static bool print_row(const char *name, double seconds, double bar_s)
{
    if (bar_s <= 0) {
        printf("  %-52s %6.2f s\n", name, seconds);
        return true;
    }
    const bool is_met = seconds <= bar_s;
    printf("  %-52s %6.2f s  %s (at most %g)\n", name, seconds, is_met ? "met" : "MISSED", bar_s);
    return is_met;
}

int main(void)
{
    Arena *arena = arena_create();
    Status status;
    const char *folder = folder_create_temporary(arena, "bench-journal-", &status);
    require(folder != NULL, &status);
    const char *whole = arena_printf(arena, "%s/whole", folder);
    const double begin_s = processor_s();
    write_runs(whole, 0, 0, POINTS);
    bool is_met = print_row("writing 1,000,000 runs of 4 metrics", processor_s() - begin_s, 0);
    is_met &= print_row("resuming 1,000,000 runs", resume(whole), 2);
    is_met &= print_row("merging 1,000 shards of 1,000 runs", merge(arena, folder), 10);
    const bool is_removed = folder_remove(folder, &status);
    require(is_removed, &status);
    arena_destroy(arena);
    return is_met ? EXIT_SUCCESS : EXIT_FAILURE;
}
