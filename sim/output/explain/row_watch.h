/* Two runs of one scenario compared: the first row in which they differ.
 *
 *     RowWatch first = row_watch_start(arena);              listens to the first run
 *     RowWatch second = row_watch_against(arena, &first);   listens to the second
 *     if (row_watch_differs(&second))
 *         RowWatch third = row_watch_for(arena, &second);   listens to the first run once more
 *
 * A watch stores one word for each row, the fingerprint of all rows up to it, instead of the
 * rows. The first run's row at the difference is taken from a repetition of the first run. */
#ifndef SIM_OUTPUT_ROW_WATCH_H
#define SIM_OUTPUT_ROW_WATCH_H

#include <stdbool.h>

#include "sim/base/arena.h"
#include "sim/output/trace/fingerprint.h"

typedef struct RowWatch RowWatch;
struct RowWatch {
    Arena *arena;
    Fingerprint rolling; /* of all rows so far */
    uint32_t count;      /* number of rows */
    uint32_t capacity;
    uint64_t *words;          /* [count]: the fingerprint after each row */
    const RowWatch *expected; /* the watch to compare with; NULL */
    uint32_t kept;            /* index of the row to keep; ROW_NONE */
    const char *row;          /* the kept row as a line of trace.tsv; NULL before it came */
    const char *fingerprint;  /* of the kept row alone */
};

#define ROW_NONE UINT32_MAX

RowWatch row_watch_start(Arena *arena);
/* Keeps the first row that differs from that of `expected`, whose run is over. */
RowWatch row_watch_against(Arena *arena, const RowWatch *expected);
/* Keeps the row at the index where `differing` found a difference. */
RowWatch row_watch_for(Arena *arena, const RowWatch *differing);
/* Listens to all rows, down to single steps. */
TraceListener row_watch_listener(RowWatch *watch);

/* Whether the run of `watch`, which is over, had other rows than the expected one, or fewer. */
bool row_watch_differs(const RowWatch *watch);
/* Adds to `out` where the runs differ: the number of the row from 1, the ingredients of the
 * fingerprint, and the rows of both runs. `again` has kept the first run's row. */
void row_watch_explain(Text *out, const RowWatch *differing, const RowWatch *again);

#endif
