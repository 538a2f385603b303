#include "reports/figure/bars.h"

#include <inttypes.h>

#include "reports/text/labels.h"
#include "reports/text/wording.h"
#include "sim/base/capped.h"
#include "sim/base/invariant.h"
#include "sim/json/decimal.h"

enum { KINDS_MAX = 32 };

void bars_key_print(Text *out, const BarShade *shades, int32_t count, uint32_t used,
                    FigureLayout layout)
{
    Shade names[KINDS_MAX];
    invariant(count <= KINDS_MAX);
    for (int32_t kind = 0; kind < count; kind++)
        names[kind] = shades[kind].shade;
    key_print(out, names, count, used, layout);
}

Bars bars_begin(uint32_t rows, BarStyle style)
{
    Arena *arena = arena_create();
    return (Bars){
        .style = style, .arena = arena, .labels = ARENA_ARRAY(arena, const char *, rows + 1)};
}

static void part_print(Bars *bars, int32_t kind, int64_t from_ppm, int64_t to_ppm, int64_t part_ppm)
{
    const BarShade *look = &bars->style.shades[kind];
    text_printf(&bars->parts, "%" PRIu32 " ", bars->row);
    decimal_print_rounded(&bars->parts, from_ppm, 4, 4);
    text_add(&bars->parts, " ");
    decimal_print_rounded(&bars->parts, to_ppm, 4, 4);
    text_printf(&bars->parts, " 0x%06" PRIX32 "\n", (uint32_t)look->shade.rgb);
    if (to_ppm - from_ppm < bars->style.number_from_ppm)
        return;
    text_printf(&bars->numbers, "%" PRIu32 " ", bars->row);
    decimal_print_rounded(&bars->numbers, (from_ppm + to_ppm) / 2, 4, 4);
    text_add(&bars->numbers, " \"");
    decimal_print_rounded(&bars->numbers, part_ppm, 4, 0);
    text_printf(&bars->numbers, " %%\" 0x%06" PRIX32 "\n", (uint32_t)look->ink_rgb);
}

void bars_add(Bars *bars, const char *name, const int64_t *amounts)
{
    int64_t whole = 0, before = 0;
    for (int32_t kind = 0; kind < bars->style.count; kind++)
        whole = capped_sum(whole, amounts[kind]);
    bars->labels[bars->row++] = arena_strdup(bars->arena, name);
    for (int32_t kind = 0; kind < bars->style.count; kind++) {
        const int64_t after = capped_sum(before, amounts[kind]);
        part_print(bars, kind, share_ppm(before, whole), share_ppm(after, whole),
                   share_ppm(after - before, whole));
        bars->used |= (amounts[kind] > 0 ? 1U : 0U) << kind;
        before = after;
    }
}

void bars_end(Text *out, Bars *bars)
{
    enum { LABEL_WIDTH = 119, LABEL_WIDTH_NARROW = 84 };
    const LabelRoom room = {bars->style.layout.is_narrow ? LABEL_WIDTH_NARROW : LABEL_WIDTH, 2};
    const int32_t rows = (int32_t)bars->row;
    row_labels_print(out, labels_fit(bars->arena, bars->labels, rows, room), rows);
    bars_key_print(out, bars->style.shades, bars->style.count, bars->used, bars->style.layout);
    text_printf(out, "$parts << END\n%sEND\n$numbers << END\n%sNaN NaN \"\" 0\nEND\n",
                text_string(&bars->parts), text_string(&bars->numbers));
    arena_destroy(bars->arena);
    text_free(&bars->parts);
    text_free(&bars->numbers);
}
