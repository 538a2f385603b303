#include "reports/trace/fit_page.h"

#include <inttypes.h>
#include <string.h>

#include "reports/figure/drawing.h"
#include "reports/page/cells.h"
#include "reports/page/page.h"
#include "reports/text/wording.h"
#include "sim/cli/files.h"

enum { QUANTILE_POINTS = 199, PLOT_BODY = 300, HEAT_BODY = 190 };

static const char *const day_names[FIT_DAYS] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

static const char *day_name(Arena *arena, const WorkloadFit *fit, int32_t day)
{
    return fit->has_calendar ? day_names[day] : arena_printf(arena, "day %d", day + 1);
}

/* --- Figures --- */

static void quantiles_data(Text *out, const WorkloadFit *fit, FigureLayout layout)
{
    Shade shades[FIT_KIND_COUNT];
    for (int32_t i = 0; i < FIT_KIND_COUNT; i++)
        shades[i] = (Shade){fit_kind_names[i], series_rgb[i]};
    key_print(out, shades, FIT_KIND_COUNT, (1U << FIT_KIND_COUNT) - 1, layout);
    text_printf(out, "curves = %d\narray curve_rgb[curves]\n", FIT_KIND_COUNT);
    for (int32_t i = 0; i < FIT_KIND_COUNT; i++)
        text_printf(out, "curve_rgb[%d] = 0x%06" PRIX32 "\n", i + 1, (uint32_t)series_rgb[i]);
    const double last_s = (double)fit->run_ns[fit->jobs - 1] / (double)NS_PER_S;
    text_add(out, "x_label = 'run time in the log'\nx_begin = 1\nx_end = ");
    number_print(out, last_s < 10 ? 20 : last_s * 2, 0);
    text_add(out, "\n$points << END\n");
    for (int32_t kind = 0; kind < FIT_KIND_COUNT; kind++) {
        for (int32_t i = 1; i <= QUANTILE_POINTS; i++) {
            const double p = (double)i / (QUANTILE_POINTS + 1);
            number_print(out, fit_log_quantile_s(fit, p), 3);
            text_add(out, " ");
            number_print(out, fit_quantile_s(fit, (FitKind)kind, p), 3);
            text_add(out, "\n");
        }
        text_add(out, "\n\n");
    }
    text_add(out, "END\n");
}

static void arrivals_data(Text *out, Arena *arena, const WorkloadFit *fit, FigureLayout layout)
{
    int64_t most = 1;
    for (int32_t i = 0; i < FIT_DAYS * FIT_HOURS; i++)
        if (fit->arrivals[i / FIT_HOURS][i % FIT_HOURS] > most)
            most = fit->arrivals[i / FIT_HOURS][i % FIT_HOURS];
    const Shade darkest = {arena_printf(arena, "%" PRId64 " jobs", most), 0x08306b};
    key_print(out, &darkest, 1, 1, layout);
    text_printf(out, "most = %" PRId64 "\n", most);
    text_printf(out, "x_step = %d\narray day_name[%d]\n", layout.is_narrow ? 6 : 3, FIT_DAYS);
    for (int32_t day = 0; day < FIT_DAYS; day++)
        text_printf(out, "day_name[%d] = '%s'\n", day + 1, day_name(arena, fit, day));
    text_add(out, "$arrivals << END\n");
    for (int32_t day = 0; day < FIT_DAYS; day++)
        for (int32_t hour = 0; hour < FIT_HOURS; hour++)
            text_printf(out, "%d %d %" PRId64 "\n", hour, day, fit->arrivals[day][hour]);
    text_add(out, "END\n");
}

enum { SECTION_RUNS, SECTION_ARRIVALS };

static void add_quantiles(Figures *figures, const WorkloadFit *fit)
{
    Text wide = {0}, narrow = {0};
    quantiles_data(&wide, fit, figure_layout(false, false));
    quantiles_data(&narrow, fit, figure_layout(false, true));
    figures_draw(figures,
                 (Figure){.section = SECTION_RUNS,
                          .file = "run-quantiles",
                          .title = "Quantiles of run times: distributions against the log",
                          .note =
                              "On the dashed line a distribution agrees with the log. Above it, "
                              "run times are longer in the distribution than in the log."},
                 "quantiles.gp", text_string(&wide), text_string(&narrow), PLOT_BODY);
    text_free(&wide);
    text_free(&narrow);
}

static void add_arrivals(Figures *figures, const WorkloadFit *fit)
{
    Text wide = {0}, narrow = {0};
    arrivals_data(&wide, figures->arena, fit, figure_layout(false, false));
    arrivals_data(&narrow, figures->arena, fit, figure_layout(false, true));
    figures_draw(figures,
                 (Figure){.section = SECTION_ARRIVALS,
                          .file = "arrivals",
                          .title = "Jobs submitted by weekday and hour",
                          .note = ""},
                 "arrivals.gp", text_string(&wide), text_string(&narrow), HEAT_BODY);
    text_free(&wide);
    text_free(&narrow);
}

/* --- Tables --- */

/* A time in words: "10 h 14 min". */
static void cell_span_print(Text *html, double seconds, bool is_empty)
{
    text_add(html, "<td class=\"n\">");
    if (!is_empty)
        span_print(html, (int64_t)(seconds + 0.5) * NS_PER_S);
    text_add(html, "</td>");
}

static void runs_table(Text *html, const WorkloadFit *fit)
{
    table_begin(html, (const char *const[]){"distribution", "scale", "shape",
                                            "largest difference of shares", NULL});
    for (int32_t i = 0; i < FIT_KIND_COUNT; i++) {
        const Fit *of = &fit->runs[i];
        text_add(html, "<tr>");
        cell_text_print(html, i == (int32_t)fit->best ? "used: " : "", fit_kind_names[i]);
        cell_span_print(html, of->scale_s, i == FIT_QUANTILES);
        cell_number_print(html, of->shape, 3, i == FIT_QUANTILES || i == FIT_EXPONENTIAL, "");
        cell_number_print(html, of->distance * 100, 1, false, " %");
        text_add(html, "</tr>\n");
    }
    table_end(html);
}

static void quantiles_table(Text *html, const WorkloadFit *fit)
{
    static const double shares[] = {0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99};
    table_begin(html, (const char *const[]){"share of jobs below", "log", "exponential",
                                            "lognormal", "Weibull", "table", NULL});
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        text_add(html, "<tr>");
        cell_label_print(html, shares[i] * 100, " %");
        cell_span_print(html, fit_log_quantile_s(fit, shares[i]), false);
        for (int32_t kind = 0; kind < FIT_KIND_COUNT; kind++)
            cell_span_print(html, fit_quantile_s(fit, (FitKind)kind, shares[i]), false);
        text_add(html, "</tr>\n");
    }
    table_end(html);
}

static void arrivals_table(Text *html, Arena *arena, const WorkloadFit *fit)
{
    const char *head[FIT_DAYS + 2] = {"hour"};
    for (int32_t day = 0; day < FIT_DAYS; day++)
        head[day + 1] = day_name(arena, fit, day);
    text_add(html, "<details><summary>Jobs of each weekday and hour</summary>\n");
    table_begin(html, head);
    for (int32_t hour = 0; hour < FIT_HOURS; hour++) {
        text_add(html, "<tr>");
        cell_label_print(html, hour, ":00");
        for (int32_t day = 0; day < FIT_DAYS; day++)
            cell_number_print(html, (double)fit->arrivals[day][hour], 0, false, "");
        text_add(html, "</tr>\n");
    }
    table_end(html);
    text_add(html, "</details>\n");
}

/* The factors of the weekdays, which are in UTC whatever the zone of the log is. */
static void weekdays_table(Text *html, const WorkloadFit *fit)
{
    if (!fit->has_weekdays)
        return;
    table_begin(
        html, (const char *const[]){"weekday (UTC)", "factor on the rate", "standard error", NULL});
    for (int32_t day = 0; day < FIT_DAYS; day++) {
        text_add(html, "<tr>");
        cell_text_print(html, "", day_names[day]);
        cell_number_print(html, fit->weekday_factors[day], 3, false, "");
        cell_number_print(html, fit->weekday_errors[day], 3, fit->weekday_errors[day] <= 0, "");
        text_add(html, "</tr>\n");
    }
    table_end(html);
}

static void sizes_table(Text *html, const WorkloadFit *fit)
{
    table_begin(html, (const char *const[]){"GPUs", "jobs", "share", NULL});
    for (int32_t i = 0; i < fit->size_count; i++) {
        text_add(html, "<tr>");
        cell_label_print(html, fit->sizes[i].gpus, "");
        cell_number_print(html, (double)fit->sizes[i].jobs, 0, false, "");
        cell_number_print(html, (double)fit->sizes[i].share_ppm / 1e4, 2, false, " %");
        text_add(html, "</tr>\n");
    }
    table_end(html);
    if (fit->sizes_left_out > 0)
        text_printf(html,
                    "<p class=\"note\">%" PRId64 " jobs have rarer sizes, which are left "
                    "out.</p>\n",
                    fit->sizes_left_out);
}

/* --- The page --- */

static void begin(Text *html, const FitPage *page, const WorkloadFit *fit)
{
    page_begin(html, "Goodness of fit", "trainyard: a log and the distributions fitted to it",
               page->list);
    text_printf(html, "<p class=\"lead\">%" PRId64 " job%s of ", fit->jobs, plural(fit->jobs));
    markup_print(html, page->source);
    text_add(html, ", ");
    number_print(html, fit->per_day, 1);
    text_add(html, " a day. Run times use the ");
    text_add(html, fit_kind_names[fit->best]);
    text_add(html, ".</p>\n</header>\n<main>\n");
}

static void plots_of(Text *html, int32_t section, const Plot *plots, uint32_t count,
                     const Status *no_plots)
{
    text_add(html, "<div class=\"plots\">\n");
    for (uint32_t i = 0; i < count; i++)
        if (plots[i].figure->section == section)
            page_plot_print(html, &plots[i], no_plots);
    text_add(html, "</div>\n");
}

static void arrivals_words(Text *html, const FitPage *page, const WorkloadFit *fit)
{
    text_add(html, "<p class=\"note\">");
    if (page->zone != NULL) {
        text_add(html, "Hours are those of ");
        markup_print(html, page->zone);
        text_add(html, ". ");
    } else {
        text_add(html, "The log has no calendar: days and hours count from its begin. ");
    }
    text_add(html,
             fit->has_weekdays
                 ? "The scenario has a factor for each hour and one for each weekday of UTC. A "
                   "standard error is large if the days of a weekday differ, for example because "
                   "of one series of jobs. "
                 : "The scenario has a factor for each hour of UTC and none for weekdays, for "
                   "which a log needs a calendar and two weeks. ");
    text_add(html, "Gaps between submissions differ from those of Poisson arrivals by a share of ");
    number_print(html, fit->gaps.distance * 100, 1);
    text_add(html, " %: the larger it is, the more the log has bursts, which the scenario does not "
                   "have.</p>\n");
}

static void open_jobs_words(Text *html, int64_t count)
{
    if (count > 0)
        text_printf(
            html,
            "<p class=\"note\">%" PRId64
            " job%s had not ended when the log was taken. The run time of such a job is its "
            "time until then, a lower bound: the longest run times are too short here, and "
            "in the scenario.</p>\n",
            count, plural(count));
}

static const char *page_text(Arena *arena, const FitPage *page, const WorkloadFit *fit,
                             const Plot *plots, uint32_t count, const Status *no_plots)
{
    Text html = {0};
    begin(&html, page, fit);
    text_add(&html, "<section>\n<h2>Run times</h2>\n");
    plots_of(&html, SECTION_RUNS, plots, count, no_plots);
    runs_table(&html, fit);
    quantiles_table(&html, fit);
    open_jobs_words(&html, page->open_jobs);
    text_add(&html, "</section>\n<section>\n<h2>Arrivals</h2>\n");
    plots_of(&html, SECTION_ARRIVALS, plots, count, no_plots);
    arrivals_words(&html, page, fit);
    weekdays_table(&html, fit);
    arrivals_table(&html, arena, fit);
    text_add(&html, "</section>\n<section>\n<h2>GPUs of a job</h2>\n");
    sizes_table(&html, fit);
    text_add(&html,
             "</section>\n<section>\n<h2>What the distributions do not have</h2>\n<p>Jobs of the "
             "scenario are independent: large jobs do not run longer than small ones, users do not "
             "submit series of equal jobs, ");
    text_add(&html, fit->has_weekdays ? "weeks are alike" : "weekdays and weeks are alike");
    text_add(&html,
             ". A queue of the scenario is "
             "therefore shorter than that of the log when the log has bursts. The workload file "
             "itself has all of that.</p>\n</section>\n</main>\n");
    page_end(&html);
    return text_move(arena, &html);
}

bool fit_page_write(Arena *arena, const FitPage *page, const WorkloadFit *fit, Status *no_plots,
                    Status *status)
{
    Figures figures = {.arena = arena};
    Drawings drawings;
    add_quantiles(&figures, fit);
    add_arrivals(&figures, fit);
    const bool is_drawn = drawings_make(arena, &figures, &drawings, no_plots);
    const char *text = page_text(arena, page, fit, drawings_plots(arena, &figures, &drawings),
                                 figures.count, is_drawn ? NULL : no_plots);
    return file_write(page->path, text, strlen(text), status);
}
