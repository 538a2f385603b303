#include "sim/cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"
#include "sim/cli/terminal.h"

enum { FIRST_DRAWN_MS = 1000, REDRAWN_MS = 100, BAR_WIDTH = 40, BAR_WIDTH_LEAST = 10 };

static int64_t clock_ms(void)
{
    return machine_clock_ns() / NS_PER_MS;
}

Progress progress_start(const char *what, int64_t total)
{
    Progress progress = {.what = what, .total = total, .next_ms = INT64_MAX};
    if (isatty(STDERR_FILENO)) {
        progress.started_ms = clock_ms();
        progress.next_ms = progress.started_ms + FIRST_DRAWN_MS;
    }
    return progress;
}

// A larger estimate is not shown, because it would not be accurate.
#define LEFT_MS_MAX INT64_C(1000000000)

static void add_time_left(int64_t done, int64_t total, int64_t elapsed_ms, Text *out)
{
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
    text_printf(out, "  %d %%  [", (int)(share * 100));
    const int width = bar_width(what, columns), filled = (int)(share * width);
    for (int i = 0; i < width; i++)
        text_add(out, i < filled ? "=" : i == filled ? ">" : " ");
    text_add(out, "]");
    if (done > 0 && done < total)
        add_time_left(done, total, elapsed_ms, out);
}

// Back to the start of the line, and erase it (ECMA-48, EL).
static const char wipe[] = "\r\x1b[K";

void progress_update(Progress *progress, int64_t done)
{
    if (progress->next_ms == INT64_MAX)
        return;
    const int64_t now_ms = clock_ms();
    if (now_ms < progress->next_ms)
        return;
    progress->next_ms = now_ms + REDRAWN_MS;
    progress->is_drawn = true;
    Text line = {0};
    text_add(&line, wipe);
    progress_line(progress->what, done, progress->total, now_ms - progress->started_ms,
                  terminal_columns(STDERR_FILENO), &line);
    fputs(text_string(&line), stderr);
    text_free(&line);
}

void progress_end(Progress *progress)
{
    if (progress->is_drawn)
        fputs(wipe, stderr);
    progress->is_drawn = false;
    progress->next_ms = INT64_MAX;
}
