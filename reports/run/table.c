#include "reports/run/table.h"

#include <inttypes.h>

#include "reports/text/wording.h"
#include "sim/base/capped.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/json/decimal.h"

static bool is_empty(const PageColumn *column, const Facts *facts, uint32_t row_count)
{
    Text cell = {0};
    for (uint32_t row = 0; row < row_count && cell.length == 0; row++)
        column->print(&cell, facts, row);
    const bool is_empty = cell.length == 0;
    text_free(&cell);
    return is_empty;
}

static void head_print(Text *html, const PageTable *table, const bool *is_left_out)
{
    text_printf(html, "<div class=\"table\"><table class=\"%s\"><thead><tr>", table->class);
    for (int32_t i = 0; i < table->column_count; i++)
        if (!is_left_out[i])
            text_printf(html, "<th scope=\"col\"%s>%s</th>",
                        table->columns[i].is_number ? " class=\"n\"" : "",
                        table->columns[i].heading);
    text_add(html, "</tr></thead>\n<tbody>\n");
}

static void cell_print(Text *html, const PageColumn *column, const Facts *facts, uint32_t row)
{
    Text cell = {0};
    column->print(&cell, facts, row);
    text_printf(html, "<td%s data-label=\"%s\">", column->is_number ? " class=\"n\"" : "",
                column->heading);
    markup_print(html, cell.length > 0 ? text_string(&cell) : "\xE2\x80\x93"); // a dash
    text_add(html, "</td>");
    text_free(&cell);
}

void page_table_print(Text *html, const PageTable *table, const Facts *facts, uint32_t row_count)
{
    enum { COLUMNS_MAX = 20 };
    bool is_left_out[COLUMNS_MAX] = {false};
    invariant(table->column_count <= COLUMNS_MAX);
    for (int32_t i = 0; i < table->column_count; i++)
        is_left_out[i] = is_empty(&table->columns[i], facts, row_count);
    head_print(html, table, is_left_out);
    for (uint32_t row = 0; row < row_count; row++) {
        const char *class = table->row_class != NULL ? table->row_class(facts, row) : NULL;
        if (class != NULL)
            text_printf(html, "<tr class=\"%s\">", class);
        else
            text_add(html, "<tr>");
        for (int32_t i = 0; i < table->column_count; i++)
            if (!is_left_out[i])
                cell_print(html, &table->columns[i], facts, row);
        text_add(html, "</tr>\n");
    }
    text_add(html, "</tbody></table></div>\n");
}

void cell_clock(Text *out, int64_t ns)
{
    if (ns == ABSENT)
        return;
    const int64_t s = capped_sum(ns, NS_PER_S / 2) / NS_PER_S; // rounded, as duration_print does
    text_printf(out, "%" PRId64 ":%02" PRId64 ":%02" PRId64, s / 3600, s / 60 % 60, s % 60);
}

void cell_count(Text *out, int64_t count)
{
    if (count != ABSENT)
        text_printf(out, "%" PRId64, count);
}

void cell_usd(Text *out, int64_t micro_usd)
{
    if (micro_usd != ABSENT)
        usd_print(out, micro_usd);
}

void cell_hours(Text *out, Wide ns)
{
    if (ns == ABSENT)
        return;
    decimal_print_rounded(out, wide_proportion(ns, 1000000, (Wide)NS_PER_HOUR), 6, 2);
    text_add(out, " h");
}

void cell_text(Text *out, const char *text)
{
    if (text != NULL)
        text_add(out, text);
}

const char *or_unknown(const char *text)
{
    return text != NULL ? text : "unknown";
}
