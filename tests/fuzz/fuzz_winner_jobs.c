/* Any bytes as the jobs of a plan's winner: jobs with curves whose shares are in [0, 1] and rise,
 * or a message with a place. */
#include <math.h>
#include <stdint.h>

#include "sim/base/invariant.h"
#include "sim/study/answer/winner_jobs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_waits(Arena *arena, const WinnerJobs *jobs)
{
    WaitCurve curves[WAIT_CLASSES_MAX];
    const int32_t count = winner_wait_curves(arena, jobs, curves);
    invariant(count <= WAIT_CLASSES_MAX);
    for (int32_t c = 0; c < count; c++)
        for (int32_t k = 0; k < curves[c].count; k++) {
            invariant(curves[c].shares[k] >= 0 && curves[c].shares[k] <= 1);
            invariant(k == 0 || curves[c].shares[k] >= curves[c].shares[k - 1]);
            invariant(k == 0 || curves[c].x_s[k] > curves[c].x_s[k - 1]);
        }
}

static void check_queue(Arena *arena, const WinnerJobs *jobs)
{
    const QueueCurve queue = winner_queue(arena, jobs, 60, 7);
    for (int32_t k = 0; k < queue.count; k++)
        invariant(queue.mean[k] >= 0 && isfinite(queue.mean[k]) && queue.p95[k] >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    WinnerJobs jobs;
    if (winner_jobs_parse(arena, "fuzz", (const char *)data, size, &jobs, &problems)) {
        invariant(jobs.run_count <= WINNER_RUNS_MAX);
        check_waits(arena, &jobs);
        check_queue(arena, &jobs);
    } else {
        invariant(problems.count > 0 && problems.items[0].message[0] != '\0');
        invariant(problems.items[0].code == STATUS_BAD_INPUT);
    }
    arena_destroy(arena);
    return 0;
}
