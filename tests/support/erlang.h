/* Queues with closed forms, by other arithmetic than that of sim/model. Jobs arrive at random at
 * `servers` equal servers, first come, first served. Times are in mean service times, `offered` is
 * the mean number of jobs that arrive in one. */
#ifndef TESTS_SUPPORT_ERLANG_H
#define TESTS_SUPPORT_ERLANG_H

#include <stdint.h>

/* M/M/c (A. K. Erlang, 1917): the probability that a job waits; 1 when the queue grows for ever. */
double erlang_c(int32_t servers, double offered);
/* The probability that a job waits at most `limit`; 0 when the queue grows for ever. */
double erlang_share(int32_t servers, double offered, double limit);

/* M/M/1 at `load` in (0, 1): n Var(mean of n successive waits) for large n, load (2 + 5 load -
 * 4 load^2 + load^3) / (1 - load)^4 (D. J. Daley, "The serial correlation coefficients of waiting
 * times in a stationary single server queue", Journal of the Australian Mathematical Society 8,
 * 1968). */
double daley_variance(double load);
/* The number of jobs whose mean wait has a 95 % interval of half-width `relative` times the mean,
 * load / (1 - load). */
double daley_jobs(double load, double relative);

/* M/M/c/K: the share of jobs that find `room` others waiting and are lost. Without room it is
 * Erlang's B, for any service times. */
double erlang_lost(int32_t servers, int32_t room, double offered);

/* M/D/c: the mean wait, from the jobs present after each service time, n' = max(n - c, 0) + the
 * arrivals between (C. D. Crommelin, 1932). INFINITY when the queue grows for ever. */
double crommelin_mean_wait(int32_t servers, double offered);

/* M/M/c, two classes, jobs of the first go first but stop no other: the mean wait of class `rank`,
 * 0 or 1, where `first` of `offered` are of the first (A. Cobham, 1954; R. H. Davis, 1966). */
double cobham_mean_wait(int32_t servers, double offered, double first, int32_t rank);

/* Jobs of sizes[k] servers, of which offered[k] arrive in a mean service time, are lost if they
 * cannot start at once: the share of all (J. S. Kaufman, 1981; J. W. Roberts, 1981). */
double kaufman_lost(int32_t servers, int32_t kinds, const int32_t *sizes, const double *offered);

/* `machines` that fail after `up` on average and are repaired in `down` by one of `crews`, all
 * exponential: the mean number that is down (C. Palm, 1947). */
double palm_mean_down(int32_t machines, int32_t crews, double up, double down);

#endif
