#include "sim/output/trace/row.h"

#include <string.h>

void trace_row_print_error(Text *out, const TraceRow *row)
{
    const char *error = row->record.name;
    Text repeated = {0};
    text_printf(&repeated, "node %s: ", row->node);
    const char *found = strstr(error, text_string(&repeated));
    if (found != NULL) {
        text_append(out, error, (size_t)(found - error));
        error = found + repeated.length;
    }
    text_add(out, error);
    text_free(&repeated);
}
