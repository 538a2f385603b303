/* Decimal numbers as doubles. */
#ifndef SIM_JSON_REAL_H
#define SIM_JSON_REAL_H

/* The double nearest to `text`, a decimal number as JSON writes it ("-12.5e3"), in any locale;
 * infinite when no double is that large. */
double real_read(const char *text);

#endif
