/* Queues as worlds: jobs are customers, nodes are servers, and only waiting takes time. */
#ifndef TESTS_SUPPORT_QUEUES_H
#define TESTS_SUPPORT_QUEUES_H

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
    int32_t jobs;      /* in all */
    int32_t warm_up;   /* of them; not counted */
} Queue;

/* A queue of jobs of one node at `load` of each server. */
Queue queue_of(int32_t servers, double load, Distribution service, int32_t jobs);

/* Runs the queue from an empty start and sets waits[i] to the wait of job warm_up + i, in mean
 * service times. */
void queue_waits(const Queue *queue, uint64_t seed, double *waits);
/* The same for times in the system, from submission to the end. Stopping a job costs nothing. */
void queue_stays(const Queue *queue, uint64_t seed, double *stays);

#endif
