/* Private to reports/plan: the sentences, the key figures, and the comparison with the next best
 * and the baseline. */
#include <inttypes.h>
#include <math.h>

#include "reports/page/cells.h"
#include "reports/plan/page.h"
#include "reports/text/wording.h"
#include "sim/study/sweep_progress.h"

/* --- Key figures --- */

/* `part` is below the value, in smaller letters. */
static void tile_print(Text *html, const char *class, const char *value, const char *part,
                       const char *name)
{
    text_printf(html, "<div%s%s%s><dd>", class[0] != '\0' ? " class=\"" : "", class,
                class[0] != '\0' ? "\"" : "");
    prose_print(html, value);
    if (part[0] != '\0') {
        text_add(html, "<span class=\"part\">");
        prose_print(html, part);
        text_add(html, "</span>");
    }
    text_add(html, "</dd><dt>");
    prose_print(html, name);
    text_add(html, "</dt></div>\n");
}

static const char *count_text(const PlanFacts *facts, int64_t count)
{
    Text text = {0};
    thousands_print(&text, count);
    return text_move(facts->arena, &text);
}

/* The value, and its interval below. */
static void estimate_tile(Text *html, const PlanFacts *facts, const char *class, int32_t metric,
                          const PlanEstimate *estimate, const char *name)
{
    tile_print(html, class, answer_value_alone(facts->arena, facts->outcome, metric, estimate),
               answer_interval(facts->arena, facts->outcome, metric, estimate), name);
}

static void winner_tiles(Text *html, const PlanFacts *facts)
{
    const PlanOutcome *outcome = facts->outcome;
    const PlanFindings *findings = plan_findings(plan_candidate(facts, outcome->winner));
    const MetricWords words =
        metric_words(facts->arena, outcome->grid->study->metrics[outcome->goal->metric].name);
    estimate_tile(html, facts, "", outcome->goal->metric, &findings->objective,
                  words.form == METRIC_IS_COST ? arena_printf(facts->arena, "%s %s", words.noun,
                                                              answer_period(facts->arena, outcome))
                                               : words.noun);
    for (int32_t c = 0; c < outcome->goal->constraint_count; c++) {
        const PlanCheck *check = &findings->checks[answer_tightest(outcome, findings, c)];
        estimate_tile(html, facts, check->margin < 0 ? "bad" : "",
                      outcome->goal->constraints[c].metric, &check->estimate,
                      constraint_title(facts, c));
    }
}

static void tiles_print(Text *html, const PlanFacts *facts)
{
    const PlanOutcome *outcome = facts->outcome;
    text_add(html, "<dl class=\"keys\">\n");
    if (outcome->winner != NO_CANDIDATE)
        winner_tiles(html, facts);
    if (outcome->verdict != PLAN_UNFINISHED)
        tile_print(html, outcome->is_confident ? "" : "open",
                   arena_printf(facts->arena, "%.4g %%", outcome->confidence * 100), "",
                   "confidence of the choice");
    tile_print(html, "", count_text(facts, outcome->grid->candidate_count), "",
               outcome->grid->candidate_count == 1 ? "candidate" : "candidates");
    const char *grid = answer_grid_runs(facts->arena, outcome);
    tile_print(html, "", count_text(facts, outcome->run_count), "",
               arena_printf(facts->arena, "runs%s%s", grid[0] != '\0' ? "; " : "", grid));
    text_add(html, "</dl>\n");
}

/* --- Sentences --- */

static void paragraph_print(Text *html, const char *class, const char *text)
{
    text_printf(html, "<p class=\"%s\">", class);
    prose_print(html, text);
    text_add(html, "</p>\n");
}

void section_answer(Text *html, const PlanFacts *facts)
{
    text_add(html, "<section class=\"top\">\n");
    paragraph_print(html, facts->outcome->verdict == PLAN_FOUND ? "decision" : "decision undecided",
                    facts->answer.decision);
    paragraph_print(html, "alternative", facts->answer.alternative);
    if (facts->answer.remark[0] != '\0')
        paragraph_print(html, "alternative", facts->answer.remark);
    if (facts->answer.reach[0] != '\0')
        paragraph_print(html, "alternative", facts->answer.reach);
    tiles_print(html, facts);
    text_add(html, "</section>\n");
}

/* --- The next best and the baseline --- */

static void comparison_row(Text *html, const PlanFacts *facts, const PlanComparison *comparison,
                           const char *role)
{
    const PlanOutcome *outcome = facts->outcome;
    const PlanFindings *findings = plan_findings(plan_candidate(facts, comparison->candidate));
    text_add(html, "<tr>");
    card_cell_print(
        html, "candidate",
        arena_printf(facts->arena, "%s: %s", role, candidate_words(facts, comparison->candidate)),
        false);
    card_cell_print(html, "runs", arena_printf(facts->arena, "%" PRId32, findings->run_count),
                    true);
    card_cell_print(html, objective_title(facts), objective_words(facts, findings), true);
    card_cell_print(html, "difference",
                    comparison->candidate == outcome->winner
                        ? "\xE2\x80\x93"
                        : answer_value(facts->arena, outcome, outcome->goal->metric,
                                       &comparison->objective, false),
                    true);
    for (int32_t c = 0; c < outcome->goal->constraint_count; c++) {
        const int32_t tightest =
            answer_tightest(outcome, plan_findings(plan_candidate(facts, outcome->winner)), c);
        card_cell_print(html, constraint_title(facts, c),
                        check_words(facts, &findings->checks[tightest]), true);
        card_cell_print(html, "difference",
                        comparison->candidate == outcome->winner
                            ? "\xE2\x80\x93"
                            : answer_value(facts->arena, outcome,
                                           outcome->goal->constraints[c].metric,
                                           &comparison->checks[tightest], false),
                        true);
    }
    text_add(html, "</tr>\n");
}

static void comparison_head(Text *html, const PlanFacts *facts)
{
    const int32_t constraints = facts->outcome->goal->constraint_count;
    const char **headings = ARENA_ARRAY(facts->arena, const char *, 5 + 2 * constraints);
    int32_t count = 0;
    headings[count++] = "candidate";
    headings[count++] = "#runs";
    headings[count++] = arena_printf(facts->arena, "#%s", objective_title(facts));
    headings[count++] = "#difference";
    for (int32_t c = 0; c < constraints; c++) {
        headings[count++] = arena_printf(facts->arena, "#%s", constraint_title(facts, c));
        headings[count++] = "#difference";
    }
    headings[count] = NULL;
    cards_begin(html, headings);
}

/* The candidates that the recommended one is compared with, each once. */
typedef struct {
    const char *role, *title; /* of the row, in the heading */
    const PlanComparison *comparison;
} Compared;

enum { COMPARED_MAX = 3 };

static bool is_compared(const PlanComparison *comparison)
{
    return comparison->candidate != NO_CANDIDATE && !isnan(comparison->objective.value);
}

/* A candidate with a second role has both in its first row. */
static int32_t compared_with(const PlanFacts *facts, Compared *found)
{
    const PlanOutcome *outcome = facts->outcome;
    const Compared all[COMPARED_MAX] = {
        {"next best", "the next best", &outcome->against_next_best},
        {"sure in other times", "the best that is sure in other times", &outcome->against_sure},
        {"baseline", "the baseline", &outcome->against_baseline}};
    int32_t count = 0;
    for (int32_t i = 0; i < COMPARED_MAX; i++) {
        int32_t same = 0;
        if (!is_compared(all[i].comparison))
            continue;
        while (same < count && found[same].comparison->candidate != all[i].comparison->candidate)
            same++;
        if (same == count)
            found[count++] = all[i];
        else
            found[same].role =
                arena_printf(facts->arena, "%s, and %s", found[same].role, all[i].role);
    }
    return count;
}

void section_compared(Text *html, const PlanFacts *facts)
{
    const PlanOutcome *outcome = facts->outcome;
    Compared rows[COMPARED_MAX];
    const int32_t count = outcome->winner != NO_CANDIDATE ? compared_with(facts, rows) : 0;
    if (count == 0)
        return;
    text_add(html, "<section>\n<h2>Compared with");
    for (int32_t i = 0; i < count; i++)
        text_printf(html, "%s %s", i == 0 ? "" : i + 1 < count ? "," : " and", rows[i].title);
    text_printf(html,
                "</h2>\n<p class=\"note\">Runs with fresh seeds, "
                "which took no part in the choice; intervals at %.4g %%. Differences are to the "
                "recommended candidate, run by run with the same seeds. It may have more runs than "
                "the others, so differences need not be those of the values.</p>\n",
                outcome->goal->confidence * 100);
    comparison_head(html, facts);
    comparison_row(html, facts, &(PlanComparison){.candidate = outcome->winner}, "recommended");
    for (int32_t i = 0; i < count; i++)
        comparison_row(html, facts, rows[i].comparison, rows[i].role);
    cards_end(html);
    text_add(html, "</section>\n");
}
