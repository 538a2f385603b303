/* Queues with known answers: Poisson arrivals, one queue, first come, first served, c equal
 * servers.
 *
 * `load` is the offered load: arrivals in a mean service time. Times are in mean
 * service times. Only + - * / and sqrt, so the same on every machine. */
#ifndef SIM_MODEL_QUEUE_H
#define SIM_MODEL_QUEUE_H

#include <stdint.h>

/* The probability that a job waits in M/M/c (A. K. Erlang, 1917): B(c, a) by its recursion, and
 * C = c B / (c - a (1 - B)). 1 when load >= servers. */
double queue_wait_probability(int32_t servers, double load);

/* The mean wait in M/M/c: C / (c - a). INFINITY when load >= servers. */
double queue_mean_wait(int32_t servers, double load);

/* The mean wait in M/G/c for service times of squared coefficient of variation `cs2`: (1 + cs2) / 2
 * times that of M/M/c (A. M. Lee, P. A. Longton, "Queueing processes associated with airline
 * passenger check-in", 1959). Exact for one server (Pollaczek, Khinchine) and for cs2 = 1;
 * otherwise an approximation, within a few per cent at high load. */
double queue_general_mean_wait(int32_t servers, double load, double cs2);

/* A queue with room for few: a job that finds `room` others waiting is lost. */
typedef struct {
    double lost;      /* the share of jobs */
    double mean_wait; /* of the others */
} QueueLoss;

enum { QUEUE_ROOM_MOST = 1000000 };

/* M/M/c/K, K = servers + room, at any load above 0. Without room the share of lost jobs is Erlang's
 * B(c, a), and holds for any service times (B. A. Sevastyanov, "An ergodic theorem for Markov
 * processes and its application to telephone systems with refusals", 1957). room >= 0; more than
 * QUEUE_ROOM_MOST counts as so many. */
QueueLoss queue_limited(int32_t servers, int32_t room, double load);

#endif
