#include "sim/study/follow/follow_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/base/wide.h"
#include "sim/json/decimal.h"
#include "sim/study/statistics/words.h"

enum { CAUSES_SHOWN = 3, ASSUMPTIONS_SHOWN = 5 };

/* --- Reasons --- */

/* The largest of `count` values that is not marked; -1: none is above `least`. */
static int32_t take_largest(const double *values, int32_t count, double least, bool *is_taken)
{
    int32_t largest = -1;
    for (int32_t i = 0; i < count; i++)
        if (!is_taken[i] && values[i] > least && (largest < 0 || values[i] > values[largest]))
            largest = i;
    if (largest >= 0)
        is_taken[largest] = true;
    return largest;
}

static void print_waits(const PointWhy *why, Text *out)
{
    bool is_taken[WAIT_CAUSE_COUNT] = {false};
    const double least_s = why->waited_s * BOUND_MENTION_PERCENT / 100;
    if (why->waited_s <= 0)
        return;
    text_add(out, "Its jobs waited for");
    for (int i = 0; i < CAUSES_SHOWN; i++) {
        const int32_t cause = take_largest(why->wait_s, WAIT_CAUSE_COUNT, least_s, is_taken);
        if (cause < 0)
            break;
        text_printf(out, "%s %s (%.0f %% of the time)", i > 0 ? ";" : "",
                    wait_cause_words((WaitCause)cause), 100 * why->wait_s[cause] / why->waited_s);
    }
    text_add(out, ".\n");
}

static void print_stranded(const PointWhy *why, Text *out)
{
    if (why->node_usd <= 0)
        return;
    text_add(out, "Of ");
    words_amount(out, why->node_usd);
    text_add(out, " USD for nodes, ");
    words_amount(out, why->stranded_usd);
    text_printf(out, " USD (%.0f %%) are for nodes without a job:",
                100 * why->stranded_usd / why->node_usd);
    const char *separator = " ";
    for (int use = 0; use < USE_COUNT; use++) {
        if (!node_use_is_without_job((NodeUse)use) || !(why->use_usd[use] >= 0.005)) // unknown too
            continue;
        text_printf(out, "%s%s ", separator, node_use_words((NodeUse)use));
        words_amount(out, why->use_usd[use]);
        separator = ", ";
    }
    text_add(out, ".\n");
}

const char *follow_losses_words(Arena *arena, const PointWhy *why)
{
    const double lost_usd = why->use_usd[USE_LOST], not_done = why->failed + why->unfinished;
    Text out = {0};
    if (lost_usd > 0 && lost_usd * 100 >= why->node_usd * LOSS_MENTION_PERCENT) {
        words_amount(&out, lost_usd);
        text_printf(&out, " USD (%.0f %%) are for work that was lost and done again.",
                    100 * lost_usd / why->node_usd);
    }
    if (not_done > 0 && not_done * 100 >= why->jobs * LOSS_MENTION_PERCENT)
        text_printf(&out,
                    "%s%.0f of the %.0f jobs of a run failed, and %.0f had not ended when it "
                    "ended.",
                    out.length > 0 ? " " : "", why->failed, why->jobs, why->unfinished);
    return text_move(arena, &out);
}

static void print_losses(const PointWhy *why, Text *out)
{
    Arena *scratch = arena_create();
    const char *words = follow_losses_words(scratch, why);
    if (words[0] != '\0')
        text_printf(out, "%s\n", words);
    arena_destroy(scratch);
}

/* --- Load --- */

static void print_headroom(const FollowOutcome *outcome, Text *out)
{
    if (outcome->headroom.count == 0 && outcome->facts.no_headroom != NULL)
        text_printf(out, "Headroom is not known: %s.\n", outcome->facts.no_headroom);
    if (outcome->headroom.count == 0)
        return;
    text_add(out, "The constraints as the load grows:");
    for (int32_t i = 0; i < outcome->headroom.count; i++)
        text_printf(out, "%s x %s %s", i > 0 ? "," : "", outcome->headroom.items[i].level,
                    limit_verdict_words(outcome->headroom.items[i].winner.verdict));
    text_add(out, ".\n");
}

static void print_months(Text *out, double months)
{
    if (isinf(months))
        text_add(out, "later than simulated");
    else
        text_printf(out, "%.1f", months);
}

static void print_growth(const FollowOutcome *outcome, const Study *plan, Text *out)
{
    if (outcome->facts.growth_ppm == 0 || !outcome->breaking_load.is_known)
        return;
    const BreakingLoad *breaks = &outcome->breaking_load;
    text_printf(out, "At %g %% more load a month, %s ", (double)outcome->facts.growth_ppm / 1e4,
                plan->goal->constraints[outcome->breaking_constraint].words);
    if (breaks->is_beyond) {
        text_printf(out, "holds for at least %.1f months, which is as far as was simulated.\n",
                    outcome->growth_months);
        return;
    }
    text_printf(out, "is missed after about %.1f months (", outcome->growth_months);
    print_months(out, outcome->growth_low);
    text_add(out, " to ");
    print_months(out, outcome->growth_high);
    text_add(out, ").\n");
}

static void print_stage(const GrowthStage *stage, Text *out)
{
    if (stage->breaks.is_beyond) {
        text_printf(out, "at least %.3g times the load", stage->breaks.load);
        return;
    }
    text_printf(out, "%.3g times the load, %.1f months (", stage->breaks.load, stage->months);
    print_months(out, stage->low);
    text_add(out, " to ");
    print_months(out, stage->high);
    text_add(out, ")");
}

static void print_stages(const FollowOutcome *outcome, const Study *plan, Text *out)
{
    const char *metric = plan->metrics[plan->goal->metric].name;
    if (outcome->stage_count < 2)
        return;
    Arena *scratch = arena_create();
    text_add(out, "What is needed when the load has grown:\n");
    for (int32_t i = 0; i < outcome->stage_count; i++) {
        const GrowthStage *stage = &outcome->stages[i];
        text_printf(out, "  %s, %s ", point_name(scratch, plan, stage->point), metric);
        words_number(out, stage->objective.value, stage->objective.half_width);
        text_add(out, ": up to ");
        print_stage(stage, out);
        text_add(out, "\n");
    }
    if (!outcome->stages[outcome->stage_count - 1].breaks.is_beyond)
        text_add(out, "  No candidate that was tried bears more.\n");
    arena_destroy(scratch);
}

/* --- Assumptions --- */

static bool changes_answer(const FollowCase *item)
{
    return item->change == ANSWER_OTHER || item->change == ANSWER_MISSES;
}

static void print_case(const Assumption *assumption, const char *value, const FollowCase *item,
                       Text *out)
{
    if (changes_answer(item))
        text_printf(out, "  %s = %s instead of %s: %s.\n", assumption->path, value,
                    assumption->value, answer_change_words(item->change));
}

static void print_assumptions(const FollowOutcome *outcome, Text *out)
{
    int32_t count = 0;
    for (int32_t i = 0; i < outcome->effect_count; i++)
        count +=
            changes_answer(outcome->effects[i].low) || changes_answer(outcome->effects[i].high);
    if (outcome->effect_count == 0)
        return;
    if (count == 0 && outcome->effect_count == 1)
        text_printf(out, "The only assumption, %s, does not change the answer within its range.\n",
                    outcome->effects[0].assumption->path);
    else if (count == 0)
        text_printf(out, "None of %" PRId32 " assumptions changes the answer within its range.\n",
                    outcome->effect_count);
    else
        text_printf(out,
                    "%" PRId32 " of %" PRId32 " assumptions would change the answer within their "
                    "ranges:\n",
                    count, outcome->effect_count);
    for (int32_t i = 0, shown = 0; i < outcome->effect_count && shown < ASSUMPTIONS_SHOWN; i++) {
        const AssumptionEffect *effect = &outcome->effects[i];
        print_case(effect->assumption, effect->assumption->low, effect->low, out);
        print_case(effect->assumption, effect->assumption->high, effect->high, out);
        shown += changes_answer(effect->low) || changes_answer(effect->high);
    }
}

const char *follow_multiple_words(Arena *arena, const BreakEven *even)
{
    Text out = {0};
    const double error = (even->high - even->low) / 2;
    const bool has_interval = isfinite(error) && error > 0.005 * even->multiple;
    words_number(&out, even->multiple, has_interval ? error : 0.05 * even->multiple);
    if (has_interval) {
        text_add(&out, " (");
        words_number(&out, even->low, error);
        text_add(&out, " to ");
        words_number(&out, even->high, error);
        text_add(&out, ")");
    }
    return text_move(arena, &out);
}

const char *follow_price_words(Arena *arena, const PriceBreakEven *price)
{
    Text out = {0};
    const double multiple = price->break_even.multiple;
    const char *words = follow_multiple_words(arena, &price->break_even);
    if (price->micro_usd_now <= 0)
        return arena_printf(arena, "is %s times as high", words);
    text_add(&out, multiple > 1 ? "rises from " : "falls from ");
    decimal_print_amount(&out, price->micro_usd_now);
    text_add(&out, " to ");
    decimal_print_amount(&out, rounded_capped((double)price->micro_usd_now * multiple));
    text_printf(&out, " USD an hour, %s times as much", words);
    return text_move(arena, &out);
}

static void print_prices(const FollowOutcome *outcome, const Study *plan, Text *out)
{
    Arena *scratch = arena_create();
    for (int32_t i = 0; i < outcome->price_count; i++) {
        const PriceBreakEven *price = &outcome->prices[i];
        text_printf(out, "If %s %s, %s costs as much.\n", price->price,
                    follow_price_words(scratch, price),
                    point_name(scratch, plan, outcome->facts.points[price->other].point));
    }
    arena_destroy(scratch);
}

static void print_rates(const FollowOutcome *outcome, Text *out)
{
    if (outcome->preemption_rate.is_known) {
        Arena *scratch = arena_create();
        text_printf(out, "The next best is as good when nodes are preempted %s times as often.\n",
                    follow_multiple_words(scratch, &outcome->preemption_rate));
        arena_destroy(scratch);
    }
    if (!isnan(outcome->preemption_misses))
        text_printf(out, "Preempted %g times as often, it misses a constraint.\n",
                    outcome->preemption_misses);
}

/* --- Quotas and the closed form --- */

static void print_quotas(const FollowOutcome *outcome, Text *out)
{
    for (int32_t i = 0; i < outcome->quota_count; i++) {
        const QuotaRequest *row = &outcome->quotas[i];
        text_printf(out, "Quota: the plan uses at most %" PRId64 " cores of %s (%s) in %s at once",
                    row->peak_vcpus, row->family, row->priority, outcome->facts.region);
        if (row->quota_vcpus == PLAIN_UNKNOWN)
            text_add(out, "; the scenario sets no limit.\n");
        else
            text_printf(
                out, "; the quota is %" PRId64 ", and %" PRId64 " would leave a node in reserve.\n",
                row->quota_vcpus, row->asked_vcpus);
    }
}

static void print_closed_form(const FollowOutcome *outcome, Text *out)
{
    const ClosedForm *form = &outcome->facts.closed_form;
    if (form->model == NULL)
        return;
    text_printf(out, "Queueing theory (%s) at an offered load of %.2f nodes: ", form->model,
                (double)form->load_ppm / (double)PPM);
    Arena *scratch = arena_create();
    text_add(out, closed_form_words(scratch, form));
    arena_destroy(scratch);
    for (uint32_t i = 0; i < form->gap_count; i++)
        text_printf(out, "%s %s", i == 0 ? "; it leaves out that" : ";", form->gaps[i]);
    text_add(out, ".\n");
}

void follow_text_print(const FollowOutcome *outcome, const Study *plan, Text *out)
{
    if (!outcome->is_present)
        return;
    if (outcome->why != NULL) {
        print_waits(&outcome->why[0], out);
        print_stranded(&outcome->why[0], out);
        print_losses(&outcome->why[0], out);
    }
    print_headroom(outcome, out);
    print_growth(outcome, plan, out);
    print_stages(outcome, plan, out);
    print_assumptions(outcome, out);
    print_prices(outcome, plan, out);
    print_rates(outcome, out);
    print_quotas(outcome, out);
    print_closed_form(outcome, out);
    for (uint32_t i = 0; i < outcome->facts.left_out_count; i++)
        text_printf(out, "Left out: %s.\n", outcome->facts.left_out[i]);
}

/* --- For programs --- */

static void put_real(Arena *arena, Json *object, const char *key, double value)
{
    if (isfinite(value))
        json_put_decimal(arena, object, key, arena_printf(arena, "%.9g", value));
    else
        json_put_null(arena, object, key);
}

static void put_break_even(Arena *arena, Json *object, const BreakEven *found)
{
    put_real(arena, object, "multiple", found->is_known ? found->multiple : (double)NAN);
    put_real(arena, object, "low", found->is_known ? found->low : (double)NAN);
    put_real(arena, object, "high", found->is_known ? found->high : (double)NAN);
}

static void put_why(Arena *arena, Json *root, const FollowOutcome *outcome)
{
    Json *list = json_put_array(arena, root, "why");
    for (uint32_t p = 0; outcome->why != NULL && p < outcome->facts.point_count; p++) {
        const PointWhy *why = &outcome->why[p];
        Json *item = json_add(list, json_object(arena));
        json_put_integer(arena, item, "point", outcome->facts.points[p].point);
        json_put_integer(arena, item, "runs", why->run_count);
        Json *waits = json_put_object(arena, item, "waited_s");
        for (int cause = 0; cause < WAIT_CAUSE_COUNT; cause++)
            put_real(arena, waits, wait_cause_name((WaitCause)cause), why->wait_s[cause]);
        Json *uses = json_put_object(arena, item, "nodes_usd");
        for (int use = 0; use < USE_COUNT; use++)
            put_real(arena, uses, node_use_name((NodeUse)use), why->use_usd[use]);
        put_real(arena, item, "without_job_usd", why->stranded_usd);
        put_real(arena, item, "jobs", why->jobs);
        put_real(arena, item, "failed", why->failed);
        put_real(arena, item, "unfinished", why->unfinished);
        Json *bounds = json_put_object(arena, item, "bound");
        for (int bound = 0; bound < BOUND_COUNT; bound++)
            if (why->bound_part[bound] > 0)
                put_real(arena, bounds, bound_name((Bound)bound), why->bound_part[bound]);
    }
}

static void put_cases(Arena *arena, Json *root, const char *key, const FollowCases *cases,
                      const Study *plan)
{
    Json *list = json_put_array(arena, root, key);
    for (int32_t i = 0; i < cases->count; i++) {
        const FollowCase *item = &cases->items[i];
        Json *row = json_add(list, json_object(arena));
        json_put_text(arena, row, "level", item->level);
        put_real(arena, row, plan->metrics[plan->goal->metric].name, item->winner.objective.value);
        for (int32_t c = 0; c < plan->goal->constraint_count; c++)
            put_real(arena, row, plan->metrics[plan->goal->constraints[c].metric].name,
                     item->winner.constraints[c].value);
        json_put_text(arena, row, "constraints", limit_verdict_name(item->winner.verdict));
        put_real(arena, row, "next_best_minus_winner", item->other.objective.difference);
        put_real(arena, row, "half_width", item->other.objective.difference_half_width);
        json_put_text(arena, row, "answer", answer_change_name(item->change));
    }
}

static void put_stages(Arena *arena, Json *root, const FollowOutcome *outcome, const Study *plan)
{
    Json *list = json_put_array(arena, root, "growth");
    for (int32_t i = 0; i < outcome->stage_count; i++) {
        const GrowthStage *stage = &outcome->stages[i];
        Json *row = json_add(list, json_object(arena));
        json_put_integer(arena, row, "point", stage->point);
        put_real(arena, row, plan->metrics[plan->goal->metric].name, stage->objective.value);
        put_real(arena, row, "load", stage->breaks.load);
        json_put_boolean(arena, row, "is_beyond", stage->breaks.is_beyond);
        put_real(arena, row, "months", stage->months);
        put_real(arena, row, "low", stage->low);
        put_real(arena, row, "high", stage->high);
    }
}

static void put_quotas(Arena *arena, Json *root, const FollowOutcome *outcome)
{
    Json *list = json_put_array(arena, root, "quotas");
    for (int32_t i = 0; i < outcome->quota_count; i++) {
        const QuotaRequest *quota = &outcome->quotas[i];
        Json *row = json_add(list, json_object(arena));
        json_put_text(arena, row, "family", quota->family);
        json_put_text(arena, row, "priority", quota->priority);
        json_put_integer(arena, row, "peak_vcpus", quota->peak_vcpus);
        json_put_integer(arena, row, "asked_vcpus", quota->asked_vcpus);
    }
}

static void put_sensitivity(Arena *arena, Json *root, const FollowOutcome *outcome)
{
    const bool is_morris = outcome->sensitivity_design == DESIGN_MORRIS;
    Json *list = json_put_array(arena, root, "sensitivity");
    for (int32_t i = 0; i < outcome->sensitivity_count; i++) {
        const SensitivityOfOne *one = &outcome->sensitivity[i];
        Json *row = json_add(list, json_object(arena));
        json_put_text(arena, row, "assumption", one->assumption->path);
        put_real(arena, row, is_morris ? "mean_size" : "total", one->effect);
        put_real(arena, row, is_morris ? "deviation" : "first", one->other);
    }
}

Json *follow_findings_json(Arena *arena, const FollowOutcome *outcome, const Study *plan)
{
    Json *root = json_object(arena);
    put_why(arena, root, outcome);
    put_cases(arena, root, "headroom", &outcome->headroom, plan);
    put_cases(arena, root, "assumptions", &outcome->assumptions, plan);
    put_cases(arena, root, "preemption", &outcome->preemption, plan);
    Json *prices = json_put_array(arena, root, "break_even_prices");
    for (int32_t i = 0; i < outcome->price_count; i++) {
        const PriceBreakEven *price = &outcome->prices[i];
        Json *row = json_add(prices, json_object(arena));
        json_put_text(arena, row, "price", price->price);
        json_put_integer(arena, row, "point", outcome->facts.points[price->other].point);
        put_break_even(arena, row, &price->break_even);
    }
    put_break_even(arena, json_put_object(arena, root, "break_even_preemption"),
                   &outcome->preemption_rate);
    Json *breaks = json_put_object(arena, root, "breaking_load");
    const bool is_known = outcome->breaking_load.is_known;
    put_real(arena, breaks, "load", is_known ? outcome->breaking_load.load : (double)NAN);
    put_real(arena, breaks, "low", is_known ? outcome->breaking_load.low : (double)NAN);
    put_real(arena, breaks, "high", is_known ? outcome->breaking_load.high : (double)NAN);
    json_put_boolean(arena, breaks, "is_beyond", outcome->breaking_load.is_beyond);
    put_stages(arena, root, outcome, plan);
    put_quotas(arena, root, outcome);
    put_sensitivity(arena, root, outcome);
    return root;
}
