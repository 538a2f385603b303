/* A table that can be printed for a terminal, for a page and as Markdown. */
#ifndef REAL_CELLS_H
#define REAL_CELLS_H

#include "sim/base/table.h"

typedef struct Cells Cells;

/* Empty, in `arena`; borrows `columns`. */
Cells *cells_create(Arena *arena, const TableColumn *columns, int32_t column_count);
/* One cell for each column, copied. */
void cells_row(Cells *cells, const char *const *row);

void cells_print_text(const Cells *cells, Arena *arena, Text *out);
void cells_print_markdown(const Cells *cells, Text *out);
/* Uses the classes of reports/page/page.css. */
void cells_print_html(const Cells *cells, Text *html);

/* --- The contents of cells --- */

/* Three, two or one decimals, fewer for larger values: "0.125", "38.67", "1208.3". */
const char *cell_number(Arena *arena, double value);
/* "14.8 to 15.2"; "" if both are 0, which means that there is no interval. */
const char *cell_interval(Arena *arena, double low, double high);
/* A share of one with its sign, in per cent: "+3.2 %". */
const char *cell_error(Arena *arena, double share);

#endif
