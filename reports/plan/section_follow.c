/* Private to reports/plan: words about what follows the decision: which assumption would change it,
 * prices at which it changes, growth, quotas, money that bought no work, and the closed form. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reports/page/cells.h"
#include "reports/plan/figures.h"
#include "reports/plan/page.h"
#include "reports/text/labels.h"
#include "reports/text/wording.h"
#include "sim/base/units.h"
#include "sim/json/decimal.h"
#include "sim/schema/plain.h"
#include "sim/study/follow/follow_text.h"
#include "sim/study/statistics/words.h"

static void paragraph(Text *html, const char *text)
{
    text_add(html, "<p>");
    prose_print(html, text);
    text_add(html, "</p>\n");
}

static void item(Text *html, const char *text)
{
    text_add(html, "<li>");
    prose_print(html, text);
    text_add(html, "</li>\n");
}

/* The JSON of a value without its marks: "5GB/s", "exponential 20h". */
static const char *value_words(Arena *arena, const char *json)
{
    Text out = {0};
    if (json == NULL)
        return "unknown";
    for (const char *at = json; *at != '\0'; at++)
        if (*at == ':' || *at == ',')
            text_add(&out, *at == ':' ? " " : ", ");
        else if (strchr("{}\"", *at) == NULL)
            text_append(&out, at, 1);
    return text_move(arena, &out);
}

/* --- What would change the answer --- */

/* The sentence about an end of an assumption's range. Long values, as distributions in tables, are
 * named by their end. */
static void flip_print(Text *html, const PlanFacts *facts, const Assumption *assumption,
                       int32_t end, const FollowCase *at_end)
{
    enum { VALUE_MAX = 40 };
    Arena *arena = facts->arena;
    const char *name = assumption_words(arena, assumption->path);
    const char *value = value_words(arena, end == 0 ? assumption->low : assumption->high);
    const char *change = answer_change_words(at_end->change);
    if (strlen(value) > VALUE_MAX)
        item(html, arena_printf(arena, "%s at the %s end of its range (%s): %s.", name,
                                end == 0 ? "low" : "high", assumption->range, change));
    else
        item(html, arena_printf(arena, "%s at %s instead of %s: %s.", name, value,
                                value_words(arena, assumption->value), change));
}

static void flips_print(Text *html, const PlanFacts *facts)
{
    const FollowOutcome *follow = facts->follow;
    int32_t count = 0;
    for (int32_t i = 0; i < follow->effect_count; i++)
        count += flips(&follow->effects[i]);
    if (follow->effect_count == 0)
        return;
    if (count == 0) {
        paragraph(html,
                  follow->effect_count == 1
                      ? "The only assumption does not change the answer, anywhere in its range."
                      : arena_printf(facts->arena,
                                     "None of the %" PRId32 " assumptions changes the answer "
                                     "alone, anywhere in its range.",
                                     follow->effect_count));
        return;
    }
    text_printf(html,
                "<p>%" PRId32 " of %" PRId32
                " assumptions would change the answer alone:</p>\n<ul>\n",
                count, follow->effect_count);
    for (int32_t i = 0; i < follow->effect_count; i++) {
        const AssumptionEffect *effect = &follow->effects[i];
        const FollowCase *ends[] = {effect->low, effect->high};
        for (int32_t end = 0; end < 2; end++)
            if (ends[end] != NULL &&
                (ends[end]->change == ANSWER_OTHER || ends[end]->change == ANSWER_MISSES))
                flip_print(html, facts, effect->assumption, end, ends[end]);
    }
    text_add(html, "</ul>\n");
}

/* The candidate of a point of DIR/why. */
static int32_t candidate_of(const PlanFacts *facts, int32_t index)
{
    return facts->outcome->grid->candidate_of[facts->follow->facts.points[index].point];
}

static const char *usd_an_hour(Arena *arena, double micro_usd)
{
    Text out = {0};
    if (micro_usd <= 0)
        return "\xE2\x80\x93";
    decimal_print_amount(&out, (int64_t)(micro_usd + 0.5));
    text_add(&out, " USD");
    return text_move(arena, &out);
}

static void prices_print(Text *html, const PlanFacts *facts)
{
    Arena *arena = facts->arena;
    const FollowOutcome *follow = facts->follow;
    const char *const headings[] = {"price of a node hour",
                                    "#now",
                                    "#at which it costs the same",
                                    "#times as much",
                                    "candidate that then costs the same",
                                    NULL};
    if (follow->price_count == 0)
        return;
    text_add(html, "<h3>Prices at which another candidate costs the same</h3>\n");
    cards_begin(html, headings);
    for (int32_t i = 0; i < follow->price_count; i++) {
        const PriceBreakEven *price = &follow->prices[i];
        const bool is_known = price->break_even.is_known;
        const double now = (double)price->micro_usd_now;
        text_add(html, "<tr>");
        card_cell_print(html, "price of a node hour", assumption_words(arena, price->price), false);
        card_cell_print(html, "now", usd_an_hour(arena, now), true);
        card_cell_print(
            html, "at which it costs the same",
            is_known ? usd_an_hour(arena, now * price->break_even.multiple) : "at no price", true);
        card_cell_print(
            html, "times as much",
            is_known ? follow_multiple_words(arena, &price->break_even) : "\xE2\x80\x93", true);
        card_cell_print(
            html, "candidate that then costs the same",
            is_known ? candidate_words(facts, candidate_of(facts, price->other)) : "none", false);
        text_add(html, "</tr>\n");
    }
    cards_end(html);
}

static void preemption_print(Text *html, const PlanFacts *facts)
{
    const FollowOutcome *follow = facts->follow;
    if (!follow->has[FOLLOW_PREEMPTION])
        return;
    text_add(html, "<h3>More preemptions</h3>\n");
    paragraph(
        html,
        follow->preemption_rate.is_known
            ? arena_printf(facts->arena,
                           "The next best is better when nodes are preempted %s times as "
                           "often as assumed.",
                           follow_multiple_words(facts->arena, &follow->preemption_rate))
            : "The rates of preemption that were simulated do not make the next best better.");
    if (!isnan(follow->preemption_misses))
        paragraph(html,
                  arena_printf(facts->arena,
                               "With %.3g times as many preemptions the recommendation misses a "
                               "limit.",
                               follow->preemption_misses));
}

void section_flip(Text *html, const PlanFacts *facts)
{
    flips_print(html, facts);
    prices_print(html, facts);
    preemption_print(html, facts);
    for (uint32_t i = 0; i < facts->follow->facts.left_out_count; i++)
        paragraph(html,
                  arena_printf(facts->arena, "Left out: %s.", facts->follow->facts.left_out[i]));
    text_add(
        html,
        "<p class=\"note\">The runs are in assumptions, preemption and "
        "sensitivity next to this page: folders of sweeps, for <code>trainyard show</code> and "
        "<code>trainyard report</code>.</p>\n");
}

/* --- Load --- */

static const char *months_words(Arena *arena, double months)
{
    return isfinite(months) ? arena_printf(arena, months < 10 ? "%.1f" : "%.0f", months) : "later";
}

/* When growing load breaks the first limit. */
static void growth_print(Text *html, const PlanFacts *facts)
{
    const FollowOutcome *follow = facts->follow;
    Arena *arena = facts->arena;
    const bool has_interval = isfinite(follow->growth_low) && isfinite(follow->growth_high);
    const char *interval =
        has_interval ? arena_printf(arena, " (%s to %s)", months_words(arena, follow->growth_low),
                                    months_words(arena, follow->growth_high))
                     : "";
    paragraph(html, arena_printf(arena,
                                 "If the load grows by %.3g %% a month, that is %s%s months from "
                                 "the start%s.",
                                 (double)follow->facts.growth_ppm / 1e4,
                                 follow->breaking_load.is_beyond ? "more than " : "",
                                 months_words(arena, follow->growth_months), interval));
}

/* The candidates that are needed when the load has grown. */
static void stages_print(Text *html, const PlanFacts *facts)
{
    const FollowOutcome *follow = facts->follow;
    Arena *arena = facts->arena;
    const PlanGrid *grid = facts->outcome->grid;
    const char *objective = objective_title(facts);
    const double scale = answer_scale(facts->outcome, facts->outcome->goal->metric).factor;
    const char *const headings[] = {"candidate", arena_printf(arena, "#%s", objective),
                                    "#up to this load", "#months from the start", NULL};
    if (follow->stage_count < 2)
        return;
    text_add(html, "<h3>What is needed when the load has grown</h3>\n");
    cards_begin(html, headings);
    for (int32_t i = 0; i < follow->stage_count; i++) {
        const GrowthStage *stage = &follow->stages[i];
        const bool is_beyond = stage->breaks.is_beyond;
        Text value = {0};
        words_number(&value, stage->objective.value * scale, stage->objective.half_width * scale);
        text_add(html, "<tr>");
        card_cell_print(html, "candidate", candidate_words(facts, grid->candidate_of[stage->point]),
                        false);
        card_cell_print(html, objective, text_move(arena, &value), true);
        card_cell_print(
            html, "up to this load",
            arena_printf(arena, "%sx %.3g", is_beyond ? "at least " : "", stage->breaks.load),
            true);
        card_cell_print(
            html, "months from the start",
            is_beyond
                ? "later than simulated"
                : arena_printf(arena, "%s (%s to %s)", months_words(arena, stage->months),
                               months_words(arena, stage->low), months_words(arena, stage->high)),
            true);
        text_add(html, "</tr>\n");
    }
    cards_end(html);
}

void section_load(Text *html, const PlanFacts *facts)
{
    const FollowOutcome *follow = facts->follow;
    const BreakingLoad *breaking = &follow->breaking_load;
    Arena *arena = facts->arena;
    if (!breaking->is_known)
        return;
    if (breaking->load <= 1 && !breaking->is_beyond) {
        paragraph(html, "A limit is missed at the planned load already.");
        return;
    }
    if (breaking->is_beyond)
        paragraph(html, arena_printf(arena,
                                     "The limits hold up to the largest load that was simulated, "
                                     "%.3g times the planned one.",
                                     breaking->load));
    else
        paragraph(
            html,
            arena_printf(arena, "The first limit breaks at %.3g times the planned load%s%s.",
                         breaking->load,
                         isfinite(breaking->low) && isfinite(breaking->high)
                             ? arena_printf(arena, " (%.3g to %.3g)", breaking->low, breaking->high)
                             : "",
                         follow->breaking_constraint >= 0
                             ? arena_printf(arena, ": %s",
                                            answer_constraint(arena, facts->outcome,
                                                              follow->breaking_constraint))
                             : ""));
    if (follow->facts.growth_ppm > 0)
        growth_print(html, facts);
    stages_print(html, facts);
}

/* --- Why --- */

static const char *bounds_words(const PlanFacts *facts, const PointWhy *why)
{
    Text out = {0};
    for (int32_t i = 0; i < BOUND_COUNT; i++)
        if (why->bound_part[i] * 100 >= BOUND_MENTION_PERCENT)
            text_printf(&out, "%s%s (%.0f %% of the %s)", out.length > 0 ? "; " : "",
                        bound_words((Bound)i), why->bound_part[i] * 100,
                        bound_is_of_jobs((Bound)i) ? "waiting" : "nodes' time with a job");
    if (out.length == 0)
        text_add(&out, "nothing for more than a tenth of the time");
    return text_move(facts->arena, &out);
}

void section_why(Text *html, const PlanFacts *facts)
{
    enum { ROWS_SHOWN = 40 };
    const FollowOutcome *follow = facts->follow;
    const char *const headings[] = {"candidate", "bound by", "#hours in the queue",
                                    "#paid while no job ran", NULL};
    paragraph(html, arena_printf(facts->arena, "The %s is limited by: %s.", subject_words(facts),
                                 bounds_words(facts, &follow->why[0])));
    const char *losses = follow_losses_words(facts->arena, &follow->why[0]);
    if (losses[0] != '\0')
        paragraph(html, losses);
    const int32_t *order = why_order(facts);
    text_printf(html,
                "<details><summary>What limited each of %" PRIu32
                " candidates</summary>\n<p class=\"note\">%s.</p>\n",
                follow->facts.point_count, label_capitalised(facts->arena, why_order_words(facts)));
    cards_begin(html, headings);
    for (uint32_t i = 0; i < follow->facts.point_count && i < ROWS_SHOWN; i++) {
        const PointWhy *why = &follow->why[order[i]];
        const int32_t candidate = candidate_of(facts, order[i]);
        text_add(html, candidate == facts->outcome->winner ? "<tr class=\"chosen\">" : "<tr>");
        card_cell_print(html, "candidate", candidate_words(facts, candidate), false);
        card_cell_print(html, "bound by", bounds_words(facts, why), false);
        card_cell_print(html, "hours in the queue",
                        amount_words(facts->arena, why->waited_s / 3600, "h"), true);
        card_cell_print(html, "paid while no job ran",
                        amount_words(facts->arena, why->stranded_usd, "USD"), true);
        text_add(html, "</tr>\n");
    }
    cards_end(html);
    if (follow->facts.point_count > ROWS_SHOWN)
        text_printf(html, "<p class=\"note\">The first %d of %" PRIu32 " candidates.</p>\n",
                    (int)ROWS_SHOWN, follow->facts.point_count);
    text_add(html, "</details>\n");
}

/* --- Money that bought no work --- */

/* " Jobs ran for 41.2 % of the time of the nodes." */
static const char *busy_words(Arena *arena, const PointWhy *why)
{
    double all_s = 0, stranded_s = 0;
    for (int use = 0; use < USE_COUNT; use++) {
        const double s = why->use_s[use] > 0 ? why->use_s[use] : 0; // 0 if unknown
        all_s += s;
        stranded_s += node_use_is_without_job((NodeUse)use) ? s : 0;
    }
    return all_s > 0 ? arena_printf(arena, " Jobs ran for %.1f %% of the time of the nodes.",
                                    100 * (1 - stranded_s / all_s))
                     : "";
}

void section_stranded(Text *html, const PlanFacts *facts)
{
    const char *const headings[] = {"cause", "#hours of nodes", "#money", "#of the bill for nodes",
                                    NULL};
    if (facts->follow == NULL || facts->follow->why == NULL)
        return;
    const PointWhy *why = &facts->follow->why[0]; // of the recommendation
    text_add(html, "<section>\n<h2>Paid, and no job ran</h2>\n<p class=\"note\">");
    text_printf(html, "The %s, in the mean over its runs, %s.%s</p>\n", subject_words(facts),
                answer_period(facts->arena, facts->outcome), busy_words(facts->arena, why));
    cards_begin(html, headings);
    for (int use = 0; use < USE_COUNT; use++) {
        const double usd = why->use_usd[use], s = why->use_s[use];
        if (!node_use_is_without_job((NodeUse)use) || !(s > 0))
            continue;
        text_add(html, "<tr>");
        card_cell_print(html, "cause", node_use_words((NodeUse)use), false);
        card_cell_print(html, "hours of nodes", amount_words(facts->arena, s / 3600, "h"), true);
        card_cell_print(html, "money", amount_words(facts->arena, usd, "USD"), true);
        card_cell_print(html, "of the bill for nodes",
                        why->node_usd > 0
                            ? arena_printf(facts->arena, "%.1f %%", 100 * usd / why->node_usd)
                            : "\xE2\x80\x93",
                        true);
        text_add(html, "</tr>\n");
    }
    cards_end(html);
    text_add(html, "</section>\n");
}

/* --- Quotas --- */

static const char *cores_words(Arena *arena, int64_t cores)
{
    return cores == PLAIN_UNKNOWN ? "no limit" : arena_printf(arena, "%" PRId64, cores);
}

void section_quota(Text *html, const PlanFacts *facts)
{
    const char *const headings[] = {
        "family",  "priority", "#most cores at a time", "#cores to have", "#quota now",
        "request", NULL};
    if (facts->follow == NULL || facts->follow->quota_count == 0)
        return;
    text_printf(html,
                "<section>\n<h2>Quota to ask for</h2>\n<p class=\"note\">Cores of the %s in "
                "the region ",
                subject_words(facts));
    markup_print(html, facts->follow->facts.region != NULL ? facts->follow->facts.region : "");
    text_add(html, ", with one node of each cluster in reserve.</p>\n");
    cards_begin(html, headings);
    for (int32_t i = 0; i < facts->follow->quota_count; i++) {
        const QuotaRequest *quota = &facts->follow->quotas[i];
        text_add(html, "<tr>");
        card_cell_print(html, "family", quota->family, false);
        card_cell_print(html, "priority", quota->priority, false);
        card_cell_print(html, "most cores at a time", cores_words(facts->arena, quota->peak_vcpus),
                        true);
        card_cell_print(html, "cores to have", cores_words(facts->arena, quota->asked_vcpus), true);
        card_cell_print(html, "quota now", cores_words(facts->arena, quota->quota_vcpus), true);
        card_cell_print(html, "request",
                        quota->is_enough
                            ? "enough"
                            : arena_printf(facts->arena, "ask for %" PRId64, quota->asked_vcpus),
                        false);
        text_add(html, "</tr>\n");
    }
    cards_end(html);
    text_add(html, "</section>\n");
}

/* --- The closed form --- */

static const char *duration_text(Arena *arena, int64_t ns)
{
    Text text = {0};
    duration_print(&text, ns);
    return text_move(arena, &text);
}

void section_closed_form(Text *html, const PlanFacts *facts)
{
    Arena *arena = facts->arena;
    if (facts->follow == NULL || !facts->follow->is_present)
        return;
    const ClosedForm *form = &facts->follow->facts.closed_form;
    if (form->model == NULL && form->none == NULL)
        return;
    text_add(html, "<section>\n<h2>Next to queueing theory</h2>\n");
    if (form->model == NULL) {
        paragraph(html, arena_printf(arena, "No closed form applies: %s.", form->none));
        text_add(html, "</section>\n");
        return;
    }
    paragraph(html, arena_printf(arena,
                                 "%s with %" PRId32
                                 " nodes, a mean run time of %s and an offered load of "
                                 "%.3g nodes: %s.",
                                 form->model, form->servers, duration_text(arena, form->service_ns),
                                 (double)form->load_ppm / 1e6, closed_form_words(arena, form)));
    if (facts->follow->why != NULL && facts->jobs != NULL && facts->jobs->count > 0) {
        double sum = 0;
        for (int64_t i = 0; i < facts->jobs->count; i++)
            sum += facts->jobs->jobs[i].queue_s;
        paragraph(
            html,
            arena_printf(arena,
                         "The simulated mean wait is %s, of %" PRId64 " jobs in winner-jobs.csv.",
                         duration_text(
                             arena, (int64_t)(sum / (double)facts->jobs->count * (double)NS_PER_S)),
                         facts->jobs->count));
    }
    if (form->gap_count > 0) {
        text_add(html, "<p>The formula leaves out:</p>\n<ul>\n");
        for (uint32_t i = 0; i < form->gap_count; i++)
            item(html, form->gaps[i]);
        text_add(html, "</ul>\n");
    }
    text_add(html, "</section>\n");
}

/* --- Assumptions --- */

void section_assumptions(Text *html, const PlanFacts *facts)
{
    const char *const headings[] = {"value of the catalogue", "#value", "range", "source", NULL};
    if (facts->follow == NULL || facts->follow->facts.assumption_count == 0)
        return;
    const FollowFacts *known = &facts->follow->facts;
    text_printf(html,
                "<section>\n<h2>Assumptions</h2>\n<p class=\"note\">Values that the answer rests "
                "on: prices, lives of nodes, and numbers without a published source. <code>--set "
                "/assume/NAME=VALUE</code> changes one.</p>\n<details><summary>%" PRIu32
                " assumptions</summary>\n",
                known->assumption_count);
    cards_begin(html, headings);
    for (uint32_t i = 0; i < known->assumption_count; i++) {
        const Assumption *one = &known->assumptions[i];
        text_add(html, "<tr>");
        text_add(html, "<td data-label=\"value of the catalogue\">");
        breakable_print(html, one->path);
        text_add(html, "</td>");
        card_cell_print(html, "value", value_words(facts->arena, one->value), true);
        card_cell_print(html, "range", one->range, false);
        card_cell_print(html, "source",
                        arena_printf(facts->arena, "%s%s", one->is_assumed ? "ASSUMED: " : "",
                                     one->source != NULL ? one->source : ""),
                        false);
        text_add(html, "</tr>\n");
    }
    cards_end(html);
    text_add(html, "</details>\n</section>\n");
}
