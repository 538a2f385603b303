#include "real/compare/page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "real/compare/print.h"
#include "reports/figure/drawing.h"
#include "reports/page/page.h"
#include "reports/text/wording.h"
#include "sim/cli/files.h"
#include "sim/study/statistics/sample.h"

/* P. Tol's "bright" scheme. */
static const Shade shades[] = {{"predicted", 0x4477AA}, {"measured", 0xEE6677}};
enum { SHADE_COUNT = 2 };

static void legend_print(Text *out, FigureLayout layout)
{
    key_print(out, shades, SHADE_COUNT, (1U << SHADE_COUNT) - 1, layout);
}

/* --- Parts of a step --- */

/* The step, which comes first, and its parts. */
static bool is_bar(const CompareJob *job, int32_t row)
{
    return row == 0 || (job->rows[row].is_part && job->rows[row].is_predicted);
}

/* Prints a bar of a row. The predicted bar is above the row's position and the measured bar below.
 * The number is at `from`, after the bar and its interval. */
static void bar_print(Text *bars, Text *numbers, Arena *arena, int32_t row, int32_t shade,
                      double value, double from)
{
    const double y = row + (shade == 0 ? -0.2 : 0.2);
    text_printf(bars, "%.1f %.9g 0x%06" PRIX32 "\n", y, value, (uint32_t)shades[shade].rgb);
    text_printf(numbers, "%.1f %.9g \"%s\"\n", y, from, cell_number(arena, value));
}

/* The longest bar. An interval may be longer and is then cut by the plot's edge. */
static double longest_bar(const CompareJob *job)
{
    double longest = 0;
    for (int32_t i = 0; i < job->row_count; i++)
        if (is_bar(job, i))
            longest = fmax(longest, fmax(job->rows[i].predicted, job->rows[i].measured.median));
    return longest;
}

static void parts_print(Text *out, Arena *arena, const CompareJob *job, FigureLayout layout)
{
    Text bars = {0}, spans = {0}, numbers = {0};
    const char **labels = ARENA_ARRAY(arena, const char *, job->row_count + 1);
    const double longest = longest_bar(job);
    int32_t rows = 0;
    legend_print(out, layout);
    for (int32_t i = 0; i < job->row_count; i++) {
        const CompareRow *row = &job->rows[i];
        if (!is_bar(job, i))
            continue;
        rows++;
        const double high = fmin(row->measured.high, longest);
        labels[rows - 1] = row->what;
        bar_print(&bars, &numbers, arena, rows, 0, row->predicted, row->predicted);
        bar_print(&bars, &numbers, arena, rows, 1, row->measured.median,
                  fmax(row->measured.median, high));
        text_printf(&spans, "%.1f %.9g %.9g\n", rows + 0.2, row->measured.low, high);
    }
    row_labels_print(out, labels, rows);
    text_printf(out, "x_end = %.9g\n", longest * (layout.is_narrow ? 1.3 : 1.2) + 1e-6);
    text_printf(out, "$bars << END\n%sEND\n$spans << END\n%sEND\n$numbers << END\n%sEND\n",
                text_string(&bars), text_string(&spans), text_string(&numbers));
    text_free(&bars);
    text_free(&spans);
    text_free(&numbers);
}

static int32_t bar_count(const CompareJob *job)
{
    int32_t count = 0;
    for (int32_t i = 0; i < job->row_count; i++)
        count += is_bar(job, i);
    return count;
}

/* --- Steps --- */

static double step_ms(const MeasuredRun *run, int64_t index)
{
    const MeasuredStep *step = &run->steps[0][index];
    return compare_in_unit(step->end_ns - step->begin_ns, UNIT_MS);
}

/* The durations of steps [first, end) of a run, sorted. */
static double *sorted_steps(Arena *arena, const MeasuredRun *run, int64_t first, int64_t end)
{
    double *sorted = ARENA_ARRAY(arena, double, end - first);
    for (int64_t i = first; i < end; i++)
        sorted[i - first] = step_ms(run, i);
    statistics_sort(sorted, (int32_t)(end - first));
    return sorted;
}

static void steps_print(Text *out, Arena *arena, const CompareJob *job, FigureLayout layout)
{
    const int64_t points_max = layout.is_narrow ? 80 : 300;
    const MeasuredRun *run = &job->runs[0], *predicted = &job->predicted;
    const int64_t steps = run->step_count, each = (steps + points_max - 1) / points_max;
    legend_print(out, layout);
    text_add(out, "$steps << END\n");
    for (int64_t first = 0; first < steps; first += each) {
        const int64_t end = first + each < steps ? first + each : steps;
        const int32_t count = (int32_t)(end - first);
        const double *sorted = sorted_steps(arena, run, first, end);
        text_printf(out, "%" PRId64 " %.9g %.9g %.9g %.9g\n", first + each / 2, sorted[0],
                    sorted[count / 2], sorted[count - 1],
                    sorted_steps(arena, predicted, first, end)[count / 2]);
    }
    // A few very long steps, such as the first, would make all others look flat, so they are cut.
    const double *all = sorted_steps(arena, run, 0, steps);
    const double nearly_all = all[(steps - 1) * 98 / 100];
    text_printf(out, "END\nsteps = %" PRId64 "\nwarmup = %" PRId64 "\ny_end = %.9g\n", steps,
                job->first_warmup, 1.25 * fmax(nearly_all, job->rows[0].predicted));
}

/* --- The figures --- */

typedef void (*DataPrint)(Text *out, Arena *arena, const CompareJob *job, FigureLayout layout);

static void figure_add(Figures *figures, Figure figure, const char *template, DataPrint print,
                       const CompareJob *job, int32_t body)
{
    Text wide = {0}, narrow = {0};
    print(&wide, figures->arena, job, figure_layout(figure.is_half, false));
    print(&narrow, figures->arena, job, figure_layout(figure.is_half, true));
    figures_draw(figures, figure, template, text_string(&wide), text_string(&narrow), body);
    text_free(&wide);
    text_free(&narrow);
}

/* Two figures for each job: its parts, then its steps. */
static Figures figures_of_jobs(Arena *arena, const Comparison *comparison)
{
    Figures figures = {.arena = arena};
    for (int32_t i = 0; i < comparison->job_count; i++) {
        const CompareJob *job = &comparison->jobs[i];
        figure_add(&figures,
                   (Figure){.file = arena_printf(arena, "parts-%s", job->prediction->job),
                            .title = "A step and its parts",
                            .note =
                                "Medians of rank 0; thin lines are intervals of 95 %, cut where "
                                "they are longer than any bar.",
                            .is_half = true},
                   "parts.gp", parts_print, job, 36 * bar_count(job));
        figure_add(&figures,
                   (Figure){.file = arena_printf(arena, "steps-%s", job->prediction->job),
                            .title = "Step by step",
                            .note = "Rank 0 of the first run; the band reaches from the shortest "
                                    "to the longest of neighbouring steps. Steps left of the "
                                    "dashed line are warm-up and left out.",
                            .is_half = true},
                   "steps.gp", steps_print, job, 36 * bar_count(job));
    }
    return figures;
}

/* --- The page --- */

typedef void (*SentencePrint)(Text *out, const CompareJob *job);

static void title_print(Text *out, const CompareJob *job)
{
    compare_title(out, job);
    text_add(out, ".");
}

static void blame_print(Text *out, const CompareJob *job)
{
    compare_blame_print(out, &job->blame);
}

static void paragraph_print(Text *html, const CompareJob *job, SentencePrint print)
{
    Text sentence = {0};
    print(&sentence, job);
    if (sentence.length > 0) {
        text_add(html, "<p>");
        markup_print(html, text_string(&sentence));
        text_add(html, "</p>\n");
    }
    text_free(&sentence);
}

static void job_print(Text *html, Arena *arena, const CompareJob *job, Tolerance tolerance,
                      const Plot *plots, const Status *no_plots)
{
    text_add(html, "<section>\n<h2>Job ");
    markup_print(html, job->prediction->job);
    text_add(html, "</h2>\n");
    paragraph_print(html, job, title_print);
    paragraph_print(html, job, blame_print);
    paragraph_print(html, job, compare_recovery_print);
    text_add(html, "<div class=\"plots\">\n");
    page_plot_print(html, &plots[0], no_plots);
    page_plot_print(html, &plots[1], no_plots);
    text_add(html, "</div>\n");
    cells_print_html(compare_quantities(arena, job, tolerance), html);
    const Cells *ranks = compare_ranks(arena, job);
    if (ranks != NULL) {
        text_add(html, "<details><summary>Each rank</summary>\n");
        cells_print_html(ranks, html);
        text_add(html, "</details>\n");
    }
    text_add(html, "</section>\n");
}

static void foot_print(Text *html)
{
    text_add(
        html,
        "</main>\n<footer>\n<p>An error is predicted / measured - 1. A measured value is a "
        "median; its interval takes into account that neighbouring steps are alike. For several "
        "runs it is Student's interval of their medians. compare.timeline.json shows both in "
        "Perfetto, side by side.</p>\n</footer>\n");
    page_end(html);
}

static void page_print(Text *html, Arena *arena, const Comparison *comparison, const char *scenario,
                       const Plot *plots, const Status *no_plots)
{
    Text verdict = {0}, load = {0}, title = {0};
    compare_verdict_print(&verdict, comparison);
    compare_load_print(&load, comparison);
    text_printf(&title, "%s: predicted against measured", scenario);
    page_begin(html, text_string(&title), "trainyard: predicted against measured", scenario);
    text_add(html,
             comparison->is_inside ? "<p class=\"decision\">" : "<p class=\"decision outside\">");
    markup_print(html, text_string(&verdict));
    text_add(html, "</p>\n");
    if (load.length > 0) {
        text_add(html, "<p class=\"lead\">");
        markup_print(html, text_string(&load));
        text_add(html, "</p>\n");
    }
    text_add(html, "</header>\n<main>\n");
    for (int32_t i = 0; i < comparison->job_count; i++)
        job_print(html, arena, &comparison->jobs[i], comparison->tolerance,
                  &plots[2 * (ptrdiff_t)i], no_plots);
    foot_print(html);
    text_free(&verdict);
    text_free(&load);
    text_free(&title);
}

bool compare_page_write(Arena *arena, const Comparison *comparison, const char *scenario,
                        const char *folder, Status *no_plots, Status *status)
{
    const Figures figures = figures_of_jobs(arena, comparison);
    Drawings drawings;
    Text html = {0};
    const bool is_drawn = drawings_make(arena, &figures, &drawings, no_plots);
    page_print(&html, arena, comparison, scenario, drawings_plots(arena, &figures, &drawings),
               is_drawn ? NULL : no_plots);
    const bool is_written = file_write(arena_printf(arena, "%s/compare.html", folder),
                                       text_string(&html), html.length, status);
    text_free(&html);
    return is_written && (!is_drawn || drawings_write(arena, folder, &drawings, status));
}
