#include "reports/study/panel.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reports/study/palette.h"
#include "reports/study/range.h"
#include "reports/text/labels.h"
#include "reports/text/wording.h"
#include "sim/base/units.h"

enum { BODY = 260, BODY_HALF = 200, LEFT = 64, STEP_WIDTH = 60, STEPS_UP = 8, BAND_PPM = 40000 };

static double scale_of(const Panel *panel)
{
    return panel->facts->scales[panel->metric].factor;
}

/* The limit of the metric in the units of the axis; NAN: none. */
static double limit_of(const Panel *panel)
{
    return fact_limit(panel->facts, panel->metric) * scale_of(panel);
}

static double low_of(const Mark *mark)
{
    return fact_bar_end(mark->low, mark->value);
}

static double high_of(const Mark *mark)
{
    return fact_bar_end(mark->high, mark->value);
}

static bool is_hollow(const Mark *mark)
{
    return !mark->is_bound && !(isfinite(mark->low) && isfinite(mark->high));
}

/* --- Ranges --- */

static Range places_of(const Panel *panel)
{
    Range range = range_empty;
    range.is_log = panel->axis->is_log;
    for (int32_t c = 0; c < panel->curve_count; c++)
        for (int32_t i = 0; i < panel->curves[c].count; i++)
            range_add(&range, panel->curves[c].marks[i].x);
    for (int32_t i = 0; i < panel->dot_count; i++)
        range_add(&range, panel->dots[i].x);
    if (!panel->axis->is_of_numbers)
        return (Range){.low = range.low - 0.5, .high = range.high + 0.5};
    return range_for_places(range);
}

static Range values_of(const Panel *panel)
{
    Range range = range_empty;
    for (int32_t c = 0; c < panel->curve_count; c++)
        for (int32_t i = 0; i < panel->curves[c].count; i++) {
            const Mark *mark = &panel->curves[c].marks[i];
            range_add(&range, mark->value * scale_of(panel));
            range_add(&range, low_of(mark) * scale_of(panel));
            range_add(&range, high_of(mark) * scale_of(panel));
        }
    for (int32_t i = 0; i < panel->dot_count; i++)
        range_add(&range, panel->dots[i].value * scale_of(panel));
    range_add(&range, limit_of(panel));
    return range_for_values(range);
}

/* Curves are drawn at slightly different places, so that their bars do not hide each other. */
static double shifted(const Panel *panel, int32_t curve, Range places, double x)
{
    const double step = (curve - (panel->curve_count - 1) / 2.0) * 0.01;
    if (places.is_log)
        return x * (1 + step);
    return x + step * (places.high - places.low);
}

/* --- Data --- */

enum { TIC_GAP = 8 };

/* The levels of the curves as names along the axis; none where gnuplot finds round numbers. */
static void tics_print(Text *out, const Panel *panel, FigureLayout layout)
{
    const Curve *longest = &panel->curves[0];
    for (int32_t c = 1; c < panel->curve_count; c++)
        if (panel->curves[c].count > longest->count)
            longest = &panel->curves[c];
    const int32_t width = layout.width - LEFT, count = longest->count;
    const bool is_named =
        !panel->axis->is_of_numbers || (panel->dot_count == 0 && width / count >= 44);
    text_printf(out, "tics = %" PRId32 "\narray tic_name[%" PRId32 "]\narray tic_at[%" PRId32 "]\n",
                is_named ? count : 0, count + 1, count + 1);
    const char **names = ARENA_ARRAY(panel->facts->arena, const char *, count + 1);
    for (int32_t i = 0; i < count; i++)
        names[i] = longest->marks[i].label;
    const char *const *shown =
        labels_fit(panel->facts->arena, names, count, (LabelRoom){width / count - TIC_GAP, 2});
    text_printf(out, "tic_lines = %" PRId32 "\n", is_named ? labels_lines(shown, count) : 1);
    for (int32_t i = 0; is_named && i < count; i++) {
        text_printf(out, "tic_name[%" PRId32 "] = ", i + 1);
        lines_print(out, shown[i]);
        text_printf(out, "\ntic_at[%" PRId32 "] = ", i + 1);
        value_print(out, longest->marks[i].x);
        text_add(out, "\n");
    }
}

#define DOT                                                                                        \
    " \"\xE2\x97\x8F\"" /* gnuplot's own points do not survive the embedding into a page           \
                         */

#define CIRCLE " \"\xE2\x97\x8B\""

static void row_print(Text *out, const double *values, int32_t count, const char *mark)
{
    for (int32_t i = 0; i < count; i++) {
        text_add(out, i > 0 ? " " : "");
        value_print(out, values[i]);
    }
    text_printf(out, "%s\n", mark);
}

static void marks_print(Text *out, const Panel *panel, Range places)
{
    const double scale = scale_of(panel);
    text_add(out, "$marks << END\n");
    for (int32_t c = 0; c < panel->curve_count; c++) {
        for (int32_t i = 0; i < panel->curves[c].count; i++) {
            const Mark *mark = &panel->curves[c].marks[i];
            row_print(out,
                      (double[]){shifted(panel, c, places, mark->x), mark->value * scale,
                                 low_of(mark) * scale,
                                 (mark->is_bound ? mark->value : high_of(mark)) * scale},
                      4, is_hollow(mark) ? CIRCLE : DOT);
        }
        text_add(out, "\n\n");
    }
    text_add(out, "END\n$bounds << END\n");
    for (int32_t c = 0; c < panel->curve_count; c++)
        for (int32_t i = 0; i < panel->curves[c].count; i++) {
            const Mark *mark = &panel->curves[c].marks[i];
            if (mark->is_bound)
                row_print(out,
                          (double[]){shifted(panel, c, places, mark->x), mark->value * scale,
                                     series_rgb[c]},
                          3, "");
        }
    text_add(out, "NaN NaN 0\nEND\n$dots << END\n");
    for (int32_t i = 0; i < panel->dot_count; i++)
        row_print(out, (double[]){panel->dots[i].x, panel->dots[i].value * scale}, 2, DOT);
    // gnuplot 5.4 crashes without any label.
    if (panel->dot_count == 0)
        row_print(out,
                  (double[]){panel->curves[0].marks[0].x, panel->curves[0].marks[0].value * scale},
                  2, " \" \"");
    text_add(out, "END\n");
}

static void legend_print(Text *out, const Panel *panel, FigureLayout layout)
{
    Shade shades[SERIES_MAX];
    for (int32_t c = 0; c < panel->curve_count; c++)
        shades[c] = (Shade){panel->curves[c].name, series_rgb[c]};
    key_print(out, shades, panel->curve_count,
              panel->curve_count > 1 ? (1U << panel->curve_count) - 1 : 0, layout);
    text_printf(out, "dots_rgb = 0x%06" PRIX32 "\n", (uint32_t)RGB_DOTS);
    text_printf(out, "curves = %" PRId32 "\narray curve_rgb[curves]\n", panel->curve_count);
    for (int32_t c = 0; c < panel->curve_count; c++)
        text_printf(out, "curve_rgb[%" PRId32 "] = 0x%06" PRIX32 "\n", c + 1,
                    (uint32_t)series_rgb[c]);
}

static void data_print(Text *out, const Panel *panel, FigureLayout layout)
{
    const Range places = places_of(panel), values = values_of(panel);
    const StudyAxis *axis = panel->axis;
    legend_print(out, panel, layout);
    range_print(out, "x", places, layout.width / STEP_WIDTH);
    range_print(out, "y", values, STEPS_UP);
    text_add(out, "x_label = ");
    gnuplot_string_print(out, label_with_unit(panel->facts->arena, axis->name, axis->unit));
    text_printf(out, "\nhas_limit = %d\ny_limit = ", !isnan(limit_of(panel)));
    value_print(out, limit_of(panel));
    text_printf(out,
                "\nhas_lines = %d\nbound_length = ", axis->is_of_numbers || panel->curve_count > 1);
    value_print(out, (values.high - values.low) * 0.07);
    text_add(out, "\n");
    tics_print(out, panel, layout);
    marks_print(out, panel, places);
}

/* --- Numbers --- */

static const Mark *mark_at(const Curve *curve, double x)
{
    for (int32_t i = 0; i < curve->count; i++)
        if (curve->marks[i].x == x)
            return &curve->marks[i];
    return NULL;
}

static const char *mark_text(const Mark *mark)
{
    return mark != NULL ? mark->text : "\xE2\x80\x93"; // a dash
}

/* A row for each x of the first curve, and then for those that only later curves have. */
static const FigureNumbers *numbers_of(const Panel *panel)
{
    Arena *arena = panel->facts->arena;
    const char **headings = ARENA_ARRAY(arena, const char *, panel->curve_count + 1);
    const char *cells[SERIES_MAX + 1];
    const Range places = places_of(panel);
    headings[0] = panel->axis->name;
    for (int32_t c = 0; c < panel->curve_count; c++)
        headings[c + 1] = panel->curves[c].name;
    FigureNumbers *numbers = numbers_create(arena, headings, panel->curve_count + 1, false);
    for (int32_t c = 0; c < panel->curve_count; c++)
        for (int32_t i = 0; i < panel->curves[c].count; i++) {
            const Mark *mark = &panel->curves[c].marks[i];
            bool is_first = true;
            for (int32_t before = 0; before < c; before++)
                is_first &= mark_at(&panel->curves[before], mark->x) == NULL;
            if (!is_first)
                continue;
            cells[0] = mark->label;
            for (int32_t k = 0; k < panel->curve_count; k++)
                cells[k + 1] = mark_text(mark_at(&panel->curves[k], mark->x));
            numbers_add(numbers, range_band(places, mark->x, BAND_PPM), cells);
        }
    return numbers;
}

/* --- The note --- */

enum { NOTES_SHOWN = 3 };

static const Mark *mark_number(const Panel *panel, int32_t number)
{
    for (int32_t c = 0; c < panel->curve_count; number -= panel->curves[c++].count)
        if (number < panel->curves[c].count)
            return &panel->curves[c].marks[number];
    return NULL;
}

/* How many hollow marks before `end` have the note. */
static int32_t noted_before(const Panel *panel, const char *note, int32_t end)
{
    int32_t count = 0;
    for (int32_t i = 0; i < end; i++) {
        const Mark *mark = mark_number(panel, i);
        count += is_hollow(mark) && strcmp(mark->note, note) == 0;
    }
    return count;
}

/* `note`, and why hollow marks have no interval. */
static const char *note_of(const Panel *panel, int32_t mark_count, const char *note)
{
    Text words = {0};
    int32_t notes = 0;
    for (int32_t i = 0; i < mark_count; i++) {
        const Mark *mark = mark_number(panel, i);
        if (!is_hollow(mark) || noted_before(panel, mark->note, i) > 0 || notes++ >= NOTES_SHOWN)
            continue;
        text_add(&words, notes == 1 ? "Hollow marks have no interval: " : "; ");
        text_printf(&words, "%s (%" PRId32 ")", mark->note,
                    noted_before(panel, mark->note, mark_count));
    }
    if (notes > 0)
        text_add(&words, notes > NOTES_SHOWN ? "; the numbers have more." : ".");
    if (!isnan(limit_of(panel)))
        text_printf(&words, "%sThe dashed line is the limit.", notes > 0 ? " " : "");
    const char *kept =
        arena_printf(panel->facts->arena, "%s%s%s", note,
                     note[0] != '\0' && words.length > 0 ? " " : "", text_string(&words));
    text_free(&words);
    return kept;
}

/* Without the curves that have no marks: gnuplot would count an empty block as no block. */
static Panel with_marks(const Panel *panel, int32_t *mark_count)
{
    Panel kept = *panel;
    kept.curve_count = *mark_count = 0;
    for (int32_t c = 0; c < panel->curve_count; c++) {
        *mark_count += panel->curves[c].count;
        if (panel->curves[c].count > 0)
            kept.curves[kept.curve_count++] = panel->curves[c];
    }
    return kept;
}

void panel_draw(Figures *figures, Figure figure, const Panel *given)
{
    Text wide = {0}, narrow = {0};
    int32_t mark_count;
    const Panel kept = with_marks(given, &mark_count), *panel = &kept;
    if (mark_count == 0) {
        figure.note = "No run with a value of this metric has finished.";
        figures_missing(figures, figure);
        return;
    }
    figure.left = figure.left_narrow = LEFT;
    figure.note = note_of(panel, mark_count, figure.note);
    figure.numbers = numbers_of(panel);
    data_print(&wide, panel, figure_layout(figure.is_half, false));
    data_print(&narrow, panel, figure_layout(figure.is_half, true));
    figures_draw(figures, figure, "levels.gp", text_string(&wide), text_string(&narrow),
                 figure.is_half ? BODY_HALF : BODY);
    text_free(&wide);
    text_free(&narrow);
}
