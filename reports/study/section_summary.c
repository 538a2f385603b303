/* Private to reports/study: what the runs say about the first metric, key figures, and factors that
 * did nothing. */
#include <inttypes.h>
#include <math.h>

#include "reports/study/page.h"
#include "reports/text/wording.h"
#include "sim/study/sweep_progress.h"

/* --- Sentences --- */

static void estimate_print(Text *html, const StudyFacts *facts, int32_t point)
{
    const char *note = fact_estimate(facts, point, 0)->note;
    text_add(html, "<strong class=\"t\">");
    prose_print(html, fact_own_estimate(facts, point, 0));
    text_add(html, "</strong>");
    if (note[0] == '\0')
        return;
    text_add(html, " (");
    markup_print(html, note);
    text_add(html, ")");
}

static void point_print(Text *html, const StudyFacts *facts, int32_t point)
{
    text_printf(html, "point %" PRId32 " (", point);
    markup_print(html, fact_point_name(facts, point));
    text_add(html, ")");
}

/* "The mean wait of jobs of short". */
static const char *the_first_metric(const StudyFacts *facts)
{
    const MetricWords words = metric_words(facts->arena, facts->study->metrics[0].name);
    return arena_printf(facts->arena, words.form == METRIC_IS_SHARE ? "The share of %s" : "The %s",
                        words.noun);
}

static void single_point_print(Text *html, const StudyFacts *facts)
{
    text_add(html, "<p>");
    prose_print(html, the_first_metric(facts));
    text_add(html, " is ");
    estimate_print(html, facts, facts->lowest);
    text_add(html, ".</p>\n");
}

/* "; 3 points have too few seeds ..." */
static void not_compared_print(Text *html, const StudyFacts *facts)
{
    if (facts->not_compared == 0)
        return;
    text_add(html, "; ");
    thousands_print(html, facts->not_compared);
    text_printf(html, " point%s too few runs to be compared",
                facts->not_compared == 1 ? " has" : "s have");
}

static void doubt_print(Text *html, const StudyFacts *facts)
{
    const bool all_differ = facts->like_lowest == 0 && facts->not_compared == 0;
    text_add(html,
             "<p>Each stated interval holds alone, with 95 % confidence. Compared seed by seed, ");
    if (all_differ) {
        text_add(html, "every other point differs from the lowest");
    } else {
        thousands_print(html, facts->like_lowest);
        text_printf(html, " other point%s cannot be distinguished from the lowest",
                    plural(facts->like_lowest));
    }
    not_compared_print(html, facts);
    text_add(html, ". This page does not decide: the lowest of many values tends to be a little "
                   "too low, and the highest too high.</p>\n");
}

static void extremes_print(Text *html, const StudyFacts *facts)
{
    text_add(html, "<p>");
    prose_print(html, the_first_metric(facts));
    text_add(html, " is lowest at ");
    point_print(html, facts, facts->lowest);
    text_add(html, ": ");
    estimate_print(html, facts, facts->lowest);
    text_add(html, ". It is highest at ");
    point_print(html, facts, facts->highest);
    text_add(html, ": ");
    estimate_print(html, facts, facts->highest);
    text_add(html, ".</p>\n");
    doubt_print(html, facts);
}

static void sentences_print(Text *html, const StudyFacts *facts)
{
    if (facts->lowest == NO_POINT) {
        text_add(html, "<p>No run with a value of the ");
        markup_print(html, fact_metric_words(facts, 0));
        text_add(html, " has finished.</p>\n");
    } else if (facts->study->point_count == 1) {
        single_point_print(html, facts);
    } else {
        extremes_print(html, facts);
    }
}

/* --- Tiles --- */

typedef struct {
    int32_t least, most; /* runs of a point */
} RunsRange;

static RunsRange runs_range(const StudyFacts *facts)
{
    const int32_t *used = facts->outcome->findings.used;
    RunsRange range = {used[0], used[0]};
    for (int32_t point = 1; point < facts->study->point_count; point++) {
        range.least = used[point] < range.least ? used[point] : range.least;
        range.most = used[point] > range.most ? used[point] : range.most;
    }
    return range;
}

static void tile_begin(Text *html, const char *class)
{
    text_printf(html, "<div%s%s%s><dd>", class[0] != '\0' ? " class=\"" : "", class,
                class[0] != '\0' ? "\"" : "");
}

static void tile_end(Text *html, const char *name)
{
    text_printf(html, "</dd><dt>%s</dt></div>\n", name);
}

static void count_tile(Text *html, int64_t count, const char *class, const char *name)
{
    tile_begin(html, class);
    thousands_print(html, count);
    tile_end(html, name);
}

static void range_tile(Text *html, uint64_t from, uint64_t to, const char *name)
{
    tile_begin(html, "");
    text_printf(html, "%" PRIu64, from);
    if (to != from)
        text_printf(html, " to %" PRIu64, to);
    tile_end(html, name);
}

static void tiles_print(Text *html, const StudyFacts *facts)
{
    const Study *study = facts->study;
    const RunsRange runs = runs_range(facts);
    text_add(html, "<dl class=\"keys\">\n");
    count_tile(html, study->point_count, "", study->point_count == 1 ? "point" : "points");
    count_tile(html, facts->used_count, "", "runs that count");
    range_tile(html, (uint64_t)runs.least, (uint64_t)runs.most, "runs of a point");
    if (runs.most > 0 && !study->seeds.is_independent)
        range_tile(html, study->seeds.first, study->seeds.first + (uint64_t)runs.most - 1, "seeds");
    count_tile(html, study->metric_count, "", study->metric_count == 1 ? "metric" : "metrics");
    if (study->until_ns != INT64_MAX) {
        tile_begin(html, "");
        span_print(html, study->until_ns);
        tile_end(html, "latest end of a run");
    }
    if (facts->bound_count > 0)
        count_tile(html, facts->bound_count, "open", "values that are only lower bounds");
    text_add(html, "</dl>\n");
}

void section_summary(Text *html, const StudyFacts *facts)
{
    text_add(html, "<section class=\"top\">\n");
    sentences_print(html, facts);
    tiles_print(html, facts);
    text_add(html, "</section>\n");
}

/* --- Factors that did nothing --- */

void section_idle(Text *html, const StudyFacts *facts)
{
    const StudyOutcome *outcome = facts->outcome;
    if (outcome->idle_count == 0)
        return;
    text_add(html, "<section>\n<h2>Factors that did nothing</h2>\n<ul>\n");
    for (int32_t i = 0; i < outcome->idle_count; i++) {
        Text words = {0};
        idle_levels_print(facts->study, &outcome->idle[i], &words);
        text_add(html, "<li>");
        markup_print(html, arena_strndup(facts->arena, text_string(&words), words.length - 1));
        text_add(html, "</li>\n");
        text_free(&words);
    }
    text_add(html, "</ul>\n</section>\n");
}
