/* One line on stderr for what lasts over a second: how far, and how long still.
 *
 *     run  42 %  [================>                       ]  3 s left
 *
 * Appears only on a terminal, after the first second, at most ten times a second; goes away without
 * a trace. An update costs a look at the clock, and without a terminal nothing. */
#ifndef SIM_CLI_PROGRESS_H
#define SIM_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/text.h"

typedef struct {
    const char *what; /* borrowed */
    int64_t total;    /* of whatever is counted; 0: unknown, only the time is shown */
    int64_t started_ms;
    int64_t next_ms; /* not drawn before; INT64_MAX when stderr is no terminal */
    bool is_drawn;
} Progress;

Progress progress_start(const char *what, int64_t total);
void progress_update(Progress *progress, int64_t done);
void progress_end(Progress *progress); /* wipes the line */

/* The line itself, for `done` of `total` after `elapsed_ms`. */
void progress_line(const char *what, int64_t done, int64_t total, int64_t elapsed_ms, Text *out);

#endif
