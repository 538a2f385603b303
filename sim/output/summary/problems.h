/* "problems" of summary.json: a sentence for each failure in a run. */
#ifndef SIM_OUTPUT_SUMMARY_PROBLEMS_H
#define SIM_OUTPUT_SUMMARY_PROBLEMS_H

#include "sim/output/summary/making.h"

/* Fills in `problems` of the summary, whose workloads must have been filled in. */
void summary_add_problems(Making *making);

#endif
