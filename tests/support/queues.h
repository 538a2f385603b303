/* Queues as worlds: jobs are customers, nodes are servers, and only waiting takes time. */
#ifndef TESTS_SUPPORT_QUEUES_H
#define TESTS_SUPPORT_QUEUES_H

#include <stdbool.h>

#include "tests/support/theory.h"

/* The mean service time of jobs in a Queue: times are divided by it. */
#define QUEUE_UNIT_NS (1000 * NS_PER_S)

enum { QUEUE_SIZES_MOST = 3 };

typedef struct {
    int32_t servers;
    double rate;                     /* arrivals for each mean service time */
    Distribution service;            /* its mean is QUEUE_UNIT_NS */
    int32_t sizes[QUEUE_SIZES_MOST]; /* nodes of a job; {0}: one node each */
    double chances[QUEUE_SIZES_MOST];
    PolicyKind policy; /* POLICY_SHORTEST and POLICY_SRTF know the true service times */
    double setup; /* while no job waits or runs, another job holds the only server. It gets notice
                     for so long (in mean service times) and is stopped; 0: there is none */
    bool loses;   /* a job that cannot start at once is rejected */
    int32_t jobs; /* in all */
    int32_t warm_up; /* of them; not counted */
} Queue;

/* One job, in mean service times. */
typedef struct {
    double submitted, wait, stay; /* `stay`: from submission to the end */
    int32_t size;                 /* nodes */
    bool is_rejected;             /* it has no times */
} QueueJob;

/* A queue of jobs of one node at `load` of each server. */
Queue queue_of(int32_t servers, double load, Distribution service, int32_t jobs);

/* Runs the queue from an empty start and fills in jobs[i] for job warm_up + i. Stopping a job costs
 * nothing. */
void queue_run(const Queue *queue, uint64_t seed, QueueJob *jobs);

#endif
