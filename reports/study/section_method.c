/* Private to reports/study: how the intervals were made, and what they do not say. */
#include <inttypes.h>
#include <string.h>

#include "reports/page/cells.h"
#include "reports/study/page.h"
#include "reports/text/wording.h"
#include "sim/study/waves.h"

/* "5 % of its value", "2 min": the half-width that a rule asks for. */
static void limit_print(Text *html, const StudyFacts *facts, const StopRule *rule)
{
    if (rule->width_ppm > 0) {
        percent_print(html, rule->width_ppm, 1);
        text_add(html, " of its value");
    } else {
        fact_number_print(html, facts, rule->metric, (double)rule->width_nano / 1e9, 0);
    }
}

static void rules_print(Text *html, const StudyFacts *facts)
{
    const Study *study = facts->study;
    const SeedPlan *seeds = &study->seeds;
    if (seeds->rule_count == 0) {
        text_printf(html, "<li>Each point has %" PRId32 " runs.</li>\n", seeds->at_least);
        return;
    }
    text_printf(html,
                "<li>Each point has %" PRId32 " to %" PRId32 " runs, until the half-width of ",
                seeds->at_least, seeds->at_most);
    for (int32_t i = 0; i < seeds->rule_count; i++) {
        text_add(html, i > 0 ? ", and of the " : "the ");
        markup_print(html, fact_metric_words(facts, seeds->rules[i].metric));
        text_add(html, " is at most ");
        limit_print(html, facts, &seeds->rules[i]);
    }
    text_add(html,
             ". Whether a point needs more runs is decided at the ends of waves only, not "
             "after each run, because looking after each run makes intervals too narrow.</li>\n");
}

/* Points with a rule that all of their runs did not meet. */
static void imprecise_print(Text *html, const StudyFacts *facts)
{
    const Study *study = facts->study;
    const StudyFindings *findings = &facts->outcome->findings;
    int64_t count = 0;
    for (int32_t point = 0; point < study->point_count; point++)
        count += findings->used[point] >= study->seeds.at_most &&
                 waves_excess(study, findings->results, point, findings->used[point]) > 1;
    if (study->seeds.rule_count == 0 || count == 0)
        return;
    text_add(html, "<li>");
    count_print(html, count, "point", "points");
    text_printf(html, " had the most runs allowed and %s less precise than that.</li>\n",
                count == 1 ? "is" : "are");
}

/* --- Methods --- */

/* The methods of sim/study/point_estimate.h in words. */
static const struct {
    const char *method, *words;
} methods[] = {
    {"t, skew", "the mean of the runs' values, with Student's t corrected for their skewness (Hall "
                "1992). Fewer than 10 runs have the plain t interval"},
    {"t in 0..1", "the mean of the runs' values, with Student's t, cut at 0 and 1"},
    {"share", "the mean of the runs' shares, with Student's t. Fewer than 10 runs, and shares that "
              "are all 0 or all 1, have Wilson's interval"},
    {"pooled", "the percentile of the jobs of all runs together, with all limits at which the t "
               "interval of the runs' shares contains it (Woodruff 1952)"},
    {"batches", "the mean of 30 parts of one long run, with Student's t. Parts that depend on each "
                "other have no interval"},
    {"bootstrap", "the total above divided by the total below, with a bootstrap of the runs (BCa, "
                  "Efron 1987). Fewer than 10 runs have the jackknife's interval"},
};

/* The method is the same at all points that have runs; "" without runs. */
static const char *method_of(const StudyFacts *facts, int32_t metric)
{
    for (int32_t point = 0; point < facts->study->point_count; point++)
        if (fact_estimate(facts, point, metric)->method[0] != '\0')
            return fact_estimate(facts, point, metric)->method;
    return "";
}

static void methods_print(Text *html, const StudyFacts *facts)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        bool is_used = false;
        for (int32_t m = 0; m < facts->study->metric_count; m++) {
            if (strcmp(method_of(facts, m), methods[i].method) != 0)
                continue;
            text_add(html, is_used ? ", <code>" : "<li><code>");
            breakable_print(html, facts->study->metrics[m].name);
            text_add(html, "</code>");
            is_used = true;
        }
        if (is_used)
            text_printf(html, " (\"%s\"): %s.</li>\n", methods[i].method, methods[i].words);
    }
}

/* Whether a metric is the mean of the runs' percentiles. */
static bool averages_percentiles(const StudyFacts *facts)
{
    for (int32_t m = 0; m < facts->study->metric_count; m++)
        if (facts->study->metrics[m].kind == MEASURE_PERCENTILE &&
            facts->study->horizon.kind == HORIZON_TERMINATING)
            return true;
    return false;
}

static void horizon_print(Text *html, const StudyFacts *facts)
{
    if (facts->study->horizon.kind == HORIZON_STEADY)
        text_add(html, "<li>The study is about the long run, so each run leaves out its warm-up. A "
                       "point has no intervals if its queue grows until the end (\"unstable\"), or "
                       "if its runs are too short.</li>\n");
    else
        text_add(html, "<li>Runs start with an empty cluster: the values are those of such runs, "
                       "not of a cluster that has been busy for ever.</li>\n");
}

static void differences_print(Text *html, const StudyFacts *facts)
{
    text_add(html, "<li>Replication r of every point has the same seed, so points meet the same "
                   "arrivals and failures. Differences between points are therefore mostly more "
                   "precise than the two intervals suggest.");
    if (facts->study->point_count > 1)
        text_add(html, " A difference is the mean of the differences of the runs' values, pair by "
                       "pair, with Student's t.");
    text_add(html, "</li>\n");
}

void section_method(Text *html, const StudyFacts *facts)
{
    text_add(html,
             "<section>\n<h2>How the intervals were made</h2>\n<ul>\n"
             "<li>A run is one replication: it starts empty, with its own seed, and gives one "
             "value of each metric. The intervals have 95 % confidence. Student's t holds for "
             "values that are roughly normal, as means over many jobs are, or for many "
             "runs.</li>\n");
    methods_print(html, facts);
    differences_print(html, facts);
    if (facts->study->goal == NULL) { // a plan says itself how many runs it makes
        rules_print(html, facts);
        imprecise_print(html, facts);
    }
    text_add(html,
             "</ul>\n<h2>What is not claimed</h2>\n<ul>\n"
             "<li>The intervals are about chance between runs. They say nothing about how well the "
             "scenario and its catalogue describe your cluster.</li>\n");
    if (averages_percentiles(facts))
        text_add(html, "<li>A metric that is itself a percentile of a run is averaged over runs. "
                       "The mean of percentiles is not the percentile of all jobs together, and is "
                       "often lower.</li>\n");
    if (facts->study->piece_count > 0)
        text_add(html,
                 "<li>Each run draws pieces of the log anew, as many as the log has. No run "
                 "has what is in none of them: a trend, a new team, a deadline. More runs "
                 "make the intervals narrower; what the log is too short to show remains.</li>\n");
    horizon_print(html, facts);
    if (facts->bound_count > 0)
        text_add(html, "<li>Values with \xE2\x89\xA5 are lower bounds, because jobs still waited "
                       "when runs ended. Their intervals have no upper end, and differences to "
                       "them are lower bounds or unknown.</li>\n");
    text_add(html, "</ul>\n</section>\n");
}
