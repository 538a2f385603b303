#include "tests/support/closed_forms.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Moves `*at` past the next field of a line, which may be in quotation marks. Returns whether it is
 * `wanted`. */
static bool field_is(char **at, const char *wanted)
{
    const char mark = **at == '"' ? '"' : ',';
    char *begin = *at + (mark == '"');
    size_t length = strcspn(begin, mark == '"' ? "\"" : ",\n");
    *at = begin + length + (mark == '"');
    *at += **at == ',';
    return strlen(wanted) == length && memcmp(begin, wanted, length) == 0;
}

double closed_form(const char *model, const char *parameters, const char *metric)
{
    FILE *file = fopen(TRAINYARD_SOURCE_DIR "/tests/theory/closed_forms.csv", "r");
    char line[400];
    double value = 0;
    bool is_found = false;
    ck_assert(file != NULL);
    while (!is_found && fgets(line, sizeof line, file)) {
        char *at = line;
        bool is_row = field_is(&at, model);
        is_row &= field_is(&at, parameters);
        is_found = field_is(&at, metric) && is_row;
        value = is_found ? strtod(at, NULL) : 0;
    }
    fclose(file);
    ck_assert_msg(is_found, "closed_forms.csv has no row %s, %s, %s", model, parameters, metric);
    return value;
}
