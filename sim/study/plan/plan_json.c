#include "sim/study/plan/plan_json.h"

#include <inttypes.h>
#include <math.h>

#include "sim/formats/csv.h"
#include "sim/study/journal/value_text.h"
#include "sim/study/plan/answer.h"
#include "sim/study/statistics/words.h"

/* --- Numbers --- */

static void put_real(Arena *arena, Json *object, const char *key, double value)
{
    if (!isfinite(value)) {
        json_set(arena, object, key, json_null(arena));
        return;
    }
    Text digits = {0};
    value_text_print(value, false, &digits);
    json_set(arena, object, key, json_decimal(arena, text_string(&digits)));
    text_free(&digits);
}

static void put_estimate(Arena *arena, Json *object, const char *key, const PlanEstimate *estimate)
{
    Json *item = json_put_object(arena, object, key);
    put_real(arena, item, "value", estimate->value);
    put_real(arena, item, "low", estimate->low);
    put_real(arena, item, "high", estimate->high);
    json_put_integer(arena, item, "runs", estimate->run_count);
}

static const char *metric_name_of(const PlanOutcome *outcome, const PlanCheck *check)
{
    return outcome->grid->study->metrics[plan_constraint(outcome, check)->metric].name;
}

/* --- The reason of a candidate --- */

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

void plan_reason_print(const PlanOutcome *outcome, int32_t candidate, Text *out)
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

/* --- plan.json --- */

static void put_findings(Arena *arena, Json *object, const char *key, const PlanOutcome *outcome,
                         const PlanFindings *findings)
{
    if (findings->run_count == 0)
        return;
    Json *item = json_put_object(arena, object, key);
    json_put_integer(arena, item, "replications", findings->run_count);
    put_estimate(arena, item, "objective", &findings->objective);
    Json *checks = json_put_array(arena, item, "constraints");
    for (int32_t i = 0; i < outcome->check_count; i++) {
        const PlanCheck *check = &findings->checks[i];
        Json *own = json_add(checks, json_object(arena));
        json_put_text(arena, own, "metric", metric_name_of(outcome, check));
        if (outcome->grid->weather_count > 1)
            json_put_text(arena, own, "weather",
                          check->weather >= 0
                              ? plan_weather_name(arena, outcome->grid, check->weather)
                              : "average");
        put_estimate(arena, own, "estimate", &check->estimate);
        put_real(arena, own, "margin", check->margin);
        if (check->is_met || check->is_missed)
            json_put_boolean(arena, own, "is_met", check->is_met);
    }
}

static void put_levels(Arena *arena, Json *object, const PlanOutcome *outcome, int32_t candidate)
{
    const Study *study = outcome->grid->study;
    Json *levels = json_put_object(arena, object, "factors");
    for (int32_t f = 0; f < study->factor_count; f++)
        if (!goal_is_weather(outcome->goal, f))
            json_put_text(arena, levels, study->factors[f]->name,
                          point_level(study, plan_point(outcome->grid, candidate, 0), f)->label);
}

static void put_candidate(Arena *arena, Json *list, const PlanOutcome *outcome, int32_t candidate)
{
    const PlanCandidate *own = &outcome->candidates[candidate];
    Json *item = json_add(list, json_object(arena));
    Text reason = {0};
    json_put_integer(arena, item, "candidate", candidate);
    put_levels(arena, item, outcome, candidate);
    json_put_text(arena, item, "state", candidate_state_name(own->state));
    plan_reason_print(outcome, candidate, &reason);
    json_put_text(arena, item, "reason", arena_strdup(arena, text_string(&reason)));
    text_free(&reason);
    Json *points = json_put_array(arena, item, "points");
    for (int32_t w = 0; w < outcome->grid->weather_count; w++)
        json_add(points, json_integer(arena, plan_point(outcome->grid, candidate, w)));
    put_findings(arena, item, "screening", outcome, &own->screening);
    put_findings(arena, item, "fresh", outcome, &own->fresh);
    if (own->sure != SURE_NOT_TESTED)
        json_put_boolean(arena, item, "is_sure", own->sure == SURE_YES);
}

static void put_choice(Arena *arena, Json *root, const char *key, const PlanOutcome *outcome,
                       int32_t candidate)
{
    if (candidate == NO_CANDIDATE)
        return;
    Json *item = json_put_object(arena, root, key);
    json_put_integer(arena, item, "candidate", candidate);
    put_levels(arena, item, outcome, candidate);
}

/* The sure candidate of a plan whose runs draw from a log, how many candidates were tested for it,
 * and whether there were runs for all that are needed. */
static void put_sure(Arena *arena, Json *root, const PlanOutcome *outcome)
{
    if (outcome->sure_tested_count == 0 || outcome->verdict != PLAN_FOUND)
        return;
    put_choice(arena, root, "sure", outcome, outcome->sure);
    Json *search = json_put_object(arena, root, "sure_search");
    json_put_integer(arena, search, "tested", outcome->sure_tested_count);
    json_put_boolean(arena, search, "is_complete", !outcome->sure_is_cut);
}

static void put_comparison(Arena *arena, Json *root, const char *key, const PlanOutcome *outcome,
                           const PlanComparison *comparison)
{
    if (comparison->candidate == NO_CANDIDATE)
        return;
    Json *item = json_put_object(arena, root, key);
    put_choice(arena, item, "other", outcome, comparison->candidate);
    put_estimate(arena, item, "objective", &comparison->objective);
    Json *checks = json_put_array(arena, item, "constraints");
    for (int32_t i = 0; i < outcome->check_count; i++) {
        Json *own = json_add(checks, json_object(arena));
        put_estimate(arena, own, "difference", &comparison->checks[i]);
    }
}

static void put_goal(Arena *arena, Json *root, const PlanOutcome *outcome)
{
    const Goal *goal = outcome->goal;
    const Study *study = outcome->grid->study;
    json_put_text(arena, root, goal->is_maximised ? "maximise" : "minimise",
                  study->metrics[goal->metric].name);
    Json *list = json_put_array(arena, root, "subject_to");
    for (int32_t i = 0; i < goal->constraint_count; i++)
        json_add(list, json_string(arena, goal->constraints[i].words));
    put_real(arena, root, "confidence_wanted", goal->confidence);
}

/* The first fresh seed of the recommendation, or of the nearest miss: of all candidates, unless
 * seeds are independent. */
static void put_fresh_seed(Arena *arena, Json *runs, const PlanOutcome *outcome)
{
    const Study *study = outcome->grid->study;
    const int32_t subject =
        outcome->winner != NO_CANDIDATE ? outcome->winner : outcome->nearest_miss;
    if (subject != NO_CANDIDATE)
        json_put_integer(arena, runs, "first_fresh_seed",
                         (int64_t)study_seed(study, plan_point(outcome->grid, subject, 0),
                                             outcome->fresh_first));
}

static void put_runs(Arena *arena, Json *root, const PlanOutcome *outcome)
{
    Json *runs = json_put_object(arena, root, "runs");
    json_put_integer(arena, runs, "all", outcome->run_count);
    json_put_integer(arena, runs, "fresh", outcome->fresh_count);
    json_put_integer(arena, runs, "rounds", outcome->round_count);
    json_put_integer(arena, runs, "first_fresh_replication", outcome->fresh_first);
    put_fresh_seed(arena, runs, outcome);
    json_put_integer(arena, runs, "candidates_not_simulated", outcome->unsimulated_count);
    json_put_integer(arena, runs, "candidates_ordered_by_nodes", outcome->ordered_count);
    put_real(arena, runs, "full_grid", outcome->grid_run_count);
    put_real(arena, runs, "part_of_full_grid",
             (double)outcome->run_count / outcome->grid_run_count);
}

Json *plan_json(Arena *arena, const PlanOutcome *outcome)
{
    static const char *const verdicts[] = {"found", "infeasible", "unfinished"};
    Json *root = json_object(arena);
    json_put_integer(arena, root, "trainyard_plan", 1);
    json_put_text(arena, root, "study", outcome->goal->study_path);
    json_put_text(arena, root, "description", outcome->grid->study->description);
    json_put_text(arena, root, "verdict", verdicts[outcome->verdict]);
    const Answer answer = answer_of(arena, outcome);
    json_put_text(arena, root, "decision", answer.decision);
    json_put_text(arena, root, "alternative", answer.alternative);
    json_put_text(arena, root, "remark", answer.remark[0] != '\0' ? answer.remark : NULL);
    json_put_text(arena, root, "reach", answer.reach[0] != '\0' ? answer.reach : NULL);
    put_real(arena, root, "confidence", outcome->confidence);
    put_goal(arena, root, outcome);
    put_choice(arena, root, outcome->verdict == PLAN_UNFINISHED ? "best_so_far" : "winner", outcome,
               outcome->winner);
    put_choice(arena, root, "next_best", outcome, outcome->next_best);
    put_choice(arena, root, "nearest_miss", outcome, outcome->nearest_miss);
    put_choice(arena, root, "baseline", outcome, outcome->baseline);
    put_sure(arena, root, outcome);
    put_comparison(arena, root, "next_best_against_winner", outcome, &outcome->against_next_best);
    put_comparison(arena, root, "baseline_against_winner", outcome, &outcome->against_baseline);
    put_comparison(arena, root, "sure_against_winner", outcome, &outcome->against_sure);
    put_runs(arena, root, outcome);
    Json *list = json_put_array(arena, root, "candidates");
    for (int32_t i = 0; i < outcome->grid->candidate_count; i++)
        put_candidate(arena, list, outcome, i);
    return root;
}

/* --- plan.csv --- */

static void flush(Text *row, ByteSink out)
{
    csv_end(row);
    out.write(out.to, text_string(row), row->length);
    text_clear(row);
}

static void add_names(Text *row, const char *name)
{
    static const char *const ends[] = {"", ".low", ".high"};
    Text column = {0};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        text_clear(&column);
        text_printf(&column, "%s%s", name, ends[i]);
        csv_text(row, text_string(&column));
    }
    text_free(&column);
}

static void add_header(const PlanOutcome *outcome, Arena *scratch, Text *row)
{
    const PlanGrid *grid = outcome->grid;
    const Study *study = grid->study;
    csv_text(row, "candidate");
    for (int32_t f = 0; f < study->factor_count; f++)
        if (!goal_is_weather(outcome->goal, f))
            csv_text(row, study->factors[f]->name);
    csv_text(row, "state");
    csv_text(row, "runs");
    csv_text(row, "fresh_runs");
    add_names(row, study->metrics[outcome->goal->metric].name);
    for (int32_t c = 0; c < outcome->check_count; c++) {
        const char *metric = study->metrics[plan_check_constraint(grid, c)->metric].name;
        const int32_t weather = plan_check_weather(grid, c);
        add_names(row, grid->weather_count > 1 && weather >= 0
                           ? arena_printf(scratch, "%s (%s)", metric,
                                          plan_weather_name(scratch, grid, weather))
                           : metric);
    }
    csv_text(row, "worse_than");
    csv_text(row, "reason");
}

static void add_estimate(Text *row, const PlanEstimate *estimate)
{
    csv_real(row, estimate->value);
    csv_real(row, estimate->low);
    csv_real(row, estimate->high);
}

static void add_candidate(const PlanOutcome *outcome, int32_t candidate, Text *row)
{
    static const PlanEstimate unknown = {(double)NAN, (double)NAN, (double)NAN, 0};
    const PlanGrid *grid = outcome->grid;
    const PlanCandidate *own = &outcome->candidates[candidate];
    const PlanFindings *findings = plan_findings(own);
    csv_integer(row, candidate);
    for (int32_t f = 0; f < grid->study->factor_count; f++)
        if (!goal_is_weather(outcome->goal, f))
            csv_text(row, point_level(grid->study, plan_point(grid, candidate, 0), f)->label);
    csv_text(row, candidate_state_name(own->state));
    csv_integer(row, own->screening.run_count);
    csv_integer(row, own->fresh.run_count);
    add_estimate(row, &findings->objective);
    for (int32_t c = 0; c < outcome->check_count; c++)
        add_estimate(row, findings->run_count > 0 ? &findings->checks[c].estimate : &unknown);
    if (own->worse_than != NO_CANDIDATE)
        csv_integer(row, own->worse_than);
    else
        csv_unknown(row);
    Text reason = {0};
    plan_reason_print(outcome, candidate, &reason);
    csv_text(row, text_string(&reason));
    text_free(&reason);
}

void plan_table(const PlanOutcome *outcome, ByteSink out)
{
    Arena *scratch = arena_create();
    Text row = {0};
    add_header(outcome, scratch, &row);
    flush(&row, out);
    for (int32_t i = 0; i < outcome->grid->candidate_count; i++) {
        add_candidate(outcome, i, &row);
        flush(&row, out);
    }
    text_free(&row);
    arena_destroy(scratch);
}

void plan_table_reference(Text *out)
{
    text_add(out,
             "\nplan.csv has a row a candidate: `candidate`, its number; the factors that are not "
             "weather; `state`, one of");
    for (int state = 0; state < CANDIDATE_STATE_COUNT; state++)
        text_printf(out, "%s %s (%s)", state > 0 ? "," : "",
                    candidate_state_name((CandidateState)state),
                    candidate_state_words((CandidateState)state));
    text_add(out,
             "; `runs`, by which candidates were chosen, and `fresh_runs`; the objective M as `M`, "
             "`M.low` and `M.high`, its interval, from fresh runs if there are any; the same for "
             "the metric of each constraint, and of each weather as `M (load=1.5)`; `worse_than`, "
             "the number of the candidate that is better; and `reason`, why it is not "
             "recommended, or that it is.\n");
}
