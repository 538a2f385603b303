/* Private to reports/study: the points, what their levels change, and how to repeat a run. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reports/page/cells.h"
#include "reports/study/page.h"
#include "reports/text/wording.h"
#include "sim/study/point_scenario.h"

enum { OPEN_ROWS = 40, ROWS_SHOWN = 1000, METRIC_COLUMNS = 6, LEVELS_SHOWN = 40 };

/* --- Points --- */

static int32_t metrics_shown(const StudyFacts *facts)
{
    return facts->study->metric_count < METRIC_COLUMNS ? facts->study->metric_count
                                                       : METRIC_COLUMNS;
}

static void number_cell(Text *html, const char *heading, int32_t number)
{
    Text text = {0};
    text_printf(&text, "%" PRId32, number);
    card_cell_print(html, heading, text_string(&text), true);
    text_free(&text);
}

/* The note is below the value, where it may be broken into lines. */
static void estimate_cell(Text *html, const StudyFacts *facts, int32_t point, int32_t metric)
{
    const char *note = fact_estimate(facts, point, metric)->note;
    Text value = {0};
    fact_estimate_print(&value, facts, point, metric);
    text_add(html, "<td class=\"n\" data-label=\"");
    markup_print(html, fact_metric_words(facts, metric));
    text_add(html, "\">");
    markup_print(html, text_string(&value));
    if (note[0] != '\0') {
        text_add(html, "<span class=\"why\">");
        markup_print(html, note);
        text_add(html, "</span>");
    }
    text_add(html, "</td>");
    text_free(&value);
}

static void point_row(Text *html, const StudyFacts *facts, int32_t point)
{
    const Study *study = facts->study;
    text_add(html, "<tr>");
    number_cell(html, "point", point);
    for (int32_t f = 0; f < study->factor_count; f++)
        card_cell_print(html, study->factors[f]->name, point_level(study, point, f)->label, false);
    number_cell(html, "runs", facts->outcome->findings.used[point]);
    for (int32_t m = 0; m < metrics_shown(facts); m++)
        estimate_cell(html, facts, point, m);
    text_add(html, "</tr>\n");
}

/* The words of the metric, and the name that options and files have below it. */
static void metric_heading_print(Text *html, const StudyFacts *facts, int32_t metric)
{
    const char *name = facts->study->metrics[metric].name,
               *words = fact_metric_words(facts, metric);
    text_add(html, "<th scope=\"col\" class=\"n\">");
    markup_print(html, words);
    if (strcmp(words, name) != 0) {
        text_add(html, "<code class=\"why\">");
        breakable_print(html, name);
        text_add(html, "</code>");
    }
    text_add(html, "</th>");
}

static void point_rows(Text *html, const StudyFacts *facts, int32_t shown)
{
    const Study *study = facts->study;
    text_add(html, "<div class=\"table\"><table class=\"cards plain\"><thead><tr>");
    card_heading_print(html, "point", true);
    for (int32_t f = 0; f < study->factor_count; f++)
        card_heading_print(html, study->factors[f]->name, false);
    card_heading_print(html, "runs", true);
    for (int32_t m = 0; m < metrics_shown(facts); m++)
        metric_heading_print(html, facts, m);
    text_add(html, "</tr></thead>\n<tbody>\n");
    for (int32_t point = 0; point < shown; point++)
        point_row(html, facts, point);
    text_add(html, "</tbody></table></div>\n");
}

void section_points(Text *html, const StudyFacts *facts)
{
    const int32_t all = facts->study->point_count;
    const int32_t shown = all < ROWS_SHOWN ? all : ROWS_SHOWN;
    text_add(html, "<section>\n<h2>Points</h2>\n<p class=\"note\">Values with 95 % intervals, "
                   "or the reason why there is none. points.csv also has quantiles and "
                   "differences, results.csv a row "
                   "for each run.</p>\n");
    if (shown < all || metrics_shown(facts) < facts->study->metric_count)
        text_printf(html,
                    "<p class=\"note\">The first %" PRId32 " of %" PRId32 " points and %" PRId32
                    " of %" PRId32 " metrics; points.csv has all.</p>\n",
                    shown, all, metrics_shown(facts), facts->study->metric_count);
    if (all > OPEN_ROWS)
        text_printf(html, "<details><summary>%" PRId32 " points</summary>\n", shown);
    point_rows(html, facts, shown);
    text_add(html, all > OPEN_ROWS ? "</details>\n</section>\n" : "</section>\n");
}

/* --- What levels change --- */

static void level_row(Text *html, const StudyFacts *facts, const Factor *factor, int32_t level)
{
    const Level *own = &factor->levels[level];
    Text changes = {0};
    for (int32_t i = 0; i < own->setting_count; i++)
        text_printf(&changes, "%s%s %s", i > 0 ? "  " : "", setting_option(&own->settings[i]),
                    setting_change(facts->arena, &own->settings[i]));
    text_add(html, "<tr>");
    card_cell_print(html, "factor", factor->name, false);
    card_cell_print(html, "level", own->label, false);
    card_cell_print(html, "options of trainyard run", text_string(&changes), false);
    text_add(html, "</tr>\n");
    text_free(&changes);
}

void section_settings(Text *html, const StudyFacts *facts)
{
    const Study *study = facts->study;
    if (study->factor_count == 0)
        return;
    text_add(html, "<section>\n<h2>What each level changes</h2>\n<p class=\"note\">A point has the "
                   "options of the levels of all its factors. study.json lists them for each "
                   "point.</p>\n<details><summary>Levels of the factors</summary>\n"
                   "<div class=\"table\"><table class=\"cards plain\"><thead><tr>");
    card_heading_print(html, "factor", false);
    card_heading_print(html, "level", false);
    card_heading_print(html, "options of trainyard run", false);
    text_add(html, "</tr></thead>\n<tbody>\n");
    for (int32_t f = 0; f < study->factor_count; f++) {
        const Factor *factor = study->factors[f];
        for (int32_t i = 0; i < factor->level_count && i < LEVELS_SHOWN; i++)
            level_row(html, facts, factor, i);
        if (factor->level_count > LEVELS_SHOWN)
            text_printf(html, "<tr><td colspan=\"3\">and %" PRId32 " more levels of %s</td></tr>\n",
                        factor->level_count - LEVELS_SHOWN, factor->name);
    }
    text_add(html, "</tbody></table></div>\n</details>\n</section>\n");
}

/* --- Repeating a run --- */

typedef struct {
    int32_t point, replication;
    double value;
} WorstRun;

/* The run with the largest value of the first metric, the first of equal ones. */
static WorstRun largest_run(const StudyFacts *facts)
{
    const StudyFindings *findings = &facts->outcome->findings;
    WorstRun worst = {NO_POINT, 0, 0};
    for (int32_t point = 0; point < facts->study->point_count; point++)
        for (int32_t r = 0; r < findings->used[point]; r++) {
            const double value =
                results_record(findings->results, facts->study, point, r).values[0];
            if (!isnan(value) && (worst.point == NO_POINT || value > worst.value))
                worst = (WorstRun){point, r, value};
        }
    return worst;
}

void section_repeat(Text *html, const StudyFacts *facts)
{
    const WorstRun worst = largest_run(facts);
    text_add(html, "<section>\n<h2>How to repeat a run</h2>\n<p><code>trainyard show DIR POINT "
                   "SEED</code> prints the command that repeats a run; DIR is the folder of this "
                   "page, POINT and SEED are columns of results.csv. ");
    if (worst.point != NO_POINT) {
        Text value = {0};
        fact_number_print(&value, facts, 0, worst.value, 0);
        text_add(html, "The largest value of \"");
        markup_print(html, fact_metric_words(facts, 0));
        text_add(html, "\" in a run is ");
        markup_print(html, text_string(&value));
        text_printf(html,
                    ": <code>trainyard show DIR %" PRId32 " %" PRIu64
                    " --run -o worst</code> repeats that run, and writes its own report.",
                    worst.point, study_seed(facts->study, worst.point, worst.replication));
        text_free(&value);
    }
    text_add(html, "</p>\n</section>\n");
}
