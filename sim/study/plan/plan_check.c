#include "sim/study/plan/plan_check.h"

#include <math.h>
#include <string.h>

#include "sim/schema/json_load.h"
#include "sim/study/plan/plan_json.h"
#include "sim/study/statistics/words.h"

const Json *plan_check_load(Arena *arena, FileSource files, const char *folder, Problems *problems)
{
    const JsonLoader loader = {.arena = arena, .files = files, .problems = problems};
    Status status = {0};
    const Json *root =
        json_load(&loader, arena_printf(arena, "%s/plan.json", folder), JSON_STRICT, &status);
    if (root == NULL && status.code != STATUS_OK) {
        status_hint(&status, "`trainyard plan STUDY -o %s` writes it", folder);
        problems_add_status(problems, &status);
    }
    return root;
}

static const char *text_of(const Json *object, const char *key)
{
    const Json *node = json_member(object, key);
    return node != NULL && node->kind == JSON_STRING ? node->text : NULL;
}

const char *plan_check_study(const Json *before)
{
    return text_of(before, "study");
}

/* The levels of the recommended candidate as "nodes=4 priority=spot"; false: not such a file. */
static bool choice_of(const Json *root, Text *name)
{
    const Json *winner = json_member(root, "winner");
    const Json *factors = winner != NULL ? json_member(winner, "factors") : NULL;
    if (winner == NULL)
        return true;
    if (factors == NULL || factors->kind != JSON_OBJECT)
        return false;
    for (const Json *level = factors->first; level != NULL; level = level->next) {
        if (level->kind != JSON_STRING)
            return false;
        text_printf(name, "%s%s=%s", name->length > 0 ? " " : "", level->key, level->text);
    }
    return true;
}

static const char *or_none(const Text *name)
{
    return name->length > 0 ? text_string(name) : "no candidate";
}

/* The objective of the recommended candidate in the earlier plan; NAN: unknown. */
static double objective_before(const Json *root)
{
    const Json *winner = json_member(root, "winner"), *list = json_member(root, "candidates");
    const Json *number = winner != NULL ? json_member(winner, "candidate") : NULL;
    const Json *own = number != NULL && number->is_integer && list != NULL &&
                              list->kind == JSON_ARRAY && number->integer >= 0 &&
                              number->integer < list->count
                          ? json_item(list, (int32_t)number->integer)
                          : NULL;
    const Json *fresh = own != NULL ? json_member(own, "fresh") : NULL;
    const Json *objective = fresh != NULL ? json_member(fresh, "objective") : NULL;
    const Json *value = objective != NULL ? json_member(objective, "value") : NULL;
    return value != NULL && value->kind == JSON_NUMBER ? value->number : (double)NAN;
}

static bool margins_hold(const PlanOutcome *now, double margin_least, Text *out)
{
    bool hold = true;
    if (now->winner == NO_CANDIDATE)
        return true;
    const PlanFindings *findings = plan_findings(&now->candidates[now->winner]);
    for (int32_t i = 0; i < now->check_count && findings->run_count > 0; i++) {
        const PlanCheck *check = &findings->checks[i];
        const GoalConstraint *constraint = plan_constraint(now, check);
        const double least = margin_least * fabs(constraint->limit);
        if (check->margin >= least)
            continue;
        hold = false;
        Arena *scratch = arena_create();
        text_printf(out, "the margin of %s", constraint->words);
        if (now->grid->weather_count > 1 && check->weather >= 0)
            text_printf(out, " in %s", plan_weather_name(scratch, now->grid, check->weather));
        text_add(out, " is ");
        words_number(out, check->margin, fabs(check->margin) / 100);
        text_add(out, ", less than ");
        words_number(out, least, least / 100);
        text_add(out, "\n");
        arena_destroy(scratch);
    }
    return hold;
}

static void print_objective(const Json *before, const PlanOutcome *now, Text *out)
{
    if (now->winner == NO_CANDIDATE)
        return;
    const double was = objective_before(before);
    const double is = plan_findings(&now->candidates[now->winner])->objective.value;
    if (!isfinite(was) || !isfinite(is))
        return;
    text_printf(out, "%s: ", now->grid->study->metrics[now->goal->metric].name);
    words_number(out, was, fabs(was) / 1000);
    text_add(out, " before, ");
    words_number(out, is, fabs(is) / 1000);
    text_add(out, " now\n");
}

bool plan_check(const Json *before, const PlanOutcome *now, double margin_least, bool *is_same,
                Text *out, Status *status)
{
    Arena *scratch = arena_create();
    const Json *tree = plan_json(scratch, now);
    Text was = {0}, is = {0};
    const bool is_plan = json_member(before, "trainyard_plan") != NULL &&
                         text_of(before, "verdict") != NULL && choice_of(before, &was) &&
                         choice_of(tree, &is);
    if (is_plan) {
        *is_same = strcmp(text_string(&was), text_string(&is)) == 0;
        if (*is_same)
            text_printf(out, "the recommendation is still %s\n", or_none(&is));
        else
            text_printf(out, "the recommendation changed from %s to %s\n", or_none(&was),
                        or_none(&is));
        *is_same &= margins_hold(now, margin_least, out);
        print_objective(before, now, out);
    } else {
        status_fail(status, STATUS_BAD_INPUT, place_in(before->at.source, 0, 0),
                    "is not a plan.json that `trainyard plan -o` has written");
    }
    text_free(&was);
    text_free(&is);
    arena_destroy(scratch);
    return is_plan;
}
