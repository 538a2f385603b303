/* The progress of work that lasts over a second, in one line on stderr: how much is done, and the
 * time left.
 *
 *     run  42 %  [================>                       ]  3 s left
 *
 * On a terminal the line appears after the first second, is redrawn at most five times a second,
 * and is erased at the end. Elsewhere it is printed once a minute, without the bar. An update reads
 * the clock. */
#ifndef SIM_CLI_PROGRESS_H
#define SIM_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/text.h"

typedef struct {
    const char *what; /* borrowed */
    int64_t total;    /* of the counted unit; 0: unknown, only the time is shown */
    bool is_terminal; /* whether stderr is one */
    bool is_drawn;
    int64_t began_ns; /* on the machine's clock */
    int64_t next_ns;  /* the next line is not shown earlier; INT64_MAX: never */
} Progress;

/* `is_quiet`: no line is shown unless it is asked for. */
Progress progress_start(const char *what, int64_t total, bool is_quiet);
void progress_update(Progress *progress, int64_t done);
void progress_end(Progress *progress); /* erases the line */

/* The line of `of` after `elapsed_ns`, for work with other words. */
typedef void ProgressWords(const void *of, int64_t elapsed_ns, Text *out);
/* Shows the words instead of the bar if a line is due, and in any case if `is_asked`; then the line
 * stays. */
void progress_show(Progress *progress, bool is_asked, ProgressWords *words, const void *of);

/* The line itself, for `done` of `total` after `elapsed_ms`; with a bar if `columns`, the width of
 * the terminal, is not 0. */
void progress_line(const char *what, int64_t done, int64_t total, int64_t elapsed_ms,
                   int32_t columns, Text *out);

/* Adds the time that the rest of the work takes at the rate so far, "  7 s left", the second under
 * way included. Adds nothing while none is done, and for more than eleven days, which would not be
 * accurate. */
void progress_add_time_left(Text *out, int64_t done, int64_t total, int64_t elapsed_ms);

#endif
