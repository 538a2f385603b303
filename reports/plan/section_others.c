/* Private to reports/plan: why the other candidates lose, in groups with the same reason. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reports/page/cells.h"
#include "reports/plan/page.h"
#include "reports/text/wording.h"

/* Candidates with the same state and, where they miss a constraint, the same one; those that were
 * not simulated have the same reason. */
typedef struct {
    CandidateState state;
    int32_t constraint; /* -1: no constraint */
    const char *reason; /* NULL: none */
    int32_t first;      /* candidate */
    int32_t count;
    PlanEstimate least, most; /* of the objective, or of the missed constraint */
} Group;

enum { GROUPS_MAX = 40 };

static const PlanCheck *missed_check(const PlanFacts *facts, int32_t candidate)
{
    const PlanCandidate *about = plan_candidate(facts, candidate);
    if (about->state != CANDIDATE_MISSES && about->state != CANDIDATE_MISSES_AGAIN)
        return NULL;
    return &plan_findings(about)->checks[about->missed_check];
}

static Group group_of(const PlanFacts *facts, int32_t candidate)
{
    const PlanCheck *check = missed_check(facts, candidate);
    const PlanCandidate *about = plan_candidate(facts, candidate);
    const PlanEstimate value = check != NULL ? check->estimate : plan_findings(about)->objective;
    return (Group){.state = about->state,
                   .constraint = check != NULL ? check->constraint : -1,
                   .reason = about->reason,
                   .first = candidate,
                   .count = 1,
                   .least = value,
                   .most = value};
}

static bool is_same(const Group *left, const Group *right)
{
    if (left->state != right->state || left->constraint != right->constraint)
        return false;
    if (left->reason == NULL || right->reason == NULL)
        return left->reason == right->reason;
    return strcmp(left->reason, right->reason) == 0;
}

static void join(Group *group, const Group *one)
{
    group->count++;
    if (isnan(group->least.value) || one->least.value < group->least.value)
        group->least = one->least;
    if (isnan(group->most.value) || one->most.value > group->most.value)
        group->most = one->most;
}

/* All candidates but the recommended one; those beyond GROUPS_MAX reasons are in the last group. */
static int32_t group_all(const PlanFacts *facts, Group *groups)
{
    int32_t count = 0;
    for (int32_t i = 0; i < facts->outcome->grid->candidate_count; i++) {
        const Group own = group_of(facts, i);
        int32_t g = 0;
        if (own.state == CANDIDATE_WINNER)
            continue;
        while (g < count && !is_same(&groups[g], &own))
            g++;
        if (g < count)
            join(&groups[g], &own);
        else if (count < GROUPS_MAX)
            groups[count++] = own;
        else
            join(&groups[count - 1], &own);
    }
    return count;
}

/* "93.9 ± 0.8 %"; "93.9 ± 0.8 % to 94.2 ± 0.8 %". */
static const char *range_words(const PlanFacts *facts, const Group *group)
{
    const PlanOutcome *outcome = facts->outcome;
    const int32_t metric = group->constraint >= 0
                               ? outcome->goal->constraints[group->constraint].metric
                               : outcome->goal->metric;
    if (isnan(group->least.value))
        return "\xE2\x80\x93";
    const char *least = answer_value(facts->arena, outcome, metric, &group->least, false);
    const char *most = answer_value(facts->arena, outcome, metric, &group->most, false);
    return strcmp(least, most) == 0 ? least : arena_printf(facts->arena, "%s to %s", least, most);
}

static const char *reason_words(const PlanFacts *facts, const Group *group)
{
    Arena *arena = facts->arena;
    if (group->constraint >= 0)
        return arena_printf(arena, "%s: %s",
                            group->state == CANDIDATE_MISSES ? "miss the constraint"
                                                             : "chosen, and missed it on fresh "
                                                               "seeds",
                            answer_constraint(arena, facts->outcome, group->constraint));
    const Study *study = facts->outcome->grid->study;
    const bool is_cost =
        metric_words(arena, study->metrics[facts->outcome->goal->metric].name).form ==
        METRIC_IS_COST;
    if (group->state == CANDIDATE_WORSE)
        return arena_printf(arena, "meet the constraints or may meet them, and %s",
                            is_cost ? "cost more" : "are worse in what counts");
    if (group->state == CANDIDATE_EQUAL)
        return arena_printf(
            arena,
            "meet the constraints or may meet them, and are not %s than another one "
            "by more than the indifference",
            is_cost ? "cheaper" : "better");
    return group->reason != NULL
               ? arena_printf(arena, "%s: %s", candidate_state_words(group->state), group->reason)
               : candidate_state_words(group->state);
}

static void names_print(Text *html, const PlanFacts *facts, const Group *group,
                        const int32_t *order)
{
    enum { NAMES_SHOWN = 3 };
    int32_t shown = 0;
    Text names = {0};
    for (int32_t i = 0; i < facts->outcome->grid->candidate_count && shown < NAMES_SHOWN; i++) {
        const Group own = group_of(facts, order[i]);
        if (!is_same(&own, group))
            continue;
        text_printf(&names, "%s%s", shown++ > 0 ? "; " : "", candidate_words(facts, order[i]));
    }
    if (group->count > shown)
        text_printf(&names, "; and %" PRId32 " more", group->count - shown);
    card_cell_print(html, "which", text_string(&names), false);
    text_free(&names);
}

void section_others(Text *html, const PlanFacts *facts)
{
    Group groups[GROUPS_MAX];
    const int32_t count = group_all(facts, groups);
    const char *const headings[] = {"reason", "#candidates", "which", "#value that decides", NULL};
    const int32_t *order = candidates_nearest_first(facts);
    if (count == 0)
        return;
    text_printf(html, "<section>\n<h2>%s</h2>\n",
                facts->outcome->verdict == PLAN_FOUND ? "Why the others lose"
                                                      : "What the candidates lack");
    text_printf(html,
                "<p class=\"note\">Each reason names the candidates that are nearest to the %s in "
                "%s.</p>\n",
                subject_words(facts), objective_noun(facts));
    cards_begin(html, headings);
    for (int32_t g = 0; g < count; g++) {
        text_add(html, "<tr>");
        card_cell_print(html, "reason", reason_words(facts, &groups[g]), false);
        card_cell_print(html, "candidates", arena_printf(facts->arena, "%" PRId32, groups[g].count),
                        true);
        names_print(html, facts, &groups[g], order);
        card_cell_print(html, "value that decides", range_words(facts, &groups[g]), true);
        text_add(html, "</tr>\n");
    }
    cards_end(html);
    text_add(html, "</section>\n");
}
