/* summary.json as facts, by one table of members. */
#ifndef REPORTS_SUMMARY_FACTS_H
#define REPORTS_SUMMARY_FACTS_H

#include "reports/run/facts.h"
#include "sim/json/json.h"

/* Fills what `facts` has from the summary `root`. A member that is missing or null is ABSENT or
 * NULL; one of another type, or a number with more digits than counted, is a problem. */
void summary_facts_read(Arena *arena, const Json *root, Facts *facts, Problems *problems);

#endif
