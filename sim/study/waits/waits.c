#include "sim/study/waits/waits.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/units.h"

/* The time below which two waits count as equal: logs round to seconds and start jobs by rounds. */
#define EQUAL_NS (60 * NS_PER_S)

struct Waits {
    const JobList *list;
    const char *workload;
    int64_t *queued_ns;  /* [row] JOB_LIST_UNKNOWN: not submitted */
    int64_t *started_ns; /* [row] JOB_LIST_UNKNOWN: not started */
};

Waits *waits_create(Arena *arena, const JobList *list, const char *workload)
{
    Waits *waits = ARENA_NEW(arena, Waits);
    *waits = (Waits){.list = list,
                     .workload = workload,
                     .queued_ns = ARENA_ARRAY(arena, int64_t, list->count),
                     .started_ns = ARENA_ARRAY(arena, int64_t, list->count)};
    for (int64_t i = 0; i < list->count; i++)
        waits->queued_ns[i] = waits->started_ns[i] = JOB_LIST_UNKNOWN;
    return waits;
}

/* The row of "workspace/experiment/WORKLOAD-7"; -1 for a job of another workload. */
static int64_t row_of(const Waits *waits, const char *job)
{
    const char *slash = job != NULL ? strrchr(job, '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : job;
    const size_t length = strlen(waits->workload);
    if (name == NULL || strncmp(name, waits->workload, length) != 0 || name[length] != '-')
        return -1;
    int64_t number = 0;
    for (const char *c = name + length + 1; *c != '\0'; c++) {
        if (!ascii_is_digit(*c) || number > waits->list->count)
            return -1;
        number = number * 10 + (*c - '0');
    }
    return number >= 1 && number <= waits->list->count ? number - 1 : -1;
}

/* Only the first start counts: a job that lost its node waited before. */
static void take_row(void *listener, const TraceRow *row)
{
    Waits *waits = listener;
    if (row->record.kind != TRACE_JOB_STATE)
        return;
    const int64_t index = row_of(waits, row->job);
    if (index < 0)
        return;
    const char *state = row->record.name;
    int64_t *time_ns = strcmp(state, "queued") == 0    ? &waits->queued_ns[index]
                       : strcmp(state, "running") == 0 ? &waits->started_ns[index]
                                                       : NULL;
    if (time_ns != NULL && *time_ns == JOB_LIST_UNKNOWN)
        *time_ns = row->record.at_ns;
}

TraceListener waits_listener(Waits *waits)
{
    return (TraceListener){.listener = waits, .level = TRACE_LEVEL_JOBS, .row = take_row};
}

/* --- The comparison --- */

static int ascending(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static int64_t at_share(const int64_t *sorted, int64_t count, int64_t part, int64_t whole)
{
    const int64_t rank = mul_div_up(count, part, whole);
    return sorted[rank < 1 ? 0 : rank - 1];
}

static WaitSpread spread_of(const int64_t *sorted, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (double)sorted[i] / (double)NS_PER_S;
    return (WaitSpread){.mean_s = sum / (double)count,
                        .p50_ns = at_share(sorted, count, 50, 100),
                        .p95_ns = at_share(sorted, count, 95, 100),
                        .most_ns = sorted[count - 1]};
}

/* Both waits of the jobs of one class. */
typedef struct {
    int64_t *recorded_ns, *simulated_ns;
    int64_t count;
} Pairs;

static bool has_both(const Waits *waits, int64_t row)
{
    return waits->list->recorded_wait_ns != NULL &&
           waits->list->recorded_wait_ns[row] != JOB_LIST_UNKNOWN &&
           waits->started_ns[row] != JOB_LIST_UNKNOWN && waits->queued_ns[row] != JOB_LIST_UNKNOWN;
}

static void take_class(const Waits *waits, WaitClass *class, Pairs *pairs)
{
    pairs->count = 0;
    for (int64_t row = 0; row < waits->list->count; row++) {
        const int32_t gpus = waits->list->gpus[row];
        if (gpus < class->gpus_least || gpus > class->gpus_most || !has_both(waits, row))
            continue;
        const int64_t recorded_ns = waits->list->recorded_wait_ns[row];
        const int64_t simulated_ns = waits->started_ns[row] - waits->queued_ns[row];
        class->longer += simulated_ns - recorded_ns > EQUAL_NS;
        class->shorter += recorded_ns - simulated_ns > EQUAL_NS;
        pairs->recorded_ns[pairs->count] = recorded_ns;
        pairs->simulated_ns[pairs->count++] = simulated_ns;
    }
    class->jobs = pairs->count;
    if (pairs->count == 0)
        return;
    qsort(pairs->recorded_ns, (size_t)pairs->count, sizeof(int64_t), ascending);
    qsort(pairs->simulated_ns, (size_t)pairs->count, sizeof(int64_t), ascending);
    class->recorded = spread_of(pairs->recorded_ns, pairs->count);
    class->simulated = spread_of(pairs->simulated_ns, pairs->count);
}

static void take_quantiles(WaitComparison *comparison, const Pairs *pairs)
{
    for (int32_t i = 0; i < WAIT_QUANTILES && pairs->count > 0; i++) {
        comparison->recorded_ns[i] =
            at_share(pairs->recorded_ns, pairs->count, i + 1, WAIT_QUANTILES + 1);
        comparison->simulated_ns[i] =
            at_share(pairs->simulated_ns, pairs->count, i + 1, WAIT_QUANTILES + 1);
    }
}

const WaitComparison *waits_compare(Arena *arena, const Waits *waits)
{
    static const WaitClass classes[WAIT_CLASSES] = {
        {.name = "all jobs", .gpus_least = 0, .gpus_most = INT32_MAX},
        {.name = "at most 1 GPU", .gpus_least = 0, .gpus_most = 1},
        {.name = "2 to 4 GPUs", .gpus_least = 2, .gpus_most = 4},
        {.name = "5 to 8 GPUs", .gpus_least = 5, .gpus_most = 8},
        {.name = "more than 8 GPUs", .gpus_least = 9, .gpus_most = INT32_MAX}};
    WaitComparison *comparison = ARENA_NEW(arena, WaitComparison);
    const int64_t count = waits->list->count;
    Pairs pairs = {ARENA_ARRAY(arena, int64_t, count), ARENA_ARRAY(arena, int64_t, count), 0};
    comparison->jobs = count;
    for (int64_t row = 0; row < count; row++) {
        const bool is_recorded = waits->list->recorded_wait_ns != NULL &&
                                 waits->list->recorded_wait_ns[row] != JOB_LIST_UNKNOWN;
        comparison->unrecorded += !is_recorded;
        comparison->not_started += waits->started_ns[row] == JOB_LIST_UNKNOWN;
    }
    for (int32_t i = 0; i < WAIT_CLASSES; i++) {
        comparison->classes[i] = classes[i];
        take_class(waits, &comparison->classes[i], &pairs);
        if (i == 0)
            take_quantiles(comparison, &pairs);
    }
    return comparison;
}
