#include "reports/plan/stacked.h"

#include <math.h>
#include <string.h>

#include "reports/plan/palette.h"
#include "reports/study/rows.h"

enum { COLOURS = SERIES_MAX - 1 };

static double amount_of(const Stacked *stacked, int32_t row, int32_t kind)
{
    const double amount = stacked->amounts[row * stacked->kind_count + kind];
    return isnan(amount) ? 0 : amount;
}

static double sum_of(const Stacked *stacked, int32_t kind)
{
    double sum = 0;
    for (int32_t row = 0; row < stacked->row_count; row++)
        sum += amount_of(stacked, row, kind);
    return sum;
}

/* The kinds with the largest sums above 0, largest first; returns their number. */
static int32_t choose(const Stacked *stacked, int32_t *chosen)
{
    int32_t count = 0;
    for (; count < COLOURS; count++) {
        int32_t best = -1;
        for (int32_t kind = 0; kind < stacked->kind_count; kind++) {
            bool is_taken = false;
            for (int32_t i = 0; i < count; i++)
                is_taken |= chosen[i] == kind;
            if (!is_taken && sum_of(stacked, kind) > 0 &&
                (best < 0 || sum_of(stacked, kind) > sum_of(stacked, best)))
                best = kind;
        }
        if (best < 0)
            break;
        chosen[count] = best;
    }
    return count;
}

/* "running jobs" of "running jobs, which held all nodes": the table below has the whole. */
static const char *key_name(Arena *arena, const char *kind)
{
    return arena_strndup(arena, kind, strcspn(kind, ","));
}

typedef struct {
    const Stacked *stacked;
    int32_t chosen[COLOURS], count;
    bool has_others;
} Parts;

static double others_of(const Parts *parts, int32_t row)
{
    double others = 0;
    for (int32_t kind = 0; kind < parts->stacked->kind_count; kind++)
        others += amount_of(parts->stacked, row, kind);
    for (int32_t i = 0; i < parts->count; i++)
        others -= amount_of(parts->stacked, row, parts->chosen[i]);
    return fmax(0, others);
}

static void add_row(Rows *rows, const Parts *parts, int32_t row)
{
    const Stacked *stacked = parts->stacked;
    const char *cells[SERIES_MAX + 2];
    int32_t column = 0;
    double at = 0;
    double all = others_of(parts, row);
    for (int32_t i = 0; i < parts->count; i++)
        all += amount_of(stacked, row, parts->chosen[i]);
    cells[column++] = stacked->names[row];
    cells[column++] = stacked->words(rows->arena, all);
    for (int32_t i = 0; i < parts->count; i++)
        cells[column++] = stacked->words(rows->arena, amount_of(stacked, row, parts->chosen[i]));
    if (parts->has_others)
        cells[column++] = stacked->words(rows->arena, others_of(parts, row));
    rows_add(rows, stacked->rows[row], cells);
    for (int32_t i = 0; i < parts->count; i++) {
        const double amount = amount_of(stacked, row, parts->chosen[i]);
        if (amount > 0)
            rows_bar(rows, at, at + amount, 0, 0.34, series_rgb[i]);
        at += amount;
    }
    if (parts->has_others && others_of(parts, row) > 0)
        rows_bar(rows, at, at + others_of(parts, row), 0, 0.34, RGB_OPEN);
}

void stacked_draw(Figures *figures, Figure figure, const Stacked *stacked)
{
    Parts parts = {.stacked = stacked};
    Arena *arena = figures->arena;
    Shade *shades = ARENA_ARRAY(arena, Shade, SERIES_MAX);
    const char **headings = ARENA_ARRAY(arena, const char *, SERIES_MAX + 2);
    int32_t columns = 0;
    parts.count = choose(stacked, parts.chosen);
    if (parts.count == 0)
        return;
    for (int32_t row = 0; row < stacked->row_count; row++)
        parts.has_others |= others_of(&parts, row) > 1e-9 * sum_of(stacked, parts.chosen[0]);
    headings[columns++] = stacked->row_heading;
    headings[columns++] = "all";
    for (int32_t i = 0; i < parts.count; i++) {
        headings[columns++] = stacked->kinds[parts.chosen[i]];
        shades[i] = (Shade){key_name(arena, stacked->kinds[parts.chosen[i]]), series_rgb[i]};
    }
    if (parts.has_others) {
        headings[columns++] = "all others";
        shades[parts.count] = (Shade){"all others", RGB_OPEN};
    }
    Rows rows = rows_begin(arena, stacked->row_count, 0, headings, columns);
    rows.x_label = stacked->x_label;
    rows.shades = shades;
    rows.shade_count = parts.count + parts.has_others;
    for (int32_t row = 0; row < stacked->row_count; row++)
        add_row(&rows, &parts, row);
    rows_draw(figures, figure, &rows);
}
