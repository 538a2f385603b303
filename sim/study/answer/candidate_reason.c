#include "sim/study/answer/candidate_reason.h"

#include <math.h>

#include "sim/study/statistics/words.h"

static void print_estimate(const PlanEstimate *estimate, Text *out)
{
    const double half_width = (estimate->high - estimate->low) / 2;
    words_number(out, estimate->value, half_width);
    if (isfinite(half_width) && half_width > 0) {
        text_add(out, " (");
        words_number(out, estimate->low, half_width);
        text_add(out, " to ");
        words_number(out, estimate->high, half_width);
        text_add(out, ")");
    }
}

static void print_missed(const PlanOutcome *outcome, const PlanFindings *findings, int32_t index,
                         Text *out)
{
    const PlanCheck *check = &findings->checks[index];
    const bool may_meet = check->is_lower_bound && check->margin >= 0; // it can only become longer
    text_printf(out, "%s %s", may_meet ? "is not known to meet" : "misses",
                plan_constraint(outcome, check)->words);
    if (outcome->grid->weather_count > 1 && check->weather >= 0) {
        Arena *scratch = arena_create();
        text_printf(out, " in %s", plan_weather_name(scratch, outcome->grid, check->weather));
        arena_destroy(scratch);
    }
    text_add(out, ": ");
    if (check->is_lower_bound && isnan(check->estimate.value))
        text_add(out, "jobs still waited when a run ended");
    else if (isnan(check->estimate.value))
        text_add(out, "it is not known in every run");
    else
        print_estimate(&check->estimate, out);
    if (may_meet)
        text_add(out, " or more: jobs still waited when runs ended");
}

/* The candidate that beats `own`: mostly the winner, whose name need not be repeated in each row.
 */
static const char *better_name(Arena *arena, const PlanOutcome *outcome, const PlanCandidate *own)
{
    return own->worse_than == outcome->winner
               ? "the recommendation"
               : plan_candidate_name(arena, outcome->grid, own->worse_than);
}

void candidate_reason_print(const PlanOutcome *outcome, int32_t candidate, Text *out)
{
    const PlanCandidate *own = &outcome->candidates[candidate];
    Arena *scratch = arena_create();
    switch (own->state) {
    case CANDIDATE_WINNER:
        text_add(out, "meets every constraint with the best objective");
        break;
    case CANDIDATE_WORSE:
        text_printf(out, "has a worse objective than %s", better_name(scratch, outcome, own));
        break;
    case CANDIDATE_EQUAL:
        text_printf(out, "has as good an objective as %s, within the indifference",
                    better_name(scratch, outcome, own));
        break;
    case CANDIDATE_MISSES:
        if (outcome->check_count > 0)
            print_missed(outcome, &own->screening, own->missed_check, out);
        else
            text_add(out, "its objective is not known in every run");
        break;
    case CANDIDATE_MISSES_AGAIN:
        print_missed(outcome, &own->fresh, own->missed_check, out);
        text_add(out, ", with fresh seeds");
        break;
    case CANDIDATE_MISSES_BY_ORDER:
        text_printf(out, "was not simulated: %s has more nodes and misses a constraint",
                    plan_candidate_name(scratch, outcome->grid, own->worse_than));
        break;
    case CANDIDATE_WORSE_BY_ORDER:
        text_add(out, "was not simulated: it has more nodes than the recommendation, which meets "
                      "every constraint, and a worse objective");
        break;
    case CANDIDATE_UNSTABLE:
    case CANDIDATE_REFUSED:
        text_add(out, own->reason);
        break;
    case CANDIDATE_UNDECIDED:
    case CANDIDATE_STATE_COUNT:
        text_add(out, "needs more runs");
        break;
    }
    if (own->sure != SURE_NOT_TESTED && own->state != CANDIDATE_WINNER)
        text_printf(out, ", and is %s to meet every constraint in other times",
                    own->sure == SURE_YES ? "sure" : "not sure");
    arena_destroy(scratch);
}
