#include "reports/page/cells.h"

#include "reports/text/wording.h"
#include "sim/json/decimal.h"

void number_print(Text *out, double value, int32_t decimals)
{
    double scaled = value < 0 ? -value : value;
    for (int32_t i = 0; i < decimals; i++)
        scaled *= 10;
    const double most = 9e18;
    if (value < 0)
        text_add(out, "-");
    decimal_print_rounded(out, (int64_t)(scaled < most ? scaled + 0.5 : most), decimals, decimals);
}

void table_begin(Text *html, const char *const *headings)
{
    text_add(html, "<div class=\"table\"><table>\n<thead><tr>");
    for (int32_t i = 0; headings[i] != NULL; i++) {
        text_add(html, i > 0 ? "<th class=\"n\">" : "<th>");
        markup_print(html, headings[i]);
        text_add(html, "</th>");
    }
    text_add(html, "</tr></thead>\n<tbody>\n");
}

void table_end(Text *html)
{
    text_add(html, "</tbody>\n</table></div>\n");
}

void cell_text_print(Text *html, const char *prefix, const char *text)
{
    text_add(html, "<td>");
    markup_print(html, prefix);
    markup_print(html, text);
    text_add(html, "</td>");
}

void cell_number_print(Text *html, double value, int32_t decimals, bool is_empty, const char *unit)
{
    text_add(html, "<td class=\"n\">");
    if (!is_empty) {
        number_print(html, value, decimals);
        text_add(html, unit);
    }
    text_add(html, "</td>");
}

void cell_label_print(Text *html, double value, const char *unit)
{
    text_add(html, "<td>");
    number_print(html, value, 0);
    text_add(html, unit);
    text_add(html, "</td>");
}
