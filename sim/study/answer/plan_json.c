#include "sim/study/answer/plan_json.h"

#include "sim/schema/plain.h"
#include "sim/study/answer/answer.h"
#include "sim/study/answer/candidate_reason.h"

/* --- The members of the file --- */

#define OWNER PlanEstimate
static const Field estimate_fields[] = {
    PLAIN_REAL("value", value, "the estimate; null: it is not known in every run"),
    PLAIN_REAL("low", low,
               "the lower end of its interval at the confidence that the goal asks for"),
    PLAIN_REAL("high", high, "the upper end"),
    FIELD_INTEGER("runs", run_count, 0, 0, NULL, "the replications that it is made of"),
    {0},
};
static const ObjectType estimate_type =
    OBJECT_TYPE("Plan estimate", "A number with its interval.", estimate_fields);
#undef OWNER

#define OWNER PlanFileLevel
static const Field level_fields[] = {
    FIELD_KEY(factor, "the name of a factor"),
    PLAIN_TEXT("level", level, "its level"),
    {0},
};
static const ObjectType level_type = OBJECT_TYPE("Plan level", "A factor's level.", level_fields);
#undef OWNER

#define CANDIDATE FIELD_COUNT("candidate", candidate, "its number, from 0", .is_required = true)
#define LEVELS                                                                                     \
    FIELD_LIST(NAMED_VALUES, "factors", levels, level_count, &level_type,                          \
               "the level of each factor that is not weather", .is_required = true)

#define OWNER PlanFileChoice
static const Field choice_fields[] = {CANDIDATE, LEVELS, {0}};
static const ObjectType choice_type =
    OBJECT_TYPE("Plan choice", "A candidate that has a part in the answer.", choice_fields);
#undef OWNER

#define OWNER PlanFileCheck
static const Field check_fields[] = {
    PLAIN_TEXT("metric", metric, "the metric of the constraint"),
    PLAIN_TEXT(
        "weather", weather,
        "the levels of the weather in which it is tested, or \"average\"; without key: the study "
        "has no weather"),
    FIELD_OBJECT("estimate", estimate, estimate_type, "the metric"),
    PLAIN_REAL("margin", margin,
               "of the estimate to the limit, in the metric's unit; below 0: missed"),
    FIELD_ROW(BOOLEAN, "is_met", is_met, .shown_if = offsetof(OWNER, is_decided),
              .doc = "whether it is met; without key: more runs are needed to decide"),
    {0},
};
static const ObjectType check_type =
    OBJECT_TYPE("Plan check", "A constraint, as a candidate meets it.", check_fields);
#undef OWNER

#define OWNER PlanFileFindings
static const Field findings_fields[] = {
    FIELD_COUNT("replications", replication_count, "the runs in each weather"),
    FIELD_OBJECT("objective", objective, estimate_type, "the mean of the objective over weathers"),
    FIELD_LIST(OBJECTS, "constraints", checks, check_count, &check_type,
               "each constraint in each weather, or on average over them"),
    {0},
};
static const ObjectType findings_type =
    OBJECT_TYPE("Plan findings", "The results of a candidate's runs.", findings_fields);
#undef OWNER

static const char *const candidate_states[] = {
#define X(name, key, words) key,
    CANDIDATE_STATES(X)
#undef X
        NULL};

#define OWNER PlanFileCandidate
static const Field candidate_fields[] = {
    CANDIDATE,
    LEVELS,
    FIELD_CHOICE("state", state, candidate_states, NULL,
                 "what became of it, as in [plan.csv](#tables-of-a-study)"),
    PLAIN_TEXT("reason", reason, "why it is not recommended, or that it is"),
    FIELD_ROW(JSON, "points", points,
              .schema = "{\"type\": \"array\", \"items\": {\"type\": \"integer\"}}",
              .doc = "the number of its point in points.csv, in each weather"),
    PLAIN_OPTIONAL(
        "screening", screening, findings_type,
        "of the seeds by which it was chosen or rejected; without key: it was not simulated"),
    PLAIN_OPTIONAL("fresh", fresh, findings_type,
                   "of seeds that took no part in the choice; without key: it has none"),
    FIELD_ROW(BOOLEAN, "is_sure", is_sure, .shown_if = offsetof(OWNER, sure_was_tested),
              .doc = "whether it meets all constraints in other times than those of the log, too; "
                     "without key: not tested"),
    {0},
};
static const ObjectType candidate_type =
    OBJECT_TYPE("Plan candidate", "A combination of levels that may be chosen.", candidate_fields);
#undef OWNER

#define OWNER PlanFileDifference
static const Field difference_fields[] = {
    FIELD_OBJECT("difference", estimate, estimate_type, "of the constraint's metric"),
    {0},
};
static const ObjectType difference_type =
    OBJECT_TYPE("Plan difference", "A constraint's metric in a comparison.", difference_fields);
#undef OWNER

#define OWNER PlanFileComparison
static const Field comparison_fields[] = {
    FIELD_OBJECT("other", other, choice_type, "the candidate that is compared with the winner"),
    FIELD_OBJECT("objective", objective, estimate_type, "the difference of the objective"),
    FIELD_LIST(OBJECTS, "constraints", checks, check_count, &difference_type,
               "the difference of each constraint's metric in each weather"),
    {0},
};
static const ObjectType comparison_type =
    OBJECT_TYPE("Plan comparison",
                "Another candidate minus the winner, with the same fresh seeds and 95 % intervals.",
                comparison_fields);
#undef OWNER

#define OWNER PlanFileSearch
static const Field search_fields[] = {
    FIELD_COUNT("tested", tested_count, "the candidates that were tested for it"),
    FIELD_BOOLEAN("is_complete", is_complete, NULL,
                  "whether there were runs to test all that are needed"),
    {0},
};
static const ObjectType search_type =
    OBJECT_TYPE("Plan search", "How the sure candidate was searched.", search_fields);
#undef OWNER

#define OWNER PlanFileRuns
static const Field runs_fields[] = {
    FIELD_COUNT("all", all, "runs that the plan used"),
    FIELD_COUNT("fresh", fresh, "of them, those with fresh seeds"),
    FIELD_COUNT("rounds", round_count, "rounds of runs, after each of which the plan decided"),
    FIELD_COUNT("first_fresh_replication", first_fresh_replication,
                "the number of the first replication with a fresh seed"),
    FIELD_COUNT("first_fresh_seed", first_fresh_seed,
                "its seed for the winner, or for the nearest miss; without key: there is neither"),
    FIELD_COUNT("candidates_not_simulated", unsimulated_count,
                "that can do less work than arrives"),
    FIELD_COUNT("candidates_ordered_by_nodes", ordered_count,
                "that were not simulated because a theorem orders candidates by their nodes"),
    PLAIN_REAL("full_grid", full_grid,
               "runs that a full grid needs for intervals as narrow, a forecast"),
    PLAIN_REAL("part_of_full_grid", part_of_full_grid, "all runs as a part of that"),
    {0},
};
static const ObjectType runs_type = OBJECT_TYPE("Plan runs", "The runs of a plan.", runs_fields);
#undef OWNER

static const char *const verdicts[] = {"found", "infeasible", "unfinished", NULL};

#define OWNER PlanFile
static const Field plan_file_fields[] = {
    FIELD_COUNT("trainyard_plan", version, "the version of this format: 1", .is_required = true),
    PLAIN_TEXT("study", study, "the file of the study; null: options made or changed it", NULLABLE),
    PLAIN_TEXT("description", description, "of the study", NULLABLE),
    NEEDED_CHOICE("verdict", verdict, verdicts,
                  "infeasible: no candidate meets the constraints; unfinished: it was interrupted, "
                  "and the same command continues it"),
    PLAIN_TEXT("decision", decision, "the answer in a sentence", NULLABLE),
    PLAIN_TEXT("alternative", alternative, "what the next best costs or loses", NULLABLE),
    PLAIN_TEXT("remark", remark, "what all candidates have, and costs over years", NULLABLE),
    PLAIN_TEXT("reach", reach, "what the answer does not cover", NULLABLE),
    PLAIN_REAL("confidence", confidence,
               "the probability that the choice is right, as far as the runs show"),
    PLAIN_TEXT("maximise", maximised, "the objective, if its largest value is best"),
    PLAIN_TEXT("minimise", minimised, "the objective, if its smallest value is best"),
    FIELD_ROW(TEXTS, "subject_to", constraints, .count = offsetof(OWNER, constraint_count),
              .doc = "the constraints"),
    PLAIN_REAL("confidence_wanted", confidence_wanted, "the confidence that the goal asks for"),
    PLAIN_OPTIONAL("best_so_far", best_so_far, choice_type, "of an unfinished plan"),
    PLAIN_OPTIONAL("winner", winner, choice_type, "the recommendation"),
    PLAIN_OPTIONAL("next_best", next_best, choice_type,
                   "the best of the others that meets the constraints"),
    PLAIN_OPTIONAL("nearest_miss", nearest_miss, choice_type,
                   "of an infeasible plan, the candidate that misses least"),
    PLAIN_OPTIONAL("baseline", baseline, choice_type, "of the study"),
    PLAIN_OPTIONAL(
        "sure", sure, choice_type,
        "of runs that draw from a log: the best candidate that meets all constraints in other "
        "times, too"),
    PLAIN_OPTIONAL("sure_search", sure_search, search_type, "how it was searched"),
    PLAIN_OPTIONAL("next_best_against_winner", against_next_best, comparison_type,
                   "the next best in comparison"),
    PLAIN_OPTIONAL("baseline_against_winner", against_baseline, comparison_type,
                   "the baseline in comparison"),
    PLAIN_OPTIONAL("sure_against_winner", against_sure, comparison_type,
                   "the sure candidate in comparison"),
    FIELD_OBJECT("runs", runs, runs_type, "how many there were"),
    FIELD_LIST(OBJECTS, "candidates", candidates, candidate_count, &candidate_type,
               "all candidates, by number", .is_required = true),
    {0},
};
const ObjectType plan_file_type =
    OBJECT_TYPE("Plan", "The answer of a plan for programs.", plan_file_fields);
#undef OWNER

/* --- An outcome as a file --- */

typedef struct {
    Arena *arena;
    const PlanOutcome *outcome;
} Maker;

static PlanFileLevel *levels_of(const Maker *maker, int32_t candidate, uint32_t *count)
{
    const PlanGrid *grid = maker->outcome->grid;
    const Study *study = grid->study;
    PlanFileLevel *levels = ARENA_ARRAY(maker->arena, PlanFileLevel, study->factor_count);
    for (int32_t f = 0; f < study->factor_count; f++)
        if (!goal_is_weather(maker->outcome->goal, f))
            levels[(*count)++] =
                (PlanFileLevel){study->factors[f]->name,
                                point_level(study, plan_point(grid, candidate, 0), f)->label};
    return levels;
}

static PlanFileChoice choice_of(const Maker *maker, int32_t candidate)
{
    PlanFileChoice choice = {.candidate = candidate, .is_there = candidate != NO_CANDIDATE};
    if (choice.is_there)
        choice.levels = levels_of(maker, candidate, &choice.level_count);
    return choice;
}

static const char *weather_of(const Maker *maker, const PlanCheck *check)
{
    const PlanGrid *grid = maker->outcome->grid;
    if (grid->weather_count <= 1)
        return NULL;
    return check->weather >= 0 ? plan_weather_name(maker->arena, grid, check->weather) : "average";
}

static PlanFileCheck check_of(const Maker *maker, const PlanCheck *check)
{
    const int32_t metric = plan_constraint(maker->outcome, check)->metric;
    return (PlanFileCheck){.metric = maker->outcome->grid->study->metrics[metric].name,
                           .weather = weather_of(maker, check),
                           .estimate = check->estimate,
                           .margin = check->margin,
                           .is_met = check->is_met,
                           .is_decided = check->is_met || check->is_missed};
}

static PlanFileFindings findings_of(const Maker *maker, const PlanFindings *findings)
{
    PlanFileFindings file = {.replication_count = findings->run_count,
                             .is_there = findings->run_count > 0};
    if (!file.is_there)
        return file;
    file.objective = findings->objective;
    file.check_count = (uint32_t)maker->outcome->check_count;
    file.checks = ARENA_ARRAY(maker->arena, PlanFileCheck, file.check_count);
    for (uint32_t i = 0; i < file.check_count; i++)
        file.checks[i] = check_of(maker, &findings->checks[i]);
    return file;
}

static const Json *points_of(const Maker *maker, int32_t candidate)
{
    Json *points = json_array(maker->arena);
    for (int32_t w = 0; w < maker->outcome->grid->weather_count; w++)
        json_add(points,
                 json_integer(maker->arena, plan_point(maker->outcome->grid, candidate, w)));
    return points;
}

static const char *reason_of(const Maker *maker, int32_t candidate)
{
    Text reason = {0};
    candidate_reason_print(maker->outcome, candidate, &reason);
    const char *copy = arena_strdup(maker->arena, text_string(&reason));
    text_free(&reason);
    return copy;
}

static PlanFileCandidate candidate_of(const Maker *maker, int32_t candidate)
{
    const PlanCandidate *own = &maker->outcome->candidates[candidate];
    PlanFileCandidate file = {.candidate = candidate,
                              .state = own->state,
                              .reason = reason_of(maker, candidate),
                              .points = points_of(maker, candidate),
                              .screening = findings_of(maker, &own->screening),
                              .fresh = findings_of(maker, &own->fresh),
                              .is_sure = own->sure == SURE_YES,
                              .sure_was_tested = own->sure != SURE_NOT_TESTED};
    file.levels = levels_of(maker, candidate, &file.level_count);
    return file;
}

static PlanFileComparison comparison_of(const Maker *maker, const PlanComparison *comparison)
{
    PlanFileComparison file = {.other = choice_of(maker, comparison->candidate)};
    file.is_there = file.other.is_there;
    if (!file.is_there)
        return file;
    file.objective = comparison->objective;
    file.check_count = (uint32_t)maker->outcome->check_count;
    file.checks = ARENA_ARRAY(maker->arena, PlanFileDifference, file.check_count);
    for (uint32_t i = 0; i < file.check_count; i++)
        file.checks[i].estimate = comparison->checks[i];
    return file;
}

static void fill_goal(const Maker *maker, PlanFile *file)
{
    const Goal *goal = maker->outcome->goal;
    const char *objective = maker->outcome->grid->study->metrics[goal->metric].name;
    file->study = goal->study_path;
    *(goal->is_maximised ? &file->maximised : &file->minimised) = objective;
    const char **words = ARENA_ARRAY(maker->arena, const char *, goal->constraint_count);
    for (int32_t i = 0; i < goal->constraint_count; i++)
        words[i] = goal->constraints[i].words;
    file->constraints = words;
    file->constraint_count = (uint32_t)goal->constraint_count;
    file->confidence_wanted = goal->confidence;
}

static void fill_answer(const Maker *maker, PlanFile *file)
{
    const Answer answer = answer_of(maker->arena, maker->outcome);
    file->decision = answer.decision;
    file->alternative = answer.alternative;
    file->remark = answer.remark[0] != '\0' ? answer.remark : NULL;
    file->reach = answer.reach[0] != '\0' ? answer.reach : NULL;
    file->confidence = maker->outcome->confidence;
}

PlanFileChoice plan_winner(Arena *arena, const PlanOutcome *outcome)
{
    const Maker maker = {arena, outcome};
    return choice_of(&maker, outcome->verdict != PLAN_UNFINISHED ? outcome->winner : NO_CANDIDATE);
}

static void fill_choices(const Maker *maker, PlanFile *file)
{
    const PlanOutcome *outcome = maker->outcome;
    if (outcome->verdict == PLAN_UNFINISHED)
        file->best_so_far = choice_of(maker, outcome->winner);
    file->winner = plan_winner(maker->arena, outcome);
    file->next_best = choice_of(maker, outcome->next_best);
    file->nearest_miss = choice_of(maker, outcome->nearest_miss);
    file->baseline = choice_of(maker, outcome->baseline);
    if (outcome->sure_tested_count > 0 && outcome->verdict == PLAN_FOUND) {
        file->sure = choice_of(maker, outcome->sure);
        file->sure_search = (PlanFileSearch){.tested_count = outcome->sure_tested_count,
                                             .is_complete = !outcome->sure_is_cut,
                                             .is_there = true};
    }
    file->against_next_best = comparison_of(maker, &outcome->against_next_best);
    file->against_baseline = comparison_of(maker, &outcome->against_baseline);
    file->against_sure = comparison_of(maker, &outcome->against_sure);
}

/* The first fresh seed of the recommendation, or of the nearest miss: of all candidates, unless
 * seeds are independent. */
static int64_t first_fresh_seed(const PlanOutcome *outcome)
{
    const int32_t subject =
        outcome->winner != NO_CANDIDATE ? outcome->winner : outcome->nearest_miss;
    return subject != NO_CANDIDATE
               ? (int64_t)study_seed(outcome->grid->study, plan_point(outcome->grid, subject, 0),
                                     outcome->fresh_first)
               : PLAIN_UNKNOWN;
}

static PlanFileRuns runs_of(const Maker *maker)
{
    const PlanOutcome *outcome = maker->outcome;
    return (PlanFileRuns){.all = outcome->run_count,
                          .fresh = outcome->fresh_count,
                          .round_count = outcome->round_count,
                          .first_fresh_replication = outcome->fresh_first,
                          .first_fresh_seed = first_fresh_seed(outcome),
                          .unsimulated_count = outcome->unsimulated_count,
                          .ordered_count = outcome->ordered_count,
                          .full_grid = outcome->grid_run_count,
                          .part_of_full_grid =
                              (double)outcome->run_count / outcome->grid_run_count};
}

Json *plan_json(Arena *arena, const PlanOutcome *outcome)
{
    const Maker maker = {arena, outcome};
    PlanFile file = {.version = 1,
                     .description = outcome->grid->study->description,
                     .verdict = outcome->verdict,
                     .runs = runs_of(&maker),
                     .candidate_count = (uint32_t)outcome->grid->candidate_count};
    fill_goal(&maker, &file);
    fill_answer(&maker, &file);
    fill_choices(&maker, &file);
    file.candidates = ARENA_ARRAY(arena, PlanFileCandidate, file.candidate_count);
    for (uint32_t i = 0; i < file.candidate_count; i++)
        file.candidates[i] = candidate_of(&maker, (int32_t)i);
    return plain_write(arena, &plan_file_type, &file);
}
