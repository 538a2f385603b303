#include "reports/plan/share_curves.h"

#include <inttypes.h>
#include <math.h>

#include "reports/study/range.h"
#include "reports/text/wording.h"
#include "sim/base/invariant.h"

enum { BODY = 220, LEFT = 56, STEP_WIDTH = 70 };

static Range range_of(const ShareCurves *curves)
{
    Range range = range_empty;
    range.is_log = curves->is_log;
    for (int32_t c = 0; c < curves->curve_count; c++)
        for (int32_t i = 0; i < curves->curves[c].count; i++)
            range_add(&range, curves->curves[c].x[i]);
    for (int32_t i = 0; i < curves->mark_count; i++)
        range_add(&range, curves->marks[i].x);
    return range_for_places(range);
}

/* Round times along a logarithmic axis. */
static const struct {
    double s;
    const char *name;
} times[] = {{1, "1 s"},    {10, "10 s"},   {60, "1 min"},  {300, "5 min"},  {1800, "30 min"},
             {7200, "2 h"}, {28800, "8 h"}, {86400, "1 d"}, {345600, "4 d"}, {1209600, "14 d"}};

static void tics_print(Text *out, const ShareCurves *curves)
{
    const int32_t count = curves->is_time ? (int32_t)(sizeof times / sizeof times[0]) : 0;
    text_printf(out, "tics = %" PRId32 "\narray tic_name[%" PRId32 "]\narray tic_at[%" PRId32 "]\n",
                count, count + 1, count + 1); // gnuplot has no empty arrays
    for (int32_t i = 0; i < count; i++)
        text_printf(out, "tic_name[%" PRId32 "] = '%s'\ntic_at[%" PRId32 "] = %g\n", i + 1,
                    times[i].name, i + 1, times[i].s);
}

static void marks_print(Text *out, const ShareCurves *curves)
{
    const int32_t count = curves->mark_count;
    text_printf(out,
                "has_limit = %d\ny_limit = %.6g\nmarks = %" PRId32 "\narray mark_at[%" PRId32
                "]\narray mark_name[%" PRId32 "]\n",
                !isnan(curves->share_limit),
                isnan(curves->share_limit) ? 0 : curves->share_limit * 100, count, count + 1,
                count + 1);
    for (int32_t i = 0; i < count; i++) {
        text_printf(out, "mark_at[%" PRId32 "] = ", i + 1);
        value_print(out, curves->marks[i].x);
        text_printf(out, "\nmark_name[%" PRId32 "] = ", i + 1);
        gnuplot_string_print(out, curves->marks[i].name);
        text_add(out, "\n");
    }
}

static void curves_print(Text *out, const ShareCurves *curves, FigureLayout layout)
{
    Shade shades[SHARE_CURVES_MAX] = {{0}};
    const int32_t count = curves->curve_count;
    for (int32_t c = 0; c < count; c++)
        shades[c] = (Shade){curves->curves[c].name, curves->curves[c].rgb};
    key_print(out, shades, count, count > 1 ? (1U << count) - 1 : 0, layout);
    text_printf(
        out, "curves = %" PRId32 "\narray curve_rgb[%" PRId32 "]\narray curve_width[%" PRId32 "]\n",
        count, count, count);
    for (int32_t c = 0; c < count; c++)
        text_printf(out,
                    "curve_rgb[%" PRId32 "] = 0x%06" PRIX32 "\ncurve_width[%" PRId32 "] = %g\n",
                    c + 1, (uint32_t)curves->curves[c].rgb, c + 1, c == 0 ? 2.2 : 1.5);
    text_add(out, "$curves << END\n");
    for (int32_t c = 0; c < count; c++) {
        const ShareCurve *curve = &curves->curves[c];
        for (int32_t i = 0; i < curve->count; i++) {
            value_print(out, curve->x[i]);
            text_printf(out, " %.6g\n", curve->shares[i] * 100);
        }
        text_add(out, "\n\n");
    }
    text_add(out, "END\n");
}

static void data_print(Text *out, const ShareCurves *curves, FigureLayout layout)
{
    curves_print(out, curves, layout);
    range_print(out, "x", range_of(curves), layout.width / STEP_WIDTH);
    text_add(out, "x_label = ");
    gnuplot_string_print(out, curves->x_label);
    text_add(out, "\n");
    tics_print(out, curves);
    marks_print(out, curves);
}

void share_curves_draw(Figures *figures, Figure figure, const ShareCurves *curves)
{
    Text wide = {0}, narrow = {0};
    invariant(curves->curve_count > 0);
    figure.left = figure.left_narrow = LEFT;
    data_print(&wide, curves, figure_layout(figure.is_half, false));
    data_print(&narrow, curves, figure_layout(figure.is_half, true));
    figures_draw(figures, figure, "shares.gp", text_string(&wide), text_string(&narrow), BODY);
    text_free(&wide);
    text_free(&narrow);
}
