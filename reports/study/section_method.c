/* Private to reports/study: how the intervals were made, and what they do not say. */
#include <inttypes.h>

#include "reports/study/page.h"
#include "reports/text/wording.h"
#include "sim/study/waves.h"

static void rules_print(Text *html, const Study *study)
{
    const SeedPlan *seeds = &study->seeds;
    if (seeds->rule_count == 0) {
        text_printf(html, "<li>Each point has %" PRId32 " runs.</li>\n", seeds->at_least);
        return;
    }
    text_printf(html,
                "<li>Each point has %" PRId32 " to %" PRId32 " runs, until the half-width of ",
                seeds->at_least, seeds->at_most);
    for (int32_t i = 0; i < seeds->rule_count; i++) {
        text_add(html, i > 0 ? ", and of " : "");
        markup_print(html, study->metrics[seeds->rules[i].metric].name);
        text_add(html, " is at most ");
        percent_print(html, seeds->rules[i].width_ppm, 1);
        text_add(html, " of its mean");
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

void section_method(Text *html, const StudyFacts *facts)
{
    text_add(html,
             "<section>\n<h2>How the intervals were made</h2>\n<ul>\n"
             "<li>A run is one replication: it starts empty, with its own seed, and gives one "
             "value of each metric. The interval of a mean is that of Student's t over these "
             "values, with 95 % confidence. It holds for values that are roughly normal, as means "
             "over many jobs are, or for many runs.</li>\n"
             "<li>Replication r of every point has the same seed, so points meet the same arrivals "
             "and failures. Differences between points are therefore more precise than the two "
             "intervals suggest.</li>\n");
    rules_print(html, facts->study);
    imprecise_print(html, facts);
    text_add(html,
             "</ul>\n<h2>What is not claimed</h2>\n<ul>\n"
             "<li>The intervals are about chance between runs. They say nothing about how well the "
             "scenario and its catalogue describe your cluster.</li>\n"
             "<li>A metric that is itself a percentile of a run is averaged over runs. The mean of "
             "percentiles is not the percentile of all jobs together, and is often lower.</li>\n"
             "<li>Runs start with an empty cluster: the means are those of such runs, not of a "
             "cluster that has been busy for ever.</li>\n");
    if (facts->bound_count > 0)
        text_add(html, "<li>Values with \xE2\x89\xA5 are lower bounds, because jobs still waited "
                       "when runs ended. Their intervals have no upper end, and differences to "
                       "them are lower bounds or unknown.</li>\n");
    text_add(html, "</ul>\n</section>\n");
}
