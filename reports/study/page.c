#include "reports/study/page.h"

#include <inttypes.h>
#include <string.h>

#include "reports/study/figures.h"
#include "reports/text/wording.h"
#include "sim/study/sweep_progress.h"

static const char *or_unknown(const char *text)
{
    return text != NULL && text[0] != '\0' ? text : "none";
}

const char *study_short_path(const Study *study)
{
    const char *path = study->scenario_path;
    int32_t separators = 0;
    for (const char *at = path + strlen(path); at > path; at--)
        if (at[-1] == '/' && ++separators == 2)
            return at;
    return path;
}

/* "What rate and nodes change in poisson/scenario.json": of a study without a description. */
static const char *heading_of(const StudyFacts *facts)
{
    const Study *study = facts->study;
    Text out = {0};
    if (study->description != NULL)
        return study->description;
    for (int32_t i = 0; i < facts->axis_count; i++)
        text_printf(&out, "%s%s",
                    i == 0                       ? "What "
                    : i + 1 == facts->axis_count ? " and "
                                                 : ", ",
                    facts->axes[i].name);
    if (facts->axis_count > 0)
        text_printf(&out, " change%s in ", facts->axis_count == 1 ? "s" : "");
    text_add(&out, study_short_path(study));
    return text_move(facts->arena, &out);
}

static void head_print(Text *html, const StudyFacts *facts)
{
    const Study *study = facts->study;
    const StudyOutcome *outcome = facts->outcome;
    const char *heading = heading_of(facts);
    page_begin(html, heading, "trainyard: report of a study", heading);
    text_add(html, "<p class=\"lead\">");
    thousands_print(html, study->point_count);
    text_add(html, study->point_count == 1 ? " point" : " points");
    text_add(html, " of ");
    markup_print(html, study->scenario_path);
    text_add(html, "</p>\n");
    if (outcome->done_count < outcome->run_count) {
        text_add(html, "<p class=\"notice\"><strong>");
        thousands_print(html, outcome->done_count);
        text_add(html, " of ");
        thousands_print(html, outcome->run_count);
        text_add(html, " runs.</strong> This study is not finished");
        if (study->seeds.rule_count > 0)
            text_add(html, ", and points may need more runs than these");
        text_add(html, ". The same <code>trainyard sweep</code> continues it.</p>\n");
    }
    text_add(html, "</header>\n<main>\n");
}

/* The sections with figures: heading, and words above them. */
static const struct {
    const char *heading;
    const char *words;
} sections[SECTION_COUNT] = {
    [SECTION_TRADEOFF] = {"Two metrics against each other", ""},
    [SECTION_LEVELS] = {"What the factors do", ""},
    [SECTION_DIFFERENCES] =
        {"Differences to the baseline",
         "Runs are compared in pairs of the same seed, which have the same arrivals and failures. "
         "A "
         "variance reduction of 10 means that independent runs would have to be 10 times as many "
         "for the same interval; below 1, common seeds harm. Each interval holds alone: of 20 "
         "intervals, about one does not contain the true difference."},
    [SECTION_EFFECTS] = {"Which factors matter", ""},
};

static bool has_plots(int32_t section, const Plot *plots, uint32_t plot_count)
{
    for (uint32_t i = 0; i < plot_count; i++)
        if (plots[i].figure->section == section)
            return true;
    return false;
}

/* The limits of the figures in words. */
static void limits_print(Text *html, const StudyFacts *facts, int32_t section)
{
    const int32_t all = facts->study->metric_count;
    const int32_t shown = section == SECTION_LEVELS ? figures_levels_metrics(facts) : METRICS_DRAWN;
    if (section != SECTION_TRADEOFF && shown < all)
        text_printf(html,
                    "<p class=\"note\">Drawings of the first %" PRId32 " of %" PRId32
                    " metrics; points.csv has all.</p>\n",
                    shown, all);
}

static void sections_print(Text *html, const StudyFacts *facts, const Plot *plots,
                           uint32_t plot_count, const Status *no_plots)
{
    for (int32_t section = 0; section < SECTION_COUNT; section++) {
        if (!has_plots(section, plots, plot_count))
            continue;
        text_printf(html, "<section>\n<h2>%s</h2>\n", sections[section].heading);
        if (sections[section].words[0] != '\0')
            text_printf(html, "<p>%s</p>\n", sections[section].words);
        if (section == SECTION_LEVELS && facts->bound_count > 0)
            text_add(html,
                     "<p>An arrow: the value is only a lower bound, because jobs still waited "
                     "when runs ended.</p>\n");
        limits_print(html, facts, section);
        text_add(html, "<div class=\"plots\">\n");
        for (uint32_t i = 0; i < plot_count; i++)
            if (plots[i].figure->section == section)
                page_plot_print(html, &plots[i], no_plots);
        text_add(html, "</div>\n</section>\n");
    }
}

static void term_print(Text *html, const char *name, const char *value)
{
    text_printf(html, "<div><dt>%s</dt><dd>", name);
    markup_print(html, or_unknown(value));
    text_add(html, "</dd></div>\n");
}

void study_foot_print(Text *html, const StudyFacts *facts)
{
    const JournalIdentity *identity = &facts->outcome->identity;
    text_add(html, "</main>\n<footer>\n<p>The same study and version give the same runs and the "
                   "same bytes, for any number of threads, shards and machines.</p>\n<dl>\n");
    term_print(html, "Version", identity->version);
    term_print(html, "Random numbers", identity->rng);
    term_print(html, "Design", design_kind_name(facts->study->design->plan.kind));
    term_print(html, "Scenario", facts->study->scenario_path);
    term_print(html, "Hash of the scenario", identity->scenario);
    term_print(html, "of the points", identity->study);
    term_print(html, "of the catalogue", identity->catalogue);
    term_print(html, "of the job lists", identity->workloads);
    text_add(html, "</dl>\n</footer>\n");
    page_end(html);
}

const char *study_page(Arena *arena, const StudyFacts *facts, const Plot *plots,
                       uint32_t plot_count, const Status *no_plots)
{
    Text html = {0};
    head_print(&html, facts);
    section_summary(&html, facts);
    section_idle(&html, facts);
    section_classes(&html, facts);
    sections_print(&html, facts, plots, plot_count, no_plots);
    section_points(&html, facts);
    section_settings(&html, facts);
    section_repeat(&html, facts);
    section_method(&html, facts);
    study_foot_print(&html, facts);
    return text_move(arena, &html);
}
