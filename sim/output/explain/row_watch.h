/* Two runs of one scenario side by side: the first row in which they differ.
 *
 *     RowWatch first = row_watch_start(arena);              listens to the first run
 *     RowWatch second = row_watch_against(arena, &first);   listens to the second
 *     if (row_watch_differs(&second))
 *         RowWatch third = row_watch_for(arena, &second);   listens to the first run once more
 *
 * A watch remembers one word for each row, the fingerprint of all rows up to it, and not the rows:
 * what the first run said where the second differs is heard again from a run like the first. */
#ifndef SIM_OUTPUT_ROW_WATCH_H
#define SIM_OUTPUT_ROW_WATCH_H

#include <stdbool.h>

#include "sim/base/arena.h"
#include "sim/output/trace/fingerprint.h"

typedef struct RowWatch RowWatch;
struct RowWatch {
    Arena *arena;
    Fingerprint rolling; /* of all rows so far */
    uint32_t count;      /* of them */
    uint32_t capacity;
    uint64_t *words;          /* [count], from the fingerprint after each row */
    const RowWatch *expected; /* NULL: nothing is compared */
    uint32_t kept;            /* index of the row that is kept; ROW_NONE */
    const char *row;          /* it, as a line of trace.tsv; NULL while it has not come */
    const char *fingerprint;  /* of that row alone */
};

#define ROW_NONE UINT32_MAX

RowWatch row_watch_start(Arena *arena);
/* Keeps the first row that is not as that of `expected`, whose run is over. */
RowWatch row_watch_against(Arena *arena, const RowWatch *expected);
/* Keeps the row in whose place `differing` found another. */
RowWatch row_watch_for(Arena *arena, const RowWatch *differing);
/* Of all rows, down to single steps. */
TraceListener row_watch_listener(RowWatch *watch);

/* Whether the run that `watch` listened to, which is over, told anything else than the expected
 * one, or less of it. */
bool row_watch_differs(const RowWatch *watch);
/* Adds to `out` where the runs differ: the number of the row from 1, the ingredients of the
 * fingerprint, and what each said. `again` is the watch for the row of the first run. */
void row_watch_explain(Text *out, const RowWatch *differing, const RowWatch *again);

#endif
