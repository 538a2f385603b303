/* Exchanges of jobs that share a wire: each rack has one uplink to all others.
 *
 * A ring that goes round the nodes rack by rack leaves and enters each rack once, so a job's bytes
 * cross the uplink of every rack that it has nodes in, once each way; uplinks are full duplex. A
 * job inside one rack crosses none. */
#ifndef SIM_CLOUD_JOB_EXCHANGE_H
#define SIM_CLOUD_JOB_EXCHANGE_H

#include "sim/cloud/job/job.h"

/* Whether the job's nodes are in several racks. */
bool exchange_is_shared(const Jobs *jobs, const Job *job);
void exchanges_check(const Jobs *jobs);
/* `bytes` begin to cross every wire on the job's way at its fair share, `most_bytes_per_s` at most;
 * the end is train_job_exchanged. */
void exchange_begin(Jobs *jobs, Job *job, int64_t bytes, int64_t most_bytes_per_s);
/* Event: the next exchange on a shared wire ends. It counts as long as no exchange has begun or
 * ended since (exchange_generation). */
void exchange_next_end(Jobs *jobs);
uint32_t exchange_generation(const Jobs *jobs);
/* Cancels the exchange of a job, if one is under way. */
void exchange_cancel(Jobs *jobs, Job *job);
/* The rate of a job whose exchange is shared, if all jobs of its cluster that train now across
 * racks exchanged all the time: for fidelities without single steps. */
int64_t exchange_rate_bytes_per_s(const Jobs *jobs, const Job *job);

#endif
