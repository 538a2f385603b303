/* Private to reports/plan: words about bad runs of the recommended candidate. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "reports/page/cells.h"
#include "reports/plan/page.h"
#include "reports/plan/risk.h"
#include "reports/text/wording.h"
#include "sim/study/answer/worst_run.h"
#include "sim/study/statistics/sample.h"
#include "sim/study/sweep_progress.h"

/* --- What was different in the worst run --- */

typedef struct {
    int32_t metric;
    double value, mean, deviations; /* deviations: from the mean, in standard deviations */
} Difference;

static int by_deviations(const void *left, const void *right)
{
    const Difference *a = left, *b = right;
    const double a_size = fabs(a->deviations), b_size = fabs(b->deviations);
    if (a_size != b_size)
        return a_size > b_size ? -1 : 1;
    return (a->metric > b->metric) - (a->metric < b->metric);
}

/* The metric in the worst run next to all runs of its point; false without a spread. */
static bool compare(const PlanFacts *facts, const Risk *risk, int32_t metric, Difference *found)
{
    const Results *results = facts->outcome->study.findings.results;
    const RunRange runs = stated_runs(facts, facts->outcome->winner);
    double *values = ARENA_ARRAY(facts->arena, double, runs.count + 1);
    int32_t count = 0;
    for (int32_t r = runs.first; r < runs.first + runs.count; r++) {
        if (!results_have(results, risk->worst_point, r))
            continue;
        values[count] = results_value(results, risk->worst_point, metric, r);
        count += !isnan(values[count]);
    }
    *found = (Difference){
        metric, results_value(results, risk->worst_point, metric, risk->worst_replication), 0, 0};
    if (count < 2 || isnan(found->value))
        return false;
    const double deviation = sqrt(statistics_variance(values, count));
    found->mean = statistics_mean(values, count);
    found->deviations = deviation > 0 ? (found->value - found->mean) / deviation : 0;
    return deviation > 0;
}

static const char *number_words(const PlanFacts *facts, int32_t metric, double value)
{
    Text text = {0};
    fact_number_print(&text, facts->study, metric, value, 0);
    return text_move(facts->arena, &text);
}

static void story_print(Text *html, const PlanFacts *facts, const Risk *risk)
{
    enum { ROWS_SHOWN = 6 };
    const char *const headings[] = {"in the worst run", "#value", "#mean of the runs",
                                    "#standard deviations away", NULL};
    const Study *study = facts->outcome->grid->study;
    Difference *found = ARENA_ARRAY(facts->arena, Difference, study->metric_count + 1);
    int32_t count = 0;
    for (int32_t m = 0; m < study->metric_count; m++)
        count += compare(facts, risk, m, &found[count]);
    if (count == 0)
        return;
    qsort(found, (size_t)count, sizeof *found, by_deviations);
    cards_begin(html, headings);
    for (int32_t i = 0; i < count && i < ROWS_SHOWN; i++) {
        const int32_t m = found[i].metric;
        text_add(html, "<tr>");
        card_cell_print(html, "in the worst run",
                        metric_words(facts->arena, study->metrics[m].name).noun, false);
        card_cell_print(html, "value", number_words(facts, m, found[i].value), true);
        card_cell_print(html, "mean of the runs", number_words(facts, m, found[i].mean), true);
        card_cell_print(html, "standard deviations away",
                        arena_printf(facts->arena, "%+.1f", found[i].deviations), true);
        text_add(html, "</tr>\n");
    }
    cards_end(html);
}

/* "at least 94.9 % of the jobs wait at most 30 min", "the cost is at most 92 USD". */
static void common_print(Text *html, const PlanFacts *facts, const Risk *risk)
{
    const PlanEstimate p95 = {risk->p95.value, (double)NAN, (double)NAN, risk->count};
    const StudyMetric *metric = &facts->outcome->grid->study->metrics[risk->metric];
    const MetricWords words = metric_words(facts->arena, metric->name);
    const char *side = risk->is_small_bad ? "at least" : "at most";
    const char *value = answer_value(facts->arena, facts->outcome, risk->metric, &p95, false);
    const bool is_share = words.form == METRIC_IS_SHARE;
    prose_print(html,
                is_share ? side : arena_printf(facts->arena, "the %s is %s", words.noun, side));
    text_add(html, " <strong class=\"t\">");
    prose_print(html, value);
    text_add(html, "</strong>");
    if (is_share)
        prose_print(html,
                    arena_printf(facts->arena, " of the %s %s", words.subject, words.predicate));
}

void section_bad_runs(Text *html, const PlanFacts *facts)
{
    const PlanOutcome *outcome = facts->outcome;
    const Risk risk = risk_of(facts, outcome->winner);
    const PlanEstimate worst = {risk.worst, (double)NAN, (double)NAN, 1};
    const uint64_t seed =
        study_seed(outcome->grid->study, risk.worst_point, risk.worst_replication);
    text_add(html, "<p>In 95 % of the runs ");
    common_print(html, facts, &risk);
    if (!isfinite(risk.is_small_bad ? risk.p95.low : risk.p95.high))
        text_printf(html, " (%" PRId32 " runs are too few to be sure of that)", risk.count);
    text_add(html, ". The worst of ");
    thousands_print(html, risk.count);
    text_add(html, " runs has <strong class=\"t\">");
    prose_print(html, answer_value(facts->arena, outcome, risk.metric, &worst, false));
    text_printf(html,
                "</strong>, with seed %" PRIu64 ". %s <code>trainyard show DIR "
                "%" PRId32 " %" PRIu64
                " --run -o worst</code>, where DIR is the folder of this page, or by the command "
                "itself:</p>\n<pre><code>",
                seed,
                facts->has_worst ? "<a href=\"" WORST_RUN_FOLDER
                                   "/report.html\">Its own report</a> explains "
                                   "it. The run is repeated by"
                                 : "Its own report, which explains it, is made by",
                risk.worst_point, seed);
    markup_print(html, command_words(facts, risk.worst_point, risk.worst_replication));
    text_add(html, "</code></pre>\n");
    story_print(html, facts, &risk);
}
