/* The parts of a summary about jobs that are not listed one by one. */
#ifndef SIM_OUTPUT_SUMMARY_WORKLOADS_H
#define SIM_OUTPUT_SUMMARY_WORKLOADS_H

#include "sim/output/summary/making.h"

/* Fills in `workloads` of the summary. */
void summary_add_workloads(Making *making);
/* Fills in `queue` of the summary: the waiting times of all jobs. */
void summary_add_queue(Making *making);

#endif
