#include "real/compare/cells.h"

#include <math.h>
#include <string.h>

#include "reports/text/wording.h"
#include "sim/base/array.h"

struct Cells {
    Arena *arena;
    const TableColumn *columns;
    int32_t column_count;
    const char ***rows;
    uint32_t row_count, row_capacity;
};

Cells *cells_create(Arena *arena, const TableColumn *columns, int32_t column_count)
{
    Cells *cells = ARENA_NEW(arena, Cells);
    *cells = (Cells){.arena = arena, .columns = columns, .column_count = column_count};
    return cells;
}

void cells_row(Cells *cells, const char *const *row)
{
    const char **copy = ARENA_ARRAY(cells->arena, const char *, cells->column_count);
    for (int32_t i = 0; i < cells->column_count; i++)
        copy[i] = arena_strdup(cells->arena, row[i]);
    cells->rows = array_room(cells->arena, cells->rows, cells->row_count + 1, &cells->row_capacity,
                             sizeof *cells->rows);
    cells->rows[cells->row_count++] = copy;
}

void cells_print_text(const Cells *cells, Arena *arena, Text *out)
{
    Table *table = table_create(arena, cells->columns, cells->column_count);
    for (uint32_t i = 0; i < cells->row_count; i++)
        table_row(table, cells->rows[i]);
    table_print(table, out);
}

/* --- Markdown --- */

static void markdown_cell(Text *out, const char *cell)
{
    text_add(out, " ");
    for (; *cell != '\0'; cell++) {
        if (*cell == '|' || *cell == '\\')
            text_add(out, "\\");
        text_append(out, cell, 1);
    }
    text_add(out, " |");
}

void cells_print_markdown(const Cells *cells, Text *out)
{
    text_add(out, "|");
    for (int32_t i = 0; i < cells->column_count; i++)
        markdown_cell(out, cells->columns[i].header);
    text_add(out, "\n|");
    for (int32_t i = 0; i < cells->column_count; i++)
        text_add(out, cells->columns[i].kind == TABLE_NUMBER ? " ---: |" : " --- |");
    text_add(out, "\n");
    for (uint32_t row = 0; row < cells->row_count; row++) {
        text_add(out, "|");
        for (int32_t i = 0; i < cells->column_count; i++)
            markdown_cell(out, cells->rows[row][i]);
        text_add(out, "\n");
    }
}

/* --- HTML --- */

static const char *class_of(const TableColumn *column)
{
    return column->kind == TABLE_NUMBER ? " class=\"n\"" : "";
}

void cells_print_html(const Cells *cells, Text *html)
{
    text_add(html, "<div class=\"table\"><table class=\"cards plain\"><thead><tr>");
    for (int32_t i = 0; i < cells->column_count; i++) {
        text_printf(html, "<th scope=\"col\"%s>", class_of(&cells->columns[i]));
        markup_print(html, cells->columns[i].header);
        text_add(html, "</th>");
    }
    text_add(html, "</tr></thead>\n<tbody>\n");
    for (uint32_t row = 0; row < cells->row_count; row++) {
        text_add(html, "<tr>");
        for (int32_t i = 0; i < cells->column_count; i++) {
            text_printf(html, "<td%s data-label=\"", class_of(&cells->columns[i]));
            markup_print(html, cells->columns[i].header);
            text_add(html, "\">");
            markup_print(html, cells->rows[row][i]);
            text_add(html, "</td>");
        }
        text_add(html, "</tr>\n");
    }
    text_add(html, "</tbody></table></div>\n");
}

/* --- The contents of cells --- */

const char *cell_number(Arena *arena, double value)
{
    const double size = fabs(value);
    return arena_printf(arena, "%.*f", size < 10 ? 3 : size < 1000 ? 2 : 1, value);
}

const char *cell_interval(Arena *arena, double low, double high)
{
    if (low == 0 && high == 0)
        return "";
    return arena_printf(arena, "%s to %s", cell_number(arena, low), cell_number(arena, high));
}

const char *cell_error(Arena *arena, double share)
{
    return arena_printf(arena, "%+.1f %%", 100 * share);
}
