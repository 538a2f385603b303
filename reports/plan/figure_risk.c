/* Private to reports/plan: the distribution of risk.h over the runs of the recommended candidate.
 */
#include <inttypes.h>
#include <math.h>

#include "reports/plan/figures.h"
#include "reports/plan/palette.h"
#include "reports/plan/risk.h"
#include "reports/plan/share_curves.h"
#include "reports/study/range.h"

enum { COLUMNS = 2, BAND_PPM = 20000 };

static const struct {
    double quantile;
    const char *name;
} rows[] = {{0.05, "5\xC2\xA0%"},  {0.25, "25\xC2\xA0%"}, {0.5, "50\xC2\xA0%"},
            {0.75, "75\xC2\xA0%"}, {0.95, "95\xC2\xA0%"}, {1, "all"}};

static const FigureNumbers *numbers_of(const PlanFacts *facts, const Risk *risk)
{
    static const char *const headings[COLUMNS] = {"share of the runs", "at most"};
    FigureNumbers *numbers = numbers_create(facts->arena, headings, COLUMNS, false);
    Range range = range_empty;
    range_add(&range, risk->sorted[0]);
    range_add(&range, risk->sorted[risk->count - 1]);
    range = range_for_places(range);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const int32_t rank = (int32_t)ceil(rows[i].quantile * risk->count);
        const double value = risk->sorted[rank > 0 ? rank - 1 : 0];
        const PlanEstimate estimate = {value, (double)NAN, (double)NAN, 1};
        const char *const cells[COLUMNS] = {
            rows[i].name,
            answer_value(facts->arena, facts->outcome, risk->metric, &estimate, false)};
        numbers_add(numbers, range_band(range, value, BAND_PPM), cells);
    }
    return numbers;
}

void figures_risk(Figures *figures, const PlanFacts *facts)
{
    const PlanOutcome *outcome = facts->outcome;
    if (outcome->winner == NO_CANDIDATE)
        return;
    const Risk risk = risk_of(facts, outcome->winner);
    if (risk.count < 2)
        return;
    const double factor = answer_scale(outcome, risk.metric).factor;
    double *x = ARENA_ARRAY(facts->arena, double, risk.count + 1);
    double *shares = ARENA_ARRAY(facts->arena, double, risk.count + 1);
    x[0] = risk.sorted[0] * factor;
    for (int32_t i = 0; i < risk.count; i++) {
        x[i + 1] = risk.sorted[i] * factor;
        shares[i + 1] = (i + 1.0) / risk.count;
    }
    const ShareCurves curves = {.x_label = risk_title(facts, &risk),
                                .curve_count = 1,
                                .curves = {{"runs", RGB_MEETS, x, shares, risk.count + 1}},
                                .share_limit = (double)NAN,
                                .mark_count = 1,
                                .marks = {{risk.p95.value * factor, "95 % of the runs"}}};
    share_curves_draw(
        figures,
        (Figure){.section = PLAN_RISK,
                 .file = "risk",
                 .title = arena_printf(facts->arena,
                                       "Share of the %" PRId32 " runs with at most this: %s",
                                       risk.count, risk_title(facts, &risk)),
                 .note = "",
                 .numbers = numbers_of(facts, &risk)},
        &curves);
}
