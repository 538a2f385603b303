#include "sim/study/sweep_progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"
#include "sim/study/statistics/estimate.h"

#define FIRST_DRAWN_NS NS_PER_S
#define REDRAWN_NS (200 * NS_PER_MS)

void thousands_print(Text *out, int64_t count)
{
    if (count >= 1000) {
        thousands_print(out, count / 1000);
        text_printf(out, ",%03" PRId64, count % 1000);
    } else {
        text_printf(out, "%" PRId64, count);
    }
}

/* --- The line --- */

static void add_rate(const SweepProgress *progress, int64_t elapsed_ns, Text *out)
{
    const int64_t done = progress->results->run_count - progress->known_before;
    const int64_t left = waves_run_count(progress->waves) - waves_done_count(progress->waves);
    if (done <= 0 || elapsed_ns <= 0)
        return;
    const double per_s = (double)done * (double)NS_PER_S / (double)elapsed_ns;
    text_add(out, " · ");
    if (per_s >= 10)
        thousands_print(out, (int64_t)per_s);
    else
        text_printf(out, "%.2g", per_s);
    text_add(out, " runs/s");
    const double left_ns = (double)left / per_s * (double)NS_PER_S;
    if (left > 0 && left_ns < (double)LAST_INSTANT_NS) {
        text_add(out, " · ");
        duration_print(out, (int64_t)left_ns);
        text_add(out, " left");
    }
}

/* The rule and point that are furthest from their limit. */
static void add_worst(const SweepProgress *progress, Text *out)
{
    const Study *study = progress->study;
    enum { POINTS_LOOKED_AT_MAX = 200 };
    double worst = 0;
    int32_t worst_point = NO_POINT;
    if (study->seeds.rule_count == 0 || study->point_count > POINTS_LOOKED_AT_MAX)
        return;
    for (int32_t point = 0; point < study->point_count; point++) {
        const int32_t n = waves_used(progress->waves, point);
        const double excess = n >= 2 ? waves_excess(study, progress->results, point, n) : 0;
        if (excess > worst && isfinite(excess)) {
            worst = excess;
            worst_point = point;
        }
    }
    if (worst_point == NO_POINT)
        return;
    Arena *scratch = arena_create();
    text_printf(out, " · widest interval %.1f times its limit (%s)", worst,
                point_name(scratch, study, worst_point));
    arena_destroy(scratch);
}

void sweep_progress_line(const SweepProgress *progress, int64_t elapsed_ns, Text *out)
{
    thousands_print(out, waves_done_count(progress->waves));
    text_add(out, "/");
    thousands_print(out, waves_run_count(progress->waves));
    text_add(out, " runs · ");
    thousands_print(out, waves_decided_count(progress->waves));
    text_add(out, " of ");
    thousands_print(out, progress->study->point_count);
    text_add(out, " points decided");
    add_rate(progress, elapsed_ns, out);
    add_worst(progress, out);
}

/* --- On stderr --- */

// Back to the start of the line, and erase it (ECMA-48, EL).
static const char wipe[] = "\r\x1b[K";

SweepProgress sweep_progress_start(const Study *study, const Results *results, const Waves *waves,
                                   bool is_quiet)
{
    const int64_t now_ns = machine_clock_ns();
    const bool is_terminal = isatty(STDERR_FILENO);
    return (SweepProgress){.study = study,
                           .results = results,
                           .waves = waves,
                           .is_quiet = is_quiet,
                           .is_terminal = is_terminal,
                           .began_ns = now_ns,
                           .next_ns = now_ns + (is_terminal ? FIRST_DRAWN_NS : NS_PER_MIN),
                           .known_before = results->run_count};
}

static void draw(SweepProgress *progress, int64_t now_ns, bool is_kept)
{
    Text line = {0};
    if (progress->is_terminal)
        text_add(&line, wipe);
    sweep_progress_line(progress, now_ns - progress->began_ns, &line);
    if (is_kept || !progress->is_terminal)
        text_add(&line, "\n");
    fputs(text_string(&line), stderr);
    progress->is_drawn = progress->is_terminal && !is_kept;
    text_free(&line);
}

void sweep_progress_watch(void *watcher, bool is_asked)
{
    SweepProgress *progress = watcher;
    const int64_t now_ns = machine_clock_ns();
    const bool is_due = !progress->is_quiet && now_ns >= progress->next_ns;
    if (is_due)
        progress->next_ns = now_ns + (progress->is_terminal ? REDRAWN_NS : NS_PER_MIN);
    if (is_due || is_asked)
        draw(progress, now_ns, is_asked);
}

void sweep_progress_end(SweepProgress *progress)
{
    if (progress->is_drawn)
        fputs(wipe, stderr);
    progress->is_drawn = false;
}
