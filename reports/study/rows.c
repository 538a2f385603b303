#include "reports/study/rows.h"

#include <inttypes.h>

#include "reports/text/labels.h"
#include "reports/text/wording.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"

enum {
    ROW_HEIGHT = 24,
    HIGH_ROW = 32, /* with a label of two lines */
    LABEL_WIDTH = 280,
    LABEL_WIDTH_NARROW = 146,
    LABEL_GAP = 14,
    STEP_WIDTH = 105
};

Rows rows_begin(Arena *arena, int32_t capacity, double zero, const char *const *headings,
                int32_t column_count)
{
    Rows rows = {.arena = arena,
                 .capacity = capacity,
                 .labels = ARENA_ARRAY(arena, const char *, capacity + 1),
                 .range = range_empty,
                 .zero = zero,
                 .numbers = numbers_create(arena, headings, column_count, true)};
    range_add(&rows.range, zero);
    return rows;
}

void rows_add(Rows *rows, const char *label, const char *const *cells)
{
    invariant(rows->row_count < rows->capacity);
    rows->labels[rows->row_count++] = arena_strdup(rows->arena, label);
    numbers_add(rows->numbers, (PlotBand){0, 0}, cells); // its place is known at the end
}

static void print_values(Rows *rows, Text *out, double first, double second)
{
    range_add(&rows->range, first);
    range_add(&rows->range, second);
    text_printf(out, "%" PRId32 " ", rows->row_count);
    value_print(out, first);
    text_add(out, " ");
    value_print(out, second);
}

void rows_bar(Rows *rows, double from, double to, double below, double half_height, int32_t rgb)
{
    print_values(rows, &rows->bars, from, to);
    text_printf(&rows->bars, " %.3g 0x%06" PRIX32 " %.3g\n", below, (uint32_t)rgb, half_height);
}

void rows_span(Rows *rows, double low, double high)
{
    print_values(rows, &rows->spans, low, high);
    text_add(&rows->spans, "\n");
}

void rows_mark(Rows *rows, double value, int32_t rgb)
{
    range_add(&rows->range, value);
    text_printf(&rows->marks, "%" PRId32 " ", rows->row_count);
    value_print(&rows->marks, value);
    text_printf(&rows->marks, " \"\xE2\x97\x8F\" 0x%06" PRIX32 "\n", (uint32_t)rgb);
}

/* The range with room at both ends; a zero at the beginning stays there. */
static Range shown_range(const Rows *rows)
{
    const Range placed = range_for_places(rows->range);
    Range shown = placed;
    if (rows->range.low == rows->zero && rows->range.high > rows->zero)
        shown.low = rows->zero;
    return shown;
}

static void x_label_print(Text *out, const Rows *rows, int32_t width)
{
    const char *const *label = labels_fit(rows->arena, &rows->x_label, 1, (LabelRoom){width, 2});
    text_printf(out, "x_label_lines = %" PRId32 "\nx_label = ", labels_lines(label, 1));
    lines_print(out, label[0]);
}

static void data_print(Text *out, const Rows *rows, const char *const *labels, FigureLayout layout)
{
    key_print(out, rows->shades, rows->shade_count,
              rows->shade_count > 0 ? (1U << rows->shade_count) - 1 : 0, layout);
    range_print(out, "x", shown_range(rows), layout.width / STEP_WIDTH);
    text_add(out, "zero = ");
    value_print(out, rows->zero);
    text_add(out, "\n");
    x_label_print(out, rows, layout.width - labels_width(labels, rows->row_count) - LABEL_GAP);
    text_add(out, "\n");
    row_labels_print(out, labels, rows->row_count);
    text_printf(out,
                "$bars << END\n%sNaN NaN NaN NaN 0 NaN\nEND\n$spans << END\n%sNaN NaN NaN\nEND\n"
                "$marks << END\n%s1 ",
                text_string(&rows->bars), text_string(&rows->spans), text_string(&rows->marks));
    value_print(out, rows->zero);
    text_add(out, " \" \" 0\nEND\n"); // gnuplot 5.4 crashes without any label
}

static int32_t body_of(const char *const *labels, int32_t count)
{
    return count * (labels_lines(labels, count) > 1 ? HIGH_ROW : ROW_HEIGHT) + 8;
}

void rows_draw(Figures *figures, Figure figure, Rows *rows)
{
    invariant(rows->row_count > 0); // gnuplot has no empty arrays
    const int32_t count = rows->row_count;
    const char *const *labels =
        labels_fit(rows->arena, rows->labels, count, (LabelRoom){LABEL_WIDTH, 2});
    const char *const *narrow_labels =
        labels_fit(rows->arena, rows->labels, count, (LabelRoom){LABEL_WIDTH_NARROW, 2});
    Text wide = {0}, narrow = {0};
    for (int32_t i = 0; i < rows->row_count; i++)
        rows->numbers->bands[i] =
            (PlotBand){PPM * i / rows->row_count, PPM * (i + 1) / rows->row_count};
    figure.left = labels_width(labels, count) + LABEL_GAP;
    figure.left_narrow = labels_width(narrow_labels, count) + LABEL_GAP;
    figure.body_narrow = body_of(narrow_labels, count);
    figure.numbers = rows->numbers;
    data_print(&wide, rows, labels, figure_layout(figure.is_half, false));
    data_print(&narrow, rows, narrow_labels, figure_layout(figure.is_half, true));
    figures_draw(figures, figure, "rows.gp", text_string(&wide), text_string(&narrow),
                 body_of(labels, count));
    text_free(&wide);
    text_free(&narrow);
    text_free(&rows->bars);
    text_free(&rows->spans);
    text_free(&rows->marks);
}
