/* Where the money of each cluster went: a bar for each, divided by what its nodes did. */
#include <inttypes.h>

#include "reports/figure.h"
#include "reports/wording.h"
#include "sim/output/capped.h"
#include "sim/output/decimal.h"

enum { CLUSTERS_SHOWN = 12 };

/* What was worth its money is blue and green, waiting is yellow and grey, what was lost is red; the
 * ink of the numbers inside has a contrast of at least 4.5 to 1. */
static const struct {
    int32_t rgb;
    int32_t ink_rgb;
} shades[] = {
    [USE_USEFUL] = {0x228833, 0xFFFFFF},   [USE_EXCHANGE] = {0x3B6FB0, 0xFFFFFF},
    [USE_INPUT] = {0xCCBB44, 0x000000},    [USE_GANG] = {0xE2C6A0, 0x000000},
    [USE_STARTUP] = {0x44AA99, 0x000000},  [USE_CHECKPOINT] = {0x88CCEE, 0x000000},
    [USE_LOST] = {0xCC3311, 0xFFFFFF},     [USE_PROVISIONING] = {0xDDAA33, 0x000000},
    [USE_IDLE] = {0xC3D3E0, 0x000000},     [USE_LEAVING] = {0xA08A7A, 0x000000},
    [USE_UNUSABLE] = {0x882255, 0xFFFFFF}, [USE_UNATTRIBUTED] = {0x777777, 0xFFFFFF},
};
_Static_assert(sizeof(shades) / sizeof(shades[0]) == USE_COUNT, "one shade per use");

static int64_t part(const ReportCluster *cluster, int use)
{
    return cluster->use_micro_usd[use] == ABSENT ? 0 : cluster->use_micro_usd[use];
}

static int64_t whole(const ReportCluster *cluster)
{
    int64_t sum = 0;
    for (int use = 0; use < USE_COUNT; use++)
        sum = capped_sum(sum, part(cluster, use));
    return sum;
}

static uint32_t clusters_with_bill(const Facts *facts)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < facts->cluster_count; i++)
        count += whole(&facts->clusters[i]) > 0;
    return count;
}

static uint32_t rows_shown(const Facts *facts)
{
    const uint32_t all = clusters_with_bill(facts);
    return all < CLUSTERS_SHOWN ? all : CLUSTERS_SHOWN;
}

static void bar_print(Text *bars, Text *numbers, const ReportCluster *cluster, uint32_t row,
                      FigureLayout layout)
{
    // Narrower parts have no room for a number.
    const int64_t number_from_ppm = layout.is_narrow ? 140000 : 50000;
    const int64_t all = whole(cluster);
    int64_t before = 0;
    for (int use = 0; use < USE_COUNT; use++) {
        const int64_t after = capped_sum(before, part(cluster, use));
        const int64_t from_ppm = share_ppm(before, all), to_ppm = share_ppm(after, all);
        text_printf(bars, "%" PRIu32 " ", row);
        decimal_print_rounded(bars, from_ppm, 4, 4);
        text_add(bars, " ");
        decimal_print_rounded(bars, to_ppm, 4, 4);
        text_printf(bars, " 0x%06" PRIX32 "\n", (uint32_t)shades[use].rgb);
        if (to_ppm - from_ppm >= number_from_ppm) {
            text_printf(numbers, "%" PRIu32 " ", row);
            decimal_print_rounded(numbers, (from_ppm + to_ppm) / 2, 4, 4);
            text_add(numbers, " \"");
            decimal_print_rounded(numbers, share_ppm(after - before, all), 4, 0);
            text_printf(numbers, " %%\" 0x%06" PRIX32 "\n", (uint32_t)shades[use].ink_rgb);
        }
        before = after;
    }
}

static void label_print(Text *out, const ReportCluster *cluster, uint32_t row, FigureLayout layout)
{
    Text label = {0};
    shortened_print(&label, cluster->name, layout.is_narrow ? 12 : 17);
    text_printf(out, "row_label[%" PRIu32 "] = ", row);
    gnuplot_string_print(out, text_string(&label));
    text_add(out, "\n");
    text_free(&label);
}

static void key_of_uses_print(Text *out, uint32_t used, FigureLayout layout)
{
    Shade names[USE_COUNT];
    for (int use = 0; use < USE_COUNT; use++)
        names[use] = (Shade){node_use_words((NodeUse)use), shades[use].rgb};
    key_print(out, names, USE_COUNT, used, layout);
}

static void money_data(Text *out, const Facts *facts, uint32_t subject, FigureLayout layout)
{
    (void)subject;
    const uint32_t rows = rows_shown(facts);
    uint32_t used = 0, row = 0;
    Text bars = {0}, numbers = {0};
    text_printf(out, "rows = %" PRIu32 "\narray row_label[rows]\n", rows);
    for (uint32_t i = 0; row < rows; i++) {
        const ReportCluster *cluster = &facts->clusters[i];
        if (whole(cluster) == 0)
            continue;
        row++;
        label_print(out, cluster, row, layout);
        bar_print(&bars, &numbers, cluster, row, layout);
        for (int use = 0; use < USE_COUNT; use++)
            used |= (part(cluster, use) > 0 ? 1U : 0U) << use;
    }
    key_of_uses_print(out, used, layout);
    text_printf(out, "$parts << END\n%sEND\n$numbers << END\n%sNaN NaN \"\" 0\nEND\n",
                text_string(&bars), text_string(&numbers));
    text_free(&bars);
    text_free(&numbers);
}

void figures_money(Figures *figures, const Facts *facts)
{
    Figure figure = {.section = SECTION_MONEY,
                     .file = "money",
                     .title = "Each cluster's bill, by what its nodes did",
                     .note = ""};
    const uint32_t all = clusters_with_bill(facts);
    if (all == 0) {
        figure.note = "Not drawn: no node was billed in this run.";
        figures_missing(figures, figure);
        return;
    }
    if (all > CLUSTERS_SHOWN)
        figure.note = arena_printf(
            figures->arena, "The first %d of %" PRIu32 " clusters are drawn.", CLUSTERS_SHOWN, all);
    const int32_t rows = (int32_t)rows_shown(facts);
    figures_draw(figures, figure, "split.gp", money_data, facts, 0, rows == 1 ? 60 : rows * 30);
}
