#include "reports/figure/bars.h"

#include <inttypes.h>

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

Bars bars_begin(Text *out, uint32_t rows, BarStyle style)
{
    text_printf(out, "rows = %" PRIu32 "\narray row_label[rows]\n", rows);
    return (Bars){.style = style};
}

static void label_print(Text *out, const char *name, uint32_t row, FigureLayout layout)
{
    Text label = {0};
    shortened_print(&label, name, layout.is_narrow ? 12 : 17);
    text_printf(out, "row_label[%" PRIu32 "] = ", row);
    gnuplot_string_print(out, text_string(&label));
    text_add(out, "\n");
    text_free(&label);
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

void bars_add(Text *out, Bars *bars, const char *name, const int64_t *amounts)
{
    int64_t whole = 0, before = 0;
    for (int32_t kind = 0; kind < bars->style.count; kind++)
        whole = capped_sum(whole, amounts[kind]);
    bars->row++;
    label_print(out, name, bars->row, bars->style.layout);
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
    bars_key_print(out, bars->style.shades, bars->style.count, bars->used, bars->style.layout);
    text_printf(out, "$parts << END\n%sEND\n$numbers << END\n%sNaN NaN \"\" 0\nEND\n",
                text_string(&bars->parts), text_string(&bars->numbers));
    text_free(&bars->parts);
    text_free(&bars->numbers);
}
