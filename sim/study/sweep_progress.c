#include "sim/study/sweep_progress.h"

#include <inttypes.h>

#include "sim/base/units.h"

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

/* The line, after `elapsed_ns`. */
static void sweep_progress_line(const SweepProgress *progress, int64_t elapsed_ns, Text *out)
{
    const StudyWork *work = &progress->work;
    work->print_progress(work->work, out);
    add_rate(progress, elapsed_ns, out);
    if (work->print_worst != NULL)
        work->print_worst(work->work, out);
}

/* --- On stderr --- */

SweepProgress sweep_progress_start(const Results *results, StudyWork work, bool is_quiet)
{
    return (SweepProgress){.results = results,
                           .work = work,
                           .progress = progress_start("", 0, is_quiet),
                           .known_before = results->run_count};
}

static void words(const void *progress, int64_t elapsed_ns, Text *out)
{
    sweep_progress_line(progress, elapsed_ns, out);
}

void sweep_progress_watch(void *watcher, bool is_asked)
{
    SweepProgress *progress = watcher;
    progress_show(&progress->progress, is_asked, words, progress);
}

void sweep_progress_end(SweepProgress *progress)
{
    progress_end(&progress->progress);
}
