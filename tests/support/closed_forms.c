#include "tests/support/closed_forms.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next field of a line, which may be in quotation marks; moves `*at` past it. */
static const char *next_field(Arena *arena, const char **at)
{
    const char mark = **at == '"' ? '"' : ',';
    const char *begin = *at + (mark == '"');
    const size_t length = strcspn(begin, mark == '"' ? "\"" : ",\n");
    *at = begin + length + (mark == '"');
    *at += **at == ',';
    return arena_strndup(arena, begin, length);
}

const ClosedForm *closed_forms_read(Arena *arena, int32_t *count)
{
    enum { ROWS_MAX = 1000 };
    FILE *file = fopen(TRAINYARD_SOURCE_DIR "/tests/theory/closed_forms.csv", "r");
    ClosedForm *rows = ARENA_ARRAY(arena, ClosedForm, ROWS_MAX);
    char line[400];
    ck_assert(file != NULL);
    ck_assert(fgets(line, sizeof line, file) != NULL); // names of columns
    for (*count = 0; fgets(line, sizeof line, file) != NULL; (*count)++) {
        const char *at = line;
        ck_assert_int_lt(*count, ROWS_MAX);
        rows[*count].model = next_field(arena, &at);
        rows[*count].parameters = next_field(arena, &at);
        rows[*count].metric = next_field(arena, &at);
        rows[*count].value = strtod(at, NULL);
    }
    fclose(file);
    return rows;
}

double closed_form(const char *model, const char *parameters, const char *metric)
{
    int32_t count, found = -1;
    double value = 0;
    Arena *arena = arena_create();
    const ClosedForm *rows = closed_forms_read(arena, &count);
    for (int32_t i = 0; i < count && found < 0; i++)
        if (strcmp(rows[i].model, model) == 0 && strcmp(rows[i].parameters, parameters) == 0 &&
            strcmp(rows[i].metric, metric) == 0)
            found = i;
    ck_assert_msg(found >= 0, "closed_forms.csv has no row %s, %s, %s", model, parameters, metric);
    value = rows[found].value;
    arena_destroy(arena);
    return value;
}
