#include "reports/run/page.h"

#include <inttypes.h>
#include <stdio.h>

#include "reports/run/clock.h"
#include "reports/run/figures/figures.h"
#include "reports/run/sections.h"
#include "reports/run/table.h"
#include "reports/text/wording.h"

static void head_print(Text *html, const Facts *facts)
{
    Text title = {0};
    text_printf(&title, "%s: report of a simulated run", or_unknown(facts->run->scenario));
    page_begin(html, text_string(&title), "trainyard: report of a simulated run",
               or_unknown(facts->run->scenario));
    text_free(&title);
    if (facts->run->description != NULL) {
        text_add(html, "<p class=\"question\">");
        markup_print(html, facts->run->description);
        text_add(html, "</p>\n");
    }
    text_add(html, "<p class=\"lead\">");
    span_print(html, facts->run->end_ns);
    text_add(html, " simulated from <span class=\"t\">");
    clock_print(html, facts, 0);
    text_add(html, " UTC</span></p>\n</header>\n<main>\n");
}

/* The sections in order: heading, words, plots. */
static const struct {
    const char *heading;
    void (*words)(Text *html, const Facts *facts); /* may be NULL */
} sections[SECTION_COUNT] = {
    [SECTION_QUEUE] = {"The queue over time", NULL},
    [SECTION_WAITS] = {"How long jobs waited", NULL},
    [SECTION_NODES] = {"Nodes over time", NULL},
    [SECTION_GANTT] = {"Jobs and nodes over time", NULL},
    [SECTION_SPLIT] = {"Where a step's time goes", section_split_words},
    [SECTION_LEARNING] = {"Learning", NULL},
    [SECTION_MONEY] = {"Cost by use", section_money_words},
    [SECTION_COST] = {"Cost over time", NULL},
};

static bool has_plots(int32_t section, const Plot *plots, uint32_t plot_count)
{
    for (uint32_t i = 0; i < plot_count; i++)
        if (plots[i].figure->section == section)
            return true;
    return false;
}

static void sections_print(Text *html, const Facts *facts, const Plot *plots, uint32_t plot_count,
                           const Status *no_plots)
{
    for (int32_t section = 0; section < SECTION_COUNT; section++) {
        if (!has_plots(section, plots, plot_count))
            continue;
        text_printf(html, "<section>\n<h2>%s</h2>\n", sections[section].heading);
        if (sections[section].words != NULL)
            sections[section].words(html, facts);
        text_add(html, "<div class=\"plots\">\n");
        for (uint32_t i = 0; i < plot_count; i++)
            if (plots[i].figure->section == section)
                page_plot_print(html, &plots[i], no_plots);
        text_add(html, "</div>\n</section>\n");
    }
}

static void tables_print(Text *html, const Facts *facts)
{
    if (facts->run->expectation_count > 0) {
        text_add(html, "<section>\n<h2>Expectations</h2>\n");
        section_expectations_table(html, facts);
        text_add(html, "</section>\n");
    }
    text_add(html, "<section>\n<h2>Jobs</h2>\n"
                   "<p class=\"note\">Times are hours:minutes:seconds since the start of the run, "
                   "or for so long.</p>\n");
    section_jobs_table(html, facts);
    section_workloads_table(html, facts);
    if (facts->run->error_count > 0) {
        text_add(html, "</section>\n<section>\n<h2>Errors and their reasons</h2>\n");
        section_errors_table(html, facts);
    }
    text_add(html, "</section>\n<section>\n<h2>Clusters and their bill</h2>\n");
    section_clusters_table(html, facts);
    section_nodes_table(html, facts);
    text_add(html, "</section>\n<section>\n<h2>What happened when</h2>\n");
    if (facts_are_of_many(facts))
        text_add(html, "<details><summary>The events of this run</summary>\n");
    section_events_table(html, facts);
    text_add(html, facts_are_of_many(facts) ? "</details>\n</section>\n" : "</section>\n");
}

static void term_print(Text *html, const char *name, const char *value)
{
    text_printf(html, "<div><dt>%s</dt><dd>", name);
    markup_print(html, or_unknown(value));
    text_add(html, "</dd></div>\n");
}

static void pairs_print(Text *html, const char *name, const GivenPair *pairs, uint32_t count)
{
    Text text = {0};
    for (uint32_t i = 0; i < count; i++)
        text_printf(&text, "%s%s = %s", i > 0 ? ", " : "", pairs[i].name, pairs[i].value);
    if (count > 0)
        term_print(html, name, text_string(&text));
    text_free(&text);
}

/* The inputs of the run. */
static void given_print(Text *html, const RunGiven *given)
{
    pairs_print(html, "Parameters", given->parameters, given->parameter_count);
    for (uint32_t i = 0; i < given->set_count; i++)
        term_print(html, "Changed", given->sets[i]);
    if (given->failures != NULL)
        term_print(html, "Failures scaled by", given->failures);
    pairs_print(html, "Files", given->files, given->file_count);
}

static void foot_print(Text *html, const Facts *facts)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRId64, facts->run->seed);
    text_add(html, "</main>\n<footer>\n<p>The same inputs, seed and version give the same run "
                   "and the same fingerprint.</p>\n<dl>\n");
    term_print(html, "Scenario", facts->run->scenario);
    term_print(html, "Seed", facts->run->seed != ABSENT ? seed : NULL);
    term_print(html, "Version", facts->run->version);
    given_print(html, &facts->run->given);
    term_print(html, "Fidelity", facts->run->fidelity);
    term_print(html, "Trace level", trace_level_name(facts->level));
    term_print(html, "Fingerprint", facts->run->fingerprint);
    text_add(html, "</dl>\n</footer>\n");
    page_end(html);
}

const char *run_page(Arena *arena, const Facts *facts, const Plot *plots, uint32_t plot_count,
                     const Status *no_plots)
{
    Text html = {0};
    head_print(&html, facts);
    text_add(&html, "<section class=\"top\">\n");
    section_key_figures(&html, facts);
    section_answers(&html, facts);
    text_add(&html, "</section>\n");
    sections_print(&html, facts, plots, plot_count, no_plots);
    tables_print(&html, facts);
    foot_print(&html, facts);
    return text_move(arena, &html);
}
