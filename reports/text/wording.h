/* Names escaped for the text that contains them, and quantities in readable units. Every function
 * appends to `out`; nothing depends on the locale. */
#ifndef REPORTS_WORDING_H
#define REPORTS_WORDING_H

#include <stdint.h>

#include "sim/base/text.h"

/* For HTML and XML, as content or in a quoted attribute: & < > " ' become references, bytes that
 * XML cannot hold (control characters, broken UTF-8) becomes U+FFFD. */
void markup_print(Text *out, const char *text);
/* As markup_print, except that quantities stay on one line: the spaces before a unit, before and
 * after "±" and before "%" become no-break spaces. For sentences; commands keep their spaces. */
void prose_print(Text *out, const char *text);
/* A gnuplot string in single quotes, in which gnuplot expands nothing. Line ends and other control
 * characters become spaces. */
void gnuplot_string_print(Text *out, const char *text);

/* "1 h 9 min 24 s" that stays on one line: as duration_print, with no-break spaces. */
void span_print(Text *out, int64_t ns);
/* "3.60 USD", "0.0042 USD" with a no-break space: as decimal_print_amount (sim/json/decimal.h). */
void usd_print(Text *out, int64_t micro_usd);
/* "74.8 %" from 748000 parts per million; `decimals` 0 or 1. */
void percent_print(Text *out, int64_t ppm, int32_t decimals);
/* "3 jobs", "1 job": `many` only where it is not `one` and an s. */
void count_print(Text *out, int64_t count, const char *one, const char *many);

/* `part` of `whole` in parts per million, rounded down; 0 of nothing. */
int64_t share_ppm(int64_t part, int64_t whole);

/* UTF-8 characters in `text`. */
int32_t letters_in(const char *text);
/* The width of `text` in a figure in pixels, for letters of 12 pixels; at most a little too wide.
 */
int32_t letters_width(const char *text);
/* `text` in at most `characters` UTF-8 characters, its middle cut out if need be: "imagenet…-v7".
 * In a list the longest items lose their middles, so that a part of each is shown: "NC6, 2,
 * low…ty". As many items as that leaves 3 characters each; `characters` >= 3. */
void shortened_print(Text *out, const char *text, int32_t characters);

#endif
