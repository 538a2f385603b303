/* Private to reports/plan: all candidates with the commands that repeat them, and how it was
 * decided. */
#include <inttypes.h>
#include <math.h>

#include "reports/page/cells.h"
#include "reports/plan/page.h"
#include "reports/text/wording.h"
#include "sim/study/sweep_progress.h"

enum { OPEN_ROWS = 24, ROWS_SHOWN = 500 };

/* --- Jobs --- */

void section_jobs(Text *html, const PlanFacts *facts)
{
    const WinnerJobs *jobs = facts->jobs;
    text_add(html, "<p class=\"note\">");
    thousands_print(html, jobs->count);
    text_printf(html,
                " jobs of %" PRId32 " runs of point %" PRId32
                ", in winner-jobs.csv. The first one has the seed "
                "%" PRId64 "; <code>trainyard show DIR %" PRId32 " %" PRId64
                "</code> prints its command.</p>\n",
                jobs->run_count, jobs->point, jobs->first_seed, jobs->point, jobs->first_seed);
}

/* --- All candidates --- */

static void commands_cell(Text *html, const PlanFacts *facts, int32_t candidate)
{
    const PlanOutcome *outcome = facts->outcome;
    const RunRange runs = stated_runs(facts, candidate);
    text_add(html, "<td data-label=\"repeat\"><details class=\"repeat\"><summary>command"
                   "</summary>");
    for (int32_t w = 0; w < outcome->grid->weather_count; w++) {
        const char *weather = answer_weather(facts->arena, outcome, w);
        text_add(html, "<p>");
        if (weather[0] != '\0') {
            prose_print(html, weather);
            text_add(html, ": ");
        }
        text_add(html, "<code>");
        markup_print(html,
                     command_words(facts, plan_point(outcome->grid, candidate, w), runs.first));
        text_add(html, "</code></p>");
    }
    text_add(html, "</details></td>");
}

static void candidate_row(Text *html, const PlanFacts *facts, int32_t candidate)
{
    const PlanOutcome *outcome = facts->outcome;
    const PlanFindings *findings = plan_findings(plan_candidate(facts, candidate));
    const bool has_runs = findings->run_count > 0;
    text_add(html, candidate == outcome->winner ? "<tr class=\"chosen\">" : "<tr>");
    card_cell_print(html, "candidate", candidate_words(facts, candidate), false);
    card_cell_print(html, "state", state_words(facts, candidate), false);
    card_cell_print(html, "runs", arena_printf(facts->arena, "%" PRId32, findings->run_count),
                    true);
    card_cell_print(html, objective_title(facts),
                    has_runs ? objective_words(facts, findings) : "\xE2\x80\x93", true);
    for (int32_t c = 0; c < outcome->goal->constraint_count; c++)
        if (goal_has_column(outcome->goal, c))
            card_cell_print(
                html, constraint_title(facts, c),
                has_runs
                    ? check_words(facts, &findings->checks[answer_tightest(outcome, findings, c)])
                    : "\xE2\x80\x93",
                true);
    commands_cell(html, facts, candidate);
    text_add(html, "</tr>\n");
}

static void candidates_head(Text *html, const PlanFacts *facts)
{
    const int32_t constraints = facts->outcome->goal->constraint_count;
    const char **headings = ARENA_ARRAY(facts->arena, const char *, 6 + constraints);
    int32_t count = 0;
    headings[count++] = "candidate";
    headings[count++] = "state";
    headings[count++] = "#runs";
    headings[count++] = arena_printf(facts->arena, "#%s", objective_title(facts));
    for (int32_t c = 0; c < constraints; c++)
        if (goal_has_column(facts->outcome->goal, c))
            headings[count++] = arena_printf(facts->arena, "#%s", constraint_title(facts, c));
    headings[count++] = "repeat";
    headings[count] = NULL;
    cards_begin(html, headings);
}

void section_candidates(Text *html, const PlanFacts *facts)
{
    const int32_t all = facts->outcome->grid->candidate_count;
    const int32_t shown = all < ROWS_SHOWN ? all : ROWS_SHOWN;
    text_add(html,
             "<section>\n<h2>All candidates</h2>\n<p class=\"note\">Values with intervals, each "
             "alone. Each command repeats the first run of its row; add 1 to the seed for the "
             "next. plan.csv has all candidates, results.csv a row for each run by which they were "
             "chosen, fresh.csv for each run with fresh seeds.</p>\n");
    if (shown < all)
        text_printf(html, "<p class=\"note\">The first %" PRId32 " of %" PRId32 ".</p>\n", shown,
                    all);
    if (all > OPEN_ROWS)
        text_printf(html, "<details><summary>%" PRId32 " candidates</summary>\n", shown);
    candidates_head(html, facts);
    for (int32_t i = 0; i < shown; i++)
        candidate_row(html, facts, i);
    cards_end(html);
    text_add(html, all > OPEN_ROWS ? "</details>\n</section>\n" : "</section>\n");
}

/* --- How it was decided --- */

static void goal_items(Text *html, const PlanFacts *facts)
{
    const PlanOutcome *outcome = facts->outcome;
    const Goal *goal = outcome->goal;
    text_printf(html, "<li>%s: ", goal->is_maximised ? "Maximised" : "Minimised");
    markup_print(html, objective_title(facts));
    text_add(html, ", the metric <code>");
    markup_print(html, outcome->grid->study->metrics[goal->metric].name);
    text_add(html, "</code>.");
    if (goal->indifference_part > 0)
        text_printf(html, " Differences up to %.4g %% do not count.",
                    goal->indifference_part * 100);
    text_add(html, "</li>\n");
    for (int32_t c = 0; c < goal->constraint_count; c++) {
        text_add(html, "<li>Required: ");
        prose_print(html, answer_constraint(facts->arena, outcome, c));
        if (goal->weather_count > 0)
            text_add(html, goal->is_average_weather ? ", on average over the weather"
                                                    : ", in each weather");
        text_add(html, ".</li>\n");
    }
}

static void sure_item(Text *html, const PlanFacts *facts)
{
    const PlanOutcome *outcome = facts->outcome;
    if (outcome->sure_tested_count < 2)
        return;
    text_printf(html,
                "<li>%" PRId32 " candidates, the best first, were tested with fresh runs for "
                "whether they are sure to meet every limit in other times: whether the interval "
                "that the log leaves meets it at %.4g %%. Each interval is about one candidate "
                "alone, so the first of several that meets the limits owes it to luck more "
                "often.</li>\n",
                outcome->sure_tested_count, outcome->goal->confidence * 100);
}

void section_decision(Text *html, const PlanFacts *facts)
{
    const PlanOutcome *outcome = facts->outcome;
    text_add(html, "<section>\n<h2>How it was decided</h2>\n<ul>\n");
    goal_items(html, facts);
    text_printf(html,
                "<li>Runs are made in rounds. After each of %" PRId32
                " round%s a candidate is dropped once its runs show, at the confidence of the "
                "whole plan, that it misses a constraint or that another one is better.</li>\n",
                outcome->round_count, plural(outcome->round_count));
    text_printf(html,
                "<li>The errors of all decisions together are at most %.4g %%. An error is a "
                "recommendation that misses a limit by more than the indifference, or that "
                "is worse than the best by more than that.</li>\n",
                (1 - outcome->goal->confidence) * 100);
    if (outcome->fresh_count > 0) {
        text_add(html, "<li>The numbers of the recommendation, and of those that it is compared "
                       "with, come from ");
        thousands_print(html, outcome->fresh_count);
        const SeedPlan *seeds = &outcome->grid->study->seeds;
        text_add(html, " fresh runs");
        if (!seeds->is_independent)
            text_printf(html, ", with seeds from %" PRIu64 " on",
                        seeds->first + (uint64_t)outcome->fresh_first);
        text_add(html, ", which took no part in the choice: the best of many noisy candidates "
                       "looks better than it is.</li>\n");
    }
    sure_item(html, facts);
    if (outcome->ordered_count > 0)
        text_printf(
            html,
            "<li>%" PRId64 " candidate%s not simulated because more nodes let no job wait "
            "longer here (first come, first served, jobs of one node): a candidate with more "
            "nodes misses a limit, or one with fewer nodes meets all and costs less. The "
            "candidates next to the recommendation on both sides were simulated or are "
            "overloaded.</li>\n",
            outcome->ordered_count, outcome->ordered_count == 1 ? " was" : "s were");
    if (outcome->unsimulated_count > 0)
        text_printf(html,
                    "<li>%" PRId64 " candidate%s recognised as hopeless and not simulated."
                    "</li>\n",
                    outcome->unsimulated_count,
                    outcome->unsimulated_count == 1 ? " was" : "s were");
    text_add(html, "</ul>\n</section>\n");
}
