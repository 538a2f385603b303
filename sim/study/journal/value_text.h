/* A value of a run as text that gives back the same double on every machine: with at most nine
 * decimals if such a number is the value, else as "%.17g". Independent of the locale. */
#ifndef SIM_STUDY_JOURNAL_VALUE_TEXT_H
#define SIM_STUDY_JOURNAL_VALUE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/text.h"

/* Adds "1601.4", "0.33333333333333331", "-inf", "unknown" for NAN, and ">=" before a lower bound.
 */
void value_text_print(double value, bool is_lower_bound, Text *out);
/* Reads what value_text_print wrote; false if the `length` bytes are anything else. */
bool value_text_parse(const char *text, size_t length, double *value, bool *is_lower_bound);

#endif
