/* Private to reports/run: the cost by use, in words. */
#include <stdlib.h>

#include "reports/run/sections.h"
#include "reports/text/wording.h"
#include "sim/base/capped.h"

typedef struct {
    int64_t micro_usd;
    int use;
} Weighted;

static int by_weight(const void *left, const void *right)
{
    const Weighted *a = left, *b = right;
    if (a->micro_usd != b->micro_usd)
        return a->micro_usd > b->micro_usd ? -1 : 1;
    return a->use - b->use;
}

static int64_t sums_of(const Facts *facts, Weighted *sums)
{
    int64_t all = 0;
    for (int use = 0; use < USE_COUNT; use++) {
        sums[use] = (Weighted){0, use};
        for (uint32_t i = 0; i < facts->run->cluster_count; i++) {
            const int64_t part = facts->run->clusters[i].uses.micro_usd[use];
            sums[use].micro_usd = capped_sum(sums[use].micro_usd, part == ABSENT ? 0 : part);
        }
        all = capped_sum(all, sums[use].micro_usd);
    }
    return all;
}

void section_money_words(Text *html, const Facts *facts)
{
    const int64_t told_from_ppm = 10000;
    Weighted sums[USE_COUNT];
    const int64_t all = sums_of(facts, sums);
    Text plain = {0};
    if (all == 0)
        return;
    qsort(sums, USE_COUNT, sizeof sums[0], by_weight);
    text_add(&plain, "The nodes cost ");
    usd_print(&plain, all);
    text_add(&plain, ":");
    const char *separator = " ";
    int64_t rest = all;
    for (int i = 0; i < USE_COUNT && share_ppm(sums[i].micro_usd, all) >= told_from_ppm; i++) {
        text_add(&plain, separator);
        usd_print(&plain, sums[i].micro_usd);
        text_add(&plain, " (");
        percent_print(&plain, share_ppm(sums[i].micro_usd, all), 1);
        text_printf(&plain, ") for %s", node_use_words((NodeUse)sums[i].use));
        separator = ", ";
        rest -= sums[i].micro_usd;
    }
    if (rest > 0) {
        text_add(&plain, ", and ");
        usd_print(&plain, rest);
        text_add(&plain, " for the rest");
    }
    text_add(&plain, ".");
    text_add(html, "<p>");
    markup_print(html, text_string(&plain));
    text_add(html, "</p>\n");
    text_free(&plain);
}
