/* A summary for people: the run, one line for each cluster and job, the bill, and what went
 * wrong and why. It shows summary.json (summary.h) and counts nothing itself. */
#ifndef SIM_OUTPUT_SUMMARY_TEXT_H
#define SIM_OUTPUT_SUMMARY_TEXT_H

#include "sim/base/text.h"
#include "sim/json/json.h"

void summary_text_print(Text *out, const Json *summary);

#endif
