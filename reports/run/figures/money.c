/* Private to reports/run/figures: the cost of each cluster as a bar, divided by the use of its
 * nodes. */
#include <inttypes.h>

#include "reports/figure/bars.h"
#include "reports/run/figures/draw.h"
#include "reports/run/figures/figures.h"
#include "reports/text/wording.h"
#include "sim/base/capped.h"

enum { CLUSTERS_SHOWN = 12 };

/* Useful time is blue and green, waiting is yellow and grey, lost work is red. */
static const struct {
    int32_t rgb;
    int32_t ink_rgb;
} shades[] = {
    [USE_USEFUL] = {0x228833, 0xFFFFFF},      [USE_EXCHANGE] = {0x3B6FB0, 0xFFFFFF},
    [USE_INPUT] = {0xE8D000, 0x000000},       [USE_GANG] = {0xE2C6A0, 0x000000},
    [USE_STARTUP] = {0x44AA99, 0x000000},     [USE_CHECKPOINT] = {0x88CCEE, 0x000000},
    [USE_LOST] = {0xCC3311, 0xFFFFFF},        [USE_PROVISIONING] = {0xDDAA33, 0x000000},
    [USE_IDLE] = {0xC3D3E0, 0x000000},        [USE_STRANDED] = {0xEE8866, 0x000000},
    [USE_SHORT_CORES] = {0xDDCC77, 0x000000}, [USE_SHORT_MEMORY] = {0xAA4499, 0xFFFFFF},
    [USE_LIMITED] = {0xBBCC33, 0x000000},     [USE_MAINTENANCE] = {0x99DDAA, 0x000000},
    [USE_LEAVING] = {0xA08A7A, 0x000000},     [USE_UNUSABLE] = {0x882255, 0xFFFFFF},
    [USE_DRAINED] = {0x6699CC, 0x000000},     [USE_UNATTRIBUTED] = {0x777777, 0xFFFFFF},
};
_Static_assert(sizeof(shades) / sizeof(shades[0]) == USE_COUNT, "one shade per use");

static int64_t part(const SummaryCluster *cluster, int use)
{
    return cluster->uses.micro_usd[use] == ABSENT ? 0 : cluster->uses.micro_usd[use];
}

static int64_t whole(const SummaryCluster *cluster)
{
    int64_t sum = 0;
    for (int use = 0; use < USE_COUNT; use++)
        sum = capped_sum(sum, part(cluster, use));
    return sum;
}

static uint32_t clusters_with_bill(const Facts *facts)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < facts->run->cluster_count; i++)
        count += whole(&facts->run->clusters[i]) > 0;
    return count;
}

static uint32_t rows_shown(const Facts *facts)
{
    const uint32_t all = clusters_with_bill(facts);
    return all < CLUSTERS_SHOWN ? all : CLUSTERS_SHOWN;
}

static void money_data(Text *out, const Facts *facts, uint32_t subject, FigureLayout layout)
{
    (void)subject;
    const uint32_t rows = rows_shown(facts);
    BarShade looks[USE_COUNT];
    for (int use = 0; use < USE_COUNT; use++)
        looks[use] =
            (BarShade){{node_use_words((NodeUse)use), shades[use].rgb}, shades[use].ink_rgb};
    const BarStyle style = {looks, USE_COUNT, layout.is_narrow ? 140000 : 50000, layout};
    Bars bars = bars_begin(rows, style);
    for (uint32_t i = 0; bars.row < rows; i++) {
        const SummaryCluster *cluster = &facts->run->clusters[i];
        int64_t parts[USE_COUNT];
        for (int use = 0; use < USE_COUNT; use++)
            parts[use] = part(cluster, use);
        if (whole(cluster) > 0)
            bars_add(&bars, cluster->name, parts);
    }
    bars_end(out, &bars);
}

static const char *usd_cell(Arena *arena, int64_t micro_usd)
{
    Text text = {0};
    usd_print(&text, micro_usd);
    return text_move(arena, &text);
}

static bool is_used(const Facts *facts, int use)
{
    for (uint32_t i = 0; i < facts->run->cluster_count; i++)
        if (part(&facts->run->clusters[i], use) > 0)
            return true;
    return false;
}

static const FigureNumbers *money_numbers(Arena *arena, const Facts *facts)
{
    const char **headings = ARENA_ARRAY(arena, const char *, USE_COUNT + 1);
    const char *cells[USE_COUNT + 1];
    int32_t columns = 0;
    headings[columns++] = "cluster";
    for (int use = 0; use < USE_COUNT; use++)
        if (is_used(facts, use))
            headings[columns++] = node_use_words((NodeUse)use);
    FigureNumbers *numbers = numbers_create(arena, headings, columns, true);
    const int64_t rows = rows_shown(facts);
    for (uint32_t i = 0; numbers->row_count < rows; i++) {
        const SummaryCluster *cluster = &facts->run->clusters[i];
        const int64_t row = numbers->row_count;
        if (whole(cluster) == 0)
            continue;
        columns = 0;
        cells[columns++] = cluster->name;
        for (int use = 0; use < USE_COUNT; use++)
            if (is_used(facts, use))
                cells[columns++] = usd_cell(arena, part(cluster, use));
        numbers_add(numbers, (PlotBand){PPM * row / rows, PPM * (row + 1) / rows}, cells);
    }
    return numbers;
}

void figures_money(Figures *figures, const Facts *facts)
{
    Figure figure = {.section = SECTION_MONEY,
                     .file = "money",
                     .title = "Each cluster's bill, by the use of its nodes",
                     .left = 130,
                     .left_narrow = 86,
                     .note = ""};
    const uint32_t all = clusters_with_bill(facts);
    if (all == 0) {
        figure.note = facts_no_bill(facts);
        figures_missing(figures, figure);
        return;
    }
    if (all > CLUSTERS_SHOWN)
        figure.note = arena_printf(
            figures->arena, "The first %d of %" PRIu32 " clusters are drawn.", CLUSTERS_SHOWN, all);
    const int32_t rows = (int32_t)rows_shown(facts);
    figure.numbers = money_numbers(figures->arena, facts);
    figure_draw(figures, figure, "split.gp", money_data, facts, 0, rows == 1 ? 60 : rows * 30);
}
