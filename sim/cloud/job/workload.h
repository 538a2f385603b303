/* Workloads: jobs that arrive by a random process.
 *
 * Arrivals are a Poisson process, candidate after candidate, each gap drawn at the candidate's own
 * address; where the rate changes with the hour they come at that of the busiest hour and each is
 * kept with the chance that its own hour has (thinning: Lewis and Shedler, "Simulation of
 * nonhomogeneous Poisson processes by thinning", Naval Research Logistics Quarterly 26(3), 1979).
 * A job's shape is drawn at its number. So another workload, or another mix of shapes, does not
 * change when these jobs come. */
#ifndef SIM_CLOUD_JOB_WORKLOAD_H
#define SIM_CLOUD_JOB_WORKLOAD_H

#include "sim/cloud/job/job.h"

/* Pushes the first arrival of each workload; once, before any event. */
void workloads_prepare(Jobs *jobs);
/* Event: a workload's next jobs arrive. */
void workload_arrives(Jobs *jobs, uint32_t workload);

#endif
