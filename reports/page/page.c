#include "reports/page/page.h"

#include <inttypes.h>
#include <stdio.h>

#include "reports/assets.h"
#include "reports/wording.h"
#include "sim/base/civil_time.h"
#include "sim/base/units.h"

/* Rounded to a second, as the spans of time beside it are. */
static CivilTime civil_at(const Facts *facts, int64_t at_ns)
{
    return civil_from_unix_ms(facts->start_unix_ms + at_ns / NS_PER_MS + 500);
}

void clock_time_print(Text *out, const Facts *facts, int64_t at_ns)
{
    const CivilTime civil = civil_at(facts, at_ns);
    text_printf(out, "%02" PRId32 ":%02" PRId32 ":%02" PRId32, civil.hour, civil.minute,
                civil.second);
}

void clock_print(Text *out, const Facts *facts, int64_t at_ns)
{
    const CivilTime civil = civil_at(facts, at_ns);
    text_printf(out, "%04" PRId32 "-%02" PRId32 "-%02" PRId32 " ", civil.year, civil.month,
                civil.day);
    clock_time_print(out, facts, at_ns);
}

static const char *or_unknown(const char *text)
{
    return text != NULL ? text : "unknown";
}

void page_begin(Text *html, const char *title, const char *kicker, const char *heading)
{
    text_add(html, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    markup_print(html, title);
    text_add(html, "</title>\n<style>\n");
    text_add(html, asset_text("page.css"));
    text_add(html, "</style>\n</head>\n<body>\n<header>\n<p class=\"kicker\">");
    markup_print(html, kicker);
    text_add(html, "</p>\n<h1>");
    markup_print(html, heading);
    text_add(html, "</h1>\n");
}

static void head_print(Text *html, const Facts *facts)
{
    Text title = {0};
    text_printf(&title, "%s: report of a simulated run", or_unknown(facts->scenario));
    page_begin(html, text_string(&title), "trainyard: report of a simulated run",
               or_unknown(facts->scenario));
    text_free(&title);
    text_add(html, "<p class=\"lead\">");
    span_print(html, facts->end_ns);
    text_add(html, " simulated from <span class=\"t\">");
    clock_print(html, facts, 0);
    text_add(html, " UTC</span></p>\n</header>\n<main>\n");
}

static void missing_print(Text *html, const Figure *figure, const Status *no_plots)
{
    text_add(html, "<p class=\"missing\">");
    if (figure->wide == NULL) {
        markup_print(html, figure->note);
    } else {
        text_add(html, "This plot is missing: ");
        markup_print(html, no_plots->message);
        text_add(html, ". To have it, ");
        markup_print(html, no_plots->hint[0] != '\0' ? no_plots->hint : "make the report again");
        text_add(html, ".");
    }
    text_add(html, "</p>\n");
}

void page_plot_print(Text *html, const PagePlot *plot, const Status *no_plots)
{
    text_printf(html, "<figure%s>\n", plot->figure->is_half ? " class=\"half\"" : "");
    if (plot->figure->title[0] != '\0') {
        text_add(html, "<figcaption>");
        markup_print(html, plot->figure->title);
        text_add(html, "</figcaption>\n");
    }
    if (plot->wide == NULL) {
        missing_print(html, plot->figure, no_plots);
    } else {
        text_printf(html, "<div class=\"wide\">%s</div>\n<div class=\"narrow\">%s</div>\n",
                    plot->wide, plot->narrow);
        if (plot->figure->note[0] != '\0') {
            text_add(html, "<p class=\"note\">");
            markup_print(html, plot->figure->note);
            text_add(html, "</p>\n");
        }
    }
    text_add(html, "</figure>\n");
}

/* What stands where: a heading, words, plots. */
static const struct {
    const char *heading;
    void (*words)(Text *html, const Facts *facts); /* may be NULL */
} sections[SECTION_COUNT] = {
    [SECTION_NODES] = {"Nodes over time", NULL},
    [SECTION_GANTT] = {"Who did what when", NULL},
    [SECTION_SPLIT] = {"Where a step's time goes", page_split_words},
    [SECTION_LEARNING] = {"What was learned", NULL},
    [SECTION_MONEY] = {"Where the money went", page_money_words},
    [SECTION_COST] = {"Cost over time", NULL},
};

static bool has_plots(FigureSection section, const PagePlot *plots, uint32_t plot_count)
{
    for (uint32_t i = 0; i < plot_count; i++)
        if (plots[i].figure->section == section)
            return true;
    return false;
}

static void sections_print(Text *html, const Facts *facts, const PagePlot *plots,
                           uint32_t plot_count, const Status *no_plots)
{
    for (int section = 0; section < SECTION_COUNT; section++) {
        if (!has_plots((FigureSection)section, plots, plot_count))
            continue;
        text_printf(html, "<section>\n<h2>%s</h2>\n", sections[section].heading);
        if (sections[section].words != NULL)
            sections[section].words(html, facts);
        text_add(html, "<div class=\"plots\">\n");
        for (uint32_t i = 0; i < plot_count; i++)
            if (plots[i].figure->section == (FigureSection)section)
                page_plot_print(html, &plots[i], no_plots);
        text_add(html, "</div>\n</section>\n");
    }
}

static void tables_print(Text *html, const Facts *facts)
{
    text_add(html, "<section>\n<h2>Jobs</h2>\n"
                   "<p class=\"note\">Times are hours:minutes:seconds since the start of the run, "
                   "or for so long.</p>\n");
    page_jobs_table(html, facts);
    page_workloads_table(html, facts);
    if (facts->error_count > 0) {
        text_add(html, "</section>\n<section>\n<h2>Errors and their reasons</h2>\n");
        page_errors_table(html, facts);
    }
    text_add(html, "</section>\n<section>\n<h2>Clusters and their bill</h2>\n");
    page_clusters_table(html, facts);
    page_nodes_table(html, facts);
    text_add(html, "</section>\n<section>\n<h2>What happened when</h2>\n");
    page_events_table(html, facts);
    text_add(html, "</section>\n");
}

static void term_print(Text *html, const char *name, const char *value)
{
    text_printf(html, "<div><dt>%s</dt><dd>", name);
    markup_print(html, or_unknown(value));
    text_add(html, "</dd></div>\n");
}

static void foot_print(Text *html, const Facts *facts)
{
    text_add(html, "</main>\n<footer>\n<p>The same scenario, seed and version give the same run "
                   "and the same fingerprint.</p>\n<dl>\n");
    term_print(html, "Scenario", facts->scenario);
    term_print(html, "Seed", facts->seed);
    term_print(html, "Version", facts->version);
    term_print(html, "Fidelity", facts->fidelity);
    term_print(html, "Trace level", trace_level_name(facts->level));
    term_print(html, "Fingerprint", facts->fingerprint);
    text_add(html, "</dl>\n</footer>\n</body>\n</html>\n");
}

const char *page_of(Arena *arena, const Facts *facts, const PagePlot *plots, uint32_t plot_count,
                    const Status *no_plots)
{
    Text html = {0};
    head_print(&html, facts);
    text_add(&html, "<section class=\"top\">\n");
    page_key_figures(&html, facts);
    page_answers(&html, facts);
    text_add(&html, "</section>\n");
    sections_print(&html, facts, plots, plot_count, no_plots);
    tables_print(&html, facts);
    foot_print(&html, facts);
    const char *page = arena_strndup(arena, text_string(&html), html.length);
    text_free(&html);
    return page;
}
