#include "reports/figure/figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/text/assets.h"
#include "reports/text/wording.h"
#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"

/* Pixels: a page of text, half of it with a gap between, and the smallest phone less its margins.
 */
enum { PAGE_WIDTH = 920, HALF_WIDTH = 448, PHONE_WIDTH = 332 };

const int32_t series_rgb[SERIES_MAX] = {0x4477AA, 0xEE6677, 0x228833, 0xD87800, 0x7C5CE6, 0xC02070};

static void figure_add(Figures *figures, Figure figure)
{
    figures->items = array_room(figures->arena, figures->items, figures->count + 1,
                                &figures->capacity, sizeof(Figure));
    figures->items[figures->count++] = figure;
}

static int32_t left_of(const Figure *figure, FigureLayout layout)
{
    return layout.is_narrow ? figure->left_narrow : figure->left;
}

static const char *script(Arena *arena, const Figure *figure, const char *template,
                          const char *data, int32_t body, FigureLayout layout)
{
    Text text = {0};
    text_printf(&text,
                "reset session\nwidth = %" PRId32 "\nbody = %" PRId32
                "\nnarrow = %d\nplot_left = %" PRId32 "\n",
                layout.width, body, layout.is_narrow, left_of(figure, layout));
    text_add(&text, data);
    text_add(&text, asset_text("style.gp"));
    text_add(&text, asset_text(template));
    return text_move(arena, &text);
}

/* Where style.gp places the plot; the data has the height of its legend (key_print). */
static PlotArea area_of(const Figure *figure, const char *data, int32_t body, FigureLayout layout)
{
    enum { RIGHT_MARGIN = 12, BELOW_KEY = 10 };
    static const char key[] = "\nkey_height = ";
    const char *height = strstr(data, key);
    invariant(height != NULL);
    return (PlotArea){.left = left_of(figure, layout),
                      .top = (int32_t)strtol(height + sizeof key - 1, NULL, 10) + BELOW_KEY,
                      .width = layout.width - RIGHT_MARGIN - left_of(figure, layout),
                      .height = body};
}

FigureLayout figure_layout(bool is_half, bool is_narrow)
{
    return (FigureLayout){.width = is_narrow ? PHONE_WIDTH
                                   : is_half ? HALF_WIDTH
                                             : PAGE_WIDTH,
                          .is_narrow = is_narrow};
}

void figures_draw(Figures *figures, Figure figure, const char *template, const char *wide_data,
                  const char *narrow_data, int32_t body)
{
    const FigureLayout wide = figure_layout(figure.is_half, false),
                       narrow = figure_layout(figure.is_half, true);
    figure.wide = script(figures->arena, &figure, template, wide_data, body, wide);
    const int32_t narrow_body = figure.body_narrow > 0 ? figure.body_narrow : body;
    figure.narrow = script(figures->arena, &figure, template, narrow_data, narrow_body, narrow);
    if (figure.numbers != NULL) {
        figure.area = area_of(&figure, wide_data, body, wide);
        figure.area_narrow = area_of(&figure, narrow_data, narrow_body, narrow);
    }
    figure_add(figures, figure);
}

void figures_missing(Figures *figures, Figure figure)
{
    figure_add(figures, figure);
}

/* Pixels, for a typeface of 12. */
enum { LETTER_WIDTH = 8, SWATCH_WIDTH = 17, KEY_GAP = 14, KEY_LINE = 18 };

static int32_t key_width(const char *name)
{
    return SWATCH_WIDTH + letters_width(name);
}

static void key_item_print(Text *out, const char *name, int32_t rgb, int32_t kind, int32_t x,
                           int32_t y)
{
    text_printf(out,
                "kind_rgb[%" PRId32 "] = 0x%06" PRIX32 "\nkind_x[%" PRId32 "] = %" PRId32
                "\nkind_y[%" PRId32 "] = %" PRId32 "\nkind_name[%" PRId32 "] = ",
                kind, (uint32_t)rgb, kind, x, kind, y, kind);
    gnuplot_string_print(out, name);
    text_add(out, "\n");
}

void key_print(Text *out, const Shade *shades, int32_t count, uint32_t used, FigureLayout layout)
{
    int32_t kinds = 0;
    for (int32_t i = 0; i < count; i++)
        kinds += (used >> i & 1) != 0;
    text_printf(out,
                "kinds = %" PRId32 "\narray kind_name[kinds+1]\narray kind_rgb[kinds+1]\n"
                "array kind_x[kinds+1]\narray kind_y[kinds+1]\n",
                kinds); // gnuplot has no empty arrays
    int32_t x = 0, y = 0, kind = 0;
    for (int32_t i = 0; i < count; i++) {
        if ((used >> i & 1) == 0)
            continue;
        Text name = {0};
        shortened_print(&name, shades[i].name, (layout.width - SWATCH_WIDTH) / LETTER_WIDTH);
        const int32_t width = key_width(text_string(&name));
        if (x > 0 && x + width > layout.width) {
            x = 0;
            y += KEY_LINE;
        }
        key_item_print(out, text_string(&name), shades[i].rgb, ++kind, x, y + KEY_LINE / 2);
        x += width + KEY_GAP;
        text_free(&name);
    }
    text_printf(out, "key_height = %" PRId32 "\n", kinds > 0 ? y + KEY_LINE : 0);
}

/* About the light of a part of a colour, as WCAG 2.1 has it: exactly it is a power of 2.4. */
static double light_of(int32_t byte)
{
    const double part = byte / 255.0;
    return part * part * sqrt(sqrt(part));
}

int32_t ink_on(int32_t rgb)
{
    const double light = 0.2126 * light_of(rgb >> 16 & 255) + 0.7152 * light_of(rgb >> 8 & 255) +
                         0.0722 * light_of(rgb & 255);
    return light > 0.175 ? 0x000000 : 0xFFFFFF;
}

/* `text` up to the end of its first line. */
static void first_line_print(Text *out, const char *text)
{
    Text line = {0};
    text_append(&line, text, strcspn(text, "\n"));
    gnuplot_string_print(out, text_string(&line));
    text_free(&line);
}

static const char *next_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return end != NULL ? end + 1 : "";
}

void row_labels_print(Text *out, const char *const *labels, int32_t count)
{
    text_printf(out, "rows = %" PRId32 "\narray row_label[rows]\narray row_under[rows]\n", count);
    for (int32_t i = 0; i < count; i++) {
        text_printf(out, "row_label[%" PRId32 "] = ", i + 1);
        first_line_print(out, labels[i]);
        text_printf(out, "\nrow_under[%" PRId32 "] = ", i + 1);
        first_line_print(out, next_line(labels[i]));
        text_add(out, "\n");
    }
}

void lines_print(Text *out, const char *lines)
{
    first_line_print(out, lines);
    for (const char *line = next_line(lines); *line != '\0'; line = next_line(line)) {
        text_add(out, ".\"\\n\".");
        first_line_print(out, line);
    }
}

int64_t round_step(int64_t range, int64_t steps_max)
{
    invariant(range >= 0 && steps_max > 0);
    static const int64_t leading[] = {1, 2, 5};
    int64_t power = 1;
    for (int32_t i = 0;; i++) {
        if (i == 3) {
            i = 0;
            power *= 10;
        }
        if (range / (leading[i] * power) <= steps_max - (range % (leading[i] * power) != 0))
            return leading[i] * power;
    }
}

/* The coarsest unit of which the run has a few; steps are those of a clock's face. */
enum { TIME_STEPS = 8 };
typedef struct {
    const char *label;
    int64_t ns;
    int64_t from_ns; /* used for runs at least so long */
    int64_t step_ns[TIME_STEPS];
} TimeUnit;

#define SCALED(unit, a, b, c, d, e, f, g, h)                                                       \
    {                                                                                              \
        (a) * (unit), (b) * (unit), (c) * (unit), (d) * (unit), (e) * (unit), (f) * (unit),        \
            (g) * (unit), (h) * (unit)                                                             \
    }
static const TimeUnit time_units[] = {
    {"days since the start", NS_PER_DAY, 4 * NS_PER_DAY,
     SCALED(NS_PER_DAY / 2, 1, 2, 4, 10, 20, 40, 100, 200)},
    {"hours since the start", NS_PER_HOUR, 4 * NS_PER_HOUR,
     SCALED(NS_PER_HOUR / 2, 1, 2, 4, 6, 12, 24, 48, 96)},
    {"minutes since the start", NS_PER_MIN, 4 * NS_PER_MIN,
     SCALED(NS_PER_MIN, 1, 2, 5, 10, 15, 20, 30, 60)},
    {"seconds since the start", NS_PER_S, 0, SCALED(NS_PER_S, 1, 2, 5, 10, 15, 20, 30, 60)},
};
#undef SCALED

void time_axis_print(Text *out, int64_t end_ns, FigureLayout layout)
{
    const int64_t shown_ns = end_ns > NS_PER_S ? end_ns : NS_PER_S; // an empty run has an axis too
    const int64_t pixels_per_label = 56;
    const int64_t labels = layout.width / pixels_per_label;
    const TimeUnit *unit = time_units;
    while (shown_ns < unit->from_ns)
        unit++;
    int32_t step = 0;
    while (step < TIME_STEPS - 1 && shown_ns / unit->step_ns[step] > labels)
        step++;
    text_printf(out, "unit_s = %" PRId64 "\nx_label = '%s'\nx_step = ", unit->ns / NS_PER_S,
                unit->label);
    seconds_print(out, unit->step_ns[step]);
    text_add(out, " / real(unit_s)\nx_end = ");
    seconds_print(out, shown_ns);
    text_add(out, " / real(unit_s)\n");
}
