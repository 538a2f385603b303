/* Numbers as text for people, with as many digits as their errors deserve: "1,601". Locale-free,
 * the same bytes on every machine. */
#ifndef SIM_STUDY_STATISTICS_WORDS_H
#define SIM_STUDY_STATISTICS_WORDS_H

#include "sim/base/text.h"

/* `value` with as many decimals as its error deserves: `error` keeps two significant digits if they
 * are 10 to 35, and else one, the rule of the Particle Data Group (Review of Particle Physics 2024,
 * Introduction, 5.3), but whole numbers are not rounded further. Thousands are separated by commas.
 * An error of 0 or INFINITY: four significant digits of a fraction, all of a whole number. */
void words_number(Text *text, double value, double error);
/* An amount that is known exactly, such as money: "413,003" from 100 on, "7.25" below. */
void words_amount(Text *text, double value);

#endif
