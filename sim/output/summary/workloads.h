/* The parts of a summary about jobs that are not listed one by one. */
#ifndef SIM_OUTPUT_SUMMARY_WORKLOADS_H
#define SIM_OUTPUT_SUMMARY_WORKLOADS_H

#include "sim/output/summary/making.h"

/* Fills in `workloads` of the summary, and `queue`: the waiting times of all jobs. One pass over
 * the jobs, whatever the number of workloads. */
void summary_add_workloads(Making *making);

#endif
