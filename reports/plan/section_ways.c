/* Private to reports/plan: the best candidate at each level of a factor whose levels are words,
 * such as the ways to pay for a node. */
#include <math.h>
#include <string.h>

#include "reports/page/cells.h"
#include "reports/plan/page.h"
#include "reports/text/wording.h"

enum { WAYS_MAX = 12 };

/* Whether the levels are words, and few enough for a table. Numbers have a plot. */
static bool has_ways(const PlanFacts *facts, int32_t factor)
{
    const Factor *about = facts->outcome->grid->study->factors[factor];
    bool has_words = false;
    for (int32_t i = 0; i < about->level_count; i++)
        has_words |= strspn(about->levels[i].label, "0123456789.") == 0;
    return has_words && about->level_count > 1 && about->level_count <= WAYS_MAX &&
           !goal_is_weather(facts->outcome->goal, factor);
}

static bool has_level(const PlanFacts *facts, int32_t candidate, int32_t factor, int32_t level)
{
    const PlanGrid *grid = facts->outcome->grid;
    return point_level(grid->study, plan_point(grid, candidate, 0), factor) ==
           &grid->study->factors[factor]->levels[level];
}

/* Whether the estimates of all constraints are on the right side. */
static bool seems_to_meet(const PlanFacts *facts, int32_t candidate)
{
    const PlanFindings *findings = plan_findings(plan_candidate(facts, candidate));
    if (findings->run_count == 0 || isnan(findings->objective.value))
        return false;
    for (int32_t i = 0; i < facts->outcome->check_count; i++)
        if (!(findings->checks[i].margin >= 0))
            return false;
    return true;
}

/* NO_CANDIDATE: none seems to meet the constraints. */
static int32_t best_at(const PlanFacts *facts, int32_t factor, int32_t level)
{
    const double sign = facts->outcome->goal->is_maximised ? -1 : 1;
    int32_t best = NO_CANDIDATE;
    double least = INFINITY;
    for (int32_t i = 0; i < facts->outcome->grid->candidate_count; i++) {
        if (!has_level(facts, i, factor, level) || !seems_to_meet(facts, i))
            continue;
        const double value = sign * plan_findings(plan_candidate(facts, i))->objective.value;
        if (i != facts->outcome->winner && value >= least)
            continue;
        least = i == facts->outcome->winner ? -INFINITY : value;
        best = i;
    }
    return best;
}

static void way_row(Text *html, const PlanFacts *facts, int32_t factor, int32_t level)
{
    const PlanOutcome *outcome = facts->outcome;
    const Factor *about = outcome->grid->study->factors[factor];
    const int32_t best = best_at(facts, factor, level);
    text_printf(html, "<tr%s>",
                best != NO_CANDIDATE && best == outcome->winner ? " class=\"chosen\"" : "");
    card_cell_print(html, about->name, about->levels[level].label, false);
    card_cell_print(html, "best candidate",
                    best == NO_CANDIDATE ? "none meets the limits" : candidate_words(facts, best),
                    false);
    const PlanFindings *findings =
        best == NO_CANDIDATE ? NULL : plan_findings(plan_candidate(facts, best));
    card_cell_print(html, objective_title(facts),
                    findings == NULL ? "\xE2\x80\x93" : objective_words(facts, findings), true);
    for (int32_t c = 0; c < outcome->goal->constraint_count; c++)
        card_cell_print(
            html, constraint_title(facts, c),
            findings == NULL
                ? "\xE2\x80\x93"
                : check_words(facts, &findings->checks[answer_tightest(outcome, findings, c)]),
            true);
    text_add(html, "</tr>\n");
}

static void ways_print(Text *html, const PlanFacts *facts, int32_t factor)
{
    const int32_t constraints = facts->outcome->goal->constraint_count;
    const Factor *about = facts->outcome->grid->study->factors[factor];
    const char **headings = ARENA_ARRAY(facts->arena, const char *, 4 + constraints);
    int32_t count = 0;
    headings[count++] = about->name;
    headings[count++] = "best candidate";
    headings[count++] = arena_printf(facts->arena, "#%s", objective_title(facts));
    for (int32_t c = 0; c < constraints; c++)
        headings[count++] = arena_printf(facts->arena, "#%s", constraint_title(facts, c));
    headings[count] = NULL;
    text_add(html, "<h3>");
    markup_print(html, arena_printf(facts->arena, "The best of each %s", about->name));
    text_add(html, "</h3>\n");
    cards_begin(html, headings);
    for (int32_t level = 0; level < about->level_count; level++)
        way_row(html, facts, factor, level);
    cards_end(html);
}

void section_ways(Text *html, const PlanFacts *facts)
{
    bool has_begun = false;
    if (facts->outcome->winner == NO_CANDIDATE)
        return;
    for (int32_t f = 0; f < facts->outcome->grid->study->factor_count; f++) {
        if (!has_ways(facts, f))
            continue;
        if (!has_begun)
            text_add(html, "<section>\n<h2>The best of each choice</h2>\n<p class=\"note\">"
                           "Candidates that surely lose get few runs. Here they meet the limits if "
                           "their estimates do.</p>\n");
        has_begun = true;
        ways_print(html, facts, f);
    }
    if (has_begun)
        text_add(html, "</section>\n");
}
