/* Shared by the theory tests (tests/theory): a service without delays or failures, arrivals, and
 * the comparison of simulated means with closed forms.
 *
 * Seeds are fixed, so a test that has passed once passes always. A mean must be within three
 * standard errors of the theory (four with fresh seeds), and the error must be small: a broken
 * model with a wide interval would pass otherwise. */
#ifndef TESTS_SUPPORT_THEORY_H
#define TESTS_SUPPORT_THEORY_H

#include "tests/support/worlds.h"

/* The seed that a test takes for `seed`: itself, or another one if TRAINYARD_SEED is set
 * (`tools/test.sh fresh`). */
uint64_t theory_seed(uint64_t seed);

/* How much of the full size of a test to run: 1, or TRAINYARD_EFFORT (the short run of
 * tools/test.sh), or a tenth with sanitizers, under which the simulator is ten times slower. A test
 * has fewer cases, or shorter runs, whose allowed error grows with 1 / sqrt of it. */
double theory_effort(void);
/* `full` times the effort. */
int32_t theory_size(int32_t full);
/* How many of `full` random cases a test takes that is not about their mean: a quarter, rounded up,
 * where the effort is below 1. */
int32_t case_count(int32_t full);

/* plain_service with all durations 0 and room for `nodes` nodes: only queues take time. */
ServiceModel idle_service(Arena *arena, int32_t nodes);

Distribution constant_of(Arena *arena, int64_t value);
Distribution exponential_of(int64_t mean);

/* The time of the next Poisson arrival after `now_ns`. */
int64_t next_arrival_ns(uint64_t seed, uint64_t arrival, int64_t now_ns, int64_t mean_gap_ns);

/* A word of the test's own random numbers. */
uint64_t theory_word(uint64_t seed, uint64_t draw);

/* Fails the test unless the mean of `values`, one for each of `count` independent runs, is within
 * 3 standard errors of `theory`, and one standard error is at most `error_most` of it (of a run of
 * full size). */
void check_mean(const char *what, const double *values, int32_t count, double theory,
                double error_most);

#endif
