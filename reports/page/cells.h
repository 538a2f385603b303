/* Cells of tables that pages of several folders have. */
#ifndef REPORTS_PAGE_CELLS_H
#define REPORTS_PAGE_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/text.h"

/* A number with so many decimals, without the locale. */
void number_print(Text *out, double value, int32_t decimals);

void table_begin(Text *html, const char *const *headings); /* ended by NULL */
void table_end(Text *html);
void cell_text_print(Text *html, const char *prefix, const char *text);
/* The first cell of a row: a whole number. */
void cell_label_print(Text *html, double value, const char *unit);
/* `is_empty`: the cell has no value. */
void cell_number_print(Text *html, double value, int32_t decimals, bool is_empty, const char *unit);

/* --- Tables whose rows become cards on a phone, where each cell has its heading --- */

/* `headings` are ended by NULL; those that begin with '#' are of numbers, which are on the right.
 */
void cards_begin(Text *html, const char *const *headings);
void card_heading_print(Text *html, const char *name, bool is_number);
/* A name that may be broken into lines after its dots and slashes. */
void breakable_print(Text *html, const char *name);
void card_cell_print(Text *html, const char *heading, const char *text, bool is_number);
void cards_end(Text *html);

#endif
