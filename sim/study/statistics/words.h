/* Estimates as text for people: "1,601 +- 80 s (95 %, 20 runs)". Locale-free, the same bytes on
 * every machine. */
#ifndef SIM_STUDY_STATISTICS_WORDS_H
#define SIM_STUDY_STATISTICS_WORDS_H

#include "sim/base/text.h"
#include "sim/study/statistics/compare.h"
#include "sim/study/statistics/estimate.h"

/* `value` with as many decimals as its error deserves: `error` keeps two significant digits if they
 * are 10 to 35, and else one, the rule of the Particle Data Group (Review of Particle Physics 2024,
 * Introduction, 5.3), but whole numbers are not rounded further. Thousands are separated by commas.
 * An error of 0 or INFINITY: four significant digits of a fraction, all of a whole number. */
void words_number(Text *text, double value, double error);
/* An amount that is known exactly, such as money: "413,003" from 100 on, "7.25" below. */
void words_amount(Text *text, double value);
/* "1,601 +- 80 s (95 %, 20 runs)"; one run: "1,601 s (1 run, no interval)". `unit` may be "". A
 * lower bound, because some jobs still waited at the end of a run: ">= 1,601 s (20 runs)". */
void words_estimate(Text *text, const Estimate *estimate, bool is_lower_bound, const char *unit);
/* "4.2 (3.9 to 4.6) USD (95 %, 20 runs)"; a missing bound: "above 3.9", "below 4.6". */
void words_interval(Text *text, const Interval *interval, const char *unit);
/* "-120 +- 30 s (95 %, 20 runs, correlation 0.93, 15 times fewer runs than with independent
 * seeds)".
 */
void words_paired(Text *text, const Paired *paired, const char *unit);

#endif
