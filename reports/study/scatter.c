#include "reports/study/scatter.h"

#include <inttypes.h>
#include <math.h>

#include "reports/study/range.h"
#include "reports/text/wording.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"

enum { BODY = 320, LEFT = 64, NAME_LETTERS = 34, BAND_PPM = 12000, STEP_WIDTH = 60 };

/* The ranges of both axes. */
typedef struct {
    Range x, y;
} Frame;

static void value_add(Range *range, const ScatterValue *value)
{
    range_add(range, value->value);
    range_add(range, value->low);
    range_add(range, value->high);
}

static Frame frame_of(const Scatter *scatter)
{
    Frame frame = {range_empty, range_empty};
    for (int32_t i = 0; i < scatter->count; i++) {
        value_add(&frame.x, &scatter->points[i].x);
        value_add(&frame.y, &scatter->points[i].y);
    }
    range_add(&frame.y, scatter->y_limit);
    return (Frame){range_for_values(frame.x), range_for_values(frame.y)};
}

static void name_print(Text *out, const ScatterPoint *point, FigureLayout layout)
{
    Text name = {0};
    shortened_print(&name, layout.is_narrow ? point->number : point->name, NAME_LETTERS);
    text_add(out, " \"");
    for (const char *at = text_string(&name); *at != '\0'; at++)
        text_append(out, *at == '"' || *at == '\\' ? "'" : at, 1);
    text_add(out, "\"\n");
    text_free(&name);
}

static void values_print(Text *out, const double *values, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        value_print(out, values[i]);
        text_add(out, " ");
    }
}

static double distance(Range range, double left, double right)
{
    return fabs(left - right) / (range.high - range.low);
}

/* Whether the name of a point would cover that of an earlier one. */
static bool is_hidden(const Scatter *scatter, Frame frame, int32_t i)
{
    const ScatterPoint *points = scatter->points;
    for (int32_t before = 0; before < i; before++)
        if (distance(frame.x, points[i].x.value, points[before].x.value) < 0.1 &&
            distance(frame.y, points[i].y.value, points[before].y.value) < 0.04)
            return true;
    return false;
}

static void points_print(Text *out, const Scatter *scatter)
{
    text_add(out, "$points << END\n");
    for (int32_t i = 0; i < scatter->count; i++) {
        const ScatterPoint *point = &scatter->points[i];
        values_print(out,
                     (double[]){point->x.value, point->x.low, point->x.high, point->y.value,
                                point->y.low, point->y.high},
                     6);
        text_printf(out, "0x%06" PRIX32 " \"%s\"\n", (uint32_t)point->rgb, point->mark);
    }
    text_add(out, "END\n");
}

/* Names of points on the right are left of them and lower, so that they stay in the drawing. */
static void names_print(Text *out, const Scatter *scatter, Frame frame, FigureLayout layout,
                        bool on_right)
{
    const int64_t right_ppm = 78 * PPM / 100;
    text_printf(out, "$names_%s << END\n", on_right ? "right" : "left");
    for (int32_t i = 0; i < scatter->count && scatter->has_names; i++) {
        const ScatterPoint *point = &scatter->points[i];
        const bool is_right = range_band(frame.x, point->x.value, 0).from_ppm > right_ppm;
        if (is_right != on_right || is_hidden(scatter, frame, i))
            continue;
        values_print(out, (double[]){point->x.value, point->y.value}, 2);
        name_print(out, point, layout);
    }
    values_print(out, (double[]){scatter->points[0].x.value, scatter->points[0].y.value}, 2);
    text_add(out, " \" \"\nEND\n"); // gnuplot 5.4 crashes without any label
}

static void named_value_print(Text *out, const char *name, double value)
{
    text_printf(out, "%s = ", name);
    value_print(out, value);
    text_add(out, "\n");
}

static void limits_print(Text *out, const Scatter *scatter)
{
    text_printf(out, "has_limit = %d\nhas_band = %d\n", !isnan(scatter->y_limit),
                !isnan(scatter->x_band_low));
    named_value_print(out, "y_limit", scatter->y_limit);
    named_value_print(out, "band_low", scatter->x_band_low);
    named_value_print(out, "band_high", scatter->x_band_high);
    text_add(out, "limit_name = ");
    gnuplot_string_print(out, isnan(scatter->y_limit) ? "" : scatter->y_limit_name);
    text_add(out, "\n");
}

static void data_print(Text *out, const Scatter *scatter, FigureLayout layout)
{
    const Frame frame = frame_of(scatter);
    const int32_t shades = scatter->shade_count;
    key_print(out, scatter->shades, shades, shades > 1 ? (1U << shades) - 1 : 0, layout);
    range_print(out, "x", frame.x, layout.width / STEP_WIDTH);
    range_print(out, "y", frame.y, 1);
    text_add(out, "x_label = ");
    gnuplot_string_print(out, scatter->x_label);
    text_printf(out, "\ndot_font = ',%d'\n", scatter->has_bars ? 11 : 8);
    limits_print(out, scatter);
    points_print(out, scatter);
    names_print(out, scatter, frame, layout, false);
    names_print(out, scatter, frame, layout, true);
}

static const FigureNumbers *numbers_of(const Scatter *scatter)
{
    FigureNumbers *numbers =
        numbers_create(scatter->arena, scatter->headings, scatter->column_count, false);
    const Range across = frame_of(scatter).x;
    for (int32_t i = 0; i < scatter->count && i < scatter->row_count; i++)
        numbers_add(numbers, range_band(across, scatter->points[i].x.value, BAND_PPM),
                    scatter->points[i].cells);
    return numbers;
}

void scatter_draw(Figures *figures, Figure figure, const Scatter *scatter)
{
    Text wide = {0}, narrow = {0};
    invariant(scatter->count > 0 && scatter->shade_count < 32);
    figure.left = figure.left_narrow = LEFT;
    figure.numbers = numbers_of(scatter);
    data_print(&wide, scatter, figure_layout(figure.is_half, false));
    data_print(&narrow, scatter, figure_layout(figure.is_half, true));
    figures_draw(figures, figure, "scatter.gp", text_string(&wide), text_string(&narrow), BODY);
    text_free(&wide);
    text_free(&narrow);
}
