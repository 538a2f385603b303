#include "sim/study/csv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/study/journal/value_text.h"

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
        value_text_print(value, false, row);
}

void csv_unknown(Text *row)
{
    begin_field(row);
}

void csv_end(Text *row)
{
    text_append(row, "\n", 1);
}
