/* Private to sim/study/import: tables of text, with and without a header line. */
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/study/import/format.h"

static bool is_column(Cell cell, const char *name)
{
    return strlen(name) == (size_t)cell.length && ascii_same_start(name, cell.text, strlen(name));
}

/* Names the columns that the header has. */
static void hint_columns(ImportLog *log, Status *status, const char *wanted, const Cell *header,
                         int32_t count)
{
    const char **names = ARENA_ARRAY(log->arena, const char *, count);
    for (int32_t i = 0; i < count; i++)
        names[i] = arena_strndup(log->arena, header[i].text, (size_t)header[i].length);
    status_hint_names(status, wanted, names, count);
}

/* Fills `indices` with the place of each wanted column in the header, -1 where it has none. */
static bool find_columns(ImportLog *log, const WantedColumn *columns, int32_t count,
                         const Cell *header, int32_t header_count, int32_t *indices)
{
    bool is_whole = true;
    for (int32_t i = 0; i < count; i++) {
        indices[i] = -1;
        for (int32_t j = header_count - 1; j >= 0; j--)
            if (is_column(header[j], columns[i].name))
                indices[i] = j;
        if (indices[i] >= 0 || !columns[i].is_needed)
            continue;
        is_whole = false;
        Status *status = problems_add(log->problems, STATUS_BAD_INPUT,
                                      place_in(log->lines.source, log->lines.line_number, 1),
                                      "the header has no column \"%s\"", columns[i].name);
        hint_columns(log, status, columns[i].name, header, header_count);
    }
    return is_whole;
}

static bool cut_row(ImportLog *log, char separator, Cell *cells, int32_t *count)
{
    *count = cells_cut(&log->lines, separator, cells, CELLS_MAX);
    if (*count < 0)
        return import_bad(log, (Cell){.text = cells[0].text, .length = 1}, "a cell",
                          "a text with an end quote");
    if (*count > CELLS_MAX)
        return import_bad(log, (Cell){.text = log->lines.line}, "the row", "at most 128 cells");
    return true;
}

static bool is_over(const ImportLog *log)
{
    return log->problems->count > PROBLEMS_KEPT;
}

void import_read_table(ImportLog *log, ImportFile file, char separator, const WantedColumn *columns,
                       int32_t column_count, void *parser,
                       void (*add_row)(void *parser, const Cell *cells))
{
    Cell cells[CELLS_MAX], wanted[CELLS_MAX];
    int32_t indices[CELLS_MAX], count, header_count;
    log->lines = lines_begin(file.path, file.text, file.length);
    do {
        if (!lines_next(&log->lines)) {
            status_hint(problems_add(log->problems, STATUS_BAD_INPUT, place_in(file.path, 0, 0),
                                     "the file has no header line"),
                        "its first line names the columns; `trainyard import --help` lists them");
            return;
        }
    } while (log->lines.line == log->lines.line_end || log->lines.line[0] == '#');
    if (header_refused(&log->lines, separator, log->problems) ||
        !cut_row(log, separator, cells, &header_count) ||
        !find_columns(log, columns, column_count, cells, header_count, indices))
        return;
    while (!is_over(log) && lines_next(&log->lines)) {
        if (log->lines.line == log->lines.line_end)
            continue;
        log->rows++;
        if (!cut_row(log, separator, cells, &count))
            continue;
        if (count != header_count) {
            import_bad_line(log, count, "as many as the header has");
            continue;
        }
        for (int32_t i = 0; i < column_count; i++)
            wanted[i] = indices[i] >= 0 ? cells[indices[i]] : (Cell){.text = log->lines.line};
        add_row(parser, wanted);
    }
}

void import_read_plain(const PlainTable *table, ImportLog *log, ImportFile file)
{
    Cell cells[CELLS_MAX];
    int32_t count;
    log->lines = lines_begin(file.path, file.text, file.length);
    while (!is_over(log) && lines_next(&log->lines)) {
        if (log->lines.line == log->lines.line_end)
            continue;
        if (table->comment != 0 && log->lines.line[0] == table->comment) {
            if (table->add_comment != NULL)
                table->add_comment(table->parser);
            continue;
        }
        if (!cut_row(log, table->separator, cells, &count))
            continue;
        if (count == 0)
            continue;
        log->rows++;
        table->add_row(table->parser, cells, count);
    }
}
