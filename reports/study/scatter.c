#include "reports/study/scatter.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "reports/study/name_places.h"
#include "reports/study/range.h"
#include "reports/text/labels.h"
#include "reports/text/wording.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/model/random_math.h"

enum {
    BODY = 320,
    LEFT = 64,
    RIGHT = 12,
    NAME_WIDTH = 420,
    BAND_PPM = 12000,
    STEP_WIDTH = 60,
    STEPS_UP = 8
};
/* Names have letters of 10.5, letters_width is that of 12. */
static const double NAME_SCALE = 10.5 / 12;

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

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Whether a few values are so large that on a linear axis the others would be in one place. */
static bool are_magnitudes(const Scatter *scatter, Range range)
{
    enum { POINTS_LEAST = 5, RATIO_LEAST = 20 };
    if (scatter->count < POINTS_LEAST || range.low <= 0 || range.high < RATIO_LEAST * range.low)
        return false;
    double *values = ARENA_ARRAY(scatter->arena, double, scatter->count);
    for (int32_t i = 0; i < scatter->count; i++)
        values[i] = scatter->points[i].x.value;
    qsort(values, (size_t)scatter->count, sizeof *values, ascending);
    return values[scatter->count / 2] - range.low < (range.high - range.low) / 5;
}

static Frame frame_of(const Scatter *scatter)
{
    Frame frame = {range_empty, range_empty};
    for (int32_t i = 0; i < scatter->count; i++) {
        value_add(&frame.x, &scatter->points[i].x);
        value_add(&frame.y, &scatter->points[i].y);
    }
    range_add(&frame.y, scatter->y_limit);
    frame.x.is_log = are_magnitudes(scatter, frame.x);
    return (Frame){frame.x.is_log ? range_for_places(frame.x) : range_for_values(frame.x),
                   range_for_values(frame.y)};
}

static void values_print(Text *out, const double *values, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        value_print(out, values[i]);
        text_add(out, " ");
    }
}

static void points_print(Text *out, const Scatter *scatter)
{
    text_add(out, "$points << END\n");
    for (int32_t i = scatter->count - 1; i >= 0; i--) { // the first ones over the others
        const ScatterPoint *point = &scatter->points[i];
        values_print(out,
                     (double[]){point->x.value, point->x.low, point->x.high, point->y.value,
                                point->y.low, point->y.high},
                     6);
        text_printf(out, "0x%06" PRIX32 " \"%s\"\n", (uint32_t)point->rgb, point->mark);
    }
    text_add(out, "END\n");
}

/* Pixels of the drawing, and back. */
static double to_pixels(Range range, double value, double pixels)
{
    if (range.is_log)
        return random_log(value / range.low) / random_log(range.high / range.low) * pixels;
    return (value - range.low) / (range.high - range.low) * pixels;
}

static double to_value(Range range, double at, double pixels)
{
    if (range.is_log)
        return range.low * random_exp(random_log(range.high / range.low) * at / pixels);
    return range.low + at / pixels * (range.high - range.low);
}

static void name_print(Text *out, const char *name)
{
    text_add(out, " \"");
    for (const char *at = name; *at != '\0'; at++)
        text_append(out, *at == '"' || *at == '\\' ? "'" : at, 1);
    text_add(out, "\"\n");
}

/* The name of the limit: at the right end of its line, below it. */
static NameBox limit_box(const Scatter *scatter, Frame frame, double width)
{
    if (isnan(scatter->y_limit))
        return (NameBox){0};
    const double y = to_pixels(frame.y, scatter->y_limit, BODY);
    return (NameBox){width - NAME_SCALE * letters_width(scatter->y_limit_name), width,
                     y - 2 * NAME_HEIGHT, y};
}

/* The texts next to the points; "" without a name. */
static const char *const *names_of(const Scatter *scatter, FigureLayout layout)
{
    const char **names = ARENA_ARRAY(scatter->arena, const char *, scatter->count + 1);
    for (int32_t i = 0; i < scatter->count; i++) {
        const ScatterPoint *point = &scatter->points[i];
        names[i] = point->name == NULL ? "" : layout.is_narrow ? point->number : point->name;
    }
    return labels_fit(scatter->arena, names, scatter->count, (LabelRoom){NAME_WIDTH, 1});
}

/* "$names" and the lines from the points to their names, "$lines". */
static void names_print(Text *out, const Scatter *scatter, Frame frame, FigureLayout layout)
{
    const double width = layout.width - LEFT - RIGHT;
    const int32_t count = scatter->count;
    NamedPoint *points = ARENA_ARRAY(scatter->arena, NamedPoint, count + 1);
    NamePlace *places = ARENA_ARRAY(scatter->arena, NamePlace, count + 1);
    const char *const *names = names_of(scatter, layout);
    for (int32_t i = 0; i < count; i++) {
        const ScatterPoint *point = &scatter->points[i];
        points[i] = (NamedPoint){.x = to_pixels(frame.x, point->x.value, width),
                                 .y = to_pixels(frame.y, point->y.value, BODY),
                                 .bars = {to_pixels(frame.x, point->x.low, width),
                                          to_pixels(frame.x, point->x.high, width),
                                          to_pixels(frame.y, point->y.low, BODY),
                                          to_pixels(frame.y, point->y.high, BODY)}};
        if (point->name == NULL)
            continue;
        points[i].width = NAME_SCALE * letters_width(names[i]);
        points[i].short_width = NAME_SCALE * letters_width(point->number);
    }
    const bool has_limit = !isnan(scatter->y_limit);
    const NameArea area = {.area = {0, width, 0, BODY},
                           .taken = limit_box(scatter, frame, width),
                           .limit = has_limit ? to_pixels(frame.y, scatter->y_limit, BODY) : -1};
    name_places(points, count, &area, places);
    text_add(out, "$names << END\n");
    for (int32_t i = 0; i < count; i++)
        if (places[i].is_shown) {
            values_print(
                out,
                (double[]){to_value(frame.x, places[i].box.left, width),
                           to_value(frame.y, (places[i].box.low + places[i].box.high) / 2, BODY)},
                2);
            name_print(out, places[i].is_short ? scatter->points[i].number : names[i]);
        }
    values_print(out, (double[]){frame.x.low, frame.y.low}, 2);
    text_add(out, " \" \"\nEND\n$lines << END\n"); // gnuplot 5.4 crashes without any label
    for (int32_t i = 0; i < count; i++)
        if (places[i].is_shown && places[i].has_line) {
            const double x = scatter->points[i].x.value, y = scatter->points[i].y.value;
            values_print(out,
                         (double[]){x, y, to_value(frame.x, places[i].line_x, width) - x,
                                    to_value(frame.y, places[i].line_y, BODY) - y},
                         4);
            text_add(out, "\n");
        }
    values_print(out, (double[]){frame.x.low, frame.y.low, 0, 0}, 4);
    text_add(out, "\nEND\n");
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
    range_print(out, "y", frame.y, STEPS_UP);
    text_add(out, "x_label = ");
    gnuplot_string_print(out, scatter->x_label);
    text_printf(out, "\ndot_font = ',%d'\n", scatter->has_bars ? 11 : 8);
    limits_print(out, scatter);
    points_print(out, scatter);
    names_print(out, scatter, frame, layout);
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
