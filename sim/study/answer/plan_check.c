#include "sim/study/answer/plan_check.h"

#include <math.h>
#include <string.h>

#include "sim/schema/json_load.h"
#include "sim/schema/plain.h"
#include "sim/study/statistics/words.h"

const PlanFile *plan_check_read(Arena *arena, const Json *root, Problems *problems)
{
    PlanFile *file = ARENA_NEW(arena, PlanFile);
    const int32_t count = problems->count;
    plain_read(arena, &plan_file_type, root, file, problems);
    return problems->count == count ? file : NULL;
}

const PlanFile *plan_check_load(Arena *arena, FileSource files, const char *folder,
                                Problems *problems)
{
    const JsonLoader loader = {.arena = arena, .files = files, .problems = problems};
    Status status = {0};
    const Json *root =
        json_load(&loader, arena_printf(arena, "%s/plan.json", folder), JSON_STRICT, &status);
    if (root == NULL && status.code != STATUS_OK) {
        status_hint(&status, "`trainyard plan STUDY -o %s` writes it", folder);
        problems_add_status(problems, &status);
    }
    return root != NULL ? plan_check_read(arena, root, problems) : NULL;
}

/* The levels as "nodes=4 priority=spot". */
static void print_choice(const PlanFileChoice *choice, Text *out)
{
    if (choice->level_count == 0)
        text_add(out, choice->is_there ? "the only candidate" : "no candidate");
    for (uint32_t i = 0; i < choice->level_count; i++)
        text_printf(out, "%s%s=%s", i > 0 ? " " : "", choice->levels[i].factor,
                    choice->levels[i].level);
}

/* The objective of the recommended candidate with fresh seeds; NAN: unknown. */
static double objective_of(const PlanFile *file)
{
    const bool is_known = file->winner.is_there && file->winner.candidate < file->candidate_count;
    return is_known ? file->candidates[file->winner.candidate].fresh.objective.value : (double)NAN;
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

static void print_objective(const PlanFile *before, const PlanOutcome *now, Text *out)
{
    if (now->winner == NO_CANDIDATE)
        return;
    const double was = objective_of(before);
    const double is = plan_findings(&now->candidates[now->winner])->objective.value;
    if (!isfinite(was) || !isfinite(is))
        return;
    text_printf(out, "%s: ", now->grid->study->metrics[now->goal->metric].name);
    words_number(out, was, fabs(was) / 1000);
    text_add(out, " before, ");
    words_number(out, is, fabs(is) / 1000);
    text_add(out, " now\n");
}

bool plan_check(const PlanFile *before, const PlanOutcome *now, double margin_least, Text *out)
{
    Arena *scratch = arena_create();
    Text was = {0}, is = {0};
    const PlanFileChoice winner = plan_winner(scratch, now);
    print_choice(&before->winner, &was);
    print_choice(&winner, &is);
    const bool is_same = strcmp(text_string(&was), text_string(&is)) == 0;
    if (is_same)
        text_printf(out, "the recommendation is still %s\n", text_string(&is));
    else
        text_printf(out, "the recommendation changed from %s to %s\n", text_string(&was),
                    text_string(&is));
    const bool hold = margins_hold(now, margin_least, out);
    print_objective(before, now, out);
    text_free(&was);
    text_free(&is);
    arena_destroy(scratch);
    return is_same && hold;
}
