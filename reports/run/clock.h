/* The simulated clock on a page, rounded to a second, so that start and span add up. */
#ifndef REPORTS_RUN_CLOCK_H
#define REPORTS_RUN_CLOCK_H

#include "reports/run/facts/facts.h"
#include "sim/base/text.h"

void clock_print(Text *out, const Facts *facts, int64_t at_ns);      /* "2018-07-18 17:47:02" */
void clock_time_print(Text *out, const Facts *facts, int64_t at_ns); /* "17:47:02" */

#endif
