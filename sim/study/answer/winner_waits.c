/* Private to sim/study/plan: the curves of winner_jobs.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "sim/study/answer/winner_jobs.h"
#include "sim/study/point_estimate.h"
#include "sim/study/statistics/sample.h"

/* --- Waits --- */

enum { STEPS = 48 };

/* The jobs of one curve. */
typedef struct {
    const WinnerJobs *jobs;
    int64_t size; /* -1: all */
} Class;

static bool is_in(const Class *class, const WinnerJob *job)
{
    return class->size < 0 || job->size == class->size;
}

static double longest_wait(const WinnerJobs *jobs)
{
    double longest = 0;
    for (int64_t i = 0; i < jobs->count; i++)
        longest = fmax(longest, jobs->jobs[i].queue_s);
    return longest;
}

/* STEPS times from 1 s to the longest wait in equal ratios, by square roots alone: the ratio is
 * found by bisection. */
static const double *wait_steps(Arena *arena, double longest)
{
    double *x = ARENA_ARRAY(arena, double, STEPS);
    double low = 1, high = 3;
    longest = fmax(longest, 2);
    for (int32_t i = 0; i < 60; i++) {
        const double ratio = (low + high) / 2;
        double reached = 1;
        for (int32_t k = 1; k < STEPS; k++)
            reached *= ratio;
        *(reached < longest ? &low : &high) = ratio;
    }
    x[0] = 1;
    for (int32_t k = 1; k < STEPS; k++)
        x[k] = x[k - 1] * high;
    return x;
}

/* A share rises with the time, so a bound of a shorter wait is one of a longer wait, too: without
 * it, a share that is 1 in all runs, which has no variance, would have a lower bound below those of
 * shorter waits. */
static void raise_bounds(double *low, double *high)
{
    for (int32_t k = 1; k < STEPS; k++)
        low[k] = fmax(low[k], low[k - 1]);
    for (int32_t k = STEPS - 2; k >= 0; k--)
        high[k] = fmin(high[k], high[k + 1]);
}

/* Counts, for each run, the jobs of a class and those that waited at most x[k]. */
static void count_jobs(const Class *class, const double *x, int64_t *all, int64_t *within)
{
    for (int64_t i = 0; i < class->jobs->count; i++) {
        const WinnerJob *job = &class->jobs->jobs[i];
        if (!is_in(class, job))
            continue;
        all[job->run]++;
        for (int32_t k = STEPS - 1; !job->is_waiting && k >= 0 && job->queue_s <= x[k]; k--)
            within[(int64_t)k * class->jobs->run_count + job->run]++;
    }
}

static WaitCurve curve_of(Arena *arena, const Class *class, const char *name, const double *x)
{
    const int32_t runs = class->jobs->run_count;
    int64_t *all = ARENA_ARRAY(arena, int64_t, runs);
    int64_t *within = ARENA_ARRAY(arena, int64_t, (size_t)runs * STEPS);
    int64_t *counts = ARENA_ARRAY(arena, int64_t, runs);
    double *shares = ARENA_ARRAY(arena, double, STEPS), *low = ARENA_ARRAY(arena, double, STEPS);
    double *high = ARENA_ARRAY(arena, double, STEPS), *of_run = ARENA_ARRAY(arena, double, runs);
    WaitCurve curve = {
        .name = name, .count = STEPS, .x_s = x, .shares = shares, .low = low, .high = high};
    count_jobs(class, x, all, within);
    for (int32_t k = 0; k < STEPS; k++) {
        int64_t sum = 0, jobs = 0;
        int32_t used = 0;
        for (int32_t r = 0; r < runs; r++) {
            const int64_t found = within[(int64_t)k * runs + r];
            if (all[r] == 0)
                continue;
            sum += found;
            jobs += all[r];
            counts[used] = all[r];
            of_run[used++] = (double)found / (double)all[r];
        }
        curve.job_count = jobs;
        shares[k] = jobs > 0 ? (double)sum / (double)jobs : (double)NAN;
        const Interval interval = used > 0 ? estimate_share(of_run, counts, used, STUDY_CONFIDENCE)
                                           : (Interval){.low = (double)NAN, .high = (double)NAN};
        low[k] = interval.low;
        high[k] = interval.high;
    }
    raise_bounds(low, high);
    return curve;
}

typedef struct {
    int64_t size, count;
} SizeCount;

static int by_size(const void *left, const void *right)
{
    const SizeCount *a = left, *b = right;
    return (a->size > b->size) - (a->size < b->size);
}

static int by_count(const void *left, const void *right)
{
    const SizeCount *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return by_size(left, right);
}

/* The sizes of jobs, those with most jobs first; returns their number. */
static int32_t sizes_of(Arena *arena, const WinnerJobs *jobs, SizeCount **sizes)
{
    SizeCount *found = ARENA_ARRAY(arena, SizeCount, jobs->count);
    int32_t count = 0;
    for (int64_t i = 0; i < jobs->count; i++)
        found[i] = (SizeCount){jobs->jobs[i].size, 1};
    qsort(found, (size_t)jobs->count, sizeof *found, by_size);
    for (int64_t i = 0; i < jobs->count; i++) {
        if (count > 0 && found[count - 1].size == found[i].size)
            found[count - 1].count++;
        else
            found[count++] = (SizeCount){found[i].size, 1};
    }
    qsort(found, (size_t)count, sizeof *found, by_count);
    *sizes = found;
    return count;
}

int32_t winner_wait_curves(Arena *arena, const WinnerJobs *jobs, WaitCurve *curves)
{
    SizeCount *sizes;
    if (jobs->count == 0)
        return 0;
    const double *x = wait_steps(arena, longest_wait(jobs));
    const int32_t size_count = sizes_of(arena, jobs, &sizes);
    int32_t shown = size_count > 1 ? size_count : 0;
    if (shown > WAIT_CLASSES_MAX - 1)
        shown = WAIT_CLASSES_MAX - 1;
    curves[0] = curve_of(arena, &(Class){jobs, -1}, "all jobs", x);
    qsort(sizes, (size_t)shown, sizeof *sizes, by_size);
    for (int32_t i = 0; i < shown; i++)
        curves[i + 1] = curve_of(arena, &(Class){jobs, sizes[i].size},
                                 arena_printf(arena, "jobs of size %" PRId64, sizes[i].size), x);
    return shown + 1;
}

/* --- The queue --- */

static double end_of(const WinnerJobs *jobs)
{
    double end = 0;
    for (int64_t i = 0; i < jobs->count; i++)
        end = fmax(end, jobs->jobs[i].submitted_s + jobs->jobs[i].queue_s);
    return end;
}

/* Adds the part of each bin in which a job waits. */
static void add_wait(const WinnerJob *job, double width, int32_t bins, int32_t runs,
                     double *waiting)
{
    const double until = job->submitted_s + job->queue_s;
    for (int32_t k = (int32_t)(job->submitted_s / width); k < bins && k * width < until; k++) {
        const double from = fmax(job->submitted_s, k * width);
        const double to = fmin(until, (k + 1) * width);
        waiting[(int64_t)k * runs + job->run] += fmax(0, to - from) / width;
    }
}

QueueCurve winner_queue(Arena *arena, const WinnerJobs *jobs, double period_s, int32_t bins)
{
    const double width = fmax(end_of(jobs), period_s) / bins;
    const int32_t runs = jobs->run_count;
    if (jobs->count == 0 || !(width > 0))
        return (QueueCurve){0};
    double *t = ARENA_ARRAY(arena, double, bins), *mean = ARENA_ARRAY(arena, double, bins);
    double *p95 = ARENA_ARRAY(arena, double, bins);
    double *waiting = ARENA_ARRAY(arena, double, (size_t)bins *(size_t)runs);
    for (int64_t i = 0; i < jobs->count; i++)
        add_wait(&jobs->jobs[i], width, bins, runs, waiting);
    for (int32_t k = 0; k < bins; k++) {
        double *of_runs = waiting + (int64_t)k * runs;
        t[k] = width * (k + 0.5);
        mean[k] = statistics_mean(of_runs, runs);
        statistics_sort(of_runs, runs);
        p95[k] = statistics_quantile(of_runs, runs, 0.95);
    }
    return (QueueCurve){bins, t, mean, p95};
}
