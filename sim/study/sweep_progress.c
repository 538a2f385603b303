#include "sim/study/sweep_progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"

#define FIRST_DRAWN_NS NS_PER_S
#define REDRAWN_NS (200 * NS_PER_MS)

/* --- The line --- */

static void add_rate(const SweepProgress *progress, int64_t elapsed_ns, Text *out)
{
    const int64_t done = progress->results->run_count - progress->known_before;
    const int64_t left = progress->work.runs_left(progress->work.work);
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

void sweep_progress_line(const SweepProgress *progress, int64_t elapsed_ns, Text *out)
{
    const StudyWork *work = &progress->work;
    work->print_progress(work->work, out);
    add_rate(progress, elapsed_ns, out);
    if (work->print_worst != NULL)
        work->print_worst(work->work, out);
}

/* --- On stderr --- */

// Back to the start of the line, and erase it (ECMA-48, EL).
static const char wipe[] = "\r\x1b[K";

SweepProgress sweep_progress_start(const Results *results, StudyWork work, bool is_quiet)
{
    const int64_t now_ns = machine_clock_ns();
    const bool is_terminal = isatty(STDERR_FILENO);
    return (SweepProgress){.results = results,
                           .work = work,
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
