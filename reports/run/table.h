/* Tables of the page from lists of columns: one list gives the head, the cells and, on a phone, the
 * labels of the cells. */
#ifndef REPORTS_PAGE_TABLE_H
#define REPORTS_PAGE_TABLE_H

#include "reports/run/facts/facts.h"
#include "sim/base/text.h"

typedef struct {
    const char *heading;
    bool is_number; /* right-aligned */
    /* Prints the cell of `row` as plain text; nothing where it has no value. A column
     * whose cells are all empty is left out. */
    void (*print)(Text *out, const Facts *facts, uint32_t row);
} PageColumn;

typedef struct {
    const PageColumn *columns;
    int32_t column_count;
    const char *class; /* of the table element */
    /* Class of a row, or NULL; may be NULL. */
    const char *(*row_class)(const Facts *facts, uint32_t row);
} PageTable;

void page_table_print(Text *html, const PageTable *table, const Facts *facts, uint32_t row_count);

/* Cells that several tables use; ABSENT prints nothing. */
void cell_clock(Text *out, int64_t ns); /* "1:09:24": hours, minutes, seconds, rounded */
void cell_count(Text *out, int64_t count);
void cell_usd(Text *out, int64_t micro_usd);
void cell_hours(Text *out, Wide ns); /* "3.93 h" */
void cell_text(Text *out, const char *text);

/* `text`, or "unknown" for NULL. */
const char *or_unknown(const char *text);

#endif
