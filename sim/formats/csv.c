#include "sim/formats/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fewest of 15 to 17 digits that give the same double again. The program never sets a locale,
 * and C libraries round to the nearest decimal, so all machines print the same digits. */
static void add_real(Text *out, double value)
{
    char digits[32];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    text_add(out, digits);
}

/* The comma between fields: none at the beginning of a line. */
static void begin_field(Text *row)
{
    if (row->length > 0 && row->data[row->length - 1] != '\n')
        text_append(row, ",", 1);
}

void csv_text(Text *row, const char *value)
{
    begin_field(row);
    // An empty first field is quoted, so that the next one gets its comma.
    if (value[0] != '\0' && strpbrk(value, ",\"\r\n") == NULL) {
        text_add(row, value);
        return;
    }
    text_append(row, "\"", 1);
    for (const char *c = value; *c != '\0'; c++)
        text_append(row, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    text_append(row, "\"", 1);
}

void csv_integer(Text *row, int64_t value)
{
    begin_field(row);
    text_printf(row, "%" PRId64, value);
}

void csv_real(Text *row, double value)
{
    begin_field(row);
    if (isfinite(value))
        add_real(row, value);
}

void csv_unknown(Text *row)
{
    begin_field(row);
}

void csv_end(Text *row)
{
    text_append(row, "\n", 1);
}

/* The part between quotes; `*rest` is after the first quote. */
static void cut_quoted(const char **rest, Text *field)
{
    const char *from = *rest;
    for (; *from != '\0' && (from[0] != '"' || from[1] == '"'); from++) {
        from += from[0] == '"'; // a quote is doubled
        text_append(field, from, 1);
    }
    *rest = from + (*from == '"');
}

void csv_cut(const char **rest, Text *field, bool *ends_row)
{
    text_clear(field);
    if (**rest == '"') {
        ++*rest;
        cut_quoted(rest, field);
    }
    const size_t plain = strcspn(*rest, ",\n");
    text_append(field, *rest, plain);
    *rest += plain;
    *ends_row = **rest != ',';
    *rest += **rest != '\0';
}
