/* Private to reports/run/figures: money spent on nodes so far, stacked by cluster. */
#include <inttypes.h>

#include "reports/run/figures/draw.h"
#include "reports/run/figures/figures.h"
#include "reports/text/wording.h"
#include "sim/base/capped.h"
#include "sim/base/units.h"
#include "sim/json/decimal.h"

enum { CLUSTERS_SHOWN = SERIES_MAX, SAMPLES = 240 };

/* The cost of `node` up to `at_ns`: its bill, spread evenly over the time that it was held. */
static int64_t node_cost_micro_usd(const ReportNode *node, int64_t end_ns, int64_t at_ns)
{
    if (node->billed_ns == ABSENT || node->allocated_ns == ABSENT || at_ns <= node->allocated_ns)
        return 0;
    const int64_t released_ns = node->released_ns != ABSENT ? node->released_ns : end_ns;
    const int64_t bill = capped_proportion(node->billed_ns, node->micro_usd_per_hour, NS_PER_HOUR);
    const int64_t held_ns = released_ns - node->allocated_ns;
    if (at_ns >= released_ns || held_ns <= 0)
        return bill;
    return mul_div(bill, at_ns - node->allocated_ns, held_ns);
}

static int64_t cluster_cost_micro_usd(const Facts *facts, uint32_t cluster, int64_t at_ns)
{
    int64_t sum = 0;
    for (uint32_t node = 0; node < facts->node_count; node++)
        if (facts->nodes[node].cluster == cluster)
            sum = capped_sum(sum,
                             node_cost_micro_usd(&facts->nodes[node], facts->run->end_ns, at_ns));
    return sum;
}

static uint32_t clusters_shown(const Facts *facts)
{
    return facts->run->cluster_count < CLUSTERS_SHOWN ? facts->run->cluster_count : CLUSTERS_SHOWN;
}

static void clusters_print(Text *out, const Facts *facts, FigureLayout layout)
{
    Shade shades[CLUSTERS_SHOWN];
    const uint32_t clusters = clusters_shown(facts);
    for (uint32_t i = 0; i < clusters; i++)
        shades[i] = (Shade){facts->run->clusters[i].name, series_rgb[i]};
    key_print(out, shades, (int32_t)clusters, (1U << clusters) - 1, layout);
}

static void cost_data(Text *out, const Facts *facts, uint32_t subject, FigureLayout layout)
{
    (void)subject;
    time_axis_print(out, facts->run->end_ns, layout);
    clusters_print(out, facts, layout);
    text_add(out, "$cost << END\n");
    for (int64_t sample = 0; sample <= SAMPLES; sample++) {
        const int64_t at_ns = mul_div(facts->run->end_ns, sample, SAMPLES);
        int64_t sum = 0;
        seconds_print(out, at_ns);
        for (uint32_t cluster = 0; cluster < clusters_shown(facts); cluster++) {
            sum = capped_sum(sum, cluster_cost_micro_usd(facts, cluster, at_ns));
            text_add(out, " ");
            decimal_print_rounded(out, sum, 6, 6);
        }
        text_add(out, "\n");
    }
    text_add(out, "END\n");
}

static const FigureNumbers *cost_numbers(Arena *arena, const Facts *facts)
{
    enum { PARTS = 24 };
    const uint32_t clusters = clusters_shown(facts);
    const char **headings = ARENA_ARRAY(arena, const char *, clusters + 1);
    const char **cells = ARENA_ARRAY(arena, const char *, clusters + 1);
    headings[0] = "until";
    for (uint32_t i = 0; i < clusters; i++)
        headings[i + 1] = facts->run->clusters[i].name;
    FigureNumbers *numbers = numbers_create(arena, headings, (int32_t)clusters + 1, false);
    for (int64_t p = 0; p < PARTS; p++) {
        const int64_t at_ns = mul_div(facts->run->end_ns, p + 1, PARTS);
        Text text = {0};
        span_print(&text, at_ns);
        cells[0] = arena_strdup(arena, text_string(&text));
        for (uint32_t i = 0; i < clusters; i++) {
            text_clear(&text);
            usd_print(&text, cluster_cost_micro_usd(facts, i, at_ns));
            cells[i + 1] = arena_strdup(arena, text_string(&text));
        }
        text_free(&text);
        numbers_add(numbers, (PlotBand){PPM * p / PARTS, PPM * (p + 1) / PARTS}, cells);
    }
    return numbers;
}

static bool has_bill(const Facts *facts)
{
    for (uint32_t node = 0; node < facts->node_count; node++)
        if (facts->nodes[node].billed_ns != ABSENT && facts->nodes[node].cluster != ID_NONE)
            return true;
    return false;
}

void figures_cost(Figures *figures, const Facts *facts)
{
    Figure figure = {.section = SECTION_COST,
                     .file = "cost",
                     .title = "Cost of nodes so far, in USD",
                     .left = 52,
                     .left_narrow = 52,
                     .note = "Each node's bill is spread evenly over the time that it was held."};
    if (!has_bill(facts) || facts->run->cost_micro_usd == ABSENT) {
        figure.note = facts_no_bill(facts);
        figures_missing(figures, figure);
        return;
    }
    if (facts->run->cluster_count > CLUSTERS_SHOWN)
        figure.note =
            arena_printf(figures->arena, "The first %d of %" PRIu32 " clusters are drawn.",
                         CLUSTERS_SHOWN, facts->run->cluster_count);
    figure.numbers = cost_numbers(figures->arena, facts);
    figure_draw(figures, figure, "cost.gp", cost_data, facts, 0, 170);
}
