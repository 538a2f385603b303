#include "sim/cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"
#include "sim/cli/terminal.h"

enum { BAR_WIDTH = 40, BAR_WIDTH_LEAST = 10 };
#define FIRST_DRAWN_NS NS_PER_S
#define REDRAWN_NS (200 * NS_PER_MS)
#define PRINTED_NS NS_PER_MIN /* without a terminal */

/* --- The line --- */

// A larger estimate is not shown, because it would not be accurate.
#define LEFT_MS_MAX INT64_C(1000000000)

void progress_add_time_left(Text *out, int64_t done, int64_t total, int64_t elapsed_ms)
{
    if (done <= 0 || done >= total)
        return;
    const double left_ms = (double)elapsed_ms * ((double)(total - done) / (double)done);
    if (left_ms > (double)LEFT_MS_MAX)
        return;
    const int64_t left_s = (int64_t)left_ms / 1000 + 1;
    text_add(out, "  ");
    duration_print(out, left_s * NS_PER_S);
    text_add(out, " left");
}

/* The bar takes what the words leave of a narrow terminal. */
static int bar_width(const char *what, int32_t columns)
{
    const int words = (int)strlen(what) + (int)sizeof "  100 %  []  59 min 59 s left";
    const int left = columns - words;
    return left > BAR_WIDTH ? BAR_WIDTH : left < BAR_WIDTH_LEAST ? BAR_WIDTH_LEAST : left;
}

static void add_bar(Text *out, double share, int width)
{
    const int filled = (int)(share * width);
    text_add(out, "  [");
    for (int i = 0; i < width; i++)
        text_add(out, i < filled ? "=" : i == filled ? ">" : " ");
    text_add(out, "]");
}

void progress_line(const char *what, int64_t done, int64_t total, int64_t elapsed_ms,
                   int32_t columns, Text *out)
{
    text_add(out, what);
    if (total <= 0) {
        text_add(out, "  ");
        duration_print(out, elapsed_ms / 1000 * NS_PER_S);
        return;
    }
    const double share = done >= total ? 1.0 : (double)done / (double)total;
    text_printf(out, "  %d %%", (int)(share * 100));
    if (columns > 0)
        add_bar(out, share, bar_width(what, columns));
    progress_add_time_left(out, done, total, elapsed_ms);
}

/* --- On stderr --- */

// Back to the start of the line, and erase it (ECMA-48, EL).
static const char wipe[] = "\r\x1b[K";

Progress progress_start(const char *what, int64_t total, bool is_quiet)
{
    Progress progress = {.what = what,
                         .total = total,
                         .is_terminal = isatty(STDERR_FILENO),
                         .began_ns = machine_clock_ns(),
                         .next_ns = INT64_MAX};
    if (!is_quiet)
        progress.next_ns = progress.began_ns + (progress.is_terminal ? FIRST_DRAWN_NS : PRINTED_NS);
    return progress;
}

void progress_show(Progress *progress, bool is_asked, ProgressWords *words, const void *of)
{
    if (progress->next_ns == INT64_MAX && !is_asked)
        return;
    const int64_t now_ns = machine_clock_ns();
    if (now_ns < progress->next_ns && !is_asked)
        return;
    if (progress->next_ns != INT64_MAX)
        progress->next_ns = now_ns + (progress->is_terminal ? REDRAWN_NS : PRINTED_NS);
    const bool is_kept = is_asked || !progress->is_terminal;
    Text line = {0};
    if (progress->is_terminal)
        text_add(&line, wipe);
    words(of, now_ns - progress->began_ns, &line);
    if (is_kept)
        text_add(&line, "\n");
    fputs(text_string(&line), stderr);
    progress->is_drawn = !is_kept;
    text_free(&line);
}

typedef struct {
    const Progress *progress;
    int64_t done;
} Counted;

static void counted_words(const void *of, int64_t elapsed_ns, Text *out)
{
    const Counted *counted = of;
    const Progress *progress = counted->progress;
    progress_line(progress->what, counted->done, progress->total, elapsed_ns / NS_PER_MS,
                  progress->is_terminal ? terminal_columns(STDERR_FILENO) : 0, out);
}

void progress_update(Progress *progress, int64_t done)
{
    progress_show(progress, false, counted_words, &(Counted){progress, done});
}

void progress_end(Progress *progress)
{
    if (progress->is_drawn)
        fputs(wipe, stderr);
    progress->is_drawn = false;
    progress->next_ns = INT64_MAX;
}
