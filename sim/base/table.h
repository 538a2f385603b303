/* Plain tables as `az ... --output table` prints them: a header, a line of dashes, two spaces
 * between columns. az uses the "simple" format of Python's tabulate, whose rules these are:
 *
 *     Name        State      Idle
 *     ----------  -------  ------
 *     nc6cluster  steady        4
 *
 * A column is as wide as its widest cell, but at least two wider than its header. Text is
 * aligned left, numbers and their header right; spaces at the end of a line are dropped. Widths
 * count UTF-8 characters. */
#ifndef SIM_BASE_TABLE_H
#define SIM_BASE_TABLE_H

#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/text.h"

typedef enum { TABLE_TEXT, TABLE_NUMBER } TableKind;

typedef struct {
    const char *header;
    TableKind kind;
} TableColumn;

typedef struct Table Table;

/* An empty table in `arena`; borrows `columns`. */
Table *table_create(Arena *arena, const TableColumn *columns, int32_t column_count);
/* Adds a row of one cell for each column; the cells are copied. */
void table_row(Table *table, const char *const *cells);
void table_print(const Table *table, Text *out);

#endif
