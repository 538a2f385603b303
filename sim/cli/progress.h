/* One line on stderr for work that lasts over a second: progress and time left.
 *
 *     run  42 %  [================>                       ]  3 s left
 *
 * It appears only on a terminal, after the first second, at most ten times a second, and is
 * erased at the end. An update reads the clock; without a terminal it does nothing. */
#ifndef SIM_CLI_PROGRESS_H
#define SIM_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/text.h"

typedef struct {
    const char *what; /* borrowed */
    int64_t total;    /* of the counted unit; 0: unknown, only the time is shown */
    int64_t started_ms;
    int64_t
        next_ms; /* the next update is not drawn earlier; INT64_MAX when stderr is not a terminal */
    bool is_drawn;
} Progress;

Progress progress_start(const char *what, int64_t total);
void progress_update(Progress *progress, int64_t done);
void progress_end(Progress *progress); /* wipes the line */

/* The line itself, for `done` of `total` after `elapsed_ms`, on a terminal of so many columns. */
void progress_line(const char *what, int64_t done, int64_t total, int64_t elapsed_ms,
                   int32_t columns, Text *out);

#endif
