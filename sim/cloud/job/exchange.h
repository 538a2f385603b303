/* Exchanges of jobs over shared wires: each rack has one uplink to all other racks.
 *
 * A ring that visits the nodes rack by rack leaves and enters each rack once. A job's bytes
 * therefore cross the uplink of each of its racks once each way; uplinks are full duplex. A job
 * inside one rack uses no uplink. */
#ifndef SIM_CLOUD_JOB_EXCHANGE_H
#define SIM_CLOUD_JOB_EXCHANGE_H

#include "sim/cloud/job/job.h"

/* Whether the job's nodes are in several racks. */
bool exchange_is_shared(const Jobs *jobs, const Job *job);
void exchanges_check(const Jobs *jobs);
/* `bytes` begin to cross every uplink of the job at its fair rate, `most_bytes_per_s` at most. At
 * the end epochs_exchange_done is called. */
void exchange_begin(Jobs *jobs, Job *job, int64_t bytes, int64_t most_bytes_per_s);
/* Event: the next exchange on a shared wire ends. It counts as long as no exchange has begun or
 * ended since (exchange_generation). */
void exchange_next_end(Jobs *jobs);
uint32_t exchange_generation(const Jobs *jobs);
/* Cancels the exchange of a job, if one is under way. */
void exchange_cancel(Jobs *jobs, Job *job);
/* For fidelities without single steps: the rate of a job whose exchange is shared, if all jobs of
 * its cluster that now train across racks exchanged all the time. */
int64_t exchange_rate_bytes_per_s(const Jobs *jobs, const Job *job);

#endif
