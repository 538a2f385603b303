#include "emu/files/range.h"

#include <string.h>

#include "emu/http/http.h"

bool files_range_parse(const char *text, FilesRange *range)
{
    static const char unit[] = "bytes=";
    if (strncmp(text, unit, strlen(unit)) != 0)
        return false;
    text += strlen(unit);
    if (!http_take_number(&text, &range->first) || *text++ != '-')
        return false;
    range->last = INT64_MAX;
    if (*text != '\0' && !http_take_number(&text, &range->last))
        return false;
    return *text == '\0' && range->first <= range->last;
}
