/* Many studies of queues with known means, to count how often intervals contain the truth. The
 * waiting times are computed by a recursion, which is much cheaper than a world.
 *
 * Seeds are fixed, so a test that has passed once passes always. TRAINYARD_SEED=N takes other ones
 * (`tools/test.sh fresh`) and three times as many studies; a failure prints the seed. Half-widths
 * must be small too: a broken wide interval would cover always. */
#ifndef TESTS_SUPPORT_STUDIES_H
#define TESTS_SUPPORT_STUDIES_H

#include <stdbool.h>

#include "sim/base/arena.h"
#include "sim/study/statistics/estimate.h"

/* --- Random numbers: splitmix64, one sequence for each run of a study --- */

typedef struct {
    uint64_t state;
} Random;

Random random_of(uint64_t study, uint64_t run);
double random_uniform(Random *random);     /* in (0, 1) */
double random_exponential(Random *random); /* of mean 1 */
double random_standard_normal(Random *random);

/* Whether TRAINYARD_SEED is set. */
bool studies_are_fresh(void);
/* How many studies to make: with fixed seeds a third of `full`. */
int32_t studies_of(int32_t full);
/* The same, with sanitizers a tenth of that. */
int32_t long_studies_of(int32_t full);

/* --- Queues: first come, first served, Poisson arrivals, mean service time 1 --- */

enum { STUDY_SERVERS_MOST = 4 };

typedef struct {
    const char *name;
    double load;
    double mean_wait; /* the truth */
    int32_t servers;
    bool is_constant;  /* service times; otherwise exponential */
    double wide_share; /* of jobs that need all servers; the others need one */
} StudyQueue;

extern const StudyQueue mm1_5, mm1_8, mm1_9, mm1_95, mm4_7, md4_9, gangs;

/* The waits of the jobs of all runs of one study. */
typedef struct {
    int32_t runs;
    int64_t jobs;    /* of each run */
    int64_t deleted; /* at the beginning of each run */
    double *waits;   /* [run * jobs + job] */
} StudyWaits;

StudyWaits study_create(Arena *arena, int32_t runs, int64_t jobs, int64_t deleted);
double *study_run(const StudyWaits *waits, int32_t run);
/* Sets rows[run] to study_run. */
void study_rows(const StudyWaits *waits, const double **rows);
/* Fills in the waits of run `run`, or of all runs, from an empty start. */
void study_simulate_run(const StudyWaits *waits, const StudyQueue *queue, uint64_t study,
                        int32_t run);
void study_simulate(const StudyWaits *waits, const StudyQueue *queue, uint64_t study);
/* Sets means[run] to the mean of the waits that are not deleted. */
void study_means(const StudyWaits *waits, double *means);

/* --- Results --- */

typedef struct {
    int32_t studies, covered, marked;
    double relative_width; /* sum of half-widths over the truth */
} Coverage;

void coverage_count(Coverage *coverage, double low, double high, double truth);
void coverage_count_estimate(Coverage *coverage, const Estimate *estimate, double truth);
/* Bars of shares hold for 1000 studies: by how much a share of fewer studies may miss them, 3
 * standard errors of the difference. */
double luck_of_share(double share, int32_t studies);
/* Fails unless a share from `least` to `most` of the studies covered the truth, and the mean
 * relative half-width is at most `width`. These bars are for 1000 studies or more; fewer have room
 * for the luck of few. Prints a row. */
void coverage_check(const char *method, const char *of, const Coverage *coverage, double least,
                    double most, double width);

#endif
