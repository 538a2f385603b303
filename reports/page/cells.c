#include "reports/page/cells.h"

#include <string.h>

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
        text_add(html, i > 0 ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
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

void breakable_print(Text *html, const char *name)
{
    for (const char *at = name; *at != '\0';) {
        const size_t part = strcspn(at, "./") + (strpbrk(at, "./") != NULL);
        Text piece = {0};
        text_append(&piece, at, part);
        markup_print(html, text_string(&piece));
        text_add(html, at[part] != '\0' ? "<wbr>" : "");
        text_free(&piece);
        at += part;
    }
}

void card_heading_print(Text *html, const char *name, bool is_number)
{
    text_printf(html, "<th scope=\"col\"%s>", is_number ? " class=\"n\"" : "");
    breakable_print(html, name);
    text_add(html, "</th>");
}

void card_cell_print(Text *html, const char *heading, const char *text, bool is_number)
{
    text_printf(html, "<td%s data-label=\"", is_number ? " class=\"n\"" : "");
    markup_print(html, heading);
    text_add(html, "\">");
    markup_print(html, text);
    text_add(html, "</td>");
}

void cards_begin(Text *html, const char *const *headings)
{
    text_add(html, "<div class=\"table\"><table class=\"cards\"><thead><tr>");
    for (int32_t i = 0; headings[i] != NULL; i++)
        card_heading_print(html, headings[i] + (headings[i][0] == '#'), headings[i][0] == '#');
    text_add(html, "</tr></thead>\n<tbody>\n");
}

void cards_end(Text *html)
{
    text_add(html, "</tbody></table></div>\n");
}
