#include "reports/study/rows.h"

#include <inttypes.h>

#include "reports/text/wording.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"

enum {
    ROW_HEIGHT = 24,
    LETTERS_MAX = 40,
    LETTERS_MAX_NARROW = 19,
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

static int32_t letters_of(const Rows *rows, int32_t most)
{
    int32_t letters = 4;
    for (int32_t i = 0; i < rows->row_count; i++)
        letters = letters_in(rows->labels[i]) > letters ? letters_in(rows->labels[i]) : letters;
    return letters < most ? letters : most;
}

/* The width of the longest label, cut to `most` letters, in pixels. */
static int32_t width_of(const Rows *rows, int32_t most)
{
    int32_t widest = 0;
    for (int32_t i = 0; i < rows->row_count; i++) {
        Text label = {0};
        shortened_print(&label, rows->labels[i], most);
        const int32_t width = letters_width(text_string(&label));
        widest = width > widest ? width : widest;
        text_free(&label);
    }
    return widest + LABEL_GAP;
}

/* The range with room at both ends; a zero at an end stays there. */
static Range shown_range(const Rows *rows)
{
    const Range placed = range_for_places(rows->range);
    Range shown = placed;
    if (rows->range.low == rows->zero && rows->range.high > rows->zero)
        shown.low = rows->zero;
    return shown;
}

static void data_print(Text *out, const Rows *rows, int32_t letters, FigureLayout layout)
{
    key_print(out, rows->shades, rows->shade_count,
              rows->shade_count > 0 ? (1U << rows->shade_count) - 1 : 0, layout);
    range_print(out, "x", shown_range(rows), layout.width / STEP_WIDTH);
    text_add(out, "zero = ");
    value_print(out, rows->zero);
    text_add(out, "\nx_label = ");
    gnuplot_string_print(out, rows->x_label);
    text_printf(out, "\nrows = %" PRId32 "\narray row_label[rows]\n", rows->row_count);
    for (int32_t i = 0; i < rows->row_count; i++) {
        Text label = {0};
        shortened_print(&label, rows->labels[i], letters);
        text_printf(out, "row_label[%" PRId32 "] = ", i + 1);
        gnuplot_string_print(out, text_string(&label));
        text_add(out, "\n");
        text_free(&label);
    }
    text_printf(out,
                "$bars << END\n%sNaN NaN NaN NaN 0 NaN\nEND\n$spans << END\n%sNaN NaN NaN\nEND\n"
                "$marks << END\n%s1 ",
                text_string(&rows->bars), text_string(&rows->spans), text_string(&rows->marks));
    value_print(out, rows->zero);
    text_add(out, " \" \" 0\nEND\n"); // gnuplot 5.4 crashes without any label
}

void rows_draw(Figures *figures, Figure figure, Rows *rows)
{
    invariant(rows->row_count > 0); // gnuplot has no empty arrays
    const int32_t wide_letters = letters_of(rows, LETTERS_MAX);
    const int32_t narrow_letters = letters_of(rows, LETTERS_MAX_NARROW);
    Text wide = {0}, narrow = {0};
    for (int32_t i = 0; i < rows->row_count; i++)
        rows->numbers->bands[i] =
            (PlotBand){PPM * i / rows->row_count, PPM * (i + 1) / rows->row_count};
    figure.left = width_of(rows, wide_letters);
    figure.left_narrow = width_of(rows, narrow_letters);
    figure.numbers = rows->numbers;
    data_print(&wide, rows, wide_letters, figure_layout(figure.is_half, false));
    data_print(&narrow, rows, narrow_letters, figure_layout(figure.is_half, true));
    figures_draw(figures, figure, "rows.gp", text_string(&wide), text_string(&narrow),
                 ROW_HEIGHT * rows->row_count + 8);
    text_free(&wide);
    text_free(&narrow);
    text_free(&rows->bars);
    text_free(&rows->spans);
    text_free(&rows->marks);
}
