/* M/M/c: jobs that arrive at random at `servers` equal servers, first come, first served. Times are
 * in mean service times, `offered` is the mean number of jobs in service. A. K. Erlang, 1917. */
#ifndef TESTS_SUPPORT_ERLANG_H
#define TESTS_SUPPORT_ERLANG_H

#include <stdint.h>

/* The probability that a job waits; 1 when the queue grows for ever. */
double erlang_c(int32_t servers, double offered);
/* The probability that a job waits at most `limit`; 0 when the queue grows for ever. */
double erlang_share(int32_t servers, double offered, double limit);

#endif
