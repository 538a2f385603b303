/* Private to reports/plan: how long the jobs of the recommended candidate waited in its fresh runs,
 * and how many waited at a time. */
#include <inttypes.h>
#include <math.h>

#include "reports/plan/figures.h"
#include "reports/plan/palette.h"
#include "reports/plan/share_curves.h"
#include "reports/study/range.h"
#include "reports/text/wording.h"
#include "sim/base/units.h"

enum { BAND_PPM = 20000, BINS = 84, QUEUE_BODY = 170, QUEUE_LEFT = 56, QUEUE_ROWS = 12 };

static const char *duration_words(Arena *arena, double s)
{
    Text text = {0};
    duration_print(&text, (int64_t)(s * (double)NS_PER_S));
    return text_move(arena, &text);
}

/* --- Waits --- */

static const FigureNumbers *wait_numbers(const PlanFacts *facts, const WaitCurve *curves,
                                         int32_t count)
{
    const char **headings = ARENA_ARRAY(facts->arena, const char *, count + 1);
    const char **cells = ARENA_ARRAY(facts->arena, const char *, count + 1);
    Range range = range_empty;
    range.is_log = true;
    headings[0] = "waited at most";
    for (int32_t c = 0; c < count; c++)
        headings[c + 1] =
            arena_printf(facts->arena, "%s (%" PRId64 ")", curves[c].name, curves[c].job_count);
    range_add(&range, curves[0].x_s[0]);
    range_add(&range, curves[0].x_s[curves[0].count - 1]);
    range = range_for_places(range);
    FigureNumbers *numbers = numbers_create(facts->arena, headings, count + 1, false);
    for (int32_t k = 0; k < curves[0].count; k += 3) {
        cells[0] = duration_words(facts->arena, curves[0].x_s[k]);
        for (int32_t c = 0; c < count; c++)
            cells[c + 1] = arena_printf(facts->arena, "%.2f (%.2f to %.2f)\xC2\xA0%%",
                                        curves[c].shares[k] * 100, curves[c].low[k] * 100,
                                        curves[c].high[k] * 100);
        numbers_add(numbers, range_band(range, curves[0].x_s[k], BAND_PPM), cells);
    }
    return numbers;
}

/* The first constraint that is a share of waits; -1: no constraint is. */
static int32_t wait_constraint(const PlanFacts *facts, int64_t *waited_ns)
{
    const Goal *goal = facts->outcome->goal;
    for (int32_t c = 0; c < goal->constraint_count; c++) {
        const char *name = facts->outcome->grid->study->metrics[goal->constraints[c].metric].name;
        *waited_ns = metric_words(facts->arena, name).waited_ns;
        if (*waited_ns > 0)
            return c;
    }
    return -1;
}

/* " Only the first curve counts 586 jobs of other sizes." */
static const char *other_sizes(Arena *arena, const WaitCurve *curves, int32_t count)
{
    int64_t others = curves[0].job_count;
    Text out = {0};
    for (int32_t c = 1; c < count; c++)
        others -= curves[c].job_count;
    if (count == 1 || others == 0)
        return "";
    text_add(&out, " Only the first curve counts ");
    thousands_print(&out, others);
    text_printf(&out, " job%s of other sizes.", plural(others));
    return text_move(arena, &out);
}

static void waits_figure(Figures *figures, const PlanFacts *facts)
{
    WaitCurve curves[WAIT_CLASSES_MAX];
    const WinnerJobs *jobs = facts->jobs;
    const int32_t count = winner_wait_curves(facts->arena, jobs, curves);
    int64_t waited_ns = 0;
    const int32_t constraint = wait_constraint(facts, &waited_ns);
    ShareCurves drawn = {.x_label = "wait",
                         .is_log = true,
                         .is_time = true,
                         .curve_count = count,
                         .share_limit = (double)NAN};
    if (count == 0)
        return;
    for (int32_t c = 0; c < count; c++)
        drawn.curves[c] = (ShareCurve){curves[c].name, series_rgb[c], curves[c].x_s,
                                       curves[c].shares, curves[c].count};
    if (constraint >= 0) {
        drawn.share_limit = facts->outcome->goal->constraints[constraint].limit;
        drawn.mark_count = 1;
        drawn.marks[0].x = (double)waited_ns / (double)NS_PER_S;
        drawn.marks[0].name = duration_words(facts->arena, drawn.marks[0].x);
    }
    share_curves_draw(
        figures,
        (Figure){.section = PLAN_WINNER,
                 .file = "waits",
                 .title = "Share of the jobs that waited at most this long",
                 .note = arena_printf(
                     facts->arena, "%sJobs that never started are not within any time.%s",
                     constraint >= 0 ? "The constraint is where the dashed lines cross: a curve "
                                       "that is above the crossing meets it. "
                                     : "",
                     other_sizes(facts->arena, curves, count)),
                 .numbers = wait_numbers(facts, curves, count)},
        &drawn);
}

/* --- The queue --- */

static const struct {
    const char *name;
    int32_t rgb, dash;
} lines[] = {{"mean of the runs", RGB_MEETS, 1}, {"95 % of the runs have at most", RGB_CHOSEN, 2}};

static const FigureNumbers *queue_numbers(const PlanFacts *facts, const QueueCurve *queue)
{
    static const char *const headings[] = {"time since the start", "mean of the runs",
                                           "95 % of the runs have at most"};
    FigureNumbers *numbers = numbers_create(facts->arena, headings, 3, false);
    for (int32_t row = 0; row < QUEUE_ROWS; row++) {
        const int32_t k = (2 * row + 1) * queue->count / (2 * QUEUE_ROWS);
        const char *const cells[] = {duration_words(facts->arena, queue->t_s[k]),
                                     arena_printf(facts->arena, "%.2f", queue->mean[k]),
                                     arena_printf(facts->arena, "%.2f", queue->p95[k])};
        numbers_add(numbers, (PlotBand){PPM * row / QUEUE_ROWS, PPM * (row + 1) / QUEUE_ROWS},
                    cells);
    }
    return numbers;
}

static void queue_print(Text *out, const QueueCurve *queue, FigureLayout layout)
{
    const double end_s = queue->t_s[queue->count - 1] + queue->t_s[0];
    const MetricScale scale = metric_scale("s", end_s);
    Range values = range_empty;
    Shade shades[] = {{lines[0].name, lines[0].rgb}, {lines[1].name, lines[1].rgb}};
    range_add(&values, 0);
    range_add(&values, 1);
    for (int32_t k = 0; k < queue->count; k++)
        range_add(&values, queue->p95[k]);
    key_print(out, shades, 2, 3, layout);
    range_print(out, "x", (Range){.high = end_s * scale.factor}, layout.width / 70);
    range_print(out, "y", range_for_values(values), 1);
    text_printf(out,
                "x_label = 'time since the start, %s'\ncurves = 2\narray curve_rgb[2]\narray "
                "curve_dash[2]\n",
                scale.unit);
    for (int32_t c = 0; c < 2; c++)
        text_printf(out,
                    "curve_rgb[%" PRId32 "] = 0x%06" PRIX32 "\ncurve_dash[%" PRId32 "] = %" PRId32
                    "\n",
                    c + 1, (uint32_t)lines[c].rgb, c + 1, lines[c].dash);
    text_add(out, "$curves << END\n");
    for (int32_t c = 0; c < 2; c++) {
        const double *y = c == 0 ? queue->mean : queue->p95;
        for (int32_t k = 0; k < queue->count; k++)
            text_printf(out, "%.6g %.6g\n", queue->t_s[k] * scale.factor, y[k]);
        text_add(out, "\n\n");
    }
    text_add(out, "END\n");
}

static void queue_figure(Figures *figures, const PlanFacts *facts)
{
    const Study *study = facts->outcome->grid->study;
    const double period_s = study->horizon.kind == HORIZON_TERMINATING
                                ? (double)study->period_ns / (double)NS_PER_S
                                : 0;
    const QueueCurve queue = winner_queue(facts->arena, facts->jobs, period_s, BINS);
    Text wide = {0}, narrow = {0};
    if (queue.count == 0)
        return;
    queue_print(&wide, &queue, figure_layout(false, false));
    queue_print(&narrow, &queue, figure_layout(false, true));
    figures_draw(figures,
                 (Figure){.section = PLAN_WINNER,
                          .file = "queue",
                          .title = arena_printf(facts->arena, "Jobs that wait, mean of each %s",
                                                duration_words(facts->arena, 2 * queue.t_s[0])),
                          .note = "",
                          .left = QUEUE_LEFT,
                          .left_narrow = QUEUE_LEFT,
                          .numbers = queue_numbers(facts, &queue)},
                 "lines.gp", text_string(&wide), text_string(&narrow), QUEUE_BODY);
    text_free(&wide);
    text_free(&narrow);
}

void figures_winner(Figures *figures, const PlanFacts *facts)
{
    if (facts->jobs == NULL || facts->jobs->run_count == 0)
        return;
    waits_figure(figures, facts);
    queue_figure(figures, facts);
}
