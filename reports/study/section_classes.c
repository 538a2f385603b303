/* Private to reports/study: who wins and who pays, by class of jobs. */
#include <inttypes.h>

#include "reports/page/cells.h"
#include "reports/study/page.h"
#include "reports/text/labels.h"
#include "reports/text/wording.h"
#include "sim/study/classes/class_words.h"

static const char *label_of(const StudyFacts *facts, const ClassTable *table, int32_t column)
{
    return facts->study->factors[table->factor]->levels[table->levels[column]].label;
}

/* The verdict is a colour, a sign of the number and a word. */
static void cell_print(Text *html, const StudyFacts *facts, const ClassTable *table,
                       const ClassCell *cell, const char *label)
{
    const char *verdict = class_verdict_words(cell->verdict);
    text_printf(html, "<td class=\"n%s%s\" data-label=\"", verdict[0] != '\0' ? " " : "", verdict);
    markup_print(html, label);
    text_add(html, "\">");
    prose_print(html, class_cell_words(facts->arena, table, cell));
    if (verdict[0] != '\0')
        text_printf(html, "<span class=\"why\">%s</span>", verdict);
    text_add(html, "</td>");
}

static void table_print(Text *html, const StudyFacts *facts, const ClassTable *table)
{
    const Factor *factor = facts->study->factors[table->factor];
    text_add(html, "<div class=\"table\"><table class=\"cards\"><thead><tr>");
    card_heading_print(html, "jobs", false);
    card_heading_print(html, factor->levels[table->baseline_level].label, true);
    for (int32_t column = 0; column < table->level_count; column++)
        card_heading_print(html, label_of(facts, table, column), true);
    text_add(html, "</tr></thead>\n<tbody>\n");
    for (int32_t row = 0; row < table->class_count; row++) {
        text_add(html, "<tr>");
        card_cell_print(html, "jobs", table->classes[row].words, false);
        card_cell_print(html, factor->levels[table->baseline_level].label,
                        class_baseline_words(facts->arena, table, row), true);
        for (int32_t column = 0; column < table->level_count; column++)
            cell_print(html, facts, table, class_cell(table, row, column),
                       label_of(facts, table, column));
        text_add(html, "</tr>\n");
    }
    text_add(html, "</tbody></table></div>\n");
}

/* Names the rows and columns that a table leaves out. */
static void limits_print(Text *html, const ClassTable *table)
{
    if (table->class_count < table->class_all || table->level_count < table->level_all)
        text_printf(html,
                    "<p class=\"note\">The first %" PRId32 " of %" PRId32 " classes and %" PRId32
                    " of %" PRId32 " levels; points.csv has all differences.</p>\n",
                    table->class_count, table->class_all, table->level_count, table->level_all);
}

/* The levels at which a class wins or pays. */
static void levels_print(Text *html, const StudyFacts *facts, const ClassTable *table)
{
    Text items = {0};
    for (int32_t column = 0; column < table->level_count; column++) {
        const char *words = class_level_words(facts->arena, table, column);
        if (words[0] == '\0')
            continue;
        text_add(&items, "<li><strong>");
        markup_print(&items, label_of(facts, table, column));
        text_add(&items, "</strong>: ");
        prose_print(&items, words);
        text_add(&items, ".</li>\n");
    }
    if (items.length > 0)
        text_printf(html, "<ul>\n%s</ul>\n", text_string(&items));
    text_free(&items);
}

void section_classes(Text *html, const StudyFacts *facts)
{
    const ClassTables tables = class_tables(facts->arena, &facts->outcome->findings);
    if (tables.count == 0)
        return;
    text_add(html,
             "<section>\n<h2>Who wins, who pays</h2>\n<p class=\"note\">Differences to the "
             "baseline, whose means are in the second column, run by run with the same seeds, with "
             "95 % intervals. A class wins or pays where the difference is not chance: of all such "
             "cells of a table, the probability that one is wrong is at most 5 % "
             "(Holm).</p>\n");
    for (int32_t i = 0; i < tables.count; i++) {
        const ClassTable *table = &tables.items[i];
        text_add(html, "<h3>");
        markup_print(
            html, label_capitalised(facts->arena, class_title(facts->arena, facts->study, table)));
        text_add(html, "</h3>\n<p>");
        markup_print(html, class_summary(facts->arena, facts->study, table));
        text_add(html, "</p>\n");
        if (i == 0 || table->factor != tables.items[i - 1].factor)
            levels_print(html, facts, table);
        table_print(html, facts, table);
        limits_print(html, table);
    }
    text_add(html, "</section>\n");
}
