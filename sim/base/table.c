#include "sim/base/table.h"

#include <stdbool.h>

typedef struct Row {
    struct Row *next;
    const char **cells;
} Row;

struct Table {
    Arena *arena;
    const TableColumn *columns;
    int32_t column_count;
    int32_t *widths; /* in characters, one for each column */
    Row *first;
    Row **end; /* where the next row's address goes */
};

enum { HEADER_MARGIN = 2 }; // tabulate's MIN_PADDING

static int32_t characters(const char *text)
{
    int32_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80; // not inside a UTF-8 character
    return count;
}

Table *table_create(Arena *arena, const TableColumn *columns, int32_t column_count)
{
    Table *table = ARENA_NEW(arena, Table);
    table->arena = arena;
    table->columns = columns;
    table->column_count = column_count;
    table->widths = ARENA_ARRAY(arena, int32_t, column_count);
    for (int32_t i = 0; i < column_count; i++)
        table->widths[i] = characters(columns[i].header) + HEADER_MARGIN;
    table->end = &table->first;
    return table;
}

void table_row(Table *table, const char *const *cells)
{
    Row *row = ARENA_NEW(table->arena, Row);
    row->cells = ARENA_ARRAY(table->arena, const char *, table->column_count);
    for (int32_t i = 0; i < table->column_count; i++) {
        row->cells[i] = arena_strdup(table->arena, cells[i]);
        const int32_t width = characters(cells[i]);
        if (width > table->widths[i])
            table->widths[i] = width;
    }
    *table->end = row;
    table->end = &row->next;
}

static void repeat(Text *out, const char *letter, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        text_add(out, letter);
}

/* A line while it is printed. Spaces are owed until a cell follows them, so that no line ends in
 * spaces. */
typedef struct {
    Text *out;
    int32_t spaces_owed;
} Line;

static void line_cell(Line *line, const char *cell, int32_t width, bool is_right_aligned)
{
    const int32_t padding = width - characters(cell);
    if (is_right_aligned)
        line->spaces_owed += padding;
    if (*cell) {
        repeat(line->out, " ", line->spaces_owed);
        text_add(line->out, cell);
        line->spaces_owed = 0;
    }
    line->spaces_owed += 2 + (is_right_aligned ? 0 : padding);
}

static void print_header(const Table *table, Text *out)
{
    Line line = {.out = out};
    for (int32_t i = 0; i < table->column_count; i++)
        line_cell(&line, table->columns[i].header, table->widths[i],
                  table->columns[i].kind == TABLE_NUMBER);
    text_add(out, "\n");
}

static void print_dashes(const Table *table, Text *out)
{
    for (int32_t i = 0; i < table->column_count; i++) {
        text_add(out, i > 0 ? "  " : "");
        repeat(out, "-", table->widths[i]);
    }
    text_add(out, "\n");
}

static void print_row(const Table *table, const Row *row, Text *out)
{
    Line line = {.out = out};
    for (int32_t i = 0; i < table->column_count; i++)
        line_cell(&line, row->cells[i], table->widths[i], table->columns[i].kind == TABLE_NUMBER);
    text_add(out, "\n");
}

void table_print(const Table *table, Text *out)
{
    print_header(table, out);
    print_dashes(table, out);
    for (const Row *row = table->first; row; row = row->next)
        print_row(table, row, out);
}
