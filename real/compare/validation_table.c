#include "real/compare/validation_table.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/piece.h"
#include "sim/base/units.h"
#include "sim/cloud/training/layer_rates.h"
#include "trainer/record/timeline.h"

static const char magic[] = "# trainyard validation 1";
static const char *const columns[] = {
    "machine",      "date",         "cores",    "backend",    "network",    "precision",
    "batch",        "ranks",        "round",    "steps",      "min_ms",     "median_ms",
    "mean_ms",      "p90_ms",       "load_ms",  "augment_ms", "forward_ms", "backward_ms",
    "negotiate_ms", "allreduce_ms", "update_ms"};
enum {
    FIELD_MACHINE,
    FIELD_DATE,
    FIELD_CORES,
    FIELD_BACKEND,
    FIELD_NETWORK,
    FIELD_PRECISION,
    FIELD_BATCH,
    FIELD_RANKS,
    FIELD_ROUND,
    FIELD_STEPS,
    FIELD_MIN,
    FIELD_MEDIAN,
    FIELD_MEAN,
    FIELD_P90,
    FIELD_PHASES,
    FIELD_COUNT = FIELD_PHASES + VALIDATION_PHASE_COUNT
};
_Static_assert(sizeof columns / sizeof columns[0] == FIELD_COUNT, "a name each");

/* --- Cells --- */

/* Reads a name. It must be printable ASCII, so that it can be shown. */
static bool name_read(Arena *arena, Piece piece, const char **name, Status *status)
{
    for (size_t i = 0; i < piece.length; i++)
        if (piece.text[i] < ' ' || piece.text[i] > '~')
            return piece_bad(piece, "printable ASCII", status);
    *name = arena_strndup(arena, piece.text, piece.length);
    return piece.length > 0 || piece_bad(piece, "a name", status);
}

static bool count_read(Piece piece, int64_t most, int64_t *count, Status *status)
{
    uint64_t value;
    if (!piece_digits(piece, (uint64_t)most, &value) || value == 0)
        return piece_bad(piece, "a whole number from 1", status);
    *count = (int64_t)value;
    return true;
}

static bool small_count_read(Piece piece, int32_t *count, Status *status)
{
    int64_t value = 0;
    if (!count_read(piece, TIMELINE_RANKS_MAX, &value, status))
        return false;
    *count = (int32_t)value;
    return true;
}

/* "38.6708": milliseconds with up to six decimals, exactly. */
static bool ms_read(Piece piece, int64_t *ns, Status *status)
{
    enum { DECIMALS = 6 };
    const uint64_t whole_max = 1000000000; // more than a week
    Piece rest = piece, whole;
    uint64_t value = 0, fraction = 0;
    if (!piece_cut(&rest, '.', &whole) || !piece_digits(whole, whole_max, &value))
        return piece_bad(piece, "milliseconds such as 38.6708", status);
    for (size_t i = 0; rest.text && i < DECIMALS; i++) {
        const char digit = i < rest.length ? rest.text[i] : '0';
        if (!ascii_is_digit(digit) || rest.length == 0 || rest.length > DECIMALS)
            return piece_bad(piece, "milliseconds such as 38.6708", status);
        fraction = 10 * fraction + (uint64_t)(digit - '0');
    }
    *ns = (int64_t)value * NS_PER_MS + (int64_t)fraction;
    return true;
}

static bool precision_read(Piece piece, StepPrecision *precision, Status *status)
{
    const char *words[STEP_PRECISION_COUNT];
    for (int32_t i = 0; i < STEP_PRECISION_COUNT; i++) {
        words[i] = step_precision_word((StepPrecision)i);
        if (piece_is(piece, words[i])) {
            *precision = (StepPrecision)i;
            return true;
        }
    }
    piece_bad(piece, "a precision", status);
    return piece_hint_nearest(piece, words, STEP_PRECISION_COUNT, status);
}

/* --- Rows --- */

static bool cells_cut(Piece line, Piece *cells, Status *status)
{
    Piece rest = line;
    for (int32_t i = 0; i < FIELD_COUNT; i++)
        if (!piece_cut(&rest, '\t', &cells[i]))
            return piece_bad(line, "21 columns separated by tabs", status);
    return !rest.text || piece_bad(line, "21 columns separated by tabs", status);
}
_Static_assert(FIELD_COUNT == 21, "as cells_cut says");

static bool times_read(const Piece *cells, ValidationRow *row, Status *status)
{
    for (int32_t phase = 0; phase < VALIDATION_PHASE_COUNT; phase++)
        if (!ms_read(cells[FIELD_PHASES + phase], &row->phase_ns[phase], status))
            return false;
    if (!ms_read(cells[FIELD_MIN], &row->min_ns, status) ||
        !ms_read(cells[FIELD_MEDIAN], &row->median_ns, status) ||
        !ms_read(cells[FIELD_MEAN], &row->mean_ns, status) ||
        !ms_read(cells[FIELD_P90], &row->p90_ns, status))
        return false;
    return row->median_ns > 0 || piece_bad(cells[FIELD_MEDIAN], "a step that takes a time", status);
}

/* Checks that all rows have the machine and the backend of the first row. */
static bool machine_read(Arena *arena, const Piece *cells, ValidationTable *table, Status *status)
{
    int32_t cores;
    if (!small_count_read(cells[FIELD_CORES], &cores, status))
        return false;
    if (table->row_count == 0) {
        table->cores = cores;
        return name_read(arena, cells[FIELD_BACKEND], &table->backend, status) &&
               name_read(arena, cells[FIELD_MACHINE], &table->machine, status) &&
               name_read(arena, cells[FIELD_DATE], &table->date, status);
    }
    if (!piece_is(cells[FIELD_MACHINE], table->machine))
        return piece_bad(cells[FIELD_MACHINE], "the machine of the first row", status);
    if (!piece_is(cells[FIELD_BACKEND], table->backend))
        return piece_bad(cells[FIELD_BACKEND], "the backend of the first row", status);
    return cores == table->cores ||
           piece_bad(cells[FIELD_CORES], "the cores of the first row", status);
}

static bool row_read(Arena *arena, Piece line, ValidationTable *table, ValidationRow *row,
                     Status *status)
{
    Piece cells[FIELD_COUNT];
    row->at = line.at;
    return cells_cut(line, cells, status) && machine_read(arena, cells, table, status) &&
           name_read(arena, cells[FIELD_NETWORK], &row->network, status) &&
           precision_read(cells[FIELD_PRECISION], &row->precision, status) &&
           count_read(cells[FIELD_BATCH], INT32_MAX, &row->batch, status) &&
           small_count_read(cells[FIELD_RANKS], &row->ranks, status) &&
           small_count_read(cells[FIELD_ROUND], &row->round, status) &&
           count_read(cells[FIELD_STEPS], INT32_MAX, &row->steps, status) &&
           times_read(cells, row, status);
}

static bool head_read(Piece *rest, Status *status)
{
    Piece line, cells[FIELD_COUNT];
    if (!piece_take_line(rest, "a table of a validation", &line, status))
        return false;
    if (!piece_is(line, magic))
        return piece_bad(line, "\"# trainyard validation 1\"", status);
    if (!piece_take_line(rest, "the names of the columns", &line, status) ||
        !cells_cut(line, cells, status))
        return false;
    for (int32_t i = 0; i < FIELD_COUNT; i++)
        if (!piece_is(cells[i], columns[i]))
            return piece_bad(cells[i], columns[i], status);
    return true;
}

bool validation_parse(const char *source, const char *text, size_t length, Arena *arena,
                      ValidationTable *table, Status *status)
{
    Piece rest = piece_of(source, text, length), line;
    *table = (ValidationTable){0};
    if (!head_read(&rest, status))
        return false;
    ValidationRow *rows = ARENA_ARRAY(arena, ValidationRow, piece_line_count(rest) + 1);
    table->rows = rows;
    do {
        if (!piece_take_line(&rest, "a measurement", &line, status) ||
            !row_read(arena, line, table, &rows[table->row_count], status))
            return false;
        table->row_count++;
    } while (rest.length > 0);
    return true;
}
