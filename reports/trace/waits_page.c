#include "reports/trace/waits_page.h"

#include <inttypes.h>
#include <string.h>

#include "reports/figure/drawing.h"
#include "reports/page/cells.h"
#include "reports/page/page.h"
#include "reports/text/wording.h"
#include "sim/base/units.h"
#include "sim/cli/files.h"

enum { PLOT_BODY = 280 };

static const char *const reasons[] = {
    "The cluster of the log changed: nodes failed, were repaired, were added, and moved between "
    "queues. The run has the clusters of its scenario.",
    "The scheduler of the log had other rules: priorities, quotas of users, preemption, limits of "
    "running jobs, reservations, maintenance. The run has the policy of its scenario.",
    "The placement differs: a job may wait for GPUs of one node or one rack in one case only.",
    "The run time of the list has no waits between attempts. A job that was restarted or preempted "
    "in the log waits once in the run.",
    "Dropped rows used GPUs too: jobs that still ran at the end of the log, interactive sessions, "
    "and jobs from before its begin. NAME.import.json has their number.",
    "Users reacted to the queue: they submitted less, smaller or elsewhere when it was long. The "
    "run submits at the recorded times whatever its queue is.",
    "A recorded wait may include the start of containers and the copy of data. The run has what "
    "its "
    "catalogue says.",
};

/* --- The figure --- */

static void print_wait(Text *out, int64_t ns)
{
    const double s = (double)ns / (double)NS_PER_S;
    number_print(out, s < 1 ? 1 : s, 3); // a logarithmic axis has no 0
}

static void quantiles_data(Text *out, const WaitComparison *comparison, FigureLayout layout)
{
    const Shade shade = {"all jobs", series_rgb[0]};
    const int64_t recorded_ns = comparison->recorded_ns[WAIT_QUANTILES - 1];
    const int64_t simulated_ns = comparison->simulated_ns[WAIT_QUANTILES - 1];
    const int64_t last_ns = recorded_ns > simulated_ns ? recorded_ns : simulated_ns;
    key_print(out, &shade, 1, 1, layout);
    text_printf(out,
                "curves = 1\narray curve_rgb[1]\ncurve_rgb[1] = 0x%06" PRIX32
                "\nx_label = 'wait in the log'\nx_begin = 1\nx_end = ",
                (uint32_t)series_rgb[0]);
    print_wait(out, last_ns < 10 * NS_PER_S ? 20 * NS_PER_S : 2 * (last_ns / 2 + last_ns / 8));
    text_add(out, "\n$points << END\n");
    for (int32_t i = 0; i < WAIT_QUANTILES; i++) {
        print_wait(out, comparison->recorded_ns[i]);
        text_add(out, " ");
        print_wait(out, comparison->simulated_ns[i]);
        text_add(out, "\n");
    }
    text_add(out, "END\n");
}

static void add_figure(Figures *figures, const WaitComparison *comparison)
{
    Text wide = {0}, narrow = {0};
    Figure figure = {.file = "wait-quantiles",
                     .title = "Quantiles of waits: the run against the log",
                     .note = "On the dashed line both are equal. Above it, jobs wait longer in the "
                             "run. Waits below 1 s are drawn at 1 s."};
    if (comparison->classes[0].jobs == 0) {
        figure.note = "No job has both a recorded and a simulated wait.";
        figures_missing(figures, figure);
        return;
    }
    quantiles_data(&wide, comparison, figure_layout(false, false));
    quantiles_data(&narrow, comparison, figure_layout(false, true));
    figures_draw(figures, figure, "quantiles.gp", text_string(&wide), text_string(&narrow),
                 PLOT_BODY);
    text_free(&wide);
    text_free(&narrow);
}

/* --- The page --- */

static void cell_wait_print(Text *html, int64_t ns)
{
    text_add(html, "<td class=\"n\">");
    span_print(html, ns / NS_PER_S * NS_PER_S);
    text_add(html, "</td>");
}

static void spread_print(Text *html, const WaitSpread *spread)
{
    cell_wait_print(html, (int64_t)(spread->mean_s * (double)NS_PER_S));
    cell_wait_print(html, spread->p50_ns);
    cell_wait_print(html, spread->p95_ns);
}

static void classes_table(Text *html, const WaitComparison *comparison)
{
    if (comparison->classes[0].jobs == 0)
        return;
    table_begin(html,
                (const char *const[]){"jobs of", "jobs", "log: mean", "median", "p95", "run: mean",
                                      "median", "p95", "longer in the run", "shorter", NULL});
    for (int32_t i = 0; i < WAIT_CLASSES; i++) {
        const WaitClass *class = &comparison->classes[i];
        if (class->jobs == 0)
            continue;
        text_add(html, "<tr>");
        cell_text_print(html, "", class->name);
        cell_number_print(html, (double)class->jobs, 0, false, "");
        spread_print(html, &class->recorded);
        spread_print(html, &class->simulated);
        cell_number_print(html, (double)class->longer, 0, false, "");
        cell_number_print(html, (double)class->shorter, 0, false, "");
        text_add(html, "</tr>\n");
    }
    table_end(html);
    text_add(html,
             "<p class=\"note\">Longer and shorter are jobs whose waits differ by more than a "
             "minute.</p>\n");
}

static const char *page_text(Arena *arena, const WaitsPage *page, const WaitComparison *comparison,
                             const Plot *plot, const Status *no_plots)
{
    Text html = {0};
    page_begin(&html, "Recorded and simulated waits", "trainyard: recorded and simulated waits",
               page->list);
    text_printf(&html,
                "<p class=\"lead\">%" PRId64 " job%s, of which %" PRId64
                " have no recorded wait and %" PRId64 " did not start in ",
                comparison->jobs, plural(comparison->jobs), comparison->unrecorded,
                comparison->not_started);
    markup_print(&html, page->run);
    text_add(&html, ".</p>\n</header>\n<main>\n<section>\n<h2>Waits</h2>\n<div class=\"plots\">\n");
    page_plot_print(&html, plot, no_plots);
    text_add(&html, "</div>\n");
    classes_table(&html, comparison);
    text_add(&html, "</section>\n<section>\n<h2>Why they differ</h2>\n<ul>\n");
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        text_printf(&html, "<li>%s</li>\n", reasons[i]);
    text_add(&html, "</ul>\n</section>\n</main>\n");
    page_end(&html);
    return text_move(arena, &html);
}

bool waits_page_write(Arena *arena, const WaitsPage *page, const WaitComparison *comparison,
                      Status *no_plots, Status *status)
{
    Figures figures = {.arena = arena};
    Drawings drawings;
    add_figure(&figures, comparison);
    const bool is_drawn = drawings_make(arena, &figures, &drawings, no_plots);
    const char *text =
        page_text(arena, page, comparison, drawings_plots(arena, &figures, &drawings),
                  is_drawn ? NULL : no_plots);
    return file_write(page->path, text, strlen(text), status);
}
