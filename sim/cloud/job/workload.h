/* Workloads: jobs that arrive by a random process. (Those of a list: listed.h.)
 *
 * Arrivals are a Poisson process of candidates; each gap is drawn at the candidate's own address.
 * If the rate changes with the hour, candidates arrive at the rate of the busiest hour of the week,
 * and each is kept with a probability that depends on its hour (thinning: Lewis and Shedler,
 * "Simulation of nonhomogeneous Poisson processes by thinning", Naval Research Logistics Quarterly
 * 26(3), 1979). A workload with an exact count draws the times of a whole period at once
 * (sim/model/arrival_count.h). A job's shape is drawn at its number. Other workloads, or another
 * mix of shapes, therefore do not change the arrival times. */
#ifndef SIM_CLOUD_JOB_WORKLOAD_H
#define SIM_CLOUD_JOB_WORKLOAD_H

#include "sim/cloud/job/job.h"

/* Pushes the first arrival of each workload; once, before any event. */
void workloads_prepare(Jobs *jobs);
/* Draws the arrivals that are still to come again, from the present seed, given that none of them
 * has happened so far. Those of an exact count keep their times in the period that has begun. */
void workloads_draw_again(Jobs *jobs);
/* Event: a workload's next jobs arrive. */
void workload_arrives(Jobs *jobs, uint32_t workload);

#endif
