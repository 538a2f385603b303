/* Decimal numbers as doubles. */
#ifndef SIM_JSON_REAL_H
#define SIM_JSON_REAL_H

#include "sim/base/text.h"

/* The double nearest to `text`, a decimal number as JSON writes it ("-12.5e3"), in any locale;
 * infinite when no double is that large. */
double real_read(const char *text);

/* Adds digits that give back the same double on every machine, in any locale: with at most nine
 * decimals if such a number is the value, else as "%.17g". "inf" and "nan" are not JSON. */
void real_print(double value, Text *out);

#endif
