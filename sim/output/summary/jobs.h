/* The parts of a summary about jobs that are listed one by one. */
#ifndef SIM_OUTPUT_SUMMARY_JOBS_H
#define SIM_OUTPUT_SUMMARY_JOBS_H

#include "sim/output/summary/making.h"

/* Fills in `jobs` of the summary. */
void summary_add_jobs(Making *making);

#endif
