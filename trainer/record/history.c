#include "trainer/record/history.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/invariant.h"
#include "sim/base/piece.h"
#include "sim/base/text.h"
#include "sim/cli/files.h"
#include "trainer/record/fixed.h"

enum { FILE_BYTES_MAX = 64 << 20, DECIMALS_MAX = 9 };

static const char magic[] = "# trainyard history 1";

const EpochMeasure epoch_measures[EPOCH_MEASURES] = {
#define X(name, member, decimals, is_optional, description)                                        \
    {name, offsetof(EpochRecord, member), decimals, is_optional},
    EPOCH_MEASURE_ROWS(X)
#undef X
};

struct History {
    const char *path;
    Text text; /* the contents of the file */
    int64_t last_epoch;
};

double epoch_measure(const EpochRecord *record, const EpochMeasure *measure)
{
    return *(const double *)(const void *)((const char *)record + measure->offset);
}

static void measure_set(EpochRecord *record, const EpochMeasure *measure, double value)
{
    *(double *)(void *)((char *)record + measure->offset) = value;
}

/* --- Writing --- */

static void print_header(Text *text)
{
    text_printf(text, "%s\nepoch", magic);
    for (int32_t i = 0; i < EPOCH_MEASURES; i++)
        text_printf(text, "\t%s", epoch_measures[i].name);
    text_add(text, "\n");
}

static void print_row(Text *text, const EpochRecord *record)
{
    invariant(isnan(record->val_loss) == isnan(record->val_acc));
    text_printf(text, "%" PRId64, record->epoch);
    for (int32_t i = 0; i < EPOCH_MEASURES; i++) {
        const EpochMeasure *measure = &epoch_measures[i];
        const double value = epoch_measure(record, measure);
        text_add(text, "\t");
        if (measure->is_optional && isnan(value))
            text_add(text, "-");
        else
            fixed_print(text, value, measure->decimals);
    }
    text_add(text, "\n");
}

bool history_settle(const History *history, Status *status)
{
    return file_write(history->path, history->text.data, history->text.length, status);
}

bool history_add(History *history, const EpochRecord *record, Status *status)
{
    invariant(record->epoch > history->last_epoch);
    const size_t before = history->text.length;
    print_row(&history->text, record);
    if (!file_write(history->path, history->text.data, history->text.length, status)) {
        history->text.length = before; // the next attempt writes the same row
        history->text.data[before] = '\0';
        return false;
    }
    history->last_epoch = record->epoch;
    return true;
}

/* --- Reading --- */

/* "1.901234": exactly as many decimals as the column has. */
static bool number_read(Piece piece, int32_t decimals, double *value)
{
    Piece fraction = piece, whole;
    uint64_t above, below = 0;
    piece_cut(&fraction, '.', &whole);
    if (!fraction.text || fraction.length != (size_t)decimals ||
        !piece_digits(whole, INT64_C(1000000000000000), &above))
        return false;
    for (size_t i = 0; i < fraction.length; i++) {
        if (fraction.text[i] < '0' || fraction.text[i] > '9')
            return false;
        below = 10 * below + (uint64_t)(fraction.text[i] - '0');
    }
    const uint64_t units = (uint64_t)fixed_units(decimals);
    if (above >= INT64_C(1000000000000000) / units)
        return false;
    *value = (double)(above * units + below) / (double)units; // both exact: the nearest double
    return true;
}

static bool measure_read(Piece piece, const EpochMeasure *measure, EpochRecord *record,
                         Status *status)
{
    double value = NAN;
    if (!(measure->is_optional && piece_is(piece, "-")) &&
        !number_read(piece, measure->decimals, &value)) {
        piece_bad(piece, "a number", status);
        return status_hint(status, "%s has %" PRId32 " decimals", measure->name, measure->decimals);
    }
    measure_set(record, measure, value);
    return true;
}

static bool row_read(Piece line, int64_t previous_epoch, EpochRecord *record, Status *status)
{
    Piece rest = line, cell;
    uint64_t epoch;
    piece_cut(&rest, '\t', &cell);
    if (!piece_digits(cell, INT64_MAX, &epoch) || (int64_t)epoch <= previous_epoch)
        return piece_bad(cell, "a number of epochs above that of the line before", status);
    record->epoch = (int64_t)epoch;
    for (int32_t i = 0; i < EPOCH_MEASURES; i++) {
        if (!piece_cut(&rest, '\t', &cell))
            return piece_bad(line, "eight columns separated by tabs", status);
        if (!measure_read(cell, &epoch_measures[i], record, status))
            return false;
    }
    if (rest.text)
        return piece_bad(line, "eight columns separated by tabs", status);
    if (isnan(record->val_loss) != isnan(record->val_acc))
        return piece_bad(line, "val_loss and val_acc, or neither", status);
    if (record->acc > 1 || record->val_acc > 1) // NaN is not
        return piece_bad(line, "accuracies from 0 to 1", status);
    return true;
}

static bool header_read(Piece *rest, Status *status)
{
    Text header = {0};
    Piece first, second = {0};
    print_header(&header);
    const char *columns = strchr(header.data, '\n') + 1;
    bool is_right =
        piece_take_line(rest, "a history", &first, status) &&
        (piece_is(first, magic) || piece_bad(first, "\"# trainyard history 1\"", status)) &&
        piece_take_line(rest, "the names of the columns", &second, status);
    if (is_right &&
        (second.length + 1 != strlen(columns) || memcmp(second.text, columns, second.length) != 0))
        is_right = piece_bad(second, "the names of the eight columns", status);
    text_free(&header);
    return is_right;
}

bool history_parse(const char *source, const char *text, size_t length, Arena *arena,
                   HistoryFile *file, Status *status)
{
    Piece rest = piece_of(source, text, length), line;
    if (!header_read(&rest, status))
        return false;
    EpochRecord *records = ARENA_ARRAY(arena, EpochRecord, piece_line_count(rest));
    int64_t count = 0, epoch = 0;
    while (rest.length > 0) {
        if (!piece_take_line(&rest, "", &line, status) ||
            !row_read(line, epoch, &records[count], status))
            return false;
        epoch = records[count++].epoch;
    }
    *file = (HistoryFile){count, records};
    return true;
}

bool history_read(const char *path, Arena *arena, HistoryFile *file, Status *status)
{
    char *text;
    size_t length;
    return file_read(arena, path, FILE_BYTES_MAX, &text, &length, status) &&
           history_parse(path, text, length, arena, file, status);
}

/* --- The history of a training --- */

static bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

bool history_open(const char *path, int64_t epochs, Arena *arena, History **history, Status *status)
{
    HistoryFile file = {0};
    if (epochs > 0 && exists(path) && !history_read(path, arena, &file, status))
        return status_hint(status, "move the file away to begin a new one with the next epoch");
    History *opened = ARENA_NEW(arena, History);
    *opened = (History){.path = arena_strdup(arena, path), .last_epoch = epochs};
    print_header(&opened->text);
    for (int64_t i = 0; i < file.count && file.records[i].epoch <= epochs; i++)
        print_row(&opened->text, &file.records[i]);
    *history = opened;
    return true;
}

void history_close(History *history)
{
    if (history)
        text_free(&history->text);
}
