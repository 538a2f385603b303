/* Private to sim/scenario/joblist: the reader of job_list_file.h. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/base/units.h"
#include "sim/base/utf8.h"
#include "sim/scenario/joblist/cells.h"
#include "sim/scenario/joblist/columns.h"
#include "sim/scenario/joblist/word_table.h"

typedef struct {
    Arena *arena;
    Problems *problems;
    LineCursor lines;
    JobList *list;
    int64_t row_count_max;
    int32_t column_count;                       /* of the header */
    const JobColumn *columns[JOB_COLUMN_COUNT]; /* in the order of the header */
    void *items[JOB_COLUMN_COUNT];              /* their arrays */
    WordTable words[JOB_COLUMN_COUNT];          /* of COLUMN_WORD, and of the names */
    WordTable *names;                           /* NULL: the jobs so far are "1", "2", ... */
    WordTable names_table;

    Cell *after_cells;
} Reader;

static Place place_of(const Reader *reader, Cell cell)
{
    return cell_place(&reader->lines, cell.text);
}

static Place place_of_line(const Reader *reader)
{
    return cell_place(&reader->lines, reader->lines.line);
}

/* --- Header --- */

static const JobColumn *column_named(Cell cell)
{
    for (int32_t i = 0; i < JOB_COLUMN_COUNT; i++)
        if (cell_is(cell, job_columns[i].name))
            return &job_columns[i];
    return NULL;
}

static size_t item_bytes(const JobColumn *column)
{
    const bool is_narrow = column->kind == COLUMN_COUNT || column->kind == COLUMN_WORD;
    return is_narrow ? sizeof(int32_t) : sizeof(int64_t);
}

static void refuse_column(Reader *reader, Cell cell)
{
    const char *names[JOB_COLUMN_COUNT];
    for (int32_t i = 0; i < JOB_COLUMN_COUNT; i++)
        names[i] = job_columns[i].name;
    const char *typed = arena_strndup(reader->arena, cell.text, (size_t)cell_shown(cell));
    status_hint_names(problems_add(reader->problems, STATUS_BAD_INPUT, place_of(reader, cell),
                                   "unknown column \"%s\"", typed),
                      typed, names, JOB_COLUMN_COUNT);
}

static void add_column(Reader *reader, Cell cell, int32_t index)
{
    const JobColumn *column = column_named(cell);
    if (column == NULL) {
        refuse_column(reader, cell);
        return;
    }
    for (int32_t i = 0; i < index; i++)
        if (reader->columns[i] == column)
            problems_add(reader->problems, STATUS_BAD_INPUT, place_of(reader, cell),
                         "column \"%s\" occurs twice", column->name);
    reader->columns[index] = column;
}

static void make_columns(Reader *reader)
{
    for (int32_t i = 0; i < reader->column_count; i++) {
        const JobColumn *column = reader->columns[i];
        if (column->kind == COLUMN_NAME)
            continue;
        reader->items[i] =
            arena_alloc_array(reader->arena, (size_t)reader->row_count_max, item_bytes(column));
        reader->words[i] = word_table_create(reader->arena);
        job_column_set(reader->list, column, reader->items[i]);
        if (column->kind == COLUMN_JOB)
            reader->after_cells = ARENA_ARRAY(reader->arena, Cell, reader->row_count_max);
    }
}

static bool read_header(Reader *reader)
{
    Cell cells[JOB_COLUMN_COUNT];
    const int32_t problems_before = reader->problems->count;
    do {
        if (!lines_next(&reader->lines)) {
            problems_add(reader->problems, STATUS_BAD_INPUT, place_in(reader->lines.source, 0, 0),
                         "the file has no header line with the names of its columns");
            return false;
        }
    } while (reader->lines.line == reader->lines.line_end || reader->lines.line[0] == '#');
    if (header_refused(&reader->lines, ',', reader->problems))
        return false;
    const int32_t count = cells_cut(&reader->lines, ',', cells, JOB_COLUMN_COUNT);
    if (count < 0 || count > JOB_COLUMN_COUNT) {
        problems_add(reader->problems, STATUS_BAD_INPUT, place_of_line(reader),
                     "this is not a header line of a workload file");
        return false;
    }
    reader->column_count = count;
    for (int32_t i = 0; i < count; i++)
        add_column(reader, cells[i], i);
    for (int32_t needed = 0; needed < JOB_COLUMNS_NEEDED; needed++) {
        bool is_there = false;
        for (int32_t i = 0; i < count; i++)
            is_there |= reader->columns[i] == &job_columns[needed];
        if (!is_there)
            status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, place_of_line(reader),
                                     "the column \"%s\" is missing", job_columns[needed].name),
                        "a workload file needs job, submit_s, run_s and gpus; `trainyard import` "
                        "writes one from the log of a cluster");
    }
    return reader->problems->count == problems_before;
}

/* --- Cells --- */

static bool is_needed(const JobColumn *column)
{
    return column - job_columns < JOB_COLUMNS_NEEDED;
}

static void refuse_number(Reader *reader, Cell cell, const JobColumn *column, CellOutcome outcome)
{
    const char *shown = arena_strndup(reader->arena, cell.text, (size_t)cell_shown(cell));
    const bool is_time = column->kind == COLUMN_TIME;
    Status *status = problems_add(reader->problems, STATUS_BAD_INPUT, place_of(reader, cell),
                                  "%s is \"%s\", expected %s from %" PRId64 " to %" PRId64,
                                  column->name, shown, is_time ? "seconds" : "a whole number",
                                  column->least, is_time ? column->most / NS_PER_S : column->most);
    if (outcome == CELL_TOO_FINE)
        status_hint(status, is_time ? "times have at most 9 decimals" : "it has no decimals");
}

/* The number of a cell, or JOB_LIST_UNKNOWN for an empty one. */
static int64_t number_of(Reader *reader, Cell cell, const JobColumn *column)
{
    int64_t value = 0;
    const CellOutcome outcome =
        cell_scaled(cell, column->kind == COLUMN_TIME ? TIME_DECIMALS : 0, &value);
    if (outcome == CELL_EMPTY && !is_needed(column))
        return JOB_LIST_UNKNOWN;
    if (outcome != CELL_READ || value < column->least || value > column->most)
        refuse_number(reader, cell, column, outcome);
    return value;
}

/* The cell without doubled quotes. */
static Cell text_of(Reader *reader, Cell cell)
{
    char *scratch = cell.has_quotes ? arena_alloc(reader->arena, (size_t)cell.length) : NULL;
    return cell_unquoted(cell, scratch);
}

/* The cell's text, free of doubled quotes; false, with a problem, when it is not a name. */
static bool name_of(Reader *reader, Cell cell, const char *column, Cell *name)
{
    *name = text_of(reader, cell);
    if (utf8_is_name(name->text, (size_t)name->length))
        return true;
    status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, place_of(reader, cell),
                             "%s contains bytes that are not text", column),
                "texts are UTF-8 without control characters");
    return false;
}

static int32_t word_of(Reader *reader, Cell cell, int32_t index)
{
    Cell name;
    if (cell.length == 0 || !name_of(reader, cell, reader->columns[index]->name, &name))
        return JOB_LIST_UNKNOWN;
    return (int32_t)word_table_add(&reader->words[index], name.text, (size_t)name.length);
}

/* From now on names are kept as texts, beginning with the numbers of the rows so far. */
static void begin_names(Reader *reader, int64_t row)
{
    reader->names_table = word_table_create(reader->arena);
    reader->names = &reader->names_table;
    for (int64_t i = 1; i <= row; i++) {
        char number[24];
        const int length = snprintf(number, sizeof number, "%" PRId64, i);
        word_table_add(reader->names, number, (size_t)length);
    }
}

static bool is_number_of_row(Cell cell, int64_t row)
{
    int64_t number;
    return cell.length > 0 && cell.text[0] != '0' && cell.text[0] != '-' && !cell.has_quotes &&
           cell_scaled(cell, 0, &number) == CELL_READ && number == row + 1 &&
           memchr(cell.text, '.', (size_t)cell.length) == NULL;
}

static void read_name(Reader *reader, Cell cell, int64_t row)
{
    Cell name;
    if (reader->names == NULL && is_number_of_row(cell, row))
        return;
    if (reader->names == NULL)
        begin_names(reader, row);
    if (cell.length == 0) {
        problems_add(reader->problems, STATUS_BAD_INPUT, place_of(reader, cell),
                     "a job without a name");
        return;
    }
    if (!name_of(reader, cell, "job", &name))
        return;
    const uint32_t before = reader->names->count;
    const uint32_t number = word_table_add(reader->names, name.text, (size_t)name.length);
    if (number < before)
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, place_of(reader, cell),
                                 "the name \"%s\" occurs twice", reader->names->texts[number]),
                    "its first row is job %" PRIu32, number + 1);
}

static void read_cell(Reader *reader, Cell cell, int32_t index, int64_t row)
{
    const JobColumn *column = reader->columns[index];
    void *items = reader->items[index];
    switch (column->kind) {
    case COLUMN_NAME:
        read_name(reader, cell, row);
        break;
    case COLUMN_TIME:
    case COLUMN_BYTES:
        ((int64_t *)items)[row] = number_of(reader, cell, column);
        break;
    case COLUMN_COUNT:
        ((int32_t *)items)[row] = (int32_t)number_of(reader, cell, column);
        break;
    case COLUMN_WORD:
        ((int32_t *)items)[row] = word_of(reader, cell, index);
        break;
    case COLUMN_JOB:
        reader->after_cells[row] = cell;
        break;
    }
}

/* --- Rows --- */

static void check_order(Reader *reader, int64_t row)
{
    const int64_t *submit_ns = reader->list->submit_ns;
    if (row > 0 && submit_ns[row] < submit_ns[row - 1])
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, place_of_line(reader),
                                 "this job was submitted before the job of the previous row"),
                    "rows are in the order of submit_s; `trainyard import csv` sorts them");
}

static bool read_row(Reader *reader, int64_t row)
{
    Cell cells[JOB_COLUMN_COUNT];
    const int32_t problems_before = reader->problems->count;
    const int32_t count = cells_cut(&reader->lines, ',', cells, JOB_COLUMN_COUNT);
    if (count < 0) {
        problems_add(reader->problems, STATUS_BAD_INPUT, place_of(reader, cells[0]),
                     "a text without its end quote");
        return false;
    }
    if (count != reader->column_count) {
        problems_add(reader->problems, STATUS_BAD_INPUT, place_of_line(reader),
                     "the row has %d cell%s, but the header has %d", count, plural(count),
                     reader->column_count);
        return false;
    }
    for (int32_t i = 0; i < count; i++)
        read_cell(reader, cells[i], i, row);
    if (reader->problems->count != problems_before)
        return false;
    check_order(reader, row);
    return true;
}

static int64_t read_rows(Reader *reader)
{
    int64_t row = 0;
    while (lines_next(&reader->lines)) {
        if (reader->lines.line == reader->lines.line_end)
            continue;
        // After the first mistake rows are checked, but no longer kept: the list is refused anyway.
        row += read_row(reader, row);
        if (reader->problems->count > PROBLEMS_KEPT)
            break;
    }
    return row;
}

/* --- Jobs that follow others --- */

/* The row of the job called `cell`; -1: there is none among the first `count`. */
static int64_t row_named(Reader *reader, Cell cell, int64_t count)
{
    int64_t number = 0;
    uint32_t found;
    if (reader->names == NULL)
        return cell_scaled(cell, 0, &number) == CELL_READ && number >= 1 && number <= count
                   ? number - 1
                   : -1;
    const Cell name = text_of(reader, cell);
    return word_table_find(reader->names, name.text, (size_t)name.length, &found) && found < count
               ? (int64_t)found
               : -1;
}

static void resolve_after(Reader *reader, const char *text, size_t length)
{
    int64_t *after;
    memcpy(&after, &reader->list->after_job, sizeof after);
    for (int64_t row = 0; row < reader->list->count; row++) {
        const Cell cell = reader->after_cells[row];
        after[row] = cell.length > 0 ? row_named(reader, cell, row) : JOB_LIST_UNKNOWN;
        if (cell.length == 0 || after[row] >= 0)
            continue;
        LineCursor lines = lines_begin(reader->lines.source, text, length);
        while (lines_next(&lines) && lines.line_end < cell.text) {
        }
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, cell_place(&lines, cell.text),
                                 "no earlier job is called \"%.*s\"", cell_shown(cell), cell.text),
                    "after_job contains the name of a job in a row above");
        if (reader->problems->count > PROBLEMS_KEPT)
            return;
    }
}

/* --- The whole --- */

static void finish_words(Reader *reader)
{
    for (int32_t i = 0; i < reader->column_count; i++) {
        if (reader->columns[i]->kind != COLUMN_WORD)
            continue;
        const JobListWords words = {(int32_t)reader->words[i].count, reader->words[i].texts};
        memcpy((char *)reader->list + reader->columns[i]->words, &words, sizeof words);
    }
    reader->list->names = reader->names != NULL ? reader->names->texts : NULL;
}

bool job_list_parse(Arena *arena, const char *source, const char *text, size_t length,
                    JobList *list, Problems *problems)
{
    Reader reader = {.arena = arena,
                     .problems = problems,
                     .lines = lines_begin(source, text, length),
                     .list = list};
    const int32_t problems_before = problems->count;
    *list = (JobList){0};
    reader.row_count_max = lines_left(&reader.lines);
    if (!read_header(&reader))
        return false;
    make_columns(&reader);
    list->count = read_rows(&reader);
    if (problems->count == problems_before && reader.after_cells != NULL)
        resolve_after(&reader, text, length);
    finish_words(&reader);
    return problems->count == problems_before;
}

bool job_list_read(Arena *arena, FileSource files, const char *path, JobList *list,
                   Problems *problems)
{
    const char *text;
    size_t length;
    Status status = {0};
    if (!files.read(files.context, arena, path, &text, &length, &status)) {
        problems_add_status(problems, &status);
        return false;
    }
    return job_list_parse(arena, path, text, length, list, problems);
}
