/* Cells of a line of text with separators, as in CSV: cut without copying, and read as numbers.
 *
 * A cell may be in double quotes, as in RFC 4180: separators inside belong to it, and a doubled
 * quote stands for a quote. A cell borrows its line. No function depends on the locale. */
#ifndef SIM_SCENARIO_JOBLIST_CELLS_H
#define SIM_SCENARIO_JOBLIST_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/status.h"

typedef struct {
    const char *text; /* without surrounding quotes and, outside quotes, without blanks at ends */
    int32_t length;
    bool has_quotes; /* doubled quotes are in the text: see cell_unquoted */
} Cell;

/* A text that is read line by line. Line ends are LF or CR LF. */
typedef struct {
    const char *source;
    const char *next, *end; /* the rest after the current line */
    const char *line;       /* the current line ... */
    const char *line_end;   /* ... without its line end */
    int32_t line_number;    /* of the current line, from 1 */
} LineCursor;

/* Skips a byte-order mark. */
LineCursor lines_begin(const char *source, const char *text, size_t length);
/* Goes to the next line; false at the end of the text. */
bool lines_next(LineCursor *cursor);
/* How many lines follow, at most: for the size of tables. */
int64_t lines_left(const LineCursor *cursor);

/* Cuts the current line into at most `most` cells; returns how many cells the line has, which may
 * be more. `separator` ' ' stands for any run of blanks and tabs, and then quotes have no meaning.
 * -1: a quote without its end, at `cells[0].text`. */
int32_t cells_cut(const LineCursor *cursor, char separator, Cell *cells, int32_t most);
/* Whether a problem was added because the current line cannot be the header of a table with that
 * separator: the file is UTF-16, or the line has another separator alone. */
bool header_refused(const LineCursor *cursor, char separator, Problems *problems);
/* The place of `text`, which is in the current line. */
Place cell_place(const LineCursor *cursor, const char *text);

typedef enum {
    CELL_READ,
    CELL_EMPTY,
    CELL_BAD,       /* not a decimal number */
    CELL_TOO_FINE,  /* read, but digits that are not 0 were cut off; `value` is rounded up */
    CELL_TOO_LARGE, /* the value is beyond int64 */
} CellOutcome;

/* Reads "-12", "12.50" or ".5" times 10^decimals, 0 <= decimals <= 18. */
CellOutcome cell_scaled(Cell cell, int32_t decimals, int64_t *value);
bool cell_is(Cell cell, const char *text); /* also for a cell without text: NULL, length 0 */
/* The text with doubled quotes made single, in `scratch` of at least `cell.length` bytes if it has
 * any. */
Cell cell_unquoted(Cell cell, char *scratch);
/* How many bytes of a cell a message shows, for "%.*s". */
int cell_shown(Cell cell);

#endif
