#include "sim/scenario/joblist/cells.h"

#include <string.h>

#include "sim/base/ascii.h"

enum { SHOWN_MAX = 60 };

LineCursor lines_begin(const char *source, const char *text, size_t length)
{
    static const char mark[] = "\xef\xbb\xbf";
    const size_t skipped = length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    return (LineCursor){.source = source, .next = text + skipped, .end = text + length};
}

bool lines_next(LineCursor *cursor)
{
    if (cursor->next == cursor->end)
        return false;
    const size_t left = (size_t)(cursor->end - cursor->next);
    const char *feed = memchr(cursor->next, '\n', left);
    cursor->line = cursor->next;
    cursor->line_end = feed != NULL ? feed : cursor->end;
    cursor->next = feed != NULL ? feed + 1 : cursor->end;
    cursor->line_number++;
    if (cursor->line_end > cursor->line && cursor->line_end[-1] == '\r')
        cursor->line_end--;
    return true;
}

/* The separator that the current line has in place of `separator`; 0: none. */
static char other_separator(const LineCursor *cursor, char separator)
{
    static const char separators[] = {';', '\t', '|', ','};
    const size_t length = (size_t)(cursor->line_end - cursor->line);
    if (separator == ' ' || memchr(cursor->line, separator, length) != NULL)
        return 0;
    for (size_t i = 0; i < sizeof separators; i++)
        if (memchr(cursor->line, separators[i], length) != NULL)
            return separators[i];
    return 0;
}

static const char *separator_name(char separator)
{
    return separator == '\t'  ? "tabs"
           : separator == ';' ? "\";\""
           : separator == '|' ? "\"|\""
                              : "\",\"";
}

bool header_refused(const LineCursor *cursor, char separator, Problems *problems)
{
    const Place at = cell_place(cursor, cursor->line);
    const char other = other_separator(cursor, separator);
    if (cursor->line_end - cursor->line >= 2 &&
        (memcmp(cursor->line, "\xff\xfe", 2) == 0 || memcmp(cursor->line, "\xfe\xff", 2) == 0))
        status_hint(problems_add(problems, STATUS_BAD_INPUT, at,
                                 "the text is UTF-16, expected a table in UTF-8"),
                    "save the file as UTF-8");
    else if (other != 0)
        status_hint(problems_add(problems, STATUS_BAD_INPUT, at,
                                 "the names of the columns have %s between them, expected %s",
                                 separator_name(other), separator_name(separator)),
                    "`trainyard import csv` reads such a table with --separator '%s'",
                    other == '\t' ? "\\t" : (char[]){other, '\0'});
    else
        return false;
    return true;
}

int64_t lines_left(const LineCursor *cursor)
{
    int64_t count = 1; // the last line may have no line end
    for (const char *c = cursor->next; c < cursor->end; c++)
        count += *c == '\n';
    return count;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static Cell trimmed(const char *text, const char *end)
{
    while (text < end && is_blank(*text))
        text++;
    while (end > text && is_blank(end[-1]))
        end--;
    return (Cell){.text = text, .length = (int32_t)(end - text)};
}

/* The cell in quotes whose first quote is at `text`. Returns the end of its last quote; NULL when
 * that quote is missing. */
static const char *quoted(const char *text, const char *end, Cell *cell)
{
    *cell = (Cell){.text = text + 1};
    for (const char *c = text + 1; c < end; c++) {
        if (*c != '"')
            continue;
        if (c + 1 == end || c[1] != '"') {
            cell->length = (int32_t)(c - cell->text);
            return c + 1;
        }
        cell->has_quotes = true;
        c++;
    }
    return NULL;
}

static int32_t cut_blanks(const LineCursor *cursor, Cell *cells, int32_t most)
{
    int32_t count = 0;
    for (const char *c = cursor->line; c < cursor->line_end;) {
        if (is_blank(*c)) {
            c++;
            continue;
        }
        const char *start = c;
        while (c < cursor->line_end && !is_blank(*c))
            c++;
        if (count < most)
            cells[count] = (Cell){.text = start, .length = (int32_t)(c - start)};
        count++;
    }
    return count;
}

int32_t cells_cut(const LineCursor *cursor, char separator, Cell *cells, int32_t most)
{
    if (separator == ' ')
        return cut_blanks(cursor, cells, most);
    const char *c = cursor->line, *end = cursor->line_end;
    for (int32_t count = 1;; count++, c++) {
        Cell cell;
        const char *start = c;
        if (c < end && *c == '"') {
            c = quoted(start, end, &cell);
            if (c == NULL || (c < end && *c != separator)) {
                cells[0].text = start;
                return -1;
            }
        } else {
            while (c < end && *c != separator)
                c++;
            cell = separator == '\t' ? (Cell){.text = start, .length = (int32_t)(c - start)}
                                     : trimmed(start, c);
        }
        if (count <= most)
            cells[count - 1] = cell;
        if (c == end)
            return count;
    }
}

Place cell_place(const LineCursor *cursor, const char *text)
{
    return place_in(cursor->source, cursor->line_number, (int32_t)(text - cursor->line) + 1);
}

/* Adds a decimal digit to a number that is at most INT64_MAX. */
static bool add_digit(uint64_t *number, char digit)
{
    const uint64_t value = (uint64_t)(digit - '0');
    if (*number > ((uint64_t)INT64_MAX - value) / 10)
        return false;
    *number = *number * 10 + value;
    return true;
}

/* The digits after the point, of which `decimals` count. Returns the end of the digits; `*is_large`
 * and `*is_cut` report what was lost. */
static const char *fraction_read(const char *c, const char *end, int32_t decimals, uint64_t *number,
                                 bool *is_large, bool *is_cut)
{
    for (; c < end && ascii_is_digit(*c); c++) {
        if (decimals > 0)
            *is_large |= !add_digit(number, *c);
        else
            *is_cut |= *c != '0';
        decimals -= decimals > 0;
    }
    for (; decimals > 0; decimals--)
        *is_large |= !add_digit(number, '0');
    return c;
}

CellOutcome cell_scaled(Cell cell, int32_t decimals, int64_t *value)
{
    if (cell.length == 0)
        return CELL_EMPTY;
    const char *c = cell.text, *end = cell.text + cell.length;
    const bool is_negative = *c == '-';
    c += is_negative;
    const char *digits = c;
    uint64_t number = 0;
    bool is_large = false, is_cut = false;
    for (; c < end && ascii_is_digit(*c); c++)
        is_large |= !add_digit(&number, *c);
    const bool has_point = c < end && *c == '.';
    const char *rest =
        fraction_read(c + has_point, has_point ? end : c, decimals, &number, &is_large, &is_cut);
    if (rest != end || rest - digits == has_point)
        return CELL_BAD;
    if (is_cut && !is_negative)
        is_large |= number++ == (uint64_t)INT64_MAX;
    if (is_large)
        return CELL_TOO_LARGE;
    *value = is_negative ? -(int64_t)number : (int64_t)number;
    return is_cut ? CELL_TOO_FINE : CELL_READ;
}

bool cell_is(Cell cell, const char *text)
{
    return strlen(text) == (size_t)cell.length &&
           (cell.length == 0 || memcmp(text, cell.text, strlen(text)) == 0); // text may be NULL
}

Cell cell_unquoted(Cell cell, char *scratch)
{
    if (!cell.has_quotes)
        return cell;
    int32_t length = 0;
    for (int32_t i = 0; i < cell.length; i++) {
        scratch[length++] = cell.text[i];
        i += cell.text[i] == '"';
    }
    return (Cell){.text = scratch, .length = length};
}

int cell_shown(Cell cell)
{
    return cell.length < SHOWN_MAX ? cell.length : SHOWN_MAX;
}
