/* Private to reports/plan: how far each assumption of the catalogue moves the objective of the
 * recommended candidate, alone (a tornado) and together with all others. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reports/plan/figures.h"
#include "reports/plan/palette.h"
#include "reports/study/rows.h"

enum { COLUMNS = 6, SENSITIVITY_COLUMNS = 3, EFFECTS_SHOWN = 12 };

/* Effects smaller than this part of the objective, which do not change the answer, need no row. */
#define SMALL_PART 0.002

static const Shade shades[] = {{"the answer stays", RGB_MEETS},
                               {"the answer changes at an end", RGB_CHOSEN}};

bool flips(const AssumptionEffect *effect)
{
    const FollowCase *ends[] = {effect->low, effect->high};
    for (int32_t i = 0; i < 2; i++)
        if (ends[i] != NULL &&
            (ends[i]->change == ANSWER_OTHER || ends[i]->change == ANSWER_MISSES))
            return true;
    return false;
}

const char *assumption_words(Arena *arena, const char *path)
{
    static const struct {
        const char *end, *words;
    } ends[] = {{"/dedicated_price_per_hour", "price of a dedicated"},
                {"/low_priority_price_per_hour", "price of a low-priority"},
                {"/between", "time between events of"},
                {"/repair", "repair time of"}};
    const char *last = strrchr(path, '/');
    Text out = {0};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (last == NULL || strcmp(last, ends[i].end) != 0)
            continue;
        const char *vm = path;
        for (const char *at = path; at < last; at++)
            vm = *at == '/' ? at + 1 : vm;
        return arena_printf(arena, "%s %.*s", ends[i].words, (int)(last - vm), vm);
    }
    for (const char *at = path; *at != '\0'; at++)
        text_append(&out, *at == '_' ? " " : *at == '/' ? ": " : at, *at == '/' ? 2 : 1);
    return text_move(arena, &out);
}

static const char *value_of(const PlanFacts *facts, const FollowCase *end)
{
    if (end == NULL || end->winner.objective.run_count == 0)
        return "unknown";
    const MetricEstimate *found = &end->winner.objective;
    const PlanEstimate estimate = {found->value, found->low, found->high, found->run_count};
    return answer_value(facts->arena, facts->outcome, facts->outcome->goal->metric, &estimate,
                        false);
}

static void add_effect(Rows *rows, const PlanFacts *facts, const AssumptionEffect *effect)
{
    const char *name = assumption_words(facts->arena, effect->assumption->path);
    const double factor = answer_scale(facts->outcome, facts->outcome->goal->metric).factor;
    const char *const cells[COLUMNS] = {
        name,
        effect->assumption->range,
        value_of(facts, effect->low),
        value_of(facts, effect->high),
        effect->low != NULL ? answer_change_words(effect->low->change) : "unknown",
        effect->high != NULL ? answer_change_words(effect->high->change) : "unknown"};
    rows_add(rows, name, cells);
    if (effect->low != NULL && effect->high != NULL &&
        !isnan(effect->low->winner.objective.value + effect->high->winner.objective.value))
        rows_bar(rows, effect->low->winner.objective.value * factor,
                 effect->high->winner.objective.value * factor, 0, 0.3,
                 flips(effect) ? RGB_CHOSEN : RGB_MEETS);
}

/* The case in which nothing is changed; NULL without one. */
static const FollowCase *case_as_it_is(const FollowOutcome *follow)
{
    for (int32_t i = 0; i < follow->assumptions.count; i++)
        if (strcmp(follow->assumptions.items[i].level, FOLLOW_UNCHANGED) == 0)
            return &follow->assumptions.items[i];
    return NULL;
}

/* The effects that have a row: the largest ones, and those that change the answer. */
static int32_t choose_effects(const FollowOutcome *follow, double base,
                              const AssumptionEffect **chosen)
{
    int32_t count = 0;
    for (int32_t i = 0; i < follow->effect_count && count < ROWS_MAX; i++) {
        const AssumptionEffect *effect = &follow->effects[i];
        if (flips(effect) ||
            (count < EFFECTS_SHOWN && fabs(effect->swing) > SMALL_PART * fabs(base)))
            chosen[count++] = effect;
    }
    return count;
}

static void tornado(Figures *figures, const PlanFacts *facts)
{
    static const char *const headings[COLUMNS] = {"assumption",     "range",
                                                  "at its low end", "at its high end",
                                                  "at the low end", "at the high end"};
    const FollowOutcome *follow = facts->follow;
    const AssumptionEffect *chosen[ROWS_MAX];
    const FollowCase *base = case_as_it_is(follow);
    if (base == NULL || isnan(base->winner.objective.value))
        return;
    const int32_t shown = choose_effects(follow, base->winner.objective.value, chosen);
    if (shown == 0)
        return;
    const double factor = answer_scale(facts->outcome, facts->outcome->goal->metric).factor;
    Rows rows =
        rows_begin(facts->arena, shown, base->winner.objective.value * factor, headings, COLUMNS);
    rows.x_label = objective_title(facts);
    rows.shades = shades;
    rows.shade_count = sizeof shades / sizeof *shades;
    for (int32_t i = 0; i < shown; i++)
        add_effect(&rows, facts, chosen[i]);
    rows_draw(
        figures,
        (Figure){.section = PLAN_FLIP,
                 .file = "assumptions",
                 .title = arena_printf(facts->arena,
                                       "What each assumption alone does to the recommendation: %s",
                                       objective_title(facts)),
                 .note = arena_printf(
                     facts->arena,
                     "From the low to the high end of each range; the vertical line is the present "
                     "value.%s",
                     shown < follow->effect_count ? arena_printf(facts->arena,
                                                                 " The others of the %" PRId32
                                                                 " assumptions move it by less.",
                                                                 follow->effect_count)
                                                  : "")},
        &rows);
}

/* --- All at once --- */

static const char *effect_text(const PlanFacts *facts, double value, bool is_index)
{
    const PlanEstimate estimate = {value, (double)NAN, (double)NAN, 1};
    return is_index ? arena_printf(facts->arena, "%.2f", value)
                    : answer_value(facts->arena, facts->outcome, facts->outcome->goal->metric,
                                   &estimate, false);
}

static void sensitivity(Figures *figures, const PlanFacts *facts)
{
    const FollowOutcome *follow = facts->follow;
    const bool is_index = follow->sensitivity_design == DESIGN_SALTELLI;
    int32_t shown = 0;
    while (shown < follow->sensitivity_count && shown < EFFECTS_SHOWN &&
           follow->sensitivity[shown].effect > 0.01 * follow->sensitivity[0].effect)
        shown++;
    const char **headings = ARENA_ARRAY(facts->arena, const char *, SENSITIVITY_COLUMNS);
    Shade *looks = ARENA_ARRAY(facts->arena, Shade, 2);
    if (shown == 0)
        return;
    headings[0] = "assumption";
    headings[1] = is_index ? "with all others" : "mean size of its effects";
    headings[2] = is_index ? "alone" : "their deviation";
    looks[0] = (Shade){headings[1], RGB_MEETS};
    looks[1] = (Shade){headings[2], RGB_MISSES};
    Rows rows = rows_begin(facts->arena, shown, 0, headings, SENSITIVITY_COLUMNS);
    rows.x_label = is_index ? "share of the variance" : objective_title(facts);
    rows.shades = looks;
    rows.shade_count = 2;
    const double factor =
        is_index ? 1 : answer_scale(facts->outcome, facts->outcome->goal->metric).factor;
    for (int32_t i = 0; i < shown; i++) {
        const SensitivityOfOne *one = &follow->sensitivity[i];
        const char *const cells[SENSITIVITY_COLUMNS] = {
            assumption_words(facts->arena, one->assumption->path),
            effect_text(facts, one->effect, is_index), effect_text(facts, one->other, is_index)};
        rows_add(&rows, cells[0], cells);
        rows_bar(&rows, 0, one->effect * factor, -0.17, 0.15, RGB_MEETS);
        rows_bar(&rows, 0, one->other * factor, 0.17, 0.15, RGB_MISSES);
    }
    rows_draw(
        figures,
        (Figure){.section = PLAN_FLIP,
                 .file = "sensitivity",
                 .title = is_index ? "Sobol' indices, all assumptions at once"
                                   : "Effects by Morris, all assumptions at once",
                 .note = arena_printf(
                     facts->arena, "%s The %" PRId32 " largest of %" PRId32 ".",
                     is_index ? "The share of the variance that an assumption explains. The first "
                                "is the one whose better knowledge would help most."
                              : "The change for a whole way through the range of an assumption. A "
                                "large deviation: it depends on the others.",
                     shown, follow->sensitivity_count)},
        &rows);
}

void figures_flip(Figures *figures, const PlanFacts *facts)
{
    if (facts->follow == NULL || facts->outcome->winner == NO_CANDIDATE)
        return;
    tornado(figures, facts);
    sensitivity(figures, facts);
}
