/* A summary for people: what the run was, each cluster and each job in a line, the bill, and what
 * went wrong and why. A view of summary.json (sim/output/summary/summary.h): it counts nothing
 * itself. */
#ifndef SIM_OUTPUT_SUMMARY_TEXT_H
#define SIM_OUTPUT_SUMMARY_TEXT_H

#include "sim/base/text.h"
#include "sim/json/json.h"

void summary_text_print(Text *out, const Json *summary);

#endif
